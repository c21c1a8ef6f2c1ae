//! Checked statements as a table: the verdict, the claim with what was brought for and against it, how sure.

use super::{flagged, label, soft};
use crate::html::safe::esc;
use crate::words;
use synod_types::{CheckEntry, Checks, Evidence};

pub fn checks(checks: &Checks) -> String {
    if checks.entries.is_empty() {
        return format!("<p>{}</p>", esc(&words::checks_sum(checks)));
    }
    format!(
        "<table class=\"entries\"><thead><tr><th scope=\"col\">Verdict</th><th scope=\"col\">Claim</th><th scope=\"col\">How sure</th></tr></thead>\
         <tbody>{}</tbody></table>{}",
        checks.entries.iter().map(row).collect::<String>(),
        soft(&words::checks_sum(checks))
    )
}

fn row(entry: &CheckEntry) -> String {
    let head = format!("{}{}", label(&entry.id), esc(&entry.claim));
    let correction = match entry.correction.trim() {
        "" => String::new(),
        correction => format!("<p class=\"rather\"><b>Rather:</b> {}</p>", esc(correction)),
    };
    let evidence: String = entry.evidence.iter().map(brought).collect();
    let claim = match evidence.is_empty() {
        true => head,
        false => format!("<details><summary>{head}</summary><ul>{evidence}</ul></details>"),
    };
    format!(
        "<tr><td>{}</td><th scope=\"row\">{claim}{correction}</th><td class=\"soft\">{}</td></tr>",
        flagged(&words::plain(&entry.verdict), words::doubtful(&entry.verdict)),
        esc(&words::check_note(entry))
    )
}

fn brought(evidence: &Evidence) -> String {
    let quote = match evidence.quote.trim() {
        "" => String::new(),
        quote => {
            let place = flagged(&words::quoted_from(evidence), evidence.found_in.is_none());
            format!("<blockquote>{}</blockquote><p class=\"soft\">{place}</p>", esc(quote))
        }
    };
    format!("<li><b>{}</b> {}{quote}</li>", esc(&evidence.by), esc(&evidence.text))
}
