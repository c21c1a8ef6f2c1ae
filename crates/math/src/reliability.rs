//! How far a text can be relied on, out of 100: the weighted mean of what its statements turned out to be, and the band it falls in.

/// 100 × Σ weight · worth / Σ weight, in whole points; `None` when nothing has weight. A worth is 1 for a statement that holds, 0 for one
/// that does not, and whatever the caller gives for one left open.
pub fn reliability(statements: &[(f64, f64)]) -> Option<u32> {
    let total: f64 = statements.iter().map(|(_, weight)| weight).sum();
    let sum: f64 = statements.iter().map(|(worth, weight)| worth * weight).sum();
    (total > 0.0).then(|| (100.0 * sum / total).round().clamp(0.0, 100.0) as u32)
}

words! {
    /// A score in words.
    #[derive(PartialOrd, Ord)]
    pub enum Band {
        Unreliable = "unreliable",
        SignificantErrors = "significant_errors",
        Mixed = "mixed",
        MostlyReliable = "mostly_reliable",
        HighlyReliable = "highly_reliable",
    }
}

impl Band {
    /// Where less than half of the weight is on statements that hold, a score made of open ones is mixed at best.
    pub fn of(score: u32, held: f64) -> Self {
        match score {
            70.. if held < 0.5 => Self::Mixed,
            90.. => Self::HighlyReliable,
            70..=89 => Self::MostlyReliable,
            50..=69 => Self::Mixed,
            30..=49 => Self::SignificantErrors,
            0..=29 => Self::Unreliable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scores_come_to_what_the_table_says() {
        // statements as (worth, weight), score
        type Case<'a> = (&'a [(f64, f64)], Option<u32>);
        let table: [Case; 7] = [
            (&[], None),
            (&[(1.0, 0.0), (0.0, 0.0)], None),
            (&[(1.0, 1.0), (1.0, 1.0)], Some(100)),
            (&[(0.0, 1.0), (0.0, 0.2)], Some(0)),
            (&[(0.5, 0.1)], Some(50)),
            (&[(1.0, 1.0), (0.0, 1.0)], Some(50)),
            (&[(1.0, 1.0), (0.0, 0.5)], Some(67)),
        ];
        for (statements, want) in table {
            assert_eq!(reliability(statements), want, "{statements:?}");
        }
    }

    #[test]
    fn bands_begin_where_they_say() {
        let bands = [0, 29, 30, 49, 50, 69, 70, 89, 90, 100].map(|score| Band::of(score, 1.0).as_str());
        let want = ["unreliable", "significant_errors", "mixed", "mostly_reliable", "highly_reliable"];
        assert_eq!(bands.as_slice(), want.iter().flat_map(|band| [*band, *band]).collect::<Vec<_>>());
    }

    #[test]
    fn a_text_of_which_most_is_open_is_mixed_at_best() {
        let bands = [(95, 0.49), (70, 0.49), (70, 0.5), (60, 0.1), (20, 0.0)].map(|(score, held)| Band::of(score, held).as_str());
        assert_eq!(bands, ["mixed", "mixed", "mostly_reliable", "mixed", "unreliable"]);
    }

    proptest! {
        #[test]
        fn a_score_lies_between_the_worst_and_the_best_statement(statements in prop::collection::vec((0.0_f64..=1.0, 0.001_f64..=1.0), 1..12)) {
            let score = f64::from(reliability(&statements).expect("something has weight"));
            let worst = statements.iter().map(|(worth, _)| *worth).fold(f64::INFINITY, f64::min);
            let best = statements.iter().map(|(worth, _)| *worth).fold(0.0, f64::max);
            prop_assert!(score >= 100.0 * worst - 0.5 - 1e-9 && score <= 100.0 * best + 0.5 + 1e-9, "{score}: {worst} to {best}");
        }

        #[test]
        fn a_better_statement_never_lowers_the_score(statements in prop::collection::vec((0.0_f64..=0.5, 0.001_f64..=1.0), 1..12), at: prop::sample::Index) {
            let before = reliability(&statements);
            let mut better = statements.clone();
            better[at.index(statements.len())].0 = 1.0;
            prop_assert!(reliability(&better) >= before);
        }
    }
}
