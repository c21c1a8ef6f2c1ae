//! A decision as other tools write it, in the names of this one: wrapped cards and evaluations, weights by their letters, panel members by the
//! names of their agents, cards without an id, and cards called by their place.

use super::records::PanelSeat;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The weights by their letters in the formula.
const WEIGHTS: [(&str, &str); 6] =
    [("w_e", "evidence"), ("w_r", "risk"), ("w_v", "reversibility"), ("w_k", "cost"), ("w_gamma", "confidence"), ("w_i", "violation")];

/// Lists by the name of one of their entries.
const LISTS: [(&str, &str); 4] =
    [("position_card", "cards"), ("position_cards", "cards"), ("panel_evaluation", "panel"), ("panel_evaluations", "panel")];

/// Agents that sit on the panel, in lower case without anything but letters. The last is the member, where several share a seat.
const AGENTS: [(&str, PanelSeat, &str); 16] = [
    ("minimalist", PanelSeat::Minimalist, ""),
    ("skeptic", PanelSeat::Skeptic, ""),
    ("domainexpert", PanelSeat::DomainExpert, ""),
    ("domainexperts", PanelSeat::DomainExpert, ""),
    ("verifier", PanelSeat::Verifier, ""),
    ("collectiveintelligence", PanelSeat::CollectiveIntelligence, ""),
    ("experience", PanelSeat::CollectiveIntelligence, ""),
    ("risk", PanelSeat::RiskCompliance, ""),
    ("riskcompliance", PanelSeat::RiskCompliance, ""),
    ("riskcompliancewatcher", PanelSeat::RiskCompliance, ""),
    ("riskwatcher", PanelSeat::RiskCompliance, ""),
    ("riskscorer", PanelSeat::RiskCompliance, "risk scorer"),
    ("compliance", PanelSeat::RiskCompliance, "compliance"),
    ("uservalue", PanelSeat::UserValue, ""),
    ("uservalueadvocate", PanelSeat::UserValue, ""),
    ("stakeholder", PanelSeat::UserValue, ""),
];

/// Renames in place what has another name here. What is not understood is left for the schema to refuse.
pub fn translate(document: &mut Value) {
    let Some(fields) = document.as_object_mut() else { return };
    for (entry, list) in LISTS {
        rename(fields, entry, list);
    }
    if let Some(weights) = fields.shift_remove("weights") {
        let policy = fields.entry("policy").or_insert_with(|| Value::Object(Map::new()));
        if let Some(policy) = policy.as_object_mut().filter(|policy| !policy.contains_key("weights")) {
            policy.insert("weights".into(), weights);
        } else {
            fields.insert("weights".into(), weights);
        }
    }
    if let Some(weights) = fields.get_mut("policy").and_then(|policy| policy.get_mut("weights")).and_then(Value::as_object_mut) {
        for (letter, name) in WEIGHTS {
            rename(weights, letter, name);
        }
    }
    for (entry, list) in LISTS {
        if let Some(value) = fields.get_mut(list) {
            unwrap(value, entry);
        }
    }
    for evaluation in fields.get_mut("panel").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        name_member(evaluation);
    }
    let cards = fields.get_mut("cards").and_then(Value::as_array_mut).map_or(&mut [][..], Vec::as_mut_slice);
    name_cards(cards);
    let places = places(&cards.iter().map(|card| card.get("id").and_then(Value::as_str).unwrap_or_default()).collect::<Vec<_>>());
    for list in ["panel", "receipts", "approvals"] {
        for entry in fields.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
            name_positions(entry, &places);
        }
    }
}

/// Nothing is renamed over what is there already.
fn rename(fields: &mut Map<String, Value>, from: &str, to: &str) {
    if !fields.contains_key(to)
        && let Some(value) = fields.shift_remove(from)
    {
        fields.insert(to.into(), value);
    }
}

/// A list whose entries are each under their own name, and one entry where a list is meant.
fn unwrap(value: &mut Value, entry: &str) {
    let inner = |value: &mut Value| value.as_object_mut().filter(|fields| fields.len() == 1).and_then(|fields| fields.shift_remove(entry));
    if let Some(one) = inner(value) {
        *value = one;
    }
    let is_entry = value.as_object().is_some_and(|fields| fields.contains_key("claims") || fields.contains_key("position_scores"));
    if is_entry {
        *value = Value::Array(vec![value.take()]);
    }
    for each in value.as_array_mut().into_iter().flatten() {
        if let Some(one) = inner(each) {
            *each = one;
        }
    }
}

/// The seat of the panel an agent speaks for, and its name where several share the seat.
fn seat_of(agent: &str) -> Option<(PanelSeat, String)> {
    let (name, member) = agent.split_once('(').map_or((agent, ""), |(name, rest)| (name, rest.trim_end_matches(')').trim()));
    let plain: String = name.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
    let plain = plain.strip_suffix("agent").unwrap_or(&plain);
    if let Some((_, seat, known)) = AGENTS.iter().find(|(known, ..)| *known == plain) {
        return Some((*seat, if member.is_empty() { *known } else { member }.to_owned()));
    }
    let field = plain.strip_suffix("expert").or_else(|| plain.strip_suffix("experts")).filter(|field| !field.is_empty())?;
    Some((PanelSeat::DomainExpert, field.to_owned()))
}

fn name_member(evaluation: &mut Map<String, Value>) {
    let Some(agent) = evaluation.get("agent").and_then(Value::as_str).filter(|agent| PanelSeat::parse(agent).is_none()) else { return };
    let Some((seat, member)) = seat_of(agent) else { return };
    evaluation.insert("agent".into(), seat.as_str().into());
    if !member.is_empty() && !evaluation.contains_key("member") {
        evaluation.insert("member".into(), member.into());
    }
}

/// A card without an id has its agent's name, or its place where agents cannot tell cards apart: `position_A`, `position_B`, …
fn name_cards(cards: &mut [Value]) {
    let text = |card: &Value, field: &str| card.get(field).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let agents: Vec<String> = cards.iter().map(|card| text(card, "agent").replace(['/', '@'], "-")).collect();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for agent in &agents {
        *times.entry(agent).or_default() += 1;
    }
    let mut taken: BTreeSet<String> = cards.iter().map(|card| text(card, "id")).collect();
    for (at, card) in cards.iter_mut().enumerate() {
        let Some(fields) = card.as_object_mut().filter(|fields| fields.get("id").is_none_or(Value::is_null)) else { continue };
        let agent = &agents[at];
        let alone = !agent.is_empty() && !agent.contains(char::is_control) && times.get(agent.as_str()) == Some(&1);
        let id = if alone && !taken.contains(agent) { agent.clone() } else { place(at) };
        taken.insert(id.clone());
        fields.shift_insert(0, "id".into(), id.into());
    }
}

/// A card by its place in the list: `position_A` for the first, after the letters `position_27`.
fn place(at: usize) -> String {
    match u8::try_from(at) {
        Ok(at @ 0..26) => format!("position_{}", char::from(b'A' + at)),
        _ => format!("position_{}", at + 1),
    }
}

/// Which card is meant by a place, where none has that name for an id.
fn places(ids: &[&str]) -> BTreeMap<String, String> {
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    let places = ids.iter().enumerate().map(|(at, id)| (place(at), (*id).to_owned()));
    places.filter(|(place, _)| !known.contains(place.as_str())).collect()
}

/// In an evaluation, a receipt or an approval, cards by their ids. Nothing is renamed over what is there already.
fn name_positions(entry: &mut Map<String, Value>, places: &BTreeMap<String, String>) {
    for field in ["recommendation", "position_id"] {
        if let Some(id) = entry.get(field).and_then(Value::as_str).and_then(|name| places.get(name)) {
            entry.insert(field.into(), id.as_str().into());
        }
    }
    for field in ["position_scores", "rationale"] {
        let Some(positions) = entry.get_mut(field).and_then(Value::as_object_mut) else { continue };
        let named: Vec<(String, String)> = positions.keys().filter_map(|name| Some((name.clone(), places.get(name)?.clone()))).collect();
        for (name, id) in named {
            rename(positions, &name, &id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn card(more: Value) -> Value {
        let mut card = json!({"claims": ["x"], "plan": [{"action": "y"}], "confidence": 1, "cost": 1, "reversibility": 1});
        card.as_object_mut().expect("a card").extend(more.as_object().expect("fields").clone());
        card
    }

    #[test]
    fn a_decision_in_the_names_of_the_policy_is_read() {
        let rating =
            |agent: &str| json!({"panel_evaluation": {"agent": agent, "position_scores": {"backend": 0.8, "position_B": 0.5}, "confidence": 0.9}});
        let agents = [
            "MinimalistAgent",
            "SkepticAgent",
            "Domain Expert (Backend)",
            "SecurityExpert",
            "VerifierAgent",
            "ExperienceAgent",
            "RiskScorerAgent",
            "ComplianceAgent",
            "StakeholderAgent",
        ];
        let document = json!({
            "objective": "Which way?",
            "cards": [{"position_card": card(json!({"agent": "backend"}))}, card(json!({}))],
            "weights": {"w_e": 12.0, "w_gamma": 2.0},
            "panel": agents.map(rating).to_vec(),
        });
        let (_, options) = super::super::file::read(document).expect("a decision");
        let ids: Vec<&str> = options.cards.iter().map(|card| card.id.as_str()).collect();
        assert_eq!(ids, ["backend", "position_B"]);
        assert_eq!((options.policy.weights.evidence, options.policy.weights.confidence, options.policy.weights.risk), (12.0, 2.0, 8.0));
        let seats: Vec<(PanelSeat, &str)> = options.panel.iter().map(|rating| (rating.agent, rating.member.as_str())).collect();
        use PanelSeat::*;
        let want = [
            (Minimalist, ""),
            (Skeptic, ""),
            (DomainExpert, "Backend"),
            (DomainExpert, "security"),
            (Verifier, ""),
            (CollectiveIntelligence, ""),
            (RiskCompliance, "risk scorer"),
            (RiskCompliance, "compliance"),
            (UserValue, ""),
        ];
        assert_eq!(seats, want);
    }

    #[test]
    fn cards_are_known_by_their_place_where_none_has_that_name() {
        let rating = json!({"panel_evaluation": {"agent": "MinimalistAgent", "position_scores": {"position_A": 0.85, "position_B": 0.65},
            "rationale": {"position_A": "Fewer parts.", "position_B": "More parts."}, "recommendation": "position_A", "concerns": ["Growth."], "confidence": 0.9}});
        let document = json!({
            "objective": "Which way?",
            "cards": [{"position_card": card(json!({"agent": "postgres"}))}, {"position_card": card(json!({"agent": "mongodb"}))}],
            "panel": [rating], "receipts": [{"position_id": "position_B", "status": "PASS"}],
        });
        let (_, options) = super::super::file::read(document).expect("a decision");
        let rated = &options.panel[0];
        assert_eq!((rated.position_scores["postgres"], rated.position_scores["mongodb"]), (0.85, 0.65));
        assert_eq!((rated.rationale["mongodb"].as_str(), rated.recommendation.as_deref()), ("More parts.", Some("postgres")));
        assert_eq!(options.receipts[0].position_id, "mongodb");
        // What a card is called comes first, and a place where no card is stays what it is: an unknown name.
        assert_eq!(places(&["x", "position_A"]), BTreeMap::from([("position_B".to_owned(), "position_A".to_owned())]));
        assert_eq!((place(25), place(26)), ("position_Z".to_owned(), "position_27".to_owned()));
        let mut both = json!({"cards": [card(json!({"agent": "ops"}))], "panel": [{"position_scores": {"ops": 0.1, "position_A": 0.9}}]});
        translate(&mut both);
        assert_eq!(both["panel"][0]["position_scores"], json!({"ops": 0.1, "position_A": 0.9}), "the check says what is wrong");
    }

    #[test]
    fn one_entry_where_a_list_is_meant_and_names_that_agents_share() {
        let mut document = json!({"position_card": card(json!({"agent": "ops"}))});
        translate(&mut document);
        assert_eq!(document["cards"][0]["id"], "ops");
        let mut document =
            json!({"cards": [card(json!({"agent": "ops"})), card(json!({"agent": "ops"})), card(json!({"id": "own", "agent": "dev"}))]});
        translate(&mut document);
        assert_eq!((&document["cards"][0]["id"], &document["cards"][1]["id"]), (&json!("position_A"), &json!("position_B")));
        assert_eq!(document["cards"][2]["id"], "own");
        let mut unknown = json!({"panel": [{"agent": "Somebody"}], "weights": 3});
        translate(&mut unknown);
        assert_eq!((&unknown["panel"][0]["agent"], &unknown["policy"]["weights"]), (&json!("Somebody"), &json!(3)), "the schema says what is wrong");
    }
}
