//! What a run needs: everything named, nothing checked yet.

use super::{OptionValue, PanelRequest};
use crate::Record;
use synod_types::*;

/// What a run needs: everything named, nothing checked yet. A door makes one of what its user asked for.
#[derive(Clone, Debug, Default)]
pub struct RunSpec {
    pub mode: String,
    pub question: Question,
    pub panel: PanelRequest,
    pub options: Vec<(String, OptionValue)>,
    pub budget_usd: Option<f64>,
    pub deadline_secs: Option<f64>,
    pub timeout_secs: Option<f64>,
    pub seed: Option<u64>,
    pub conversation: Option<String>,
    /// The conversation begins with it and has no name yet.
    pub titled: bool,
    /// Its title is taken from the question: nobody is seated to give one.
    pub title_from_question: bool,
    pub parent: Option<String>,
    /// The key it is asked with. `None`: the user of this machine.
    pub principal: Option<String>,
    pub today: Today,
}

/// What a run takes for the present day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Today {
    /// The clock's date when it is planned.
    #[default]
    Clock,
    /// This one, `2026-03-01`.
    Given(String),
    /// None: a fork of a run that had none, so that it still asks the same.
    Unknown,
}

impl RunSpec {
    /// What a run was given, to be changed and run again as its fork.
    pub fn again(record: &Record) -> Self {
        let (header, limits) = (&record.header, &record.limits);
        let named = |place: Place| header.seats.iter().filter(move |seat| seat.place == place).map(|seat| seat.model.clone());
        let role_of = |index: SeatIx| header.roles.iter().find(|(_, seats)| seats.as_slice() == [index]).map(|(name, _)| name.clone());
        let roles = header.seats.iter().filter(|seat| seat.place == Place::Role);
        Self {
            mode: header.mode.clone(),
            question: header.question.clone(),
            panel: PanelRequest {
                models: named(Place::Panel).collect(),
                chair: named(Place::Chair).next(),
                light: named(Place::Clerk).next(),
                roles: roles.filter_map(|seat| Some((role_of(seat.index)?, seat.model.clone()))).collect(),
                may_shrink: true,
                enough: 0,
                reserve: Vec::new(),
            },
            options: OptionValue::each(&header.options, OptionValue::Json),
            budget_usd: limits.budget_usd,
            deadline_secs: Some(limits.run_ms as f64 / 1000.0),
            timeout_secs: Some(limits.idle_ms as f64 / 1000.0),
            seed: Some(header.seed),
            conversation: header.conversation.clone(),
            titled: false,
            title_from_question: false,
            parent: Some(header.run.clone()),
            // Whoever forks it owns the fork.
            principal: None,
            today: header.today.clone().map_or(Today::Unknown, Today::Given),
        }
    }
}
