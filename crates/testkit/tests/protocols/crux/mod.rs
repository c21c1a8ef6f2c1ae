//! A crux debate on a scripted server: the script, and what came of it.

mod cards;
mod flow;

use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{LimitChanges, OptionValue, PanelRequest, RunSpec};
use synod_testkit::reading::asked_after_reply;
use synod_testkit::rig::{Rig, stopped, verdict};
use synod_testkit::served::served;
use synod_testkit::server::{ANY, Ask, Fault, ModelServer, Say};
use synod_testkit::tripwire::{Act, Moment, Tripwire};
use synod_testkit::voices::Voices;
use synod_types::*;

const NAMES: [&str; 3] = ["Ingrid Solheim", "Dario Menezes", "Ruth Nakamba"];

const QUESTION: &str = "Does the loss fall on those who decide?";
/// What two contradict each other on, by aspect.
const QUESTIONS: [&str; 3] = [QUESTION, "Can it be undone within a year?", "Are ten years of records enough to go by?"];
const NAMING: &str = "Is Menezes right that Ingrid carries no loss?";

/// What differs from a debate in which everybody speaks, answers their neighbour and nobody contradicts anybody.
#[derive(Clone, Copy, Default)]
struct Script {
    /// The aspects in which two contradict each other.
    contradictions: &'static [u32],
    /// The turn after which the crux has surfaced.
    surfaces: Option<u32>,
    /// Requests whose name contains one of these meet a server that is down.
    fails: &'static [&'static str],
    /// Nobody answers anybody.
    deaf: bool,
    /// Uses two phrases of its own that it never uses, in requests whose name contains this.
    slips: Option<&'static str>,
    /// Everybody names everybody in whatever they say.
    names: bool,
    /// Another number of sub-questions than asked for.
    splits: Option<u32>,
    /// Nobody says who the third is, and somebody is made up, where it is asked who moved.
    forgets: bool,
    /// The card says they settled it, with these answers; behind a bar the condition.
    settles: Option<[&'static str; 2]>,
    /// They contradict each other on one question throughout.
    one_question: bool,
    /// The crux as whoever writes a card puts it.
    statement: Option<&'static str>,
    /// What everybody says in a take.
    take: Option<&'static str>,
}

/// What of a reply's form, or else of the task, tells a request from the others.
const FORMS: [(&str, &str); 8] = [
    ("aspects", "decompose"),
    ("replying_to", "react"),
    ("has_direct_opposition", "detect"),
    ("crux_surfaced", "check"),
    ("core_disagreement", "converge"),
    ("crux_statement", "card"),
    ("shifts", "shifts"),
    ("flip_conditions", "report"),
];
const TASKS: [(&str, &str); 7] = [
    ("Say your first reaction", "opening"),
    ("Give your own angle on this question", "take"),
    ("Answer back", "reply"),
    ("State your position", "position"),
    ("said last, and you answer", "exchange"),
    ("Take your leave of the table", "closing"),
    ("what stayed contested", "summary"),
];

/// A request as it is on the wire: which prompt it is, who is asked, and how far the debate is. What was said in it says where.
struct Heard {
    prompt: &'static str,
    seat: Option<usize>,
    /// The last one talked about.
    aspect: Option<u32>,
    /// The last one of a room.
    turn: Option<u32>,
    again: bool,
}

impl Heard {
    fn new(ask: &Ask) -> Self {
        let (system, task) = (&ask.messages[0].1, ask.last());
        let form = ask.schema.as_ref().map(|schema| &schema["properties"]);
        let prompt = match form {
            Some(fields) => FORMS.iter().find(|(field, _)| fields.get(*field).is_some()),
            None => TASKS.iter().find(|(words, _)| task.contains(words)),
        };
        let number = |word: &str, text: &str| text.split(|c: char| !c.is_alphanumeric()).skip_while(|part| *part != word).nth(1)?.parse().ok();
        let last = |word: &str| task.match_indices(word).filter_map(|(at, _)| number(word, &task[at..])).last();
        Self {
            prompt: prompt.unwrap_or_else(|| panic!("an unknown request: {task}")).1,
            seat: NAMES.iter().position(|name| system.starts_with(&format!("You are {name},"))),
            aspect: last("aspect"),
            turn: last("turn"),
            again: task.contains("You said it once already"),
        }
    }

    /// `room/exchange@1`: what a script's parts are looked for in.
    fn name(&self) -> String {
        let room = if ["position", "exchange", "check", "converge", "card"].contains(&self.prompt) { "room/" } else { "" };
        let again = if self.again { "again/" } else { "" };
        format!("{room}{again}{}@{}", self.prompt, self.seat.map_or_else(|| "clerk".to_owned(), |seat| seat.to_string()))
    }

    /// What a persona says: the next request tells by it where the debate is.
    fn words(&self) -> String {
        let who = self.seat.map_or("nobody", |seat| ["first", "second", "third"][seat]);
        let aspect = self.aspect.map_or_else(String::new, |aspect| format!(" on aspect {aspect}"));
        let turn = match self.prompt {
            "exchange" => format!(" in turn {}", self.turn.map_or(0, |turn| turn + 1)),
            _ => String::new(),
        };
        format!("What the {who} has to give as {}{aspect}{turn} is long enough to stand.", self.prompt)
    }
}

fn reply(script: Script, ask: &Ask) -> Say {
    let heard = Heard::new(ask);
    let name = heard.name();
    if script.fails.iter().any(|part| name.contains(part)) {
        return Say::fault(Fault::Status(500, "the provider is down".into()));
    }
    let mut aloud = heard.words();
    if script.names {
        aloud.push_str(" Ingrid Solheim and MENEZES heard it, and so did Dario and Solheim.");
    }
    match heard.prompt {
        "decompose" => {
            let aspect = |n: u32| json!({"label": format!("aspect {n}"), "description": format!("What of it belongs to aspect {n}?")});
            let asked = if ask.last().contains("Give 1 sub-question") { 1 } else { 3 };
            let count = script.splits.unwrap_or(asked);
            Say::json(&json!({"reasons": "so", "aspects": (1..=count).map(aspect).collect::<Vec<_>>()}))
        }
        "react" => {
            let to = heard.seat.filter(|_| !script.deaf).and_then(|seat| NAMES[(seat + 1) % 3].split(' ').next_back());
            Say::json(&json!({"reasons": "so", "replying_to": to, "utterance": aloud}))
        }
        "detect" => Say::json(&json!({
            "reasons": "so", "has_direct_opposition": heard.aspect.is_some_and(|aspect| script.contradictions.contains(&aspect)),
            "has_specific_claim": true, "topic_relevant": true,
            "personas": ["Ingrid", "Menezes"], "short_label": "who pays",
            "topic": match heard.aspect {
                _ if script.names => NAMING,
                Some(aspect) if !script.one_question => QUESTIONS[aspect as usize - 1],
                _ => QUESTION,
            },
        })),
        "check" => Say::json(&json!({"reasons": "so", "crux_surfaced": script.surfaces.is_some() && heard.turn == script.surfaces})),
        "take" if script.take.is_some() => Say::text(script.take.unwrap_or_default()),
        "opening" | "take" | "reply" | "position" | "exchange" | "closing" => {
            let slip = script.slips.is_some_and(|part| name.contains(part) && !heard.again);
            Say::text(if slip { format!("{aloud} It is a game changer and guaranteed.") } else { aloud })
        }
        "shifts" if script.forgets => {
            let judged =
                ["Ingrid Solheim", "Dario Menezes", "Somebody Else"].map(|name| json!({"name": name, "shifted": true, "summary": "gave way"}));
            Say::json(&json!({"reasons": "so", "shifts": judged}))
        }
        "card" if script.settles.is_some() || script.statement.is_some() => {
            let stances = script.settles.unwrap_or(["YES", "NO"]);
            let position = |at: usize, falsifier: Option<&str>| {
                let (stance, condition) = stances[at].split_once('|').map_or((stances[at], None), |(stance, condition)| (stance, Some(condition)));
                json!({"persona": NAMES[at], "position": stance, "condition": condition, "reasoning": "so", "falsifier": falsifier, "quotes": ["is long enough to stand"]})
            };
            Say::json(&json!({
                "reasons": "Both came back to it.", "crux_statement": script.statement.unwrap_or(QUESTION), "disagreement_type": "premise",
                "diagnosis": "One trusts the signature, the other the account.", "resolved": script.settles.is_some(),
                "resolution": script.settles.map(|_| "Within a year it does."), "positions": [position(0, Some("a figure")), position(1, None)],
            }))
        }
        "report" => {
            let stance = |at: usize, side: &str, why: &str| json!({"persona": NAMES[at], "position": side, "reasoning": why});
            Say::json(&json!({
                "reasons": "Taken from what was said.", "agreements": ["The first year is the dearest."],
                "claims": [{"claim": "Whoever signs does not pay.", "stances": [stance(0, "for", "she has seen the files"), stance(1, "against", "his flat is behind it")]}],
                "evidence_ledger": [
                    {"persona": NAMES[0], "accepted": [{"claim": "the price list of March", "reason": "it was signed"}], "challenged": []},
                    {"persona": NAMES[2], "accepted": [], "challenged": [{"claim": "the ten good years", "reason": "nobody asked those who left"}]},
                ],
                "flip_conditions": [{"persona": NAMES[1], "conditions": ["one customer who comes back"]}],
                "resolution_paths": ["If the accounts are opened, it is settled who paid."],
            }))
        }
        // The rest fill in their form.
        _ => Say::by_default(ask, 8),
    }
}

async fn rig(script: Script) -> (Rig, ModelServer) {
    let server = ModelServer::start().await;
    server.reply(ANY, move |ask| reply(script, ask));
    (Rig::new(served(&server.url(), &["m0".to_owned()])), server)
}

fn order(options: &[(&str, &str)]) -> RunSpec {
    let mut given = vec![("personas", "actuary,founder,nurse")];
    given.extend(options);
    RunSpec {
        mode: "crux".into(),
        question: Question { text: "Is Bitcoin a good investment?".into(), ..Question::default() },
        panel: PanelRequest { models: vec!["m0".into()], ..PanelRequest::default() },
        options: given.into_iter().map(|(name, value)| (name.to_owned(), OptionValue::Text(value.to_owned()))).collect(),
        seed: Some(4),
        ..RunSpec::default()
    }
}

struct Flow {
    verdict: Verdict,
    rows: Vec<Row>,
    /// What the server got, in order.
    asked: Vec<Arc<Ask>>,
}

impl Flow {
    async fn of(script: Script, options: &[(&str, &str)]) -> Self {
        let (rig, server) = rig(script).await;
        let (run, ending) = rig.run(&order(options)).await;
        let verdict = verdict(ending);
        let calls = verdict.receipt.calls;
        assert_eq!(u64::from(calls.planned + calls.extra), server.total(), "the receipt counts what the server got");
        Self { verdict, rows: rig.rows(&run).await, asked: server.requests() }
    }
    /// The tasks of one prompt, in the order they came.
    fn tasks(&self, prompt: &str) -> Vec<&str> {
        self.asked.iter().filter(|ask| Heard::new(ask).prompt == prompt).map(|ask| ask.last()).collect()
    }
    fn answer(&self) -> &str {
        self.verdict.answer.as_ref().map_or("", |answer| &answer.text)
    }
    fn exhibits(&self, stage: &str) -> Vec<Exhibit> {
        let of = |row: &Row| match row.body() {
            Ok(Body::Shown(shown)) if shown.stage == stage => Some(shown.exhibit),
            _ => None,
        };
        self.rows.iter().filter_map(of).collect()
    }
    /// What somebody gave at a stage, or what was put in its place.
    fn data(&self, stage: &str) -> Vec<Value> {
        self.exhibits(stage).iter().filter_map(Exhibit::row).filter(|data| data["error"].is_null()).collect()
    }
    /// Who gave nothing at a stage, and what is said of it.
    fn absent(&self, stage: &str) -> Vec<(Option<SeatIx>, String)> {
        let all = self.exhibits(stage).into_iter().filter(|exhibit| exhibit.row().is_some_and(|data| data["error"].is_string()));
        let told = |exhibit: Exhibit| match exhibit.shape {
            Shape::Note { text } => (exhibit.seat, text),
            other => panic!("an absence shown as {other:?}"),
        };
        all.map(told).collect()
    }
    fn shown(&self, stages: &[&str]) -> usize {
        stages.iter().map(|stage| self.data(stage).len()).sum()
    }
    fn messages(&self) -> usize {
        self.shown(&["opening", "take", "closing"])
    }
    fn calls(&self) -> u32 {
        self.verdict.receipt.calls.planned
    }
    fn cruxes(&self) -> &[Value] {
        self.verdict.decision.as_ref().and_then(|decision| decision["cruxes"].as_array()).map(Vec::as_slice).unwrap_or_default()
    }
}
