//! Exhibits as HTML, one function a shape. A fragment stands by itself, so it can be pushed to a live page.

use super::chart::{ChartBar, bars};
use super::safe::{esc, prose};
use super::shapes;
use super::thread::{aside_html, thread_html};
use crate::figures::{self, score, several, shares};
use crate::text::one_line;
use crate::thread::{Piece, pieces};
use crate::view::View;
use crate::words;
use synod_types::{Ballot, Exhibit, Ranking, Rule, Shape, Shown, Statement, Tally};

/// One exhibit as a fragment of a page. Needs the page's style sheet and nothing else.
pub fn exhibit_html(view: &View, shown: &Shown) -> String {
    let exhibit = &shown.exhibit;
    let (class, body) = match &exhibit.shape {
        Shape::Statement(shape) => ("statement", statement(view, exhibit, shape)),
        Shape::Ballot(shape) => ("ballot", ballots(&[ballot(view, exhibit, shape)])),
        Shape::Tally(shape) => ("tally", tally(view, exhibit, shape)),
        Shape::Ranking(shape) => ("ranking", ranking(view, exhibit, shape)),
        Shape::Bracket(shape) => ("bracket", shapes::bracket(view, exhibit, shape)),
        Shape::Scorecard(shape) => ("scorecard", shapes::scorecard(exhibit, shape)),
        Shape::Distribution(shape) => ("distribution", shapes::distribution(view, exhibit, shape)),
        Shape::Series(shape) => ("series", shapes::series(exhibit, shape)),
        Shape::Revision(shape) => ("revision", shapes::revision(shape)),
        Shape::Findings(shape) => ("findings", shapes::findings(shape)),
        Shape::Checks(shape) => ("checks", shapes::checks(shape)),
        Shape::Clusters(shape) => ("clusters", shapes::clusters(shape)),
        Shape::Shifts(shape) => ("shifted", shapes::shifts(shape)),
        Shape::Card(shape) => ("crux", shapes::card(shape)),
        Shape::Document(shape) => ("document", shapes::document(view, shown, shape)),
        Shape::Graph(shape) => ("graph", shapes::graph(view, exhibit, shape)),
        Shape::Rule(shape) => ("rule", rule(shape)),
        Shape::Note { text } => ("note", note(text)),
    };
    section(class, &shown.stage, &words::title(view, exhibit), &body)
}

/// Exhibits in order, a conversation as one.
pub fn several_html(view: &View, shown: &[&Shown]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Plain(list) => plain_html(view, list),
        Piece::Thread(said) => thread_html(view, said),
        Piece::Aside(title, list) => aside_html(view, title, list),
    };
    pieces(view, shown).iter().map(piece).collect()
}

/// Neighbouring ballots share one table, neighbouring statements one heading.
pub fn plain_html(view: &View, shown: &[&Shown]) -> String {
    let parts: Vec<(&str, Part)> = shown.iter().map(|each| (each.stage.as_str(), part(view, each))).collect();
    let groups = parts.chunk_by(|(_, a), (_, b)| a.shared.is_some() && a.shared == b.shared);
    let html = groups.map(|group| {
        let (stage, first) = &group[0];
        let body: Vec<String> = group.iter().map(|(_, part)| part.html.clone()).collect();
        match first.shared {
            Some(Shared::Table) => section("ballot", stage, "Ballots", &ballots(&body)),
            Some(Shared::Heading) => section("statement", stage, "Statements", &body.concat()),
            None => body.concat(),
        }
    });
    html.collect()
}

struct Part {
    shared: Option<Shared>,
    html: String,
}

/// What neighbours of a kind have in common.
#[derive(Clone, Copy, PartialEq)]
enum Shared {
    Table,
    Heading,
}

fn part(view: &View, shown: &Shown) -> Part {
    let exhibit = &shown.exhibit;
    match &exhibit.shape {
        Shape::Ballot(shape) => Part { shared: Some(Shared::Table), html: ballot(view, exhibit, shape) },
        Shape::Statement(shape) => Part { shared: Some(Shared::Heading), html: statement(view, exhibit, shape) },
        Shape::Tally(_)
        | Shape::Ranking(_)
        | Shape::Bracket(_)
        | Shape::Scorecard(_)
        | Shape::Distribution(_)
        | Shape::Series(_)
        | Shape::Revision(_)
        | Shape::Findings(_)
        | Shape::Checks(_)
        | Shape::Clusters(_)
        | Shape::Shifts(_)
        | Shape::Card(_)
        | Shape::Document(_)
        | Shape::Graph(_)
        | Shape::Rule(_)
        | Shape::Note { .. } => Part { shared: None, html: exhibit_html(view, shown) },
    }
}

fn section(class: &str, stage: &str, title: &str, body: &str) -> String {
    format!("<section class=\"exhibit {class}\" data-stage=\"{}\"><h4>{}</h4>{body}</section>\n", esc(&one_line(stage)), esc(title))
}

fn statement(view: &View, exhibit: &Exhibit, statement: &Statement) -> String {
    let who = exhibit.seat.map_or_else(|| "Computed".to_owned(), |seat| words::seat(view, seat));
    let label = statement.label.as_ref().map(|label| format!("<span class=\"label\">{}</span> ", esc(label))).unwrap_or_default();
    let reply = statement.reply_to.as_ref().map(|to| format!(" in reply to {}", esc(&words::label(view, to)))).unwrap_or_default();
    match view.words(exhibit) {
        Some(text) => format!(
            "<details><summary>{label}<b>{}</b>{reply} <span class=\"peek\">{}</span></summary><div class=\"prose\">{}</div></details>\n",
            esc(&who),
            esc(&words::glance(&text, 110, "…")),
            prose(&text)
        ),
        None => format!("<p>{label}<b>{}</b>{reply}: nothing on record.</p>\n", esc(&who)),
    }
}

/// A row of the table of ballots.
fn ballot(view: &View, exhibit: &Exhibit, ballot: &Ballot) -> String {
    let who = exhibit.seat.map_or_else(|| exhibit.title.clone(), |seat| words::seat(view, seat));
    let counted = ballot.abstained.is_none() && !ballot.choice.is_empty();
    let choice = match counted {
        true => {
            let items: Vec<String> = ballot.choice.iter().map(|label| format!("<li>{}</li>", esc(&words::label(view, label)))).collect();
            format!("<ol class=\"choice\">{}</ol>", items.concat())
        }
        false => format!("<span class=\"alarm\">{}</span>", esc(&words::choice(view, ballot))),
    };
    let mut more = String::new();
    if let Some(reasons) = &ballot.reasons {
        more.push_str(&format!("<div class=\"prose\">{}</div>", prose(reasons)));
    }
    if !ballot.shown.is_empty() {
        more.push_str(&format!("<p class=\"soft\">Saw them in this order: {}</p>", esc(&ballot.shown.join(", "))));
    }
    let more = if more.is_empty() { String::new() } else { format!("<details><summary>Reasons</summary>{more}</details>") };
    format!("<tr><th scope=\"row\">{}</th><td>{choice}{more}</td></tr>", esc(&who))
}

fn ballots(rows: &[String]) -> String {
    format!(
        "<table><thead><tr><th scope=\"col\">Reader</th><th scope=\"col\">Choice, best first</th></tr></thead><tbody>{}</tbody></table>",
        rows.concat()
    )
}

fn tally(view: &View, exhibit: &Exhibit, tally: &Tally) -> String {
    let most = tally.entries.iter().map(|entry| entry.votes).max().unwrap_or(0);
    let rows: Vec<ChartBar> = tally
        .entries
        .iter()
        .map(|entry| {
            let leads = tally.winners.contains(&entry.label);
            let mark = match (leads, tally.winners.len()) {
                (false, _) => "",
                (true, 1) => ", winner",
                (true, _) => ", tied",
            };
            ChartBar {
                name: words::label(view, &entry.label),
                share: (most > 0).then(|| f64::from(entry.votes) / f64::from(most)),
                value: format!("{}{mark}", several(u64::from(entry.votes), "vote", "votes")),
                leads,
            }
        })
        .collect();
    chart(&exhibit.title, &rows, &words::tally_sum(tally))
}

fn ranking(view: &View, exhibit: &Exhibit, ranking: &Ranking) -> String {
    let scores: Vec<Option<f64>> = ranking.entries.iter().map(|entry| entry.score).collect();
    let (shares, values) = (shares(&scores), figures::scores(&scores));
    let rows: Vec<ChartBar> = ranking
        .entries
        .iter()
        .enumerate()
        .map(|(i, entry)| ChartBar {
            name: format!("{}. {}", i + 1, words::label(view, &entry.label)),
            share: shares.as_ref().map(|shares| shares[i]),
            value: values[i].clone(),
            leads: i == 0,
        })
        .collect();
    let numbers: Vec<String> = ranking
        .entries
        .iter()
        .map(|entry| {
            let mean = entry.mean_position.map_or_else(|| "none".to_owned(), |mean| format!("{mean:.2}"));
            let label = esc(&words::label(view, &entry.label));
            format!("<tr><th scope=\"row\">{label}</th><td>{}</td><td>{mean}</td><td>{}</td></tr>", entry.first_places, entry.ballots)
        })
        .collect();
    format!(
        "{}<details><summary>Numbers</summary><table class=\"numbers\"><thead><tr><th scope=\"col\">Answer</th><th scope=\"col\">First places</th>\
         <th scope=\"col\">Mean place</th><th scope=\"col\">Ballots</th></tr></thead><tbody>{}</tbody></table></details>",
        chart(&exhibit.title, &rows, &words::ranking_sum(ranking)),
        numbers.concat()
    )
}

fn chart(title: &str, rows: &[ChartBar], sum: &str) -> String {
    let about: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.name, row.value)).collect();
    format!("{}<p class=\"soft\">{}</p>", bars(title, &format!("{}. {sum}", about.join("; ")), rows), esc(sum))
}

fn rule(rule: &Rule) -> String {
    let mut out = format!("<p>{}</p>", esc(&rule.decided));
    let mut facts = String::new();
    if !rule.rung.is_empty() {
        facts.push_str(&format!("<dt>Decided by</dt><dd>{}</dd>", esc(&rule.rung)));
    }
    for (name, value) in &rule.numbers {
        facts.push_str(&format!("<dt>{}</dt><dd>{}</dd>", esc(name), score(*value)));
    }
    if !facts.is_empty() {
        out.push_str(&format!("<dl class=\"facts\">{facts}</dl>"));
    }
    out
}

fn note(text: &str) -> String {
    format!("<div class=\"prose\">{}</div>", prose(text))
}
