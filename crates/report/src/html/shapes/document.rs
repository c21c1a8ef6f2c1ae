//! A document with linked contents; its sections wait to be opened, and open when a link leads to them.

use super::{flagged, soft, words_of};
use crate::html::safe::esc;
use crate::view::View;
use crate::words;
use synod_types::{Document, Shown, sha256_hex};

pub fn document(view: &View, shown: &Shown, document: &Document) -> String {
    let name = anchor(shown, document);
    let mut contents = String::new();
    let mut sections = String::new();
    for (i, section) in document.sections.iter().enumerate() {
        let missing = section.text.trim().is_empty();
        let head = format!("{}. {}", section.number, esc(&section.title));
        let note = format!("<span class=\"soft\">{}</span>", flagged(&words::section_note(view, section), missing));
        if missing {
            contents.push_str(&format!("<li>{head} {note}</li>"));
            continue;
        }
        contents.push_str(&format!("<li><a href=\"#{name}-{i}\">{head}</a> {note}</li>"));
        sections.push_str(&format!("<details><summary>{head}</summary><div id=\"{name}-{i}\">{}</div></details>\n", words_of(&section.text)));
    }
    let title = if document.title.trim().is_empty() { String::new() } else { format!("<h5>{}</h5>", esc(&document.title)) };
    let contents = if contents.is_empty() { contents } else { format!("<nav aria-label=\"Contents\"><ul class=\"contents\">{contents}</ul></nav>") };
    let todos: String = document.todos.iter().map(|todo| format!("<li>{}</li>", flagged(&words::todo(todo), true))).collect();
    let todos = if todos.is_empty() { todos } else { format!("<p>Still to be done:</p><ul>{todos}</ul>") };
    format!("{title}{}{contents}{todos}{}{sections}", soft(&words::document_sum(document)), words_of(&document.front))
}

/// Fragments are made one by one and meet on a page, so a place in one is named after what it holds.
fn anchor(shown: &Shown, document: &Document) -> String {
    let mut all = format!("{}\n{:?}\n{}", shown.stage, shown.exhibit.turn, document.title);
    for section in &document.sections {
        all.push_str(&format!("\n{}\n{}", section.title, section.text));
    }
    format!("part-{}", &sha256_hex(&all)[..10])
}
