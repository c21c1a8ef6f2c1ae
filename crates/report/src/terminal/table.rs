//! Tables of terminal text: columns as wide as their cells where the sheet allows, wrapped where it does not.

use super::paper::Ink;
use crate::text::{self, Marked, width};

pub type Inline = Vec<Marked<Ink>>;

/// One ink throughout.
pub fn inked(text: &str, ink: Ink) -> Inline {
    text.chars().map(|c| (c, ink)).collect()
}

/// The lines of a table whose first row is its heading. `None` where it cannot be fitted into `room`.
pub fn lines(rows: &[Vec<Inline>], room: usize, unicode: bool) -> Option<Vec<Inline>> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths = column_widths(rows, count, room.saturating_sub(3 * count.saturating_sub(1)))?;
    let divider = if unicode { " │ " } else { " | " };
    let (line, cross) = if unicode { ("─", "─┼─") } else { ("-", "-+-") };
    let mut out = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let cells: Vec<Vec<Inline>> = (0..count).map(|at| text::wrap(row.get(at).map_or(&[], Vec::as_slice), widths[at])).collect();
        for k in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut set: Inline = Vec::new();
            for (at, cell) in cells.iter().enumerate() {
                if at > 0 {
                    set.extend(inked(divider, Ink::DIM));
                }
                let part: &[Marked<Ink>] = cell.get(k).map_or(&[], Vec::as_slice);
                let bold = if i == 0 { Ink::BOLD } else { Ink::PLAIN };
                set.extend(part.iter().map(|(c, ink)| (*c, ink.with(bold))));
                let used = width(&part.iter().map(|(c, _)| *c).collect::<String>());
                set.extend(std::iter::repeat_n((' ', Ink::PLAIN), widths[at].saturating_sub(used)));
            }
            out.push(set);
        }
        if i == 0 {
            out.push(inked(&widths.iter().map(|w| line.repeat(*w)).collect::<Vec<_>>().join(cross), Ink::DIM));
        }
    }
    Some(out)
}

/// Natural widths where they fit; else the widest give way. `None` when a column would be left with less than six.
fn column_widths(rows: &[Vec<Inline>], count: usize, room: usize) -> Option<Vec<usize>> {
    let cell_width = |cell: &Inline| width(&cell.iter().map(|(c, _)| *c).collect::<String>());
    let mut widths: Vec<usize> = (0..count).map(|at| rows.iter().filter_map(|row| row.get(at)).map(cell_width).max().unwrap_or(0).max(1)).collect();
    while widths.iter().sum::<usize>() > room {
        let excess = widths.iter().sum::<usize>() - room;
        let widest = *widths.iter().max()?;
        if widest <= 6 {
            return None;
        }
        let next = widths.iter().copied().filter(|w| *w < widest).max().unwrap_or(0).max(6);
        let at_widest = widths.iter().filter(|w| **w == widest).count();
        let give = (widest - next).min(excess.div_ceil(at_widest)).max(1);
        widths.iter_mut().filter(|w| **w == widest).for_each(|w| *w -= give);
    }
    Some(widths)
}
