//! Who sits where. Too few and too many are both errors; a chair nobody needs is left standing, with a warning, and so is whoever a standing
//! panel has too many.

use crate::{Held, Mode, Models, Seating};
use serde_json::Value;
use std::collections::BTreeMap;
use synod_types::{ModelCard, Place, Problem, Seat, SeatIx};

/// The models as the user named them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Called {
    pub models: Vec<String>,
    pub chair: Option<String>,
    pub light: Option<String>,
    pub roles: Vec<(String, String)>,
    /// Nobody named these models for this question: those the mode has no seat for stay out.
    pub standing: bool,
}

impl Called {
    /// The models that take part, and those that stay out.
    fn fitting(&self, mode: &Mode, made: usize) -> (&[String], &[String]) {
        if !self.standing {
            return (&self.models, &[]);
        }
        let apart = self.chair.is_some() && mode.special_role().is_some();
        let seats = if made > 0 { made } else { mode.seats.1.saturating_sub(u32::from(apart)) as usize };
        self.models.split_at(seats.min(self.models.len()))
    }
}

/// The table laid: seats, the models behind them, and what the user should know.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub seating: Seating,
    pub cards: BTreeMap<String, ModelCard>,
    pub warnings: Vec<String>,
}

/// The table, and everything wrong with it.
pub fn seat(mode: &Mode, options: &Value, needs_clerk: bool, called: &Called, models: &dyn Models) -> (Table, Vec<Problem>) {
    let mut laying = Laying { models, table: Table::default(), problems: Vec::new() };
    let made = (mode.made)(options, called.models.len());
    let (named, out) = called.fitting(mode, made.len());
    if !out.is_empty() {
        laying.table.warnings.push(format!("{} seats {} of this panel: {} stayed out.", mode.name, named.len(), out.join(", ")));
    }
    if made.is_empty() || named.is_empty() {
        for (i, name) in named.iter().enumerate() {
            laying.sit(&format!("models[{i}]"), name, Place::Panel);
        }
    } else {
        if named.len() > made.len() {
            let got = format!("{} models", named.len());
            let want = format!("at most one model a seat: {} has {} with these options ({})", mode.id, made.len(), made.join(", "));
            laying.problems.push(Problem::new("models", got, want));
        }
        for (part, (i, name)) in made.into_iter().zip(named.iter().enumerate().cycle()) {
            let index = laying.sit(&format!("models[{i}]"), name, Place::Panel);
            laying.table.seating.seats[index as usize].persona = Some(part);
        }
    }
    let special = mode.roles.iter().find(|role| matches!(role.held, Held::Chair | Held::ChairApart));
    let mut chair: Option<SeatIx> = None;
    match (special, &called.chair) {
        (Some(_), Some(name)) => chair = Some(laying.sit("chair", name, Place::Chair)),
        (None, Some(name)) => laying.table.warnings.push(format!("{} has no chair: {name} is not seated.", mode.name)),
        (Some(role), None) if role.held == Held::ChairApart => {
            // Somebody named for the role takes it; then nobody leaves the panel.
            let named = called.roles.iter().any(|(named, _)| named == role.name);
            if let Some(last) = laying.table.seating.seats.last_mut().filter(|_| !named) {
                last.place = Place::Chair;
                chair = Some(last.index);
            }
        }
        (Some(_), None) => chair = laying.table.seating.seats.first().map(|seat| seat.index),
        (None, None) => {}
    }
    let panel: Vec<SeatIx> = laying.table.seating.seats.iter().filter(|seat| seat.place == Place::Panel).map(|seat| seat.index).collect();
    for role in mode.roles {
        let holders = match role.held {
            Held::Each => panel.clone(),
            Held::Seat(k) => panel.get(k as usize).copied().into_iter().collect(),
            Held::Chair | Held::ChairApart => chair.into_iter().collect(),
        };
        laying.table.seating.roles.insert(role.name.to_owned(), holders);
    }
    for (role, name) in &called.roles {
        let known = mode.roles.iter().find(|known| known.name == role);
        if known.is_some_and(|known| known.held == Held::Each) {
            laying.problems.push(Problem::new("role", role.clone(), "--models: every seat of the panel holds this role"));
        } else if known.is_some_and(|known| matches!(known.held, Held::Chair | Held::ChairApart)) && called.chair.is_some() {
            laying.problems.push(Problem::new("role", format!("{role}, and a chair is named too"), "one of --chair and --role, not both"));
        } else if known.is_some() {
            let index = laying.sit(&format!("role {role}"), name, Place::Role);
            laying.table.seating.roles.insert(role.clone(), vec![index]);
        } else {
            let known: Vec<&str> = mode.roles.iter().map(|role| role.name).collect();
            laying.problems.push(Problem::new("role", role.clone(), format!("a role of {}: {}", mode.id, known.join(", "))));
        }
    }
    let count = laying.table.seating.seats.len() as u32;
    let (least, most) = mode.seats;
    if count < least || count > most {
        let names: Vec<&str> = laying.table.seating.seats.iter().map(|seat| seat.model.as_str()).collect();
        let special = mode.special_role().map(|role| format!(", {role} counted")).unwrap_or_default();
        let got =
            if count == 0 { "no seats".into() } else { format!("{count} {} ({})", if count == 1 { "seat" } else { "seats" }, names.join(", ")) };
        laying.problems.push(Problem::new("models", got, format!("{least} to {most} seats for {}{special}", mode.id)));
    }
    if needs_clerk {
        let chair_model = chair.and_then(|index| laying.table.seating.seats.get(index as usize)).map(|seat| seat.model.clone());
        let first = laying.table.seating.seats.first().map(|seat| seat.model.clone());
        if let Some(name) = called.light.clone().or(chair_model).or(first) {
            let clerk = laying.sit("light", &name, Place::Clerk);
            laying.table.seating.roles.insert("clerk".into(), vec![clerk]);
        }
    }
    let Laying { mut table, problems, .. } = laying;
    label(&mut table.seating.seats);
    (table, problems)
}

struct Laying<'a> {
    models: &'a dyn Models,
    table: Table,
    problems: Vec<Problem>,
}

impl Laying<'_> {
    /// Seats a model, known or not, so that one unknown name does not also count as a missing seat.
    fn sit(&mut self, field: &str, name: &str, place: Place) -> SeatIx {
        if !self.table.cards.contains_key(name) {
            match self.models.resolve(field, name) {
                Ok(card) => {
                    self.table.cards.insert(name.to_owned(), card);
                }
                Err(problem) => self.problems.push(problem),
            }
        }
        let index = self.table.seating.seats.len() as SeatIx;
        self.table.seating.seats.push(Seat { index, label: name.to_owned(), model: name.to_owned(), place, persona: None });
        index
    }
}

/// A label a person can point at: the model's name, with the part it was seated for, numbered where it sits more than once.
fn label(seats: &mut [Seat]) {
    for seat in seats.iter_mut() {
        let part = if seat.place == Place::Clerk { Some("clerk") } else { seat.persona.as_deref() };
        if let Some(part) = part {
            seat.label = format!("{part} ({})", seat.model);
        }
    }
    let mut count: BTreeMap<String, u32> = BTreeMap::new();
    for seat in seats.iter() {
        *count.entry(seat.label.clone()).or_default() += 1;
    }
    let mut nth: BTreeMap<String, u32> = BTreeMap::new();
    for seat in seats.iter_mut().filter(|seat| count[&seat.label] > 1) {
        let n = nth.entry(seat.label.clone()).or_default();
        *n += 1;
        seat.label = format!("{} #{n}", seat.label);
    }
}
