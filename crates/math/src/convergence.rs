//! Who stands behind a finding, and who against it.
//!
//! Owns the counting of stances that readers take on each other's findings. Refuses an author's word on its own finding, and a reader's
//! second word on the same one: the first stands.

/// What a reader says to somebody else's finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    Agree,
    /// Holds it true, and adds to it.
    Extend,
    Disagree,
}

/// The readers of one finding by stance, in the order in which they spoke.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    pub agree: Vec<usize>,
    pub extend: Vec<usize>,
    pub disagree: Vec<usize>,
}

words! {
    /// How a finding was received.
    pub enum Reception {
        /// Held by its author and at least one more, and contradicted by nobody.
        Convergent = "convergent",
        /// Contradicted by at least one reader, whoever else agrees.
        Divergent = "divergent",
        /// Nobody took a stance.
        Alone = "alone",
    }
}

impl Support {
    /// Readers who hold it true beside its author.
    pub fn backers(&self) -> usize {
        self.agree.len() + self.extend.len()
    }

    pub fn reception(&self) -> Reception {
        match (self.backers(), self.disagree.len()) {
            (0, 0) => Reception::Alone,
            (_, 0) => Reception::Convergent,
            (_, _) => Reception::Divergent,
        }
    }

    fn spoke(&self, reader: usize) -> bool {
        [&self.agree, &self.extend, &self.disagree].iter().any(|readers| readers.contains(&reader))
    }
}

/// The support of each finding. `authors` says who found each; a stance is (finding, reader, what was said).
pub fn convergence(authors: &[usize], stances: &[(usize, usize, Stance)]) -> Vec<Support> {
    let mut support = vec![Support::default(); authors.len()];
    for &(finding, reader, stance) in stances {
        let Some(found) = support.get_mut(finding).filter(|found| authors[finding] != reader && !found.spoke(reader)) else { continue };
        match stance {
            Stance::Agree => found.agree.push(reader),
            Stance::Extend => found.extend.push(reader),
            Stance::Disagree => found.disagree.push(reader),
        }
    }
    support
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use {Reception::*, Stance::*};

    #[test]
    fn findings_are_received_as_the_table_says() {
        // stances on a finding of reader 0, backers, opponents, reception
        type Case<'a> = (&'a [(usize, Stance)], usize, usize, Reception);
        let table: &[Case] = &[
            (&[], 0, 0, Alone),
            (&[(0, Agree)], 0, 0, Alone),
            (&[(1, Agree)], 1, 0, Convergent),
            (&[(1, Extend), (2, Agree)], 2, 0, Convergent),
            (&[(1, Agree), (2, Disagree)], 1, 1, Divergent),
            (&[(1, Disagree), (1, Agree)], 0, 1, Divergent),
        ];
        for &(said, backers, opponents, reception) in table {
            let stances: Vec<(usize, usize, Stance)> = said.iter().map(|&(reader, stance)| (0, reader, stance)).collect();
            let found = &convergence(&[0], &stances)[0];
            assert_eq!((found.backers(), found.disagree.len(), found.reception()), (backers, opponents, reception), "{said:?}");
        }
    }

    fn stances() -> impl Strategy<Value = Vec<(usize, usize, Stance)>> {
        prop::collection::vec((0_usize..7, 0_usize..5, prop::sample::select(vec![Agree, Extend, Disagree])), 0..60)
    }

    proptest! {
        #[test]
        fn a_reader_counts_once_on_each_finding_and_never_on_its_own(authors in prop::collection::vec(0_usize..5, 0..6), said in stances()) {
            for (finding, support) in convergence(&authors, &said).iter().enumerate() {
                let mut readers: Vec<usize> = [&support.agree, &support.extend, &support.disagree].into_iter().flatten().copied().collect();
                prop_assert!(!readers.contains(&authors[finding]));
                let counted = readers.len();
                readers.sort_unstable();
                readers.dedup();
                prop_assert_eq!(readers.len(), counted);
                let heard = said.iter().filter(|(of, reader, _)| *of == finding && *reader != authors[finding]);
                prop_assert!(heard.clone().all(|(_, reader, _)| readers.contains(reader)));
                prop_assert_eq!(support.reception() == Alone, heard.count() == 0);
            }
        }

        #[test]
        fn an_objection_more_never_makes_a_finding_shared(authors in prop::collection::vec(0_usize..5, 1..6), mut said in stances()) {
            let before = convergence(&authors, &said)[0].reception();
            said.push((0, 9, Disagree));
            prop_assert_eq!(convergence(&authors, &said)[0].reception(), Divergent);
            said.pop();
            said.push((0, 9, Agree));
            let after = convergence(&authors, &said)[0].reception();
            prop_assert_eq!(after, if before == Divergent { Divergent } else { Convergent });
        }
    }
}
