//! From what was asked for to what will run: everything checked at once, before anything is paid.

use crate::options::{self, Typed};
use crate::seating::{self, Called};
use crate::{Calls, Library, Mode, Models, Prompts, Record, tokens};
use serde_json::Value;
use synod_types::*;

/// Earlier turns of a conversation that a follow-up carries at most.
pub const HISTORY_TURNS: u32 = 10;
/// And how much they may weigh together.
const HISTORY_TOKENS: u64 = 16_000;

/// A question, not a library.
const LONGEST_QUESTION: usize = 1024 * 1024;

/// A deliberation as ordered.
#[derive(Clone, Debug, Default)]
pub struct Order {
    pub mode: String,
    pub question: Question,
    pub called: Called,
    pub options: Vec<(String, Typed)>,
    pub budget_usd: Option<f64>,
    pub deadline_secs: Option<f64>,
    pub timeout_secs: Option<f64>,
    pub seed: Option<u64>,
    pub conversation: Option<String>,
    pub parent: Option<String>,
}

/// A deliberation that can start.
pub struct Plan {
    pub(crate) mode: &'static Mode,
    pub header: Header,
    calls: Vec<Calls>,
}

impl Order {
    /// What a run was given, to be changed and run again as its fork.
    pub fn again(record: &Record) -> Self {
        let (header, limits) = (&record.header, &record.limits);
        let named = |place: Place| header.seats.iter().filter(move |seat| seat.place == place).map(|seat| seat.model.clone());
        let role_of = |index: SeatIx| header.roles.iter().find(|(_, seats)| seats.as_slice() == [index]).map(|(name, _)| name.clone());
        let roles = header.seats.iter().filter(|seat| seat.place == Place::Role);
        Self {
            mode: header.mode.clone(),
            question: header.question.clone(),
            called: Called {
                models: named(Place::Panel).collect(),
                chair: named(Place::Chair).next(),
                light: named(Place::Clerk).next(),
                roles: roles.filter_map(|seat| Some((role_of(seat.index)?, seat.model.clone()))).collect(),
                standing: true,
            },
            options: header
                .options
                .as_object()
                .map(|map| map.iter().map(|(name, value)| (name.clone(), Typed::Json(value.clone()))).collect())
                .unwrap_or_default(),
            budget_usd: limits.budget_usd,
            deadline_secs: Some(limits.run_ms as f64 / 1000.0),
            timeout_secs: Some(limits.idle_ms as f64 / 1000.0),
            seed: Some(header.seed),
            conversation: header.conversation.clone(),
            parent: Some(header.run.clone()),
        }
    }
}

/// Everything but the endpoints' own answers.
pub(crate) fn plan(
    order: &Order,
    modes: &'static [&'static Mode],
    models: &dyn Models,
    prompts: &Prompts,
    library: &dyn Library,
    binary: &str,
) -> Result<Plan, (Problems, Vec<ModelCard>)> {
    let mut problems = Vec::new();
    if order.question.text.trim().is_empty() {
        problems.push(Problem::new("question", "nothing", "a question: synod ask \"…\", or - to read it from standard input"));
    }
    let length = order.question.text.len();
    if length > LONGEST_QUESTION {
        problems.push(Problem::new(
            "question",
            format!("{length} bytes"),
            format!("at most {LONGEST_QUESTION} bytes; attach what is longer with --file or --content"),
        ));
    }
    let seconds = |field: &str, given: Option<f64>, default: u32, problems: &mut Vec<Problem>| match given {
        None => i64::from(default) * 1000,
        Some(secs) if secs.is_finite() && secs > 0.0 && secs <= 31_536_000.0 => (secs * 1000.0).ceil() as i64,
        Some(secs) => {
            problems.push(Problem::new(field, secs.to_string(), "a number of seconds above 0"));
            0
        }
    };
    if let Some(budget) = order.budget_usd.filter(|budget| !(budget.is_finite() && *budget >= 0.0)) {
        problems.push(Problem::new("budget", budget.to_string(), "an amount in US dollars of at least 0"));
    }
    let Some(mode) = modes.iter().copied().find(|mode| mode.id == order.mode) else {
        let known: Vec<&str> = modes.iter().map(|mode| mode.id).collect();
        problems.insert(0, Problem::new("mode", order.mode.clone(), format!("one of: {}", known.join(", "))));
        let called = &order.called;
        let roles = called.roles.iter().map(|(_, name)| name);
        let named = called
            .models
            .iter()
            .map(|name| ("models", name))
            .chain(called.chair.iter().map(|name| ("chair", name)))
            .chain(roles.map(|name| ("role", name)));
        problems.extend(named.filter_map(|(field, name)| models.resolve(field, name).err()));
        return Err((Problems(problems), Vec::new()));
    };
    if !mode.multi_turn && !order.question.history.is_empty() {
        problems.push(Problem::new("conversation", "an earlier turn", format!("a new conversation: {} answers one question at a time", mode.id)));
    }
    let limits = Limits {
        budget_usd: order.budget_usd,
        run_ms: seconds("deadline", order.deadline_secs, mode.run_secs, &mut problems),
        idle_ms: seconds("timeout", order.timeout_secs, mode.turn_secs, &mut problems),
        turn_ms: seconds("timeout", order.timeout_secs, mode.turn_secs, &mut Vec::new()) * 5,
    };
    let mut options = options::resolve(mode, &order.options).unwrap_or_else(|found| {
        problems.extend(found);
        Value::Null
    });
    if !options.is_null() {
        problems.extend((mode.prepare)(&mut options, library));
    }
    let needs_clerk = mode.prompts.iter().any(|(name, _)| prompts.settings(mode.id, name).is_some_and(|settings| settings.tier == Tier::Light));
    let (table, found) = seating::seat(mode, &options, needs_clerk, &order.called, models);
    if found.is_empty() && !options.is_null() {
        problems.extend((mode.fits)(&options, &table.seating));
    }
    problems.extend(found);
    for card in table.cards.values() {
        if let Err(problem) = models.open(card) {
            problems.push(problem);
        }
        if order.budget_usd.is_some() && card.price.is_none() {
            let want = format!("a price for it (models.NAME.price in synod.toml), or no budget: what {} costs is unknown", card.name);
            problems.push(Problem::new("budget", format!("{} has no price", card.name), want));
        }
    }
    let cards: Vec<ModelCard> = table.cards.values().cloned().collect();
    if !problems.is_empty() {
        return Err((Problems(problems), cards));
    }
    let calls = (mode.calls)(&options, &table.seating);
    let planned_calls = (calls.iter().map(|line| line.min).sum(), calls.iter().map(|line| line.max).sum());
    let history = recent(&order.question.history);
    let mut warnings = table.warnings;
    if history.len() < order.question.history.len() {
        let left_out = order.question.history.len() - history.len();
        warnings.push(format!(
            "{left_out} earlier turns of the conversation were left out: a follow-up carries at most {HISTORY_TURNS}, of {HISTORY_TOKENS} tokens."
        ));
    }
    let id = uuid::Uuid::now_v7().to_string();
    let mut header = Header {
        schema: Header::SCHEMA.into(),
        run: id,
        parent: order.parent.clone(),
        mode: mode.id.into(),
        mode_version: mode.version,
        binary: binary.to_owned(),
        seed: order.seed.unwrap_or_else(|| u64::from(uuid::Uuid::new_v4().as_fields().0)),
        question: Question { history, ..order.question.clone() },
        options,
        seats: table.seating.seats,
        roles: table.seating.roles,
        models: table.cards,
        limits,
        quoted_usd: None,
        planned_calls,
        conversation: order.conversation.clone(),
        warnings,
    };
    let priced = header.models.values().any(|card| card.price.is_some_and(|price| price != Price::FREE));
    let mut plan = Plan { mode, header: header.clone(), calls };
    header.quoted_usd = if priced { plan.quote(prompts).usd.map(|usd| usd.max) } else { None };
    if header.quoted_usd.is_none() && header.models.values().all(|card| card.price == Some(Price::FREE)) {
        header.quoted_usd = Some(0.0);
    }
    plan.header = header;
    Ok(plan)
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

/// What a short reply runs to, for the lower end of a quote.
const SHORT_REPLY: u64 = 150;

impl Plan {
    /// Calls, tokens and dollars: from short replies to every token that may be written.
    pub fn quote(&self, prompts: &Prompts) -> Quote {
        let header = &self.header;
        let question = &header.question;
        let asked = tokens::count(&question.text) + question.content.as_deref().map_or(0, tokens::count);
        let files: u64 = question.files.iter().map(|file| tokens::count(&file.text)).sum();
        let history: u64 = question.history.iter().map(|turn| tokens::count(&turn.question) + tokens::count(&turn.answer)).sum();
        let first = self.calls.first();
        let answer_limit =
            first.and_then(|line| line.max_tokens.or_else(|| prompts.settings(self.mode.id, line.prompt).map(|settings| settings.max_tokens)));
        let answer_limit = answer_limit.unwrap_or(4096);
        let mut quote = Quote {
            mode: header.mode.clone(),
            calls: Span { min: 0, max: 0 },
            input_tokens: Span { min: 0, max: 0 },
            output_tokens: Span { min: 0, max: 0 },
            usd: None,
            unpriced: Vec::new(),
            estimated_ms: self.mode.estimated_ms,
            phases: Vec::new(),
        };
        for line in &self.calls {
            let text = self.mode.prompts.iter().find(|(name, _)| *name == line.prompt).map_or("", |(_, text)| text);
            let settings = prompts.settings(self.mode.id, line.prompt).cloned().unwrap_or_default();
            let base = tokens::count(text) + asked + files + if settings.history { history } else { 0 };
            let (low, high) = (base + u64::from(line.reads) * SHORT_REPLY, base + u64::from(line.reads) * u64::from(answer_limit));
            let (few, many) = (u64::from(line.min), u64::from(line.max));
            let most = line.max_tokens.unwrap_or(settings.max_tokens);
            let limit = u64::from(most);
            quote.calls.min += few;
            quote.calls.max += many;
            quote.input_tokens.min += few * low;
            quote.input_tokens.max += many * high;
            quote.output_tokens.min += few * SHORT_REPLY.min(limit);
            quote.output_tokens.max += many * limit;
            quote.phases.push(QuoteLine { prompt: line.prompt.into(), role: line.role.into(), calls: Span { min: few, max: many } });
            let holders = header.role(line.role);
            let prices: Vec<Price> = holders.iter().filter_map(|seat| header.card(*seat)?.price).collect();
            quote
                .unpriced
                .extend(holders.iter().filter_map(|seat| header.card(*seat)).filter(|card| card.price.is_none()).map(|card| card.name.clone()));
            if !prices.is_empty() {
                let share = prices.len() as f64;
                let usd = quote.usd.get_or_insert(UsdSpan { min: 0.0, max: 0.0 });
                for price in &prices {
                    let short = Usage { input: low, output: SHORT_REPLY.min(limit), cached: 0 };
                    usd.min += few as f64 / share * price.cost(short);
                    usd.max += many as f64 / share * price.worst(high, most);
                }
            }
        }
        quote.unpriced.sort();
        quote.unpriced.dedup();
        quote
    }
}
