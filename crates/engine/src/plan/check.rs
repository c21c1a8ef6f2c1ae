//! From what was asked for to what will run: everything checked at once, before anything is paid.

use super::{Library, LimitChanges, RunSpec, Today, options, seating};
use crate::{Mode, Model, Models, PlannedCalls, Prompts, tokens};
use std::collections::BTreeMap;
use std::sync::Arc;
use synod_types::*;

/// Earlier turns of a conversation that a follow-up carries at most.
pub const HISTORY_TURNS: u32 = 10;
/// And how much they may weigh together.
const HISTORY_TOKENS: u64 = 16_000;

/// A question, not a library.
const LONGEST_QUESTION: usize = 1024 * 1024;

/// A deliberation that can start.
pub struct Plan {
    pub(crate) mode: &'static Mode,
    pub header: Header,
    /// A repeated request finds this run instead of beginning another.
    pub once: Option<Once>,
    pub(super) calls: Vec<PlannedCalls>,
    /// By name.
    pub(crate) models: BTreeMap<String, Arc<dyn Model>>,
}

/// The tokens a model gets on top of what a reader sees.
pub(super) fn room_to_think(model: &dyn Model, card: &ModelCard, tier: Tier) -> u32 {
    let request = Request {
        model: card.id.clone(),
        messages: Vec::new(),
        schema: None,
        tools: Vec::new(),
        temperature: None,
        max_tokens: 0,
        effort: if tier == Tier::Light { card.light_effort() } else { card.effort },
        hint: None,
    };
    model.sending(&request, tier).tokens
}

/// Everything but the endpoints' own answers.
pub(crate) fn plan(
    spec: &RunSpec,
    modes: &'static [&'static Mode],
    models: &dyn Models,
    prompts: &Prompts,
    library: &dyn Library,
    binary: &str,
    now: Millis,
) -> Result<Plan, (Problems, Vec<ModelCard>)> {
    let mut problems = Vec::new();
    if spec.question.text.trim().is_empty() {
        problems.push(Problem::new("question", "nothing", "a question").code(ProblemCode::Missing));
    }
    let length = spec.question.text.len();
    if length > LONGEST_QUESTION {
        let want = format!("at most {LONGEST_QUESTION} bytes; attach what is longer as a file or as content");
        problems.push(Problem::new("question", format!("{length} bytes"), want).code(ProblemCode::TooMuch));
    }
    let today = match &spec.today {
        Today::Clock => Some(date(now)),
        Today::Given(given) => Some(given.clone()),
        Today::Unknown => None,
    };
    if let Some(given) = today.as_ref().filter(|today| !is_date(today)) {
        problems.push(Problem::new("today", format!("{given:?}"), "a date such as 2026-03-01"));
    }
    let limits = LimitChanges { budget_usd: spec.budget_usd, deadline_secs: spec.deadline_secs, timeout_secs: spec.timeout_secs };
    let Some(mode) = modes.iter().copied().find(|mode| mode.id == spec.mode) else {
        problems.insert(0, unknown_mode(modes, &spec.mode));
        limits.check(&mut problems);
        let panel = &spec.panel;
        let roles = panel.roles.iter().map(|(_, name)| name);
        let named = panel
            .models
            .iter()
            .map(|name| ("models", name))
            .chain(panel.chair.iter().map(|name| ("chair", name)))
            .chain(roles.map(|name| ("role", name)));
        problems.extend(seating::by_key(named.filter_map(|(field, name)| Some((name.clone(), models.resolve(field, name).err()?))).collect()));
        return Err((Problems(problems), Vec::new()));
    };
    if !mode.multi_turn && !spec.question.history.is_empty() {
        problems.push(
            Problem::new("conversation", "an earlier turn", format!("a new conversation: {} answers one question at a time", mode.id))
                .code(ProblemCode::Conflict),
        );
    }
    let limits = limits.of_mode(mode, &mut problems);
    let mut options = options::resolve(mode, &spec.options).unwrap_or_else(|found| {
        problems.extend(found);
        Json::default()
    });
    if !options.is_null() {
        problems.extend((mode.prepare)(&mut options, library));
    }
    let needs_clerk = (spec.titled && !spec.title_from_question)
        || mode.prompts.iter().any(|(name, _)| prompts.settings(mode.id, name).is_some_and(|settings| settings.tier == Tier::Light));
    let (table, found) = seating::seat(mode, &options, needs_clerk, &spec.panel, models);
    if found.is_empty() && !options.is_null() {
        problems.extend((mode.check_seating)(&options, &table.seating));
    }
    problems.extend(found);
    let mut opened = BTreeMap::new();
    for card in table.cards.values() {
        match models.open(card) {
            Ok(model) => {
                opened.insert(card.name.clone(), model);
            }
            Err(problem) => problems.push(problem),
        }
        if spec.budget_usd.is_some() && card.price.is_none() {
            let want = format!("a price for it in the configuration (models.NAME.price), or no budget: what {} costs is unknown", card.name);
            problems.push(Problem::new("budget", format!("{} has no price", card.name), want).code(ProblemCode::NoPrice));
        }
    }
    if !problems.is_empty() {
        return Err((Problems(problems), table.cards.into_values().collect()));
    }
    let calls = (mode.calls)(&options, &table.seating);
    let planned_calls = (calls.iter().map(|line| line.min).sum(), calls.iter().map(|line| line.max).sum());
    let history = recent(&spec.question.history);
    let mut warnings = table.warnings;
    if spec.question.earlier.is_some() {
        warnings.push(format!("{} answers one question at a time: the last verdict of the conversation was given to it as context.", mode.name));
    }
    if history.len() < spec.question.history.len() {
        let left_out = spec.question.history.len() - history.len();
        warnings.push(format!(
            "{left_out} earlier turns of the conversation were left out: a follow-up carries at most {HISTORY_TURNS}, of {HISTORY_TOKENS} tokens."
        ));
    }
    let id = uuid::Uuid::now_v7().to_string();
    let mut question = Question { history, ..spec.question.clone() };
    question.content.take_if(|text| text.trim().is_empty());
    let header = Header {
        schema: Header::SCHEMA.into(),
        run: id,
        parent: spec.parent.clone(),
        mode: mode.id.into(),
        mode_version: mode.version,
        binary: binary.to_owned(),
        seed: spec.seed.unwrap_or_else(|| u64::from(uuid::Uuid::new_v4().as_fields().0)),
        question,
        options,
        seats: table.seating.seats,
        roles: table.seating.roles,
        models: table.cards,
        limits,
        quoted_usd: None,
        planned_calls,
        conversation: spec.conversation.clone(),
        titled: spec.titled,
        principal: spec.principal.clone(),
        today,
        warnings,
    };
    let priced = header.models.values().any(|card| card.price.is_some_and(|price| price != Price::FREE));
    let mut plan = Plan { mode, header, once: None, calls, models: opened };
    let quote = priced.then(|| plan.quote(prompts));
    if let (Some(budget), Some(least)) = (spec.budget_usd, quote.as_ref().and_then(|quote| quote.usd).map(|usd| usd.min))
        && budget < least
        // A fork pays for what is new in it only.
        && spec.parent.is_none()
    {
        let want = format!("${:.4} or more: less is not enough for even the shortest replies", (least * 1e4).ceil() / 1e4);
        let problem = Problem::new("budget", format!("${budget}"), want).code(ProblemCode::TooFew);
        return Err((Problems(vec![problem]), plan.header.models.into_values().collect()));
    }
    let free = plan.header.models.values().all(|card| card.price == Some(Price::FREE));
    plan.header.quoted_usd = quote.and_then(|quote| quote.worst_usd).or(free.then_some(0.0));
    Ok(plan)
}

/// No mode of this name among those a door may offer.
pub(crate) fn unknown_mode(modes: &[&Mode], given: &str) -> Problem {
    let known: Vec<&str> = modes.iter().map(|mode| mode.id).collect();
    Problem::new("mode", given, format!("one of: {}", known.join(", "))).unknown(given, known)
}

/// The newest turns that fit, oldest first.
fn recent(history: &[PastTurn]) -> Vec<PastTurn> {
    let mut left = HISTORY_TOKENS;
    let mut kept: Vec<PastTurn> = Vec::new();
    for turn in history.iter().rev().take(HISTORY_TURNS as usize) {
        let weight = tokens::count(&turn.question) + tokens::count(&turn.answer);
        if weight > left {
            break;
        }
        left -= weight;
        kept.push(turn.clone());
    }
    kept.reverse();
    kept
}
