//! A row for every seat that was asked: what it gave, or that it gave nothing, and why.

use crate::labelled::{self, Views};
use synod_engine::{Answers, Bench, Result, SeatFailure};
use synod_types::{Ballot, Exhibit, Failure, RowData, SeatIx, Shape};

/// What a reader chose, best first, why, and what else its ballot says, a sentence each.
pub type Cast = (Vec<String>, String, Vec<String>);

/// The row `stage` of every reader who was asked for a ballot.
pub fn show_ballots<T, D: RowData>(
    phase: &Bench,
    (stage, title, role): (&str, &str, &str),
    views: &Views<'_>,
    ballots: &Answers<T>,
    choice: impl Fn(&T) -> Cast,
    data: impl Fn(Result<&T, &Failure>) -> D,
) -> Result<()> {
    for (seat, view) in views.iter() {
        let shown = labelled::names(view);
        let exhibit = match ballots.outcome(seat) {
            Some(Ok(reply)) => {
                let (choice, reasons, notes) = choice(&reply.value);
                let ballot = Ballot { shown, choice, reasons: Some(reasons), notes, ..Ballot::default() };
                Exhibit::new(title, Shape::Ballot(ballot)).turn(&reply.key).data(&data(Ok(&reply.value)))
            }
            Some(Err(failed)) => {
                let abstained = Some(failed.failure.kind.plain().to_owned());
                let ballot = Ballot { shown, abstained, ..Ballot::default() };
                Exhibit::new(title, Shape::Ballot(ballot)).turn(&failed.key).data(&data(Err(&failed.failure)))
            }
            None => continue,
        };
        phase.show(stage, exhibit.by(seat, role))?;
    }
    Ok(())
}

/// A ballot that was cast in the turn `key`.
pub fn ballot(title: &str, shown: Vec<String>, choice: Vec<String>, reasons: &str, key: &str) -> Exhibit {
    let ballot = Ballot { shown, choice, reasons: Some(reasons.to_owned()), ..Ballot::default() };
    Exhibit::new(title, Shape::Ballot(ballot)).turn(key)
}

/// A seat that was asked and cannot be counted: its call failed, or else its reply `lacks` something.
pub fn absence(title: impl Into<String>, seat: SeatIx, role: &str, failed: Option<&SeatFailure>, lacks: &str) -> Exhibit {
    let why = failed.map_or(lacks, |failed| failed.failure.kind.plain());
    Exhibit::note(title, format!("This {role} {why}.")).by(seat, role).of_turn(failed.map(|failed| &failed.key))
}

/// A seat that was asked and whose call failed.
pub fn failure(title: impl Into<String>, role: &str, failed: &SeatFailure) -> Exhibit {
    absence(title, failed.seat, role, Some(failed), "")
}

/// The row `stage` of every seat whose call failed, where such rows carry no data.
pub fn show_failures(phase: &Bench, (stage, title, role): (&str, &str, &str), failures: &[SeatFailure]) -> Result<()> {
    failures.iter().try_for_each(|failed| phase.show(stage, failure(title, role, failed)))
}
