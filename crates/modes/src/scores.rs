//! Scores of named things as models write them in plain text: in a table's row, or on a line of their own.
//!
//! Numbers in prose are not read: one counts only where the form asks for a score, alone in its cell or set apart at the start of its line.

use crate::text::{bare, score, table_rows};

/// What was written about one name. A score outside the scale, or no number at all, is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedScore {
    pub score: Option<f64>,
    /// What stands after the score.
    pub remark: String,
}

/// What the text says of a name, where it says anything: the first row or line of that name counts, whatever stands in it.
pub fn scored(text: &str, name: &str, least: f64, best: f64) -> Option<NamedScore> {
    let row = table_rows(text).into_iter().find_map(|cells| {
        // The first cell may be a number.
        let at = cells.iter().take(2).position(|cell| cell.trim_end_matches(':').eq_ignore_ascii_case(name))?;
        let cell = cells.get(at + 1)?;
        let remark = cells.get(at + 2..).and_then(<[String]>::last).filter(|cell| cell.chars().any(char::is_alphabetic));
        Some(NamedScore { score: score(cell, least, best), remark: remark.cloned().unwrap_or_default() })
    });
    row.or_else(|| text.lines().find_map(|line| on_line(line, name, least, best)))
}

/// `Name: 8/10 – why`, bold, bulleted or numbered; a dash may stand for the colon.
fn on_line(line: &str, name: &str, least: f64, best: f64) -> Option<NamedScore> {
    let words = line.trim_start_matches(|c: char| !c.is_alphabetic());
    let rest = words.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name)).map(|head| &words[head.len()..])?;
    let value = rest.trim_start_matches(is_markup).strip_prefix([':', '-', '–', '—'])?;
    let value = value.trim_start_matches(is_markup);
    let end = [" -", "–", "—", " (", ";", ":", ", ", ". "].iter().filter_map(|mark| value.find(mark)).min().unwrap_or(value.len());
    let (number, remark) = value.split_at(end);
    let number = score(bare(number).trim_end_matches('.'), least, best);
    let remark = remark.trim_matches(|c: char| c.is_whitespace() || is_markup(c) || "-–—;:,.()".contains(c));
    Some(NamedScore { score: number, remark: remark.to_owned() })
}

fn is_markup(c: char) -> bool {
    c == ' ' || "*_`".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Option<f64>> {
        scored(text, "Accuracy", 1.0, 10.0).map(|scored| scored.score)
    }

    #[test]
    fn a_score_is_read_from_its_row_in_any_markup() {
        for (text, want) in [
            ("| Accuracy | 8 | fine |", Some(8.0)),
            ("| **Accuracy** | 8/10 | fine |", Some(8.0)),
            ("| accuracy: | **8** | fine |", Some(8.0)),
            ("| 1 | Accuracy | 7.5 | fine |", Some(7.5)),
            ("| Accuracy | 7,5 |", Some(7.5)),
            ("| Accuracy | 8 out of 10 | fine |", Some(8.0)),
            ("| Accuracy | 11 | too good |\nAccuracy: 4", None),
            ("| Accuracy | 0 | |", None),
            ("| Accuracy | n/a | |", None),
            ("| Accuracy | 4/5 | |", None),
        ] {
            assert_eq!(read(text), Some(want), "{text}");
        }
        assert_eq!(read("| Average | 8 | |"), None);
    }

    #[test]
    fn a_line_of_its_own_counts_and_prose_does_not() {
        for (text, want) in [
            ("Accuracy: 8", Some(8.0)),
            ("- **Accuracy:** 8/10 - one wrong date", Some(8.0)),
            ("**Accuracy**: **8** (one wrong date)", Some(8.0)),
            ("1. Accuracy — 7.5/10; mostly", Some(7.5)),
            ("Accuracy - 8/10", Some(8.0)),
            ("Accuracy: 8. One wrong date.", Some(8.0)),
            ("Accuracy - 2 errors found", None),
            ("Accuracy: 2 errors found", None),
            ("Accuracy: between 7 and 8", None),
            ("Accuracy: 12", None),
        ] {
            assert_eq!(read(text), Some(want), "{text}");
        }
        assert_eq!(read("On accuracy 8 seems right."), None);
        assert_eq!(read("Accuracy 8 of the ten dates are right"), None);
    }

    #[test]
    fn the_remark_stands_after_the_score() {
        let remark = |text: &str| scored(text, "Test Coverage", 1.0, 5.0).map(|scored| scored.remark).unwrap_or_default();
        assert_eq!(remark("| Test Coverage | 4 | 4 | No test for time zones |"), "No test for time zones");
        assert_eq!(remark("| Test Coverage | 4 | 4 |"), "");
        assert_eq!(remark("**Test Coverage:** 4/5 – no test for time zones."), "no test for time zones");
    }
}
