//! A claim as one self-contained page: no script, no request, what agents wrote folded under who wrote it.

mod slots;
mod track;

use super::{agreed, layers, merged_from, stands_in_a_slot, web_address, words};
use crate::figures::moment;
use crate::html::safe::{esc, prose};
use crate::html::{folded, page, section};
use crate::text::{excerpt, one_line};
use crate::words as common;
use crate::words::commands::review_claim;
use synod_types::{ClaimSource, ClaimView, ConsensusRecord, PipelineStatus};

pub fn claim_html(view: &ClaimView) -> String {
    let layers = layers(view);
    let title = one_line(&view.claim.title);
    let title = if title.is_empty() { "Claim without a title" } else { &title };
    let record = view.record.as_ref().map(|record| verdict(view, record)).unwrap_or_default();
    let main = [state(view), record, track::track(&layers), slots::slots(&layers), flags(view), notices(view), sources(view), about(view)].concat();
    page(&excerpt(title, 70, "…"), &top(view, title), &main, &foot(view))
}

fn top(view: &ClaimView, title: &str) -> String {
    /// Longer than this, a claim is folded.
    const LONG: usize = 600;
    let claim = &view.claim;
    let mut out = format!(
        "<header>\n<p class=\"kicker\">Claim · {} · {} · <span class=\"whole\">{}</span></p>\n",
        esc(&one_line(&claim.protocol)),
        esc(&words::domain(view)),
        moment(claim.created_at)
    );
    if claim.rehearsal {
        out.push_str(&format!("<p class=\"banner\" role=\"note\"><span aria-hidden=\"true\">▲ </span>{}</p>\n", esc(common::REHEARSAL)));
    }
    out.push_str(&format!("<h1>{}</h1>\n", esc(&excerpt(title, 300, "…"))));
    match claim.body.chars().count() {
        0 => {}
        1..=LONG => out.push_str(&format!("<div class=\"prose\">{}</div>\n", prose(&claim.body))),
        _ => out.push_str(&folded("The whole claim", &claim.body)),
    }
    out.push_str("</header>\n");
    out
}

fn badge(view: &ClaimView) -> String {
    let (class, sign) = match view.pipeline.status {
        PipelineStatus::Active => ("full", "▶"),
        PipelineStatus::Flagged => ("degraded", "▲"),
        PipelineStatus::Complete if super::closed(view).is_some() => ("deadlock", "■"),
        PipelineStatus::Complete => ("full", "●"),
    };
    format!("<span class=\"badge {class}\"><span aria-hidden=\"true\">{sign} </span>{}</span>", words::state_word(view))
}

fn state(view: &ClaimView) -> String {
    let mut body = format!("<p>{} {}</p>\n", badge(view), esc(&words::state(view)));
    if view.pipeline.status == PipelineStatus::Flagged {
        body.push_str(&format!("<p>{}</p>\n<p><code>{}</code></p>\n", words::NEXT, esc(&review_claim(view))));
    }
    section("state", "State", &body)
}

/// What came of it, and beside it who says otherwise.
fn verdict(view: &ClaimView, record: &ConsensusRecord) -> String {
    let (title, kind) = match record.by_pipeline {
        true => ("Recommendation", format!("<p class=\"outcome\">{}</p>\n", words::capital(words::recommendation(record)))),
        false => ("A record by an agent", String::new()),
    };
    let mut body = kind;
    if record.split_verdict {
        body.push_str(&format!("<p class=\"alarm\"><span aria-hidden=\"true\">▲ </span>{}</p>\n", words::SPLIT));
    }
    body.push_str(&format!("<div class=\"prose answer\">{}</div>\n", prose(&record.summary)));
    body.push_str(&format!("<dl class=\"facts\"><dt>Confidence</dt><dd>{}</dd>", esc(&words::confidence(view, record))));
    if let Some(source) = words::summary_source(view, record) {
        body.push_str(&format!("<dt>Summary</dt><dd>{}</dd>", esc(&source)));
    }
    body.push_str("</dl>\n");
    let own: String = merged_from(view).iter().map(|own| format!("<li class=\"prose\">{}</li>\n", prose(own))).collect();
    if !own.is_empty() {
        body.push_str(&format!("<details><summary>Summaries of the seats</summary><ul class=\"passages\">{own}</ul></details>\n"));
    }
    let points: Vec<&String> = record.key_points.iter().filter(|point| !stands_in_a_slot(view, point)).collect();
    let dissent = match agreed(view) {
        true => section("dissent", "Dissent", &format!("<p>{}</p>\n", words::AGREED)),
        false => passages("dissent", "Dissent", &record.dissent.iter().collect::<Vec<_>>()),
    };
    [
        section("recommendation", title, &body),
        dissent,
        passages("questions", "Caveats and open questions", &record.open_questions.iter().collect::<Vec<_>>()),
        passages("points", "Key points", &points),
    ]
    .concat()
}

/// What others wrote, a passage an item; long ones are folded.
fn passages(id: &str, title: &str, items: &[&String]) -> String {
    const LONG: usize = 420;
    if items.is_empty() {
        return String::new();
    }
    let item = |text: &&String| match text.chars().count() {
        ..=LONG => format!("<li class=\"prose\">{}</li>\n", prose(text)),
        _ => format!(
            "<li><details><summary>{}</summary><div class=\"prose\">{}</div></details></li>\n",
            esc(&common::glance(text, LONG / 2, "…")),
            prose(text)
        ),
    };
    section(id, title, &format!("<ul class=\"passages\">{}</ul>\n", items.iter().map(item).collect::<String>()))
}

fn facts(facts: &[(&str, String)]) -> String {
    let lines: String = facts.iter().map(|(name, text)| format!("<dt>{name}</dt><dd>{}</dd>", esc(text))).collect();
    format!("<dl class=\"facts\">{lines}</dl>\n")
}

fn flags(view: &ClaimView) -> String {
    if view.flags.is_empty() {
        return String::new();
    }
    let each: String = view.flags.iter().map(|flag| format!("<div class=\"flag\">{}</div>\n", facts(&words::flag_facts(view, flag)))).collect();
    section("flags", "Flags", &each)
}

fn notices(view: &ClaimView) -> String {
    if view.notices.is_empty() {
        return String::new();
    }
    let items: String = view.notices.iter().map(|notice| format!("<li>{}</li>", esc(&words::notice(view, notice)))).collect();
    format!("<section id=\"notices\" class=\"callout\"><h2>Notices</h2><ul>{items}</ul></section>\n")
}

fn sources(view: &ClaimView) -> String {
    if view.claim.sources.is_empty() {
        return String::new();
    }
    let items: String = view.claim.sources.iter().map(|source| format!("<li>{}</li>\n", source_html(source))).collect();
    section("sources", "Sources", &format!("<ul>{items}</ul>\n"))
}

/// The address is always in sight: a title may say anything.
fn source_html(source: &ClaimSource) -> String {
    let shown = esc(&one_line(&source.url));
    let address = match web_address(source) {
        Some(url) => format!("<a href=\"{}\" rel=\"noopener noreferrer nofollow\">{shown}</a>", esc(url)),
        None => shown,
    };
    match source.title.as_deref().map(one_line).filter(|title| !title.is_empty()) {
        Some(title) => format!("{}<br><span class=\"soft\">{address}</span>", esc(&title)),
        None => address,
    }
}

fn about(view: &ClaimView) -> String {
    section("about", "About", &facts(&words::about(view)))
}

fn foot(view: &ClaimView) -> String {
    let lines: String = words::foot(view).iter().map(|(name, text)| format!("<dt>{name}</dt><dd><code>{}</code></dd>", esc(text))).collect();
    format!("<footer>\n<dl class=\"facts\">{lines}</dl>\n</footer>\n")
}
