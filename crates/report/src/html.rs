//! A run as one self-contained HTML page: no script, no request, readable on a telephone, in the dark and on paper.

pub mod chart;
mod exhibit;
pub mod part;
mod record;
pub mod safe;
mod thread;

use crate::figures::moment;
use crate::text::{excerpt, one_line};
use crate::view::View;
use crate::words;
pub use exhibit::exhibit_html;
use safe::{esc, prose};
use synod_types::{Header, Shown, Status, Verdict};

/// The style sheet of the page and of every fragment.
pub const STYLE: &str = include_str!("html/style.css");

pub fn html(view: &View) -> String {
    let question = view.header.as_ref().map_or("", |header| header.question.text.as_str());
    let title = if question.trim().is_empty() { format!("Run {}", view.run) } else { excerpt(question, 70, "…") };
    let verdict = match &view.verdict {
        Some(verdict) => answer(view, verdict),
        None => state(view),
    };
    let parts = [trouble, decided, dissent, people, the_record, seats, receipt].map(|part| part(view));
    page(&title, &top(view), &format!("{verdict}{}", parts.concat()), &foot(view))
}

/// A whole page around what it shows. Its policy lets nothing run and nothing be fetched.
pub fn page(title: &str, header: &str, main: &str, footer: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>{} · Synod</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{header}<main>\n{main}</main>\n{footer}</body>\n</html>\n",
        esc(title)
    )
}

pub fn section(id: &str, title: &str, body: &str) -> String {
    format!("<section id=\"{id}\"><h2>{title}</h2>\n{body}</section>\n")
}

fn top(view: &View) -> String {
    const LONG: usize = 200;
    let mut out = String::from("<header>\n");
    let when = view.began.map(|began| format!(" · {}", moment(began))).unwrap_or_default();
    out.push_str(&format!("<p class=\"kicker\">{}{when}</p>\n", esc(view.mode())));
    if view.rehearsal() {
        out.push_str(&format!("<p class=\"banner\" role=\"note\"><span aria-hidden=\"true\">▲ </span>{}</p>\n", esc(words::REHEARSAL)));
    }
    let Some(header) = &view.header else {
        return format!("{out}<h1>Run {}</h1>\n</header>\n", esc(&view.run));
    };
    let question = one_line(&header.question.text);
    out.push_str(&format!("<h1>{}</h1>\n<p class=\"soft\">{}</p>\n", esc(&excerpt(&question, LONG, "…")), esc(&words::panel(header))));
    if question.chars().count() > LONG {
        out.push_str(&folded("The whole question", &header.question.text));
    }
    if let Some(content) = &header.question.content {
        out.push_str(&folded("Under review", content));
    }
    for file in &header.question.files {
        out.push_str(&format!(
            "<p class=\"soft\">Attached: {} ({} bytes, SHA-256 <code>{}</code>)</p>\n",
            esc(&file.name),
            file.bytes,
            esc(&file.sha256)
        ));
    }
    out.push_str("</header>\n");
    out
}

pub fn folded(title: &str, markdown: &str) -> String {
    format!("<details><summary>{title}</summary><div class=\"prose\">{}</div></details>\n", prose(markdown))
}

fn badge(status: Status) -> String {
    let (class, sign) = match status {
        Status::Full => ("full", "●"),
        Status::Degraded => ("degraded", "▲"),
        Status::Deadlock => ("deadlock", "■"),
        Status::Escalated => ("escalated", "▲"),
        Status::NoQuorum | Status::Failed => ("failed", "■"),
    };
    format!("<span class=\"badge {class}\"><span aria-hidden=\"true\">{sign} </span>{}</span>", words::status_word(status))
}

fn answer(view: &View, verdict: &Verdict) -> String {
    let mut body = format!("<p>{} <span class=\"soft\">{}</span></p>\n", badge(verdict.status), words::status_meaning(verdict.status));
    match &verdict.answer {
        Some(answer) => {
            body.push_str(&format!(
                "<p class=\"kind\">{}</p>\n<div class=\"prose answer\">{}</div>\n",
                esc(&words::answer_kind(view, answer)),
                prose(&answer.text)
            ));
        }
        None => body.push_str("<p>There is no answer.</p>\n"),
    }
    let mut facts = String::new();
    let mut fact = |name: &str, text: &str| facts.push_str(&format!("<dt>{name}</dt><dd>{}</dd>", esc(text)));
    if let Some(confidence) = &verdict.confidence {
        fact("Confidence", &words::confidence(confidence));
    }
    if let Some(decision) = &verdict.decision {
        fact("Decision", &words::decision(decision));
    }
    if let Some(reason) = words::stop_reason(verdict) {
        fact("Ended", &reason);
    }
    if !facts.is_empty() {
        body.push_str(&format!("<dl class=\"facts\">{facts}</dl>\n"));
    }
    section("answer", "Answer", &body)
}

fn state(view: &View) -> String {
    let mut body = format!("<p>{}</p>\n", words::what_happened(view));
    if let Some(stop) = view.stop() {
        body.push_str(&format!(
            "<dl class=\"facts\"><dt>Reason</dt><dd>{}</dd><dt>Detail</dt><dd>{}</dd><dt>To go on</dt><dd><code>{}</code></dd></dl>\n",
            esc(&stop.reason.as_str().replace('_', " ")),
            esc(&stop.detail),
            esc(&words::commands::next_command(&view.run, stop.action))
        ));
    }
    section("state", "State", &body)
}

/// Who is missing and what went wrong, where it cannot be overlooked.
fn trouble(view: &View) -> String {
    let missing: Vec<String> = view.verdict.iter().flat_map(|verdict| &verdict.missing).map(words::missing).collect();
    let listing = |id: &str, title: &str, items: &[String]| match items {
        [] => String::new(),
        items => {
            let items: String = items.iter().map(|item| format!("<li>{}</li>", esc(item))).collect();
            format!("<section id=\"{id}\" class=\"callout\"><h2>{title}</h2><ul>{items}</ul></section>\n")
        }
    };
    format!("{}{}", listing("missing", "Missing", &missing), listing("warnings", "Warnings", &view.warnings))
}

fn decided(view: &View) -> String {
    let shown: Vec<&Shown> = view.exhibits().filter(|shown| words::decides(view, shown)).collect();
    if shown.is_empty() { String::new() } else { section("decided", "How it was decided", &exhibit::several_html(view, &shown)) }
}

fn dissent(view: &View) -> String {
    let Some(verdict) = view.verdict.as_ref().filter(|verdict| !verdict.dissent.is_empty()) else { return String::new() };
    let items: String = verdict
        .dissent
        .iter()
        .map(|each| {
            let who = each.label.as_ref().map_or_else(|| words::seat(view, each.seat), |label| words::label(view, label));
            let peek = esc(&words::glance(&each.text, 110, "…"));
            format!(
                "<details><summary><b>{}</b> <span class=\"peek\">{peek}</span></summary><div class=\"prose\">{}</div></details>\n",
                esc(&who),
                prose(&each.text)
            )
        })
        .collect();
    section("dissent", "Dissent", &items)
}

fn people(view: &View) -> String {
    if view.waiting.is_empty() {
        return String::new();
    }
    let items: String = view
        .waiting
        .iter()
        .map(|waiting| {
            let answer = match &waiting.answer {
                Some(answer) => format!("answered by {}: {}", esc(&answer.by), esc(&answer.answer)),
                None => "not answered yet".to_owned(),
            };
            format!("<dt>{}</dt><dd>{answer}</dd>", esc(&waiting.asking.question))
        })
        .collect();
    section("people", "Put to a person", &format!("<dl>{items}</dl>"))
}

fn the_record(view: &View) -> String {
    if view.phases.is_empty() {
        return String::new();
    }
    let mut body: String = view.phases.iter().map(|phase| record::phase_html(view, phase)).collect();
    if !view.figures.is_empty() {
        let figures: String = view
            .figures
            .iter()
            .map(|each| format!("<dt>{}</dt><dd>{}</dd>", esc(&words::figure_name(view, &each.figure)), words::figure_value(&each.figure)))
            .collect();
        body.push_str(&format!("<section class=\"phase\"><h3>Figures</h3><dl class=\"facts\">{figures}</dl></section>\n"));
    }
    section("record", "The record", &body)
}

fn seats(view: &View) -> String {
    let Some(header) = &view.header else { return String::new() };
    let rows: String = header.seats.iter().map(|seat| seat_row(header, seat)).collect();
    let table = format!(
        "<table><thead><tr><th scope=\"col\">Seat</th><th scope=\"col\">Model</th><th scope=\"col\">Roles</th></tr></thead><tbody>{rows}</tbody></table>\n"
    );
    section("seats", "Seats", &table)
}

fn seat_row(header: &Header, seat: &synod_types::Seat) -> String {
    let model = header.models.get(&seat.model).map_or(seat.model.as_str(), |card| card.id.as_str());
    let persona =
        seat.persona.as_ref().map(|persona| format!("<br><span class=\"soft\">{}</span>", esc(&excerpt(persona, 160, "…")))).unwrap_or_default();
    format!(
        "<tr><th scope=\"row\">{} {}</th><td><code class=\"key\">{}</code>{persona}</td><td>{}</td></tr>",
        seat.index,
        esc(&seat.label),
        esc(model),
        esc(&words::roles(header, seat.index).join(", "))
    )
}

fn receipt(view: &View) -> String {
    let lines: String = words::receipt(view).iter().map(|(name, text)| format!("<dt>{name}</dt><dd>{}</dd>", esc(text))).collect();
    section("receipt", "Receipt", &format!("<dl class=\"facts\">{lines}</dl>\n"))
}

fn foot(view: &View) -> String {
    let mut facts = format!("<dt>Run</dt><dd><code>{}</code></dd>", esc(&view.run));
    if let Some(header) = &view.header {
        if let Some(parent) = &header.parent {
            facts.push_str(&format!("<dt>Forked from</dt><dd><code>{}</code></dd>", esc(parent)));
        }
        facts.push_str(&format!("<dt>Seed</dt><dd>{}</dd><dt>Program</dt><dd>{}</dd>", header.seed, esc(&header.binary)));
    }
    facts.push_str(&format!("<dt>Hash chain head</dt><dd><code>{}</code> <span class=\"soft\">after {} rows</span></dd>", view.head_hex(), view.seq));
    let commands: String = words::commands::commands(view)
        .iter()
        .map(|(command, purpose)| format!("<li><code>{}</code> <span class=\"soft\">{purpose}</span></li>", esc(command)))
        .collect();
    format!("<footer>\n<dl class=\"facts\">{facts}</dl>\n<ul class=\"commands\">{commands}</ul>\n</footer>\n")
}
