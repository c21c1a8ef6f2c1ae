//! Free text in a voice's manner: a few short paragraphs, signed as a rehearsal.

use super::dice::Dice;
use super::hint::Fill;
use super::tokens;
use super::voices::{Manner, Voice};
use serde_json::Value;
use synod_types::SeatIx;

/// Below this limit a reply is a line (a title, a word or two), and a signature would be most of it.
const LINE_TOKENS: u32 = 60;

pub(super) fn speak(voice: &Voice, seat: SeatIx, hint: Option<&Value>, max_tokens: u32, dice: &mut Dice) -> String {
    let fill = Fill::new(hint, seat);
    let said = match hint.and_then(|hint| hint.get("text")) {
        Some(Value::String(whole)) => vec![fill.render(whole, dice)],
        Some(Value::Array(templates)) if !templates.is_empty() => some_of(templates, voice, &fill, dice),
        _ if max_tokens < LINE_TOKENS => vec![line(voice.titles, &fill, dice)],
        _ => own_words(voice, &fill, dice),
    };
    if max_tokens < LINE_TOKENS {
        return within(said, max_tokens);
    }
    let signature = voice.signature(seat);
    let text = within(said, max_tokens.saturating_sub(tokens(&signature) as u32));
    // Behind the words, so that the first ones are the point; below what is more than a paragraph.
    let gap = if text.rsplit("\n\n").next().is_some_and(|last| last.contains('\n')) { "\n\n" } else { " " };
    format!("{text}{gap}{signature}")
}

/// One line of several, filled in.
pub(super) fn line(lines: &[&str], fill: &Fill, dice: &mut Dice) -> String {
    let template = dice.pick(lines).copied().unwrap_or_default();
    fill.render(template, dice)
}

fn own_words(voice: &Voice, fill: &Fill, dice: &mut Dice) -> Vec<String> {
    let mut say = |lines: &[&str]| line(lines, fill, dice);
    let mut paragraphs = vec![format!("{} {}", say(voice.positions), say(voice.openings)), format!("{} {}", say(voice.reasons), say(voice.evidence))];
    let last = [say(voice.worries), say(voice.actions), say(voice.closings)];
    paragraphs.push(last.join(" "));
    paragraphs
}

/// Two of the hint's paragraphs, in the order given, and one of the voice's own: so that no two seats say the same.
fn some_of(templates: &[Value], voice: &Voice, fill: &Fill, dice: &mut Dice) -> Vec<String> {
    let mut taken: Vec<usize> = (0..templates.len()).collect();
    dice.shuffle(&mut taken);
    taken.truncate(2);
    taken.sort_unstable();
    let mut paragraphs: Vec<String> = Vec::new();
    for at in taken {
        // A list inside the list: ways of saying the same paragraph.
        let template = match &templates[at] {
            Value::Array(ways) => dice.pick(ways).and_then(Value::as_str),
            other => other.as_str(),
        };
        paragraphs.extend(template.map(|template| fill.render(template, dice)));
    }
    let manner = [Manner::Reason, Manner::Worry, Manner::Action, Manner::Question];
    let own = dice.pick(&manner).map_or(voice.reasons, |manner| voice.lines(*manner));
    paragraphs.push(format!("{} {}", line(own, fill, dice), line(voice.closings, fill, dice)));
    paragraphs
}

/// Drops what a real reply would have been cut for: last paragraphs, then last sentences, then last words.
fn within(mut paragraphs: Vec<String>, max_tokens: u32) -> String {
    let fits = |text: &str| tokens(text) <= u64::from(max_tokens);
    while paragraphs.len() > 1 && !fits(&paragraphs.join("\n\n")) {
        paragraphs.pop();
    }
    let mut text = paragraphs.join("\n\n");
    while !fits(&text) {
        let body = text.trim_end_matches(['.', '?']);
        let sentence = body.rfind(['.', '?']).map(|at| at + 1);
        let cut = sentence.or_else(|| body.rfind(' ')).unwrap_or(0);
        if cut == 0 {
            break;
        }
        text.truncate(cut);
    }
    text
}
