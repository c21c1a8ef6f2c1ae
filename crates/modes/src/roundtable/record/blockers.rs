//! Blockers: how a vote raises, moves and ends one, and what a person overrules.

use super::{Blocker, Claim, ClaimStatus, DebateRecord, same_statement};
use synod_math::debate::exits::Vote;

impl DebateRecord {
    /// Takes in what a seat of a regular round says to the proposal. A blocker ends when its author votes otherwise, or votes not at all and
    /// supports the claim it had named; what becomes of the claim otherwise does not end it.
    pub fn vote(&mut self, seat: usize, vote: Option<Vote>, claim: Option<String>, supports: &[String]) {
        let Some(known) = self.blockers.iter().position(|blocker| blocker.seat == seat) else {
            if vote == Some(Vote::Blocker) && !self.is_settled(seat, claim.as_ref()) {
                self.blockers.push(Blocker { seat, claim });
                self.blockers.sort_by_key(|blocker| blocker.seat);
            }
            return;
        };
        let named = self.blockers[known].claim.clone();
        let accepts = named.as_ref().is_some_and(|named| supports.contains(named));
        if vote.is_none() && !accepts {
            return;
        }
        // Blocked again without a word on the claim, it is still about the same one.
        if vote == Some(Vote::Blocker) && claim.is_none() {
            return;
        }
        // The dispute of the claim that the old blocker named goes with it.
        if let Some(id) = named
            && let Some(claim) = self.claim_mut(&id)
        {
            claim.challengers.remove(&seat);
        }
        match vote {
            Some(Vote::Blocker) if !self.is_settled(seat, claim.as_ref()) => self.blockers[known].claim = claim,
            _ => drop(self.blockers.remove(known)),
        }
    }

    /// A person overrules the blocker of a seat. It no longer stands, whatever becomes of the vote.
    pub fn overrule(&mut self, seat: usize) -> Option<Blocker> {
        let at = self.blockers.iter().position(|blocker| blocker.seat == seat)?;
        let blocker = self.blockers.remove(at);
        self.overruled.push(blocker.clone());
        Some(blocker)
    }

    /// Whether a person overruled a blocker of this seat and none of its blockers stands.
    pub fn is_overruled(&self, seat: usize) -> bool {
        let of = |list: &[Blocker]| list.iter().any(|blocker| blocker.seat == seat);
        of(&self.overruled) && !of(&self.blockers)
    }

    /// Whether a person overruled this: the same seat over the same claim, or without a word on which.
    fn is_settled(&self, seat: usize, claim: Option<&String>) -> bool {
        self.overruled.iter().any(|blocker| blocker.seat == seat && (claim.is_none() || blocker.claim.as_ref() == claim))
    }

    /// The id under which a claim stands now: that of the claim that says the same, where it was withdrawn and said again.
    pub(super) fn current_id(&self, id: &str) -> String {
        let gone = self.claim(id).filter(|claim| claim.status == ClaimStatus::Retracted);
        gone.and_then(|claim| self.same_claim(&claim.text)).unwrap_or_else(|| id.to_owned())
    }

    /// A claim that was withdrawn and comes back under a new id is the same claim: blockers of the old one are blockers of the new one.
    pub(super) fn carry_blockers(&mut self, id: &str, text: &str) {
        let gone = |claim: &Claim| claim.status == ClaimStatus::Retracted && same_statement(&claim.text, text);
        let old: Vec<String> = self.claims.iter().filter(|claim| gone(claim)).map(|claim| claim.id.clone()).collect();
        for blocker in self.overruled.iter_mut().filter(|blocker| blocker.claim.as_ref().is_some_and(|claim| old.contains(claim))) {
            blocker.claim = Some(id.to_owned());
        }
        let mut blocking = Vec::new();
        for blocker in self.blockers.iter_mut().filter(|blocker| blocker.claim.as_ref().is_some_and(|claim| old.contains(claim))) {
            blocker.claim = Some(id.to_owned());
            blocking.push(blocker.seat);
        }
        if let Some(claim) = self.claim_mut(id) {
            claim.challengers.extend(blocking.into_iter().filter(|seat| *seat != claim.by));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roundtable::record::Label;

    fn blocks(record: &mut DebateRecord, claim: Option<&str>) -> Vec<Option<String>> {
        record.vote(1, Some(Vote::Blocker), claim.map(str::to_owned), &[]);
        record.blockers.iter().map(|blocker| blocker.claim.clone()).collect()
    }

    #[test]
    fn what_a_person_overruled_stays_so_over_the_same_claim_only() {
        let mut record = DebateRecord::new(3);
        let (first, second) =
            (record.introduce(0, 1, "Queues retry every failed job.", Label::Infer), record.introduce(0, 1, "Cron hides errors.", Label::Infer));
        assert_eq!(record.overrule(1), None, "there is none");
        blocks(&mut record, Some(&first));
        assert_eq!(record.overrule(1), Some(Blocker { seat: 1, claim: Some(first.clone()) }));
        assert!(blocks(&mut record, Some(&first)).is_empty() && record.is_overruled(1), "the same again");
        assert!(blocks(&mut record, None).is_empty(), "without a word on which claim it is the same");
        assert_eq!(blocks(&mut record, Some(&second)), [Some(second.clone())], "over another claim it is a new one");
        assert!(!record.is_overruled(1));
        assert!(blocks(&mut record, Some(&first)).is_empty(), "back to the first, which is settled");
        record.vote(2, Some(Vote::Blocker), Some(first.clone()), &[]);
        assert_eq!(record.blockers.len(), 1, "another seat's is another blocker");
        record.vote(2, Some(Vote::Accept), None, &[]);
        record.withdraw(0, 2, &[first]);
        let again = record.introduce(2, 3, "Queues retry every failed job", Label::Infer);
        assert!(blocks(&mut record, Some(&again)).is_empty(), "said again under another id it is the same claim");
    }

    #[test]
    fn a_blocker_over_no_claim_that_was_overruled_may_come_back_with_one() {
        let mut record = DebateRecord::new(2);
        let claim = record.introduce(0, 1, "Queues retry every failed job.", Label::Infer);
        blocks(&mut record, None);
        record.overrule(1);
        assert!(blocks(&mut record, None).is_empty());
        assert_eq!(blocks(&mut record, Some(&claim)), [Some(claim)]);
    }
}
