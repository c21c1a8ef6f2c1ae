//! What a plan will take: from its declared calls, the sizes of its prompts and the prices of its seats.

use super::Plan;
use super::check::room_to_think;
use crate::prompt::last_turns;
use crate::{Prompts, tokens};
use synod_types::*;

/// What a short reply runs to, for the lower end of a quote.
const SHORT_REPLY: u64 = 150;
/// What a prompt shows of one piece of evidence, at most.
const EXCERPT: u64 = 700;
/// A usual one takes this part of what it may take.
const USUAL: u64 = 4;

impl Plan {
    /// Calls, tokens and dollars: from short replies to every word that may be written, and apart from that the worst case with all that may be
    /// thought.
    pub fn quote(&self, prompts: &Prompts) -> Quote {
        let header = &self.header;
        let question = &header.question;
        let mut quote = Quote {
            mode: header.mode.clone(),
            calls: Span { min: 0, max: 0 },
            input_tokens: Span { min: 0, max: 0 },
            output_tokens: Span { min: 0, max: 0 },
            thinking_tokens: 0,
            usd: None,
            worst_usd: None,
            likely_usd: None,
            unpriced_tokens: 0,
            unpriced: Vec::new(),
            estimated_ms: self.mode.estimated_ms,
            phases: Vec::new(),
        };
        let paid = header.models.values().any(|card| card.price != Some(Price::FREE));
        let count = if paid { tokens::count } else { tokens::roughly };
        let asked = count(&question.text) + question.content.as_deref().map_or(0, count);
        let files: u64 = question.files.iter().map(|file| count(&file.text)).sum();
        // Of evidence excerpts are shown.
        let files = files + question.evidence.iter().map(|file| count(&file.text).min(EXCERPT)).sum::<u64>();
        let size = |turn: &PastTurn| count(&turn.question) + count(&turn.answer);
        let history: u64 = question.history.iter().map(size).sum();
        let last_turns: u64 = last_turns(&question.history).iter().map(size).sum();
        let earlier = question.earlier.as_ref().map_or(0, size);
        let asked = asked + earlier;
        let first = self.calls.first();
        let answer_limit =
            first.and_then(|line| line.max_tokens.or_else(|| prompts.settings(self.mode.id, line.prompt).map(|settings| settings.max_tokens)));
        let answer_limit = answer_limit.unwrap_or(4096);
        for line in &self.calls {
            let text = self.mode.prompts.iter().find(|(name, _)| *name == line.prompt).map_or("", |(_, text)| text);
            let settings = prompts.settings(self.mode.id, line.prompt).cloned().unwrap_or_default();
            let base = count(text) + asked + files + if settings.history { history } else { last_turns };
            let (low, high) = (base + u64::from(line.reads) * SHORT_REPLY, base + u64::from(line.reads) * u64::from(answer_limit));
            let (few, many) = (u64::from(line.min), u64::from(line.max));
            let most = line.max_tokens.unwrap_or(settings.max_tokens);
            let limit = u64::from(most);
            let usual = |limit: u64| (limit / USUAL).max(SHORT_REPLY.min(limit));
            let typical = Usage { input: base + u64::from(line.reads) * usual(u64::from(answer_limit)), output: usual(limit), ..Usage::default() };
            let calls = (few + many) as f64 / 2.0;
            quote.calls.min += few;
            quote.calls.max += many;
            quote.input_tokens.min += few * low;
            quote.input_tokens.max += many * high;
            quote.output_tokens.min += few * SHORT_REPLY.min(limit);
            quote.output_tokens.max += many * limit;
            quote.phases.push(QuoteLine { prompt: line.prompt.into(), role: line.role.into(), calls: Span { min: few, max: many } });
            let holders = header.role(line.role);
            let room = |card: &ModelCard| self.models.get(&card.name).map_or(0, |model| room_to_think(model.as_ref(), card, settings.tier));
            let rooms: Vec<u64> = holders.iter().filter_map(|seat| header.card(*seat)).map(|card| u64::from(room(card))).collect();
            quote.thinking_tokens += many * rooms.iter().sum::<u64>() / (rooms.len() as u64).max(1);
            let unpriced = holders.iter().filter_map(|seat| header.card(*seat)).filter(|card| card.price.is_none()).count() as f64;
            let share = unpriced / (holders.len() as f64).max(1.0);
            quote.unpriced_tokens += (calls * share * (typical.input + typical.output) as f64).round() as u64;
            let prices: Vec<(Price, u32)> =
                holders.iter().filter_map(|seat| header.card(*seat)).filter_map(|card| Some((card.price?, room(card)))).collect();
            quote
                .unpriced
                .extend(holders.iter().filter_map(|seat| header.card(*seat)).filter(|card| card.price.is_none()).map(|card| card.name.clone()));
            if !prices.is_empty() {
                let share = prices.len() as f64;
                let usd = quote.usd.get_or_insert(UsdSpan { min: 0.0, max: 0.0 });
                let worst = quote.worst_usd.get_or_insert(0.0);
                let likely = quote.likely_usd.get_or_insert(0.0);
                for (price, room) in &prices {
                    let short = Usage { input: low, output: SHORT_REPLY.min(limit), ..Usage::default() };
                    usd.min += few as f64 / share * price.cost(short);
                    usd.max += many as f64 / share * price.worst(high, most);
                    *likely += calls / share * price.cost(typical);
                    *worst += many as f64 / share * price.worst(high, most.saturating_add(*room));
                }
            }
        }
        quote.unpriced.sort();
        quote.unpriced.dedup();
        quote
    }
}
