//! Journals as the engine writes them, built row by row, for the tests of this crate.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use synod_types::*;

pub const RUN: &str = "0195c1d2-7a40-7c3e-9d1b-4f5a6b7c8d9e";
const START: Millis = 1_772_373_729_000;

/// A journal under construction.
pub struct Tape {
    pub rows: Vec<Row>,
    head: Hash,
    at: Millis,
    /// A rehearsal: every call costs nothing, which is known.
    free: bool,
}

impl Tape {
    pub fn new(header: &Header) -> Self {
        let mut tape = Self { rows: Vec::new(), head: [0; 32], at: START, free: header.rehearsal() };
        tape.add("", Kind::Header, header);
        tape
    }
    pub fn pass(&mut self, ms: Millis) -> &mut Self {
        self.at += ms;
        self
    }
    pub fn push(&mut self, row: NewRow) -> &mut Self {
        let row = row.seal(RUN, self.rows.len() as i64 + 1, 1, &self.head);
        self.head = row.hash;
        self.rows.push(row);
        self
    }
    pub fn add(&mut self, key: &str, kind: Kind, body: &impl serde::Serialize) -> &mut Self {
        self.push(NewRow::new(key, kind, self.at, body))
    }
    pub fn phase(&mut self, name: &str) -> &mut Self {
        self.add(name, Kind::Phase, &PhaseMark { name: name.into(), n: None })
    }
    pub fn phase_end(&mut self, name: &str) -> &mut Self {
        self.add(name, Kind::PhaseEnd, &PhaseMark { name: name.into(), n: None })
    }
    pub fn ask(&mut self, key: &str, model: &str, reserved: Option<f64>) -> &mut Self {
        self.push(self.asked(key, model, reserved, false))
    }
    pub fn asked(&self, key: &str, model: &str, reserved: Option<f64>, extra: bool) -> NewRow {
        let prompt = key.rsplit('/').find(|part| part.contains('@')).and_then(|part| part.split('@').next()).unwrap_or("turn").to_owned();
        let asked = Asked {
            seat: seat_of(key).expect("a turn's key names its seat"),
            model: model.into(),
            prompt,
            tier: Tier::Heavy,
            temperature: Some(0.7),
            max_tokens: 4096,
            sent_tokens: None,
            effort: None,
            reserved_usd: reserved,
            extra,
            reasked: false,
        };
        NewRow::new(key, Kind::Asked, self.at, &asked).digest(sha256_hex(key))
    }
    pub fn reply(&mut self, key: &str, ms: Millis, usage: (u64, u64), usd: Option<f64>) -> &mut Self {
        self.at += ms;
        let usage = Usage { input: usage.0, output: usage.1, cached: usage.0 / 4, thinking: None };
        let replied = Replied {
            raw_sha256: sha256_hex(key),
            finish: Finish::Stop,
            usage: Some(usage),
            spent_usd: usd,
            ms,
            changed: Vec::new(),
            claimed: None,
            overran: false,
        };
        self.add(key, Kind::Replied, &replied)
    }
    pub fn say(&mut self, key: &str, value: Value) -> &mut Self {
        self.add(key, Kind::Said, &Said { value, reading: Reading::Plain, partial: false, from: None, ms: None })
    }
    pub fn fail(&mut self, key: &str, kind: FailureKind, detail: &str) -> &mut Self {
        self.add(key, Kind::Failed, &FailedTurn { failure: Failure::new(kind, detail) })
    }
    pub fn show(&mut self, key: &str, stage: &str, exhibit: Exhibit) -> &mut Self {
        self.add(key, Kind::Shown, &Shown { stage: stage.into(), exhibit })
    }
    /// A whole turn that went well.
    pub fn turn(&mut self, key: &str, model: &str, ms: Millis, usage: (u64, u64), usd: Option<f64>, value: Value) -> &mut Self {
        self.ask(key, model, usd.map(|usd| usd * 4.0)).reply(key, ms, usage, usd).say(key, value)
    }
    /// Ends the run with a receipt summed over its rows.
    pub fn verdict(&mut self, mut verdict: Verdict) -> Vec<Row> {
        self.pass(3);
        verdict.receipt = self.receipt();
        self.add("", Kind::Verdict, &verdict);
        self.rows.clone()
    }

    fn receipt(&self) -> Receipt {
        let mut receipt = Receipt { wall_ms: self.at - START, critical_path_ms: self.at - START, head: hex(&self.head), ..Receipt::default() };
        for row in &self.rows {
            match row.body().expect("these rows are sound") {
                Body::Header(header) => receipt.quoted_usd = header.quoted_usd,
                Body::Asked(asked) => {
                    let calls = &mut receipt.calls;
                    *(if asked.extra { &mut calls.extra } else { &mut calls.planned }) += 1;
                    if asked.reserved_usd.is_none() && !receipt.unpriced.contains(&asked.model) {
                        receipt.unpriced.push(asked.model);
                    }
                }
                Body::Replied(replied) => {
                    receipt.tokens += replied.usage.unwrap_or_default();
                    if let Some(usd) = replied.spent_usd {
                        *receipt.spent_usd.get_or_insert(0.0) += usd;
                    }
                }
                _ => {}
            }
        }
        receipt
    }
}

fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn card(name: &str, id: &str, price: Option<Price>) -> ModelCard {
    ModelCard { name: name.into(), endpoint: name.into(), id: id.into(), tier: Tier::Heavy, price, effort: None, rehearsal: false }
}

pub fn header(mode: &str, question: &str) -> Header {
    let price = Some(Price { input: 5.0, cached_input: Some(0.5), output: 25.0 });
    let seat = |index, label: &str, model: &str, place| Seat { index, label: label.into(), model: model.into(), place, persona: None };
    let seats = vec![
        seat(0, "opus", "opus", Place::Panel),
        seat(1, "gpt", "gpt", Place::Panel),
        seat(2, "local/qwen3:8b", "local/qwen3:8b", Place::Panel),
        seat(3, "opus 2", "opus", Place::Chair),
    ];
    let models = BTreeMap::from([
        ("opus".to_owned(), card("opus", "claude-opus-4-6", price)),
        ("gpt".to_owned(), card("gpt", "gpt-5.2", price)),
        ("local/qwen3:8b".to_owned(), card("local/qwen3:8b", "qwen3:8b", None)),
    ]);
    let limits = Limits { budget_usd: None, run_ms: 600_000, idle_ms: 120_000, turn_ms: 600_000 };
    Header {
        schema: Header::SCHEMA.into(),
        run: RUN.into(),
        parent: None,
        mode: mode.into(),
        mode_version: 1,
        binary: "synod 0.1.0".into(),
        seed: 42,
        question: Question { text: question.into(), ..Question::default() },
        options: Json::of(&json!({})),
        seats,
        roles: BTreeMap::from([("respondent".to_owned(), vec![0, 1, 2]), ("chairman".to_owned(), vec![3])]),
        models,
        limits,
        quoted_usd: Some(0.12),
        planned_calls: (7, 7),
        conversation: None,
        titled: false,
        principal: None,
        today: None,
        warnings: Vec::new(),
    }
}

pub fn verdict(mode: &str, status: Status) -> Verdict {
    Verdict {
        schema: Verdict::SCHEMA.into(),
        run: RUN.into(),
        parent: None,
        mode: mode.into(),
        rehearsal: false,
        status,
        stop_reason: String::new(),
        action: None,
        answer: None,
        decision: None,
        confidence: None,
        unsure: None,
        dissent: Vec::new(),
        missing: Vec::new(),
        warnings: Vec::new(),
        receipt: Receipt::default(),
        data: json!({}),
    }
}

pub const QUESTION: &str =
    "We run one PostgreSQL server with 400 GB and 2,000 writes a second. Should we shard now, or move to a bigger machine first?";

pub const OPUS: &str = "## Scale up first\n\nA single modern server takes **ten times** your write rate. Sharding now buys complexity you cannot take back.\n\n1. Move to a machine with 512 GB of memory.\n2. Partition the two largest tables by month.\n3. Measure again in six months.\n\n| option | cost a month | time to do |\n|---|---|---|\n| bigger machine | $1,900 | 2 days |\n| sharding | $2,600 | 4 months |\n";
pub const GPT: &str = "Stay on one server. Check `pg_stat_statements` before anything else:\n\n```sql\nSELECT query, calls FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 5;\n```\n\nMost write load of this kind is index maintenance, not capacity.";
pub const QWEN: &str = "Shard now by tenant. Waiting makes the later move harder, because every new feature will assume one database.";
pub const CHAIR: &str = "### Move to a bigger machine first\n\nAll three agree that the load fits one server today; two of three would not shard.\n\n- **Now:** 512 GB of memory, partition by month, and look at `pg_stat_statements`.\n- **Keep the door open:** put the tenant id into every primary key, so that a later split is a copy and not a rewrite.\n- **Look again** when sustained writes pass 10,000 a second.\n\nSee the [partitioning chapter](https://www.postgresql.org/docs/current/ddl-partitioning.html).";

fn ballot(seat: SeatIx, shown: &[&str], choice: &[&str], reasons: &str) -> Exhibit {
    let strings = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
    let shape = Shape::Ballot(Ballot { shown: strings(shown), choice: strings(choice), reasons: Some(reasons.into()), ..Ballot::default() });
    Exhibit::new("Ranking of the others", shape).by(seat, "evaluator")
}

/// Label, seat, score, ballots, first places, mean position.
type Ranked<'a> = (&'a str, SeatIx, Option<f64>, u32, u32, Option<f64>);

fn ranking(entries: &[Ranked], ballots: u32, tie_rung: Option<&str>) -> Exhibit {
    let entries = entries
        .iter()
        .map(|(label, seat, score, ballots, first_places, mean_position)| RankingEntry {
            label: (*label).into(),
            seat: *seat,
            score: *score,
            ballots: *ballots,
            first_places: *first_places,
            mean_position: *mean_position,
        })
        .collect();
    let shape = Ranking { entries, ballots, measure: "share of Borda points".into(), tie_rung: tie_rung.map(str::to_owned) };
    Exhibit::new("Aggregate ranking", Shape::Ranking(shape))
}

fn collect(tape: &mut Tape) {
    tape.phase("collect");
    let said = [("collect/answer@0", "opus", OPUS, "K3"), ("collect/answer@1", "gpt", GPT, "T9"), ("collect/answer@2", "local/qwen3:8b", QWEN, "B6")];
    for (key, model, text, _) in said {
        let usd = tape.free.then_some(0.0).or((model != "local/qwen3:8b").then_some(0.0112));
        tape.turn(key, model, 6_400, (1_210, 402), usd, json!(text));
    }
    for (seat, (key, _, _, label)) in said.iter().enumerate() {
        tape.show(&format!("collect/show collect@{seat}"), "collect", Exhibit::said("Answer", seat as SeatIx, "respondent", *key).labelled(*label));
    }
    tape.phase_end("collect");
}

fn rank_turn(tape: &mut Tape, seat: SeatIx, model: &str, shown: &[&str], choice: &[&str], reasons: &str) {
    let key = format!("rank/rank@{seat}");
    let usd = (model != "local/qwen3:8b").then_some(0.0091);
    tape.turn(&key, model, 5_100, (2_400, 310), usd, json!({"reasons": reasons, "ranking": choice}));
    tape.show(&format!("rank/show rank@{seat}"), "rank", ballot(seat, shown, choice, reasons).turn(&key));
}

/// Everyone spoke.
pub fn council() -> Vec<Row> {
    let mut tape = Tape::new(&header("council", QUESTION));
    collect(&mut tape);
    tape.phase("rank");
    rank_turn(
        &mut tape,
        0,
        "opus",
        &["B6", "T9"],
        &["T9", "B6"],
        "T9 asks for evidence before it spends anything; B6 asserts a cost without numbers.",
    );
    rank_turn(&mut tape, 1, "gpt", &["K3", "B6"], &["K3", "B6"], "K3 gives an order of work and a date to look again.");
    rank_turn(&mut tape, 2, "local/qwen3:8b", &["T9", "K3"], &["K3", "T9"], "K3 is complete. T9 stops at diagnosis.");
    let entries = [("K3", 0, Some(1.0), 2, 2, Some(1.0)), ("T9", 1, Some(0.5), 2, 1, Some(1.5)), ("B6", 2, Some(0.0), 2, 0, Some(2.0))];
    tape.show("rank/show aggregate", "aggregate", ranking(&entries, 3, None));
    tape.phase_end("rank").phase("synthesis");
    tape.turn("synthesis/synthesis@3", "opus", 9_800, (3_900, 512), Some(0.0323), json!(CHAIR));
    tape.show("synthesis/show synthesis@3", "synthesis", Exhibit::said("Synthesis", 3, "chairman", "synthesis/synthesis@3"));
    tape.add("figure ranked", Kind::Figure, &Figure::new("ranked", 3.0));
    tape.phase_end("synthesis");
    let answer = Answer { kind: AnswerKind::Synthesis, text: CHAIR.into(), by: vec![3] };
    let dissent = vec![Dissent { seat: Some(2), label: Some("B6".into()), text: QWEN.into() }];
    let confidence = Confidence {
        value: None,
        agreed: Some(2),
        could: Some(2),
        absent: Some(Absent::TooFewBallots),
        ..Confidence::new(0.0, ConfidenceSource::Agreement, 3)
    };
    tape.verdict(Verdict { answer: Some(answer), dissent, confidence: Some(confidence), ..verdict("council", Status::Full) })
}

/// Three voters, a clear winner, in rehearsal.
pub fn vote() -> Vec<Row> {
    let mut header = header("vote", QUESTION);
    header.models.values_mut().for_each(|card| {
        card.rehearsal = true;
        card.price = Some(Price::FREE);
    });
    header.quoted_usd = Some(0.0);
    header.warnings = vec!["The chair is seated only to break ties.".into()];
    let mut tape = Tape::new(&header);
    collect(&mut tape);
    tape.phase("vote");
    for (seat, shown, choice) in [(0, ["T9", "B6"], "T9"), (1, ["B6", "K3"], "K3"), (2, ["K3", "T9"], "T9")] {
        let key = format!("vote/vote@{seat}");
        tape.turn(&key, "opus", 900, (800, 60), Some(0.0), json!({"reasons": "It is the most practical.", "vote": choice}));
        tape.show(
            &format!("vote/show vote@{seat}"),
            "vote",
            Exhibit { title: "Vote".into(), ..ballot(seat, &shown, &[choice], "It is the most practical.") }.turn(&key),
        );
    }
    let entry = |label: &str, seat, votes| TallyEntry { label: label.into(), seat, votes };
    let tally = Tally { entries: vec![entry("T9", 1, 2), entry("K3", 0, 1), entry("B6", 2, 0)], valid: 3, invalid: 0, winners: vec!["T9".into()] };
    tape.show("vote/show vote_tally", "vote_tally", Exhibit::new("Votes", Shape::Tally(tally)));
    let rule = Rule { decided: "T9 has the most votes.".into(), rung: "plurality".into(), numbers: vec![("votes".into(), 2.0), ("of".into(), 3.0)] };
    tape.show("vote/show winner", "winner", Exhibit::new("Winner", Shape::Rule(rule)));
    tape.phase_end("vote");
    tape.verdict(Verdict {
        rehearsal: true,
        answer: Some(Answer { kind: AnswerKind::Selected, text: GPT.into(), by: vec![1] }),
        decision: Some(json!({"winner": "T9", "votes": 2, "tiebroken": false})),
        confidence: Some(Confidence::new(0.666_67, ConfidenceSource::Agreement, 3)),
        warnings: header.warnings.clone(),
        ..verdict("vote", Status::Full)
    })
}

/// One seat mute, one ballot repaired, one abstention, the chair replaced.
pub fn degraded() -> Vec<Row> {
    let mut tape = Tape::new(&header("council", QUESTION));
    tape.phase("collect");
    tape.turn("collect/answer@0", "opus", 6_400, (1_210, 402), Some(0.0112), json!(OPUS));
    tape.turn("collect/answer@1", "gpt", 7_100, (1_190, 388), Some(0.0108), json!(GPT));
    tape.ask("collect/answer@2", "local/qwen3:8b", None).pass(120_000).fail("collect/answer@2", FailureKind::Timeout, "120 s without a byte");
    for (seat, label) in [(0, "K3"), (1, "T9")] {
        let exhibit = Exhibit::said("Answer", seat, "respondent", format!("collect/answer@{seat}")).labelled(label);
        tape.show(&format!("collect/show collect@{seat}"), "collect", exhibit);
    }
    tape.phase_end("collect").phase("rank");
    tape.ask("rank/rank@0", "opus", Some(0.03)).reply("rank/rank@0", 4_000, (2_000, 200), Some(0.009));
    let repair = tape.asked("rank/rank@0/repair", "opus", Some(0.03), true);
    tape.push(repair).reply("rank/rank@0/repair", 2_000, (2_300, 90), Some(0.008));
    let said =
        Said { value: json!({"reasons": "Only one to rank.", "ranking": ["T9"]}), reading: Reading::Repaired, partial: false, from: None, ms: None };
    tape.add("rank/rank@0/repair", Kind::Said, &said).add("rank/rank@0", Kind::Said, &said);
    tape.show("rank/show rank@0", "rank", ballot(0, &["T9"], &["T9"], "Only one to rank.").turn("rank/rank@0"));
    tape.turn("rank/rank@1", "gpt", 3_000, (2_000, 150), Some(0.007), json!({"reasons": "Neither.", "ranking": []}));
    let mut abstained = ballot(1, &["K3"], &[], "Neither.");
    if let Shape::Ballot(ballot) = &mut abstained.shape {
        ballot.abstained = Some("the ranking left out K3".into());
    }
    tape.show("rank/show rank@1", "rank", abstained.turn("rank/rank@1"));
    let entries = [("T9", 1, Some(1.0), 1, 1, Some(1.0)), ("K3", 0, None, 0, 0, None)];
    tape.show("rank/show aggregate", "aggregate", ranking(&entries, 1, Some("first places")));
    tape.phase_end("rank").phase("synthesis");
    tape.ask("synthesis/synthesis@3", "opus", Some(0.11)).fail("synthesis/synthesis@3", FailureKind::Server, "503 Service Unavailable after 3 tries");
    tape.turn("synthesis/synthesis@1", "gpt", 8_000, (3_000, 420), Some(0.021), json!(CHAIR));
    tape.add(
        "synthesis/warning",
        Kind::Warning,
        &PlainText { text: "The chair opus 2 could not write; gpt, ranked best, wrote the synthesis instead.".into() },
    );
    tape.show("synthesis/show note", "note", Exhibit::note("Replaced chair", "The next eligible seat is the best ranked one: **gpt**."));
    tape.add("", Kind::Closing, &Closing { reason: "deadline".into() });
    tape.phase_end("synthesis");
    let missing =
        |seat, who: &str, phase: &str, why, detail: &str| Missing { seat, who: who.into(), phase: phase.into(), why, detail: detail.into() };
    tape.verdict(Verdict {
        stop_reason: "deadline".into(),
        answer: Some(Answer { kind: AnswerKind::Synthesis, text: CHAIR.into(), by: vec![1] }),
        confidence: Some(Confidence { value: None, ..Confidence::new(0.0, ConfidenceSource::Agreement, 0) }),
        missing: vec![
            missing(2, "local/qwen3:8b", "collect", FailureKind::Timeout, "120 s without a byte"),
            missing(1, "gpt", "rank", FailureKind::Refused, "the ranking left out K3"),
            missing(3, "opus 2", "synthesis", FailureKind::Server, "503 Service Unavailable after 3 tries"),
        ],
        warnings: vec!["The chair opus 2 could not write; gpt, ranked best, wrote the synthesis instead.".into()],
        ..verdict("council", Status::Degraded)
    })
}

/// One answer of three: below the minimum.
pub fn lost() -> Vec<Row> {
    let mut tape = Tape::new(&header("council", QUESTION));
    tape.phase("collect");
    tape.turn("collect/answer@0", "opus", 6_400, (1_210, 402), Some(0.0112), json!(OPUS));
    tape.ask("collect/answer@1", "gpt", Some(0.11)).pass(300).fail(
        "collect/answer@1",
        FailureKind::Auth,
        "401 Unauthorized: the key in OPENAI_API_KEY was refused",
    );
    tape.ask("collect/answer@2", "local/qwen3:8b", None).pass(120_000).fail("collect/answer@2", FailureKind::Timeout, "120 s without a byte");
    tape.phase_end("collect");
    let missing = |seat, who: &str, why, detail: &str| Missing { seat, who: who.into(), phase: "collect".into(), why, detail: detail.into() };
    tape.verdict(Verdict {
        missing: vec![
            missing(1, "gpt", FailureKind::Auth, "401 Unauthorized: the key in OPENAI_API_KEY was refused"),
            missing(2, "local/qwen3:8b", FailureKind::Timeout, "120 s without a byte"),
        ],
        ..verdict("council", Status::NoQuorum)
    })
}

/// Out of money in the second phase, with one turn in flight.
pub fn stopped() -> Vec<Row> {
    let mut tape = Tape::new(&header("council", QUESTION));
    collect(&mut tape);
    tape.phase("rank");
    tape.ask("rank/rank@0", "opus", Some(0.03));
    let stop = Stopped {
        reason: StopReason::Budget,
        detail: "rank/rank@1 could cost $0.0310; $0.0076 of $0.0600 is left".into(),
        action: Action::RaiseBudget { to_usd: 2.5 },
    };
    tape.add("", Kind::Stopped, &stop);
    tape.rows.clone()
}

/// Stopped until a person answers.
pub fn waiting() -> Vec<Row> {
    let mut tape = Tape::new(&header("collapse", "Which of these launch dates?"));
    tape.phase("gate");
    tape.add(
        "gate/approve@person",
        Kind::Waiting,
        &Asking { question: "Two positions are within the margin. Which one goes on?".into(), choices: vec!["June".into(), "September".into()] },
    );
    tape.add("", Kind::Stopped, &Stopped::new(StopReason::Waiting, ""));
    tape.rows.clone()
}
