//! What changed between two texts, line by line, with long unchanged stretches left out.

use similar::{Algorithm, ChangeTag, TextDiff};

/// One step from the old text to the new.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Same(String),
    Added(String),
    Removed(String),
    /// So many unchanged lines are left out.
    Skipped(u32),
}

/// Unchanged lines kept on each side of a change.
const AROUND: usize = 1;

/// The way from `before` to `after`. Equal texts give nothing.
pub fn changes(before: &str, after: &str) -> Vec<Step> {
    if before == after {
        return Vec::new();
    }
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(before, after);
    let all: Vec<Step> = diff
        .iter_all_changes()
        .map(|change| {
            let line = change.value().trim_end_matches(['\n', '\r']).to_owned();
            match change.tag() {
                ChangeTag::Equal => Step::Same(line),
                ChangeTag::Insert => Step::Added(line),
                ChangeTag::Delete => Step::Removed(line),
            }
        })
        .collect();
    let changed: Vec<usize> = all.iter().enumerate().filter(|(_, step)| !matches!(step, Step::Same(_))).map(|(at, _)| at).collect();
    let near = |at: usize| {
        let next = changed.partition_point(|other| *other < at);
        changed.get(next).is_some_and(|other| other - at <= AROUND) || next.checked_sub(1).is_some_and(|before| at - changed[before] <= AROUND)
    };
    let mut out = Vec::new();
    for (at, step) in all.into_iter().enumerate() {
        match (&step, out.last_mut()) {
            (Step::Same(_), Some(Step::Skipped(n))) if !near(at) => *n += 1,
            (Step::Same(_), _) if !near(at) => out.push(Step::Skipped(1)),
            _ => out.push(step),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_changed_line_stands_between_its_neighbours() {
        let steps = changes("a\nb\nc\nd\ne\n", "a\nb\nX\nd\ne\n");
        let said = |text: &str| text.to_owned();
        let want =
            [Step::Skipped(1), Step::Same(said("b")), Step::Removed(said("c")), Step::Added(said("X")), Step::Same(said("d")), Step::Skipped(1)];
        assert_eq!(steps, want);
        assert_eq!(changes("same", "same"), []);
    }

    proptest! {
        #[test]
        fn removals_are_old_lines_and_additions_new_ones(before in "([a-c]\n){0,12}", after in "([a-c]\n){0,12}") {
            let steps = changes(&before, &after);
            let count = |wanted: fn(&Step) -> u32| steps.iter().map(wanted).sum::<u32>();
            let same = count(|step| match step { Step::Same(_) => 1, Step::Skipped(n) => *n, Step::Added(_) | Step::Removed(_) => 0 });
            let removed = count(|step| u32::from(matches!(step, Step::Removed(_))));
            let added = count(|step| u32::from(matches!(step, Step::Added(_))));
            if before != after {
                prop_assert_eq!(same + removed, before.lines().count() as u32);
                prop_assert_eq!(same + added, after.lines().count() as u32);
            }
        }
    }
}
