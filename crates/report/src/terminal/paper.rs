//! A sheet of terminal text: inks, wrapping, hanging indents, bars. Knows nothing of runs.

use super::Style;
use crate::text::{self, Marked, width};

/// How a character is set. Without colour every ink is plain, so nothing may be said by ink alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ink(u8);

impl Ink {
    pub const PLAIN: Self = Self(0);
    pub const BOLD: Self = Self(1);
    pub const DIM: Self = Self(2);
    pub const ITALIC: Self = Self(4);
    pub const UNDER: Self = Self(8);
    pub const STRUCK: Self = Self(16);
    /// Yellow: something is missing or wrong.
    pub const ALARM: Self = Self(32);
    /// Cyan: code, and the bar of a winner.
    pub const MARK: Self = Self(64);

    const CODES: [(Self, &'static str); 7] =
        [(Self::BOLD, "1"), (Self::DIM, "2"), (Self::ITALIC, "3"), (Self::UNDER, "4"), (Self::STRUCK, "9"), (Self::ALARM, "33"), (Self::MARK, "36")];

    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    fn codes(self) -> String {
        Self::CODES.iter().filter(|(ink, _)| self.0 & ink.0 != 0).map(|(_, code)| *code).collect::<Vec<_>>().join(";")
    }
}

/// One row of a bar chart.
pub struct Bar {
    pub name: String,
    /// 0 to 1; `None`: no bar.
    pub share: Option<f64>,
    pub value: String,
    pub note: String,
    pub ink: Ink,
}

pub struct Paper {
    pub style: Style,
    out: String,
}

impl Paper {
    pub fn new(style: Style) -> Self {
        Self { style, out: String::new() }
    }

    pub fn done(self) -> String {
        format!("{}\n", self.out.trim_end_matches('\n'))
    }

    /// Lines longer than a hundred columns tire the eye; fewer than twenty hold nothing.
    pub fn columns(&self) -> usize {
        self.style.width.clamp(20, 100)
    }

    pub fn ellipsis(&self) -> &'static str {
        if self.style.unicode { "…" } else { "..." }
    }
    pub fn dot(&self) -> &'static str {
        if self.style.unicode { " · " } else { " - " }
    }

    pub fn minus(&self) -> &'static str {
        if self.style.unicode { "−" } else { "-" }
    }

    pub fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    pub fn rule(&mut self, columns: usize) {
        let line = if self.style.unicode { "─" } else { "-" }.repeat(columns.min(self.columns()));
        self.para(Ink::DIM, "", &line);
    }

    /// A heading on its own line, set off from what was before.
    pub fn heading(&mut self, text: &str) {
        self.blank();
        self.para(Ink::BOLD, "", text);
    }

    /// Text in one ink; every line begins with `indent`.
    pub fn para(&mut self, ink: Ink, indent: &str, text: &str) {
        self.hanging(ink, indent, indent, text);
    }

    /// Text whose first line begins otherwise than the rest.
    pub fn hanging(&mut self, ink: Ink, first: &str, rest: &str, text: &str) {
        let marked: Vec<Marked<Ink>> = text.chars().map(|c| (c, ink)).collect();
        self.marked(first, rest, &marked);
    }

    pub fn marked(&mut self, first: &str, rest: &str, marked: &[Marked<Ink>]) {
        let room = |start: &str| self.columns().saturating_sub(width(start)).max(8);
        let (first_room, rest_room) = (room(first), room(rest));
        let Some(head) = text::wrap(marked, first_room).into_iter().next() else { return };
        let set = self.set(&head);
        self.raw(&format!("{first}{set}"));
        let left = &marked[head.len()..];
        let left = match left.first() {
            Some(('\n', _)) => &left[1..],
            Some(_) => &left[left.iter().take_while(|(c, _)| *c == ' ').count()..],
            None => return,
        };
        if left.is_empty() {
            return;
        }
        for line in text::wrap(left, rest_room) {
            let set = self.set(&line);
            self.raw(&format!("{rest}{set}"));
        }
    }

    pub fn marked_line(&mut self, start: &str, line: &[Marked<Ink>]) {
        let set = self.set(line);
        self.raw(&format!("{start}{set}"));
    }

    /// A name in its own column, then text beside it.
    pub fn entry(&mut self, name: &str, text: &str) {
        self.entry_in(Ink::PLAIN, name, text);
    }

    pub fn entry_in(&mut self, ink: Ink, name: &str, text: &str) {
        const COLUMN: usize = 12;
        let first = text::pad(name, COLUMN - 1);
        self.hanging(ink, &format!("{first} "), &" ".repeat(COLUMN), text);
    }

    /// What a reader must not miss: marked with a sign, not by colour alone.
    pub fn alarm(&mut self, text: &str) {
        self.hanging(Ink::ALARM, "  ! ", "    ", text);
    }

    /// A line that already fits.
    pub fn raw(&mut self, line: &str) {
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    pub fn set(&self, line: &[Marked<Ink>]) -> String {
        let mut out = String::new();
        for run in line.chunk_by(|a, b| a.1 == b.1) {
            let text: String = run.iter().map(|(c, _)| *c).collect();
            match run[0].1 {
                ink if self.style.colour && ink != Ink::PLAIN => out.push_str(&format!("\u{1b}[{}m{text}\u{1b}[0m", ink.codes())),
                _ => out.push_str(&text),
            }
        }
        out
    }

    /// Names, bars and values in columns. Bars give way first where the sheet is narrow, then notes go below.
    pub fn bars(&mut self, rows: &[Bar]) {
        let columns = self.columns();
        let widest = |of: fn(&Bar) -> &str| rows.iter().map(|row| width(of(row))).max().unwrap_or(0);
        let value_columns = widest(|row| &row.value);
        let name_columns = widest(|row| &row.name).min(columns.saturating_sub(value_columns + 4).max(8)).min((columns / 2).max(8));
        let room = columns.saturating_sub(2 + name_columns + 1 + value_columns + 1);
        let bar_columns = if room < 5 || rows.iter().all(|row| row.share.is_none()) { 0 } else { room.min(24) };
        let used: usize = 2 + name_columns + 1 + if bar_columns > 0 { bar_columns + 1 } else { 0 } + value_columns;
        // All notes in one place, beside or below.
        let beside = used + 2 + widest(|row| &row.note) <= columns;
        for row in rows {
            let name = text::pad(&text::fit(&row.name, name_columns, self.ellipsis()), name_columns);
            let mut line: Vec<Marked<Ink>> = Vec::new();
            let mut add = |text: &str, ink: Ink| line.extend(text.chars().map(|c| (c, ink)));
            add(&format!("  {name} "), Ink::PLAIN);
            if bar_columns > 0 {
                add(&text::pad(&bar(row.share.unwrap_or(0.0), bar_columns, self.style.unicode), bar_columns), row.ink);
                add(" ", Ink::PLAIN);
            }
            add(&row.value, Ink::PLAIN);
            if beside && !row.note.is_empty() {
                add(&" ".repeat(used + 2 - (used - value_columns + width(&row.value))), Ink::PLAIN);
                add(&row.note, Ink::DIM);
            }
            let set = self.set(&line);
            self.raw(&set);
            if !row.note.is_empty() && !beside {
                self.para(Ink::DIM, "      ", &row.note);
            }
        }
    }
}

/// A bar of `share` of `columns`, to an eighth of a column where the terminal can.
fn bar(share: f64, columns: usize, unicode: bool) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    if !unicode {
        return "#".repeat((share * columns as f64).round() as usize);
    }
    let eighths = (share * columns as f64 * 8.0).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_their_share_and_never_overflow() {
        assert_eq!(bar(1.0, 4, true), "████");
        assert_eq!(bar(0.5, 3, true), "█▌");
        assert_eq!(bar(0.5, 4, false), "##");
        assert_eq!(bar(f64::NAN, 4, true), "");
        assert_eq!(bar(7.0, 4, false), "####");
    }
}
