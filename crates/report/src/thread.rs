//! A debate as it is read: answers under what they answer, side conversations together. Knows statements, and no medium.

use crate::view::View;
use synod_types::{Shape, Shown, Statement};

/// Answers to answers are not set further in than this.
const DEEPEST: usize = 3;

/// Neighbouring exhibits as a reader takes them.
pub enum Piece<'a> {
    /// Whatever is no part of a conversation.
    Plain(Vec<&'a Shown>),
    /// Statements, each with how far it is set in.
    Thread(Vec<(&'a Shown, usize)>),
    /// Everything from the first to the last word of a side conversation, under its title.
    Aside(&'a str, Vec<&'a Shown>),
}

fn statement(shown: &Shown) -> Option<&Statement> {
    match &shown.exhibit.shape {
        Shape::Statement(statement) => Some(statement),
        _ => None,
    }
}

fn aside(shown: &Shown) -> Option<&str> {
    shown.exhibit.aside.as_deref()
}

impl View {
    /// Whether anybody answered anybody: then statements are read as a conversation.
    pub fn threaded(&self) -> bool {
        self.exhibits().any(|shown| shown.exhibit.aside.is_some() || statement(shown).is_some_and(|statement| statement.reply_to.is_some()))
    }
}

/// True for words that a conversation shows whole.
pub fn in_conversation(view: &View, shown: &Shown) -> bool {
    statement(shown).is_some_and(|statement| statement.text.is_some() && statement.label.is_some()) && view.threaded()
}

pub fn pieces<'a>(view: &View, shown: &[&'a Shown]) -> Vec<Piece<'a>> {
    if !view.threaded() {
        return if shown.is_empty() { Vec::new() } else { vec![Piece::Plain(shown.to_vec())] };
    }
    let mut out: Vec<Piece<'a>> = Vec::new();
    let mut at = 0;
    while at < shown.len() {
        let each = shown[at];
        if let Some(title) = aside(each) {
            let last = shown.iter().rposition(|other| aside(other) == Some(title)).unwrap_or(at);
            out.push(Piece::Aside(title, shown[at..=last].to_vec()));
            at = last + 1;
            continue;
        }
        if in_conversation(view, each) {
            let end = thread_end(view, shown, at);
            let (thread, between): (Vec<&Shown>, Vec<&Shown>) = shown[at..end].iter().partition(|other| in_conversation(view, other));
            out.push(Piece::Thread(nested(&thread)));
            if !between.is_empty() {
                out.push(Piece::Plain(between));
            }
            at = end;
            continue;
        }
        match out.last_mut() {
            Some(Piece::Plain(list)) => list.push(each),
            _ => out.push(Piece::Plain(vec![each])),
        }
        at += 1;
    }
    out
}

/// Where the conversation beginning here ends. A note put in between does not end it as long as somebody after it answers somebody before.
fn thread_end(view: &View, shown: &[&Shown], from: usize) -> usize {
    let talk = |other: &Shown| in_conversation(view, other) && aside(other).is_none();
    let note = |other: &Shown| matches!(other.exhibit.shape, Shape::Note { .. });
    let over = |at: usize| shown[at..].iter().position(|other| !talk(other)).map_or(shown.len(), |n| at + n);
    let mut end = over(from);
    loop {
        let next = shown[end..].iter().position(|other| !note(other)).map_or(shown.len(), |n| end + n);
        let later = over(next);
        let said = |label: &str| shown[from..end].iter().filter_map(|each| statement(each)).any(|each| each.label.as_deref() == Some(label));
        let answered = shown[next..later].iter().filter_map(|each| statement(each)).any(|each| each.reply_to.as_deref().is_some_and(said));
        if !answered {
            return end;
        }
        end = later;
    }
}

/// Each statement followed by those that answer it. What answers something said elsewhere stands by itself.
fn nested<'a>(shown: &[&'a Shown]) -> Vec<(&'a Shown, usize)> {
    let label = |each: &Shown| statement(each).and_then(|statement| statement.label.clone());
    let answers = |each: &Shown| statement(each).and_then(|statement| statement.reply_to.clone());
    let mut out: Vec<(&'a Shown, usize)> = Vec::new();
    let mut left: Vec<&'a Shown> = shown.to_vec();
    while !left.is_empty() {
        let here = |to: &Option<String>, left: &[&Shown]| to.is_some() && left.iter().any(|other| label(other) == *to);
        // One whose parent is not still to come; where they answer each other in a ring, the first.
        let root = left.iter().position(|each| !here(&answers(each), &left)).unwrap_or(0);
        let mut open = vec![(left.remove(root), 0)];
        while let Some((each, depth)) = open.pop() {
            out.push((each, depth));
            let own = label(each);
            let (children, rest): (Vec<&Shown>, Vec<&Shown>) = left.into_iter().partition(|other| own.is_some() && answers(other) == own);
            left = rest;
            open.extend(children.into_iter().rev().map(|child| (child, (depth + 1).min(DEEPEST))));
        }
    }
    out
}
