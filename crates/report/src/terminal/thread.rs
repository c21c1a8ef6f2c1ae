//! A conversation as terminal text: answers set in, side conversations as one line beside the answer and whole in the long form.

use super::exhibit::{Length, plain_shown};
use super::paper::{Ink, Paper};
use crate::figures::several;
use crate::text::one_line;
use crate::thread::in_conversation;
use crate::view::View;
use crate::words;
use synod_types::{Shape, Shown};

/// Enough of a statement to follow the thread by.
const GLANCE: usize = 160;

pub fn thread(paper: &mut Paper, view: &View, said: &[(&Shown, usize)], length: Length) {
    let Some((first, _)) = said.first() else { return };
    paper.heading(&one_line(&first.exhibit.title));
    for (each, depth) in said {
        statement(paper, view, each, *depth, length);
    }
}

fn statement(paper: &mut Paper, view: &View, shown: &Shown, depth: usize, length: Length) {
    let exhibit = &shown.exhibit;
    let Shape::Statement(statement) = &exhibit.shape else { return };
    let indent = "    ".repeat(depth);
    let mark = match (depth, paper.style.unicode) {
        (0, _) => "  ",
        (_, true) => "└ ",
        (_, false) => "> ",
    };
    let who = exhibit.seat.map_or_else(|| "Computed".to_owned(), |seat| words::called(view, seat));
    let reply = statement.reply_to.as_ref().map(|to| format!(", to {}", words::answered(view, to))).unwrap_or_default();
    let label = statement.label.as_ref().map(|label| format!(" [{}]", one_line(label))).unwrap_or_default();
    let (first, rest) = (format!("{indent}{mark}"), format!("{indent}    "));
    let text = view.words(exhibit).unwrap_or_default();
    match length {
        Length::Brief => {
            let glance = words::glance(&text, GLANCE, paper.ellipsis());
            paper.hanging(Ink::PLAIN, &first, &rest, &format!("{who}{reply}: {glance}"));
        }
        Length::Whole | Length::Full => {
            paper.hanging(Ink::BOLD, &first, &rest, &format!("{who}{label}{reply}"));
            paper.prose(&rest, &text);
            for part in &exhibit.parts {
                let text = format!("{}: {}", one_line(&part.name), one_line(&part.texts.join("; ")));
                paper.hanging(Ink::DIM, &rest, &format!("{rest}  "), &text);
            }
        }
    }
}

pub fn aside(paper: &mut Paper, view: &View, title: &str, shown: &[&Shown], length: Length) {
    let said = shown.iter().filter(|each| in_conversation(view, each)).count() as u64;
    let line = format!("{}{}{}", one_line(title), paper.dot(), several(said, "message", "messages"));
    match length {
        Length::Brief => {
            paper.blank();
            paper.hanging(Ink::DIM, "  [ ", "    ", &format!("{line} ]"));
        }
        Length::Whole | Length::Full => {
            paper.heading(&line);
            for each in shown {
                if in_conversation(view, each) {
                    statement(paper, view, each, 0, length);
                } else {
                    plain_shown(paper, view, &[each], length);
                }
            }
        }
    }
}
