//! Who sits where. Where a mode needs more seats than models were named, the models sit again in the same order; too many named for a question
//! is an error. A chair nobody needs is left standing, with a warning, and so is whoever a standing panel has too many.
//!
//! A model that holds several seats of the panel is told here, once for every mode.

use crate::{Mode, Models, RoleHolder, Seating};
use std::collections::BTreeMap;
use synod_types::{Json, ModelCard, Place, Problem, ProblemCode, Seat, SeatIx};

/// The models as the user named them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PanelRequest {
    pub models: Vec<String>,
    pub chair: Option<String>,
    pub light: Option<String>,
    pub roles: Vec<(String, String)>,
    /// Nobody named these models for this question: those the mode has no seat for stay out.
    pub may_shrink: bool,
    /// Seats of the panel, beside a chair of its own, that the models fill where the mode has room, though it would run with fewer.
    pub enough: u32,
    /// Models that sit before anybody sits twice, and not otherwise.
    pub reserve: Vec<String>,
}

impl PanelRequest {
    /// The models that take part, and those that stay out.
    fn fitting(&self, mode: &Mode, made: usize) -> (&[String], &[String]) {
        if !self.may_shrink {
            return (&self.models, &[]);
        }
        let seats = if made > 0 { made } else { mode.seats.1.saturating_sub(self.beside(mode)) as usize };
        self.models.split_at(seats.min(self.models.len()))
    }

    /// Seats that are laid beside the panel: a chair, and whoever is named for a role.
    fn beside(&self, mode: &Mode) -> u32 {
        let of_role = |name: &str| mode.roles.iter().any(|role| role.name == name && role.held != RoleHolder::Each);
        let named = self.roles.iter().filter(|(name, _)| of_role(name)).count() as u32;
        named + u32::from(mode.special_role().is_some() && self.chair.is_some())
    }

    /// How many seats the panel has at least, the one that leaves it for a chair of its own counted.
    fn least(&self, mode: &Mode) -> usize {
        let (least, most) = mode.seats;
        let special = mode.roles.iter().find(|role| matches!(role.held, RoleHolder::Chair | RoleHolder::ChairApart));
        let beside = self.beside(mode);
        let leaves = special
            .is_some_and(|role| role.held == RoleHolder::ChairApart && self.chair.is_none() && !self.roles.iter().any(|(name, _)| name == role.name));
        let enough = if self.enough > 0 { (self.enough + u32::from(leaves)).min(most.saturating_sub(beside)) } else { 0 };
        least.saturating_sub(beside).max(enough) as usize
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
pub fn seat(mode: &Mode, options: &Json, needs_clerk: bool, request: &PanelRequest, models: &dyn Models) -> (Table, Vec<Problem>) {
    let mut setter = TableSetter { models, table: Table::default(), problems: Vec::new(), unresolved: Vec::new() };
    let made = (mode.seats_from_options)(options, request.models.len());
    let (named, out) = request.fitting(mode, made.len());
    if !out.is_empty() {
        setter.table.warnings.push(format!("{} seats {} of this panel: {} stayed out.", mode.name, named.len(), out.join(", ")));
    }
    let parts = !made.is_empty() && !named.is_empty();
    if !parts {
        let seats = if named.is_empty() { 0 } else { named.len().max(request.least(mode)) };
        for (i, name) in named.iter().chain(&request.reserve).enumerate().cycle().take(seats) {
            setter.sit(&format!("models[{i}]"), name, Place::Panel);
        }
    } else {
        if named.len() > made.len() {
            let got = format!("{} models", named.len());
            let want = format!("at most one model a seat: {} has {} with these options ({})", mode.id, made.len(), made.join(", "));
            setter.problems.push(Problem::new("models", got, want));
        }
        for (part, (i, name)) in made.into_iter().zip(named.iter().enumerate().cycle()) {
            let index = setter.sit(&format!("models[{i}]"), name, Place::Panel);
            setter.table.seating.seats[index as usize].persona = Some(part);
        }
    }
    let special = mode.roles.iter().find(|role| matches!(role.held, RoleHolder::Chair | RoleHolder::ChairApart));
    let mut chair: Option<SeatIx> = None;
    match (special, &request.chair) {
        (Some(_), Some(name)) => chair = Some(setter.sit("chair", name, Place::Chair)),
        (None, Some(name)) => setter.table.warnings.push(format!("{} has no chair: {name} is not seated.", mode.name)),
        (Some(role), None) if role.held == RoleHolder::ChairApart => {
            // Somebody named for the role takes it; then nobody leaves the panel.
            let named_for_it = request.roles.iter().any(|(named, _)| named == role.name);
            // Seats made for parts of their own are all taken: the next model in turn takes one more.
            if parts && !named_for_it {
                let at = setter.table.seating.seats.len() % named.len();
                let index = setter.sit(&format!("models[{at}]"), &named[at], Place::Chair);
                setter.table.seating.seats[index as usize].persona = Some(role.name.to_owned());
            }
            if let Some(last) = setter.table.seating.seats.last_mut().filter(|_| !named_for_it) {
                last.place = Place::Chair;
                chair = Some(last.index);
            }
        }
        (Some(_), None) => chair = setter.table.seating.seats.first().map(|seat| seat.index),
        (None, None) => {}
    }
    let panel: Vec<SeatIx> = setter.table.seating.seats.iter().filter(|seat| seat.place == Place::Panel).map(|seat| seat.index).collect();
    for role in mode.roles {
        let holders = match role.held {
            RoleHolder::Each => panel.clone(),
            RoleHolder::Seat(k) => panel.get(k as usize).copied().into_iter().collect(),
            RoleHolder::Chair | RoleHolder::ChairApart => chair.into_iter().collect(),
        };
        setter.table.seating.roles.insert(role.name.to_owned(), holders);
    }
    for (role, name) in &request.roles {
        let known = mode.roles.iter().find(|known| known.name == role);
        if known.is_some_and(|known| known.held == RoleHolder::Each) {
            setter
                .problems
                .push(Problem::new("role", role.clone(), "no model of its own: every seat of the panel holds this role").code(ProblemCode::Conflict));
        } else if known.is_some_and(|known| matches!(known.held, RoleHolder::Chair | RoleHolder::ChairApart)) && request.chair.is_some() {
            setter.problems.push(
                Problem::new("role", format!("{role}, and a chair is named too"), "a chair or a model for the role, not both")
                    .code(ProblemCode::Conflict),
            );
        } else if known.is_some() {
            let index = setter.sit(&format!("role {role}"), name, Place::Role);
            setter.table.seating.roles.insert(role.clone(), vec![index]);
        } else {
            let known: Vec<&str> = mode.roles.iter().map(|role| role.name).collect();
            let want = format!("a role of {}: {}", mode.id, known.join(", "));
            setter.problems.push(Problem::new("role", role.clone(), want).unknown(role, known));
        }
    }
    let count = setter.table.seating.seats.len() as u32;
    let (least, most) = mode.seats;
    if count < least || count > most {
        let names: Vec<&str> = setter.table.seating.seats.iter().map(|seat| seat.model.as_str()).collect();
        let special = mode.special_role().map(|role| format!(", {role} counted")).unwrap_or_default();
        let got =
            if count == 0 { "no seats".into() } else { format!("{count} {} ({})", if count == 1 { "seat" } else { "seats" }, names.join(", ")) };
        let code = if count < least { ProblemCode::TooFew } else { ProblemCode::TooMuch };
        setter.problems.push(Problem::new("models", got, format!("{least} to {most} seats for {}{special}", mode.id)).code(code));
    }
    if needs_clerk {
        let chair_model = chair.and_then(|index| setter.table.seating.seats.get(index as usize)).map(|seat| seat.model.clone());
        let first = setter.table.seating.seats.first().map(|seat| seat.model.clone());
        if let Some(name) = request.light.clone().or(chair_model).or(first) {
            let clerk = setter.sit("light", &name, Place::Clerk);
            setter.table.seating.roles.insert("clerk".into(), vec![clerk]);
        }
    }
    let TableSetter { mut table, mut problems, unresolved, .. } = setter;
    problems.extend(by_key(unresolved));
    table.warnings.extend(shared(&table));
    label(&mut table.seating.seats);
    (table, problems)
}

/// Names that stand for no model, each told once; those that only lack the same key are told together.
pub fn by_key(unresolved: Vec<(String, Problem)>) -> Vec<Problem> {
    let mut told: Vec<(Problem, Vec<String>)> = Vec::new();
    for (name, problem) in unresolved {
        match told.iter_mut().find(|(known, _)| known.code == ProblemCode::NoKey && *known == problem) {
            Some((_, names)) => names.push(name),
            None => told.push((problem, vec![name])),
        }
    }
    let named = |(problem, names): (Problem, Vec<String>)| match problem.code {
        ProblemCode::NoKey => Problem { got: format!("{}; needed by {}", problem.got, names.join(", ")), ..problem },
        _ => problem,
    };
    told.into_iter().map(named).collect()
}

/// One model under several names is still one model.
fn shared(table: &Table) -> Option<String> {
    let panel: Vec<&Seat> = table.seating.seats.iter().filter(|seat| seat.place == Place::Panel).collect();
    let mut held: Vec<(&ModelCard, usize)> = Vec::new();
    for card in panel.iter().filter_map(|seat| table.cards.get(&seat.model)) {
        match held.iter_mut().find(|(known, _)| (&known.endpoint, &known.id) == (&card.endpoint, &card.id)) {
            Some((_, seats)) => *seats += 1,
            None => held.push((card, 1)),
        }
    }
    let several: Vec<(&str, usize)> = held.iter().filter(|(_, seats)| *seats > 1).map(|(card, seats)| (card.name.as_str(), *seats)).collect();
    let all = panel.len();
    match several.as_slice() {
        [] => None,
        [(model, seats)] if *seats == all => {
            Some(format!("{model} holds all {all} seats of the panel: they share its mistakes, so their agreement is worth little."))
        }
        [(model, seats)] => {
            Some(format!("{model} holds {seats} of the panel's {all} seats: they share its mistakes, so their agreement is worth less."))
        }
        several => {
            let each: Vec<String> = several.iter().map(|(model, seats)| format!("{model} {seats}")).collect();
            let each = each.join(", ");
            Some(format!("Of the panel's {all} seats some are one model ({each}): such seats share its mistakes, so their agreement is worth less."))
        }
    }
}

struct TableSetter<'a> {
    models: &'a dyn Models,
    table: Table,
    problems: Vec<Problem>,
    /// Names that stand for no model that can be used, and why.
    unresolved: Vec<(String, Problem)>,
}

impl TableSetter<'_> {
    /// Seats a model, known or not, so that one unknown name does not also count as a missing seat.
    fn sit(&mut self, field: &str, name: &str, place: Place) -> SeatIx {
        if !self.table.cards.contains_key(name) && !self.unresolved.iter().any(|(known, _)| known == name) {
            match self.models.resolve(field, name) {
                Ok(card) => {
                    self.table.cards.insert(name.to_owned(), card);
                }
                Err(problem) => self.unresolved.push((name.to_owned(), problem)),
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
