//! The fold of a run's journal rows into what a reader wants to see of it.
//!
//! Owns the grouping of rows into phases, turns and exhibits. Refuses to judge: nothing here is computed that the rows do not say, and a row
//! that cannot be read becomes a warning.

mod turn;

use std::collections::BTreeMap;
use synod_types::{
    Asking, Body, Exhibit, Figure, Hash, Header, Ledger, Millis, PersonAnswer, PhaseMark, Reply, Row, RunState, SeatIx, SentRequest, Shape, Shown,
    StopReason, Stopped, Verdict,
};
pub use turn::{Outcome, Try, Turn};

/// A run as its rows tell it, up to the last one seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    pub run: String,
    pub header: Option<Header>,
    /// In the order in which they began. Rows that belong to no phase are under the scope `""`.
    pub phases: Vec<Phase>,
    /// Each once, in the order in which they came up.
    pub warnings: Vec<String>,
    pub waiting: Vec<Waiting>,
    pub figures: Vec<FigureAt>,
    /// Every stop, the last one last; a resumed run keeps its earlier ones.
    pub stops: Vec<Stopped>,
    pub state: RunState,
    /// Every request that went out, and what it cost.
    pub ledger: Ledger,
    pub verdict: Option<Verdict>,
    pub title: Option<String>,
    /// When the first and the last row were written.
    pub began: Option<Millis>,
    pub last: Option<Millis>,
    /// Number and hash of the last row seen.
    pub seq: i64,
    pub head: Option<Hash>,
    /// Where a turn is: phase, then place within it.
    turns: BTreeMap<String, (usize, usize)>,
    /// Who wrote what is shown under a neutral label.
    authors: BTreeMap<String, SeatIx>,
}

/// A named step and what happened in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phase {
    /// The first path part of the keys in it: `round 2`.
    pub scope: String,
    pub mark: Option<PhaseMark>,
    pub began: Millis,
    pub ended: Option<Millis>,
    pub turns: Vec<Turn>,
    pub exhibits: Vec<Shown>,
}

/// A question to a person, and the answer once there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    pub key: String,
    pub asking: Asking,
    pub answer: Option<PersonAnswer>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FigureAt {
    pub key: String,
    pub figure: Figure,
}

impl View {
    pub fn of(rows: &[Row]) -> Self {
        let mut view = Self::default();
        for row in rows {
            view.push(row);
        }
        view
    }

    /// Takes one more row. A row already seen changes nothing, so a stream that starts over does no harm.
    pub fn push(&mut self, row: &Row) {
        if row.seq <= self.seq {
            return;
        }
        if row.seq > self.seq + 1 {
            self.warn(format!("Rows {} to {} of the journal are missing here.", self.seq + 1, row.seq - 1));
        }
        if self.run.is_empty() {
            self.run.clone_from(&row.run);
        }
        self.seq = row.seq;
        self.head = Some(row.hash);
        self.began.get_or_insert(row.at);
        self.last = Some(row.at);
        self.state = self.state.after(row.kind, &row.body);
        match row.body() {
            Ok(body) => {
                self.ledger.take(row, &body);
                self.take(row, body);
            }
            Err(error) => self.warn(format!("Journal {error}")),
        }
    }

    /// Notes a stop the journal could not take: storage failed, or the run belongs to another process now.
    pub fn note_stop(&mut self, stopped: Stopped) {
        self.state = if stopped.reason == StopReason::Waiting { RunState::Waiting } else { RunState::Stopped };
        self.stops.push(stopped);
    }

    /// Adds the raw reply behind a `replied` row, for readers who want to see what could not be read. Unknown turns are left alone.
    pub fn attach_raw(&mut self, key: &str, attempt: i64, raw: String) {
        let place = self.turns.get(turn_key(key)).copied();
        if let Some(each) = place.and_then(|(phase, turn)| self.phases[phase].turns[turn].tries.iter_mut().find(|each| each.is(key, attempt))) {
            // Raw replies are kept as the reply's JSON; older or foreign ones as they are.
            each.raw = Some(serde_json::from_str::<Reply>(&raw).map_or(raw, |reply| reply.text));
        }
    }

    fn take(&mut self, row: &Row, body: Body) {
        match body {
            Body::Header(header) => {
                for warning in &header.warnings {
                    self.warn(warning.clone());
                }
                self.header = Some(*header);
            }
            Body::Phase(mark) => {
                let phase = self.phase_at(scope_of(&row.key), row.at);
                // A phase within a phase has a longer key; its turns are grouped under the outer one.
                if !row.key.contains('/') {
                    self.phases[phase].mark = Some(mark);
                }
            }
            Body::PhaseEnd(_) => {
                let phase = self.phase_at(scope_of(&row.key), row.at);
                if !row.key.contains('/') {
                    self.phases[phase].ended = Some(row.at);
                }
            }
            Body::Asked(asked) => {
                self.turn_at(row).asked(row, asked);
                self.settle(row);
            }
            Body::Replied(_) => self.settle(row),
            Body::Said(said) => self.turn_at(row).ended(row, Outcome::Said(said)),
            Body::Failed(failed) => {
                self.turn_at(row).ended(row, Outcome::Failed(failed.failure));
                self.settle(row);
            }
            Body::Tool(tool) => self.turn_at(row).tools.push(tool),
            Body::Shown(shown) => self.exhibit(row, *shown),
            Body::Figure(figure) => self.figures.push(FigureAt { key: row.key.clone(), figure }),
            Body::Warning(warned) => self.warn(warned.text),
            Body::Waiting(asking) => self.waiting.push(Waiting { key: row.key.clone(), asking, answer: None }),
            Body::Answered(answer) => match self.waiting.iter_mut().find(|waiting| waiting.key == row.key) {
                Some(waiting) => waiting.answer = Some(answer),
                // Copied from a parent run: the question stands in that run's journal.
                None => {
                    let asking = Asking { question: row.key.clone(), choices: Vec::new() };
                    self.waiting.push(Waiting { key: row.key.clone(), asking, answer: Some(answer) });
                }
            },
            Body::Closing(closing) => self.warn(closing.plain()),
            Body::Stopped(stopped) => self.stops.push(stopped),
            Body::Resumed(_) => {}
            Body::Title(title) => self.title = Some(title.title),
            Body::Verdict(verdict) => {
                for warning in &verdict.warnings {
                    self.warn(warning.clone());
                }
                self.verdict = Some(*verdict);
            }
        }
    }

    /// Gives a turn the requests of this row's key as the ledger now has them.
    fn settle(&mut self, row: &Row) {
        let sent: Vec<SentRequest> = self.ledger.of_turn(&row.key).cloned().collect();
        self.turn_at(row).settle(sent);
    }

    fn warn(&mut self, text: String) {
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }

    fn phase_at(&mut self, scope: &str, at: Millis) -> usize {
        self.phases.iter().position(|phase| phase.scope == scope).unwrap_or_else(|| {
            self.phases.push(Phase { scope: scope.to_owned(), began: at, ..Phase::default() });
            self.phases.len() - 1
        })
    }

    fn turn_at(&mut self, row: &Row) -> &mut Turn {
        let key = turn_key(&row.key);
        let (phase, turn) = match self.turns.get(key) {
            Some(&place) => place,
            None => {
                let phase = self.phase_at(scope_of(key), row.at);
                let (turn, turns) = (Turn::new(key), &mut self.phases[phase].turns);
                // Asked side by side, they stand in the order of seats: which of them went out first says nothing.
                let later = turns.iter().rev().take_while(|before| turn.stands_before(before)).count();
                let at = turns.len() - later;
                turns.insert(at, turn);
                for (n, turn) in turns.iter().enumerate().skip(at) {
                    self.turns.insert(turn.key.clone(), (phase, n));
                }
                (phase, at)
            }
        };
        &mut self.phases[phase].turns[turn]
    }

    fn exhibit(&mut self, row: &Row, shown: Shown) {
        match &shown.exhibit.shape {
            Shape::Statement(statement) => {
                if let (Some(label), Some(seat)) = (&statement.label, shown.exhibit.seat) {
                    self.authors.insert(label.clone(), seat);
                }
            }
            Shape::Tally(tally) => self.authors.extend(tally.entries.iter().map(|entry| (entry.label.clone(), entry.seat))),
            Shape::Ranking(ranking) => self.authors.extend(ranking.entries.iter().map(|entry| (entry.label.clone(), entry.seat))),
            Shape::Bracket(bracket) => self.authors.extend(bracket.contestants.iter().map(|each| (each.label.clone(), each.seat))),
            Shape::Ballot(_) | Shape::Rule(_) | Shape::Note { .. } => {}
            Shape::Scorecard(_) | Shape::Distribution(_) | Shape::Series(_) | Shape::Revision(_) | Shape::Findings(_) => {}
            Shape::Checks(_) | Shape::Clusters(_) | Shape::Document(_) | Shape::Graph(_) | Shape::Shifts(_) | Shape::Card(_) => {}
        }
        let scope = scope_of(&row.key);
        // Shown outside every phase, the key is the exhibit's own name and no scope.
        let scope = if row.key.contains('/') || self.phases.iter().any(|phase| phase.scope == scope) { scope } else { "" };
        let phase = self.phase_at(scope, row.at);
        self.phases[phase].exhibits.push(shown);
    }
}

/// What readers of a view ask of it.
impl View {
    pub fn rehearsal(&self) -> bool {
        self.header.as_ref().is_some_and(Header::rehearsal) || self.verdict.as_ref().is_some_and(|verdict| verdict.rehearsal)
    }

    pub fn mode(&self) -> &str {
        let from_verdict = || self.verdict.as_ref().map(|verdict| verdict.mode.as_str());
        self.header.as_ref().map(|header| header.mode.as_str()).or_else(from_verdict).unwrap_or("unknown mode")
    }

    /// A seat's label, for people.
    pub fn seat(&self, seat: SeatIx) -> String {
        self.header.as_ref().and_then(|header| header.seat(seat)).map_or_else(|| format!("seat {seat}"), |seat| seat.label.clone())
    }

    /// Who wrote what is shown under a neutral label.
    pub fn author(&self, label: &str) -> Option<SeatIx> {
        self.authors.get(label).copied()
    }

    pub fn turn(&self, key: &str) -> Option<&Turn> {
        self.turns.get(key).map(|&(phase, turn)| &self.phases[phase].turns[turn])
    }

    pub fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.phases.iter().flat_map(|phase| &phase.turns)
    }

    /// Whether the run put no question to any seat. A view that has not seen how the run began cannot tell.
    pub fn asked_nobody(&self) -> bool {
        self.header.is_some() && self.turns.is_empty()
    }

    pub fn exhibits(&self) -> impl Iterator<Item = &Shown> {
        self.phases.iter().flat_map(|phase| &phase.exhibits)
    }

    /// The words of a statement: its own, else those of its turn.
    pub fn words(&self, exhibit: &Exhibit) -> Option<String> {
        self.own_words(exhibit).or_else(|| self.turn_of(exhibit).and_then(Turn::words))
    }

    /// The same where they are prose.
    pub fn prose(&self, exhibit: &Exhibit) -> Option<String> {
        self.own_words(exhibit).or_else(|| self.turn_of(exhibit).filter(|turn| !turn.typed()).and_then(Turn::words))
    }

    fn turn_of(&self, exhibit: &Exhibit) -> Option<&Turn> {
        exhibit.turn.as_deref().and_then(|key| self.turn(key))
    }

    fn own_words(&self, exhibit: &Exhibit) -> Option<String> {
        match &exhibit.shape {
            Shape::Statement(statement) => statement.text.clone(),
            Shape::Note { text } => Some(text.clone()),
            Shape::Ballot(_) | Shape::Tally(_) | Shape::Ranking(_) | Shape::Rule(_) => None,
            Shape::Bracket(_) | Shape::Scorecard(_) | Shape::Distribution(_) | Shape::Series(_) | Shape::Revision(_) => None,
            Shape::Findings(_) | Shape::Checks(_) | Shape::Clusters(_) | Shape::Document(_) | Shape::Graph(_) => None,
            Shape::Shifts(_) | Shape::Card(_) => None,
        }
    }

    /// The stop a run is in now.
    pub fn stop(&self) -> Option<&Stopped> {
        match self.state {
            RunState::Stopped | RunState::Waiting => self.stops.last(),
            RunState::Running | RunState::Interrupted | RunState::Complete | RunState::Lost => None,
        }
    }

    /// The last row's hash: whoever holds it can tell whether anything before it was changed.
    pub fn head_hex(&self) -> String {
        self.head.map(hex::encode).unwrap_or_default()
    }
}

/// The first path part; nothing for rows about the run and for turns outside every phase.
fn scope_of(key: &str) -> &str {
    let first = key.split('/').next().unwrap_or_default();
    if first.contains('@') { "" } else { first }
}

/// The turn a row belongs to: the steps of a tool loop, and tries with more room or less thought, are requests of the turn that began them.
fn turn_key(key: &str) -> &str {
    let key = key.strip_suffix("/room").or_else(|| key.strip_suffix("/effort")).filter(|turn| turn.contains('@')).unwrap_or(key);
    match key.find("/tool ") {
        Some(at) if key[..at].contains('@') => &key[..at],
        Some(_) | None => key,
    }
}
