//! Findings as a table: how bad, what, and what became of it.

use super::{flagged, label, soft, words_of};
use crate::html::safe::esc;
use crate::words;
use synod_types::{FindingEntry, Findings};

pub fn findings(findings: &Findings) -> String {
    if findings.entries.is_empty() {
        return format!("<p>{}</p>", esc(&words::findings_sum(findings)));
    }
    format!(
        "<table class=\"entries\"><thead><tr><th scope=\"col\">Severity</th><th scope=\"col\">Finding</th><th scope=\"col\">Fate</th></tr></thead>\
         <tbody>{}</tbody></table>{}",
        findings.entries.iter().map(row).collect::<String>(),
        soft(&words::findings_sum(findings))
    )
}

fn row(entry: &FindingEntry) -> String {
    let severity = flagged(&words::plain(&entry.severity), words::grave(&entry.severity));
    let reply = match words_of(&entry.reply) {
        none if none.is_empty() => none,
        reply => format!("<p class=\"soft\">Said to it:</p>{reply}"),
    };
    let body = format!("{}{}{reply}", words_of(&entry.detail), soft(&words::found_by(entry)));
    let head = format!("{}{}", label(&entry.id), esc(&entry.title));
    let place = if entry.location.trim().is_empty() { String::new() } else { format!(" <span class=\"soft\">{}</span>", esc(&entry.location)) };
    let finding = match body.is_empty() {
        true => format!("{head}{place}"),
        false => format!("<details><summary>{head}{place}</summary>{body}</details>"),
    };
    format!("<tr><td>{severity}</td><th scope=\"row\">{finding}</th><td>{}</td></tr>", esc(&words::plain(&entry.fate)))
}
