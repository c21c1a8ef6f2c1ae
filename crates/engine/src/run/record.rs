//! A run's journal, indexed for replay: by key, never by position.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use synod_types::*;

#[derive(Debug)]
pub struct Record {
    pub header: Arc<Header>,
    /// As changed by the last resume.
    pub limits: Limits,
    pub turns: HashMap<String, TurnRows>,
    /// Phases begun and ended, figures noted, warnings given: written once each.
    pub marks: HashSet<(Kind, String, i64)>,
    pub shown: HashMap<String, String>,
    pub tools: HashMap<String, ToolRun>,
    pub answered: HashMap<String, (Option<String>, PersonAnswer)>,
    pub closing: Option<Closing>,
    pub verdict: Option<Verdict>,
    pub ledger: Ledger,
    /// Time running so far, without stops.
    pub ran_ms: Millis,
    pub stops: i64,
    /// When it last stopped.
    pub stopped_at: Option<Millis>,
    pub resumes: i64,
}

/// What the journal holds about one turn.
#[derive(Debug, Default, Clone)]
pub struct TurnRows {
    /// Which try, the digest of what it asked, and what was sent beside it.
    pub asked: Option<(i64, String, Sending)>,
    /// Which try, and the SHA-256 of its reply.
    pub replied: Option<(i64, String)>,
    pub outcome: Option<(String, Result<Said, Failure>)>,
}

impl Record {
    /// A run that has its header and nothing else.
    pub fn begin(header: Arc<Header>) -> Self {
        Self {
            limits: header.limits,
            header,
            turns: HashMap::new(),
            marks: HashSet::new(),
            shown: HashMap::new(),
            tools: HashMap::new(),
            answered: HashMap::new(),
            closing: None,
            verdict: None,
            ledger: Ledger::default(),
            ran_ms: 0,
            stops: 0,
            stopped_at: None,
            resumes: 0,
        }
    }

    pub fn of(rows: &[Row]) -> Result<Self, UnreadableRow> {
        let Some(first) = rows.first() else {
            return Err(UnreadableRow { seq: 0, kind: Kind::Header, error: "the run has no rows".into() });
        };
        let mut record = Self::begin(Arc::new(first.read()?));
        let (mut began, mut last, mut epoch) = (first.at, first.at, first.epoch);
        for row in rows {
            // A run runs from its header or a resume to the last row of the same holder; what somebody else adds later (a cancel) is no time of its.
            match row.kind {
                Kind::Resumed => {
                    record.ran_ms += (last - began).max(0);
                    (began, last, epoch) = (row.at, row.at, row.epoch);
                }
                _ if row.epoch == epoch => last = row.at,
                _ => {}
            }
            record.take(row)?;
        }
        record.ran_ms += (last - began).max(0);
        Ok(record)
    }

    /// The tools a turn used, in order, with their keys.
    pub fn tools_of(&self, key: &str) -> Vec<(String, &ToolRun)> {
        let of_step = |step: u32| {
            (0_u32..).map_while(move |n| {
                let key = format!("{key}/tool {step}/call {n}");
                self.tools.get(&key).map(|run| (key, run))
            })
        };
        (1_u32..).map(|step| of_step(step).collect::<Vec<_>>()).take_while(|step| !step.is_empty()).flatten().collect()
    }

    fn take(&mut self, row: &Row) -> Result<(), UnreadableRow> {
        let digest = || row.digest.clone().unwrap_or_default();
        let body = row.body()?;
        self.ledger.take(row, &body);
        match body {
            Body::Header(_) => {}
            Body::Phase(_) | Body::PhaseEnd(_) | Body::Figure(_) | Body::Warning(_) | Body::Waiting(_) | Body::Title(_) => {
                self.marks.insert((row.kind, row.key.clone(), row.attempt));
            }
            Body::Asked(asked) => {
                let sending = Sending { tokens: asked.sent_tokens.unwrap_or(asked.max_tokens), effort: asked.effort };
                self.turn(&row.key).asked = Some((row.attempt, digest(), sending));
            }
            Body::Replied(replied) => self.turn(&row.key).replied = Some((row.attempt, replied.raw_sha256)),
            Body::Said(said) => self.turn(&row.key).outcome = Some((digest(), Ok(said))),
            Body::Failed(failed) => self.turn(&row.key).outcome = Some((digest(), Err(failed.failure))),
            Body::Tool(tool) => {
                self.tools.insert(row.key.clone(), tool);
            }
            Body::Shown(_) => {
                self.shown.insert(row.key.clone(), digest());
            }
            Body::Answered(answer) => {
                self.answered.insert(row.key.clone(), (row.digest.clone(), answer));
            }
            Body::Closing(closing) => self.closing = Some(closing),
            Body::Stopped(_) => {
                self.stops += 1;
                self.stopped_at = Some(row.at);
            }
            Body::Resumed(resumed) => {
                self.limits = resumed.limits;
                self.resumes += 1;
            }
            Body::Verdict(verdict) => self.verdict = Some(*verdict),
        }
        Ok(())
    }

    fn turn(&mut self, key: &str) -> &mut TurnRows {
        self.turns.entry(key.to_owned()).or_default()
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
