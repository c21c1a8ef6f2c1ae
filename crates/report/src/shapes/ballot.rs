//! One reader's judgement; neighbouring ballots share one table in a page.

use crate::html::safe::{esc, prose};
use crate::markdown::quote::{inline, quote};
use crate::terminal::paper::{Ink, Paper};
use crate::text::one_line;
use crate::view::View;
use crate::words::{self, label};
use synod_types::{Ballot, Exhibit};

pub fn terminal(paper: &mut Paper, view: &View, exhibit: &Exhibit, ballot: &Ballot) {
    let who = exhibit.seat.map_or_else(|| one_line(&exhibit.title), |seat| words::seat(view, seat));
    let counted = ballot.abstained.is_none() && !ballot.choice.is_empty();
    let ink = if counted { Ink::PLAIN } else { Ink::ALARM };
    paper.hanging(ink, if counted { "  " } else { "! " }, "      ", &format!("{who}: {}", choice(view, ballot)));
    if let Some(reasons) = &ballot.reasons {
        let short = words::glance(reasons, 200, paper.ellipsis());
        paper.para(Ink::DIM, "      ", &short);
    }
}

pub fn markdown(view: &View, ballot: &Ballot) -> String {
    let mut out = format!("{}\n", inline(&choice(view, ballot)));
    if !ballot.shown.is_empty() {
        out.push_str(&format!("\nSaw them in this order: {}\n", inline(&ballot.shown.join(", "))));
    }
    if let Some(reasons) = &ballot.reasons {
        out.push_str(&format!("\n{}", quote(reasons)));
    }
    out
}

/// A row of the table of ballots.
pub fn row(view: &View, exhibit: &Exhibit, ballot: &Ballot) -> String {
    let who = exhibit.seat.map_or_else(|| exhibit.title.clone(), |seat| words::seat(view, seat));
    let counted = ballot.abstained.is_none() && !ballot.choice.is_empty();
    let choice = match counted {
        true => {
            let items: Vec<String> = ballot.choice.iter().map(|label| format!("<li>{}</li>", esc(&words::label(view, label)))).collect();
            format!("<ol class=\"choice\">{}</ol>", items.concat())
        }
        false => format!("<span class=\"alarm\">{}</span>", esc(&choice(view, ballot))),
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

pub fn html(rows: &[String]) -> String {
    format!(
        "<table><thead><tr><th scope=\"col\">Reader</th><th scope=\"col\">Choice, best first</th></tr></thead><tbody>{}</tbody></table>",
        rows.concat()
    )
}

/// How a ballot was cast: `K3 (opus) > T9 (gpt)`, `K3 (opus)`, or why it does not count.
fn choice(view: &View, ballot: &Ballot) -> String {
    if let Some(why) = &ballot.abstained {
        return format!("abstained: {}", one_line(why));
    }
    if ballot.choice.is_empty() {
        return "abstained".to_owned();
    }
    ballot.choice.iter().map(|each| label(view, each)).collect::<Vec<_>>().join(" > ")
}
