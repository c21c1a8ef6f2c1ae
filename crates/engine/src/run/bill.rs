//! What a reply cost. What a provider says of it is a claim: it stands where it is at least half of what we count ourselves, in the text that
//! went out and the text that came back; else our count stands in its place, and both are kept.

use crate::tokens;
use synod_types::{Claimed, Price, Reply, Request, Usage};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bill {
    pub usage: Option<Usage>,
    pub spent_usd: Option<f64>,
    /// What the provider said, where it does not stand.
    pub claimed: Option<Claimed>,
}

impl Bill {
    /// `reserved`: what a reply costs of which nobody says anything.
    pub fn of(request: &Request, reply: &Reply, price: Option<Price>, reserved: Option<f64>) -> Self {
        let price = price.filter(|price| *price != Price::FREE);
        if price.is_none() && !reply.overran && reply.cost_usd.is_none_or(|cost| cost.is_finite() && cost >= 0.0) && plausible(request, reply) {
            // A free model costs what was reserved for it: nothing.
            return Self { usage: reply.usage, spent_usd: reply.cost_usd.or(reserved), claimed: None };
        }
        let own = Usage { input: tokens::of_words(request), output: tokens::of_reply(reply), ..Usage::default() };
        // Of a reply that was cut nobody says anything: whoever counts has not come to the end.
        let usage = reply.usage.or(reply.overran.then_some(own)).map(|claim| at_least_half(claim, own));
        let least = price.map_or(0.0, |price| price.cost(Usage { cached: own.input, ..own }));
        let cost = reply.cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0 && cost * 2.0 >= least);
        let refused = reply.cost_usd.is_some() && cost.is_none();
        let counted = match (price, usage) {
            (Some(price), Some(usage)) => Some(price.cost(usage)),
            (Some(price), None) if refused => Some(price.cost(own)),
            _ => None,
        };
        let claimed =
            (refused || reply.usage.is_some_and(|claim| usage != Some(claim))).then_some(Claimed { usage: reply.usage, cost_usd: reply.cost_usd });
        // What was received costs no less than was set aside for less of it.
        let counted =
            counted.map(|usd| if reply.overran && reply.usage.is_none() { reserved.map_or(usd, |reserved| usd.max(reserved)) } else { usd });
        Self { usage, spent_usd: cost.or(counted).or(reserved), claimed }
    }
}

/// The counts that stand, one by one.
fn at_least_half(claim: Usage, own: Usage) -> Usage {
    let short = |claimed: u64, own: u64| claimed.saturating_mul(2) < own;
    let mut stands = claim;
    if short(claim.input, own.input) {
        (stands.input, stands.cached) = (own.input, 0);
    }
    if short(claim.output, own.output) {
        stands.output = own.output;
    }
    stands
}

/// Whether the claims are half of what so many bytes usually are, or more: enough where nothing is paid by them, and quickly seen.
fn plausible(request: &Request, reply: &Reply) -> bool {
    const BYTES: u64 = 4;
    let Some(usage) = reply.usage else { return true };
    let sent: usize = request.messages.iter().map(|message| message.text().len()).sum();
    let most = |claim: u64| claim.saturating_mul(2 * BYTES);
    most(usage.input) >= sent as u64 && most(usage.output) >= (reply.text.len() as u64).saturating_add(reply.unseen_tokens.saturating_mul(BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use synod_types::{Message, ToolCall};

    const PRICE: Price = Price { input: 10.0, cached_input: Some(1.0), output: 100.0 };

    fn request() -> Request {
        let messages = vec![Message::system("Answer in words."), Message::user("Is tea better than coffee? ".repeat(40))];
        Request { model: "m".into(), messages, schema: None, tools: Vec::new(), temperature: None, max_tokens: 500, effort: None, hint: None }
    }

    fn reply(usage: Option<Usage>, cost_usd: Option<f64>) -> Reply {
        Reply { usage, cost_usd, ..Reply::text("Tea, because it keeps its promises. ".repeat(30)) }
    }

    fn own() -> Usage {
        Usage { input: tokens::of_words(&request()), output: tokens::of_reply(&reply(None, None)), ..Usage::default() }
    }

    #[test]
    fn claims_stand_from_half_of_our_own_count_on() {
        let own = own();
        let bill = |usage, cost| Bill::of(&request(), &reply(usage, cost), Some(PRICE), Some(9.0));
        let half = Usage { input: own.input.div_ceil(2), output: own.output.div_ceil(2), ..own };
        let honest = bill(Some(half), None);
        assert_eq!(honest, Bill { usage: Some(half), spent_usd: Some(PRICE.cost(half)), claimed: None });
        let less = Usage { output: own.output / 2 - 1, ..own };
        let mended = bill(Some(less), None);
        assert_eq!((mended.usage, mended.spent_usd), (Some(own), Some(PRICE.cost(own))));
        assert_eq!(mended.claimed, Some(Claimed { usage: Some(less), cost_usd: None }));
        for cost in [-1000.0, 0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let bill = bill(None, Some(cost));
            assert!(bill.spent_usd == Some(PRICE.cost(own)) && bill.claimed.is_some(), "{cost}: {bill:?}");
        }
        assert_eq!(bill(None, Some(3.0)).spent_usd, Some(3.0), "more than we count is theirs to say");
        assert_eq!(bill(None, None), Bill { usage: None, spent_usd: Some(9.0), claimed: None });
        let cached = Usage { cached: u64::MAX, ..own };
        assert!(bill(Some(cached), None).spent_usd.is_some_and(|usd| usd >= PRICE.cost(Usage { cached: own.input, ..own })));
    }

    #[test]
    fn a_free_model_is_held_to_its_words_and_an_unknown_price_stays_unknown() {
        let zeros = Some(Usage::default());
        let free = Bill::of(&request(), &reply(zeros, None), Some(Price::FREE), Some(0.0));
        assert_eq!((free.usage, free.spent_usd), (Some(own()), Some(0.0)));
        let unpriced = Bill::of(&request(), &reply(zeros, Some(-1.0)), None, None);
        assert_eq!((unpriced.usage, unpriced.spent_usd, unpriced.claimed.is_some()), (Some(own()), None, true));
    }

    #[test]
    fn everything_that_is_sent_and_received_is_counted() {
        let before = tokens::of_request(&request());
        let call = ToolCall { id: "1".into(), name: "look".into(), input: json!({"text": "many words ".repeat(100)}) };
        let mut longer = request();
        longer.messages.push(Message::Assistant { text: String::new(), tool_calls: vec![call.clone()], thinking: None });
        assert!(tokens::of_request(&longer) > before + 200, "the arguments of a tool");
        let mut carried = request();
        carried.messages.push(Message::Assistant { text: String::new(), tool_calls: Vec::new(), thinking: Some(json!(["thought ".repeat(300)])) });
        assert!(tokens::of_request(&carried) > before + 300, "thoughts that go back");
        let reply = Reply { tool_calls: vec![call], unseen_tokens: 1000, ..Reply::text("") };
        assert!(tokens::of_reply(&reply) > 1200);
    }

    proptest! {
        #[test]
        fn nothing_a_provider_says_makes_a_reply_cheaper_than_half_of_our_count(
            input: u64, output: u64, cached: u64, cost in proptest::option::of(proptest::num::f64::ANY), silent: bool
        ) {
            let usage = (!silent).then_some(Usage { input, output, cached, thinking: None });
            let bill = Bill::of(&request(), &reply(usage, cost), Some(PRICE), Some(9.0));
            let own = own();
            let least = PRICE.cost(Usage { cached: own.input, ..own });
            prop_assert!(bill.spent_usd.is_some_and(|usd| usd.is_finite() && usd * 2.0 >= least - 1e-12), "{:?}", bill);
        }
    }
}
