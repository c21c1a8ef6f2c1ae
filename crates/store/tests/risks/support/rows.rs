//! Rows as a council run writes them, made with the constructors that the engine uses.

use synod_engine::{Journal, JournalResult, Lease, Tail};
use synod_store::Store;
use synod_types::*;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Label {
    label: String,
}
impl RowData for Label {}

pub fn header(run: &str) -> Header {
    let card = |name: &str| ModelCard {
        name: name.into(),
        endpoint: "local".into(),
        id: format!("{name}-2026"),
        tier: Tier::Heavy,
        price: Some(Price { input: 1.0, cached_input: None, output: 2.0 }),
        effort: None,
        rehearsal: false,
    };
    let seat = |index: u32, model: &str| Seat { index, label: format!("{model} {index}"), model: model.into(), place: Place::Panel, persona: None };
    Header {
        schema: Header::SCHEMA.into(),
        run: run.into(),
        parent: None,
        mode: "council".into(),
        mode_version: 1,
        binary: "0.1.0".into(),
        seed: 7,
        question: Question { text: "Should the cache be shared?".into(), ..Question::default() },
        options: synod_types::Json::of(&serde_json::json!({})),
        seats: vec![seat(0, "opus"), seat(1, "gpt"), seat(2, "opus")],
        roles: [("respondent".to_owned(), vec![0, 1, 2])].into(),
        models: [("opus".to_owned(), card("opus")), ("gpt".to_owned(), card("gpt"))].into(),
        limits: Limits { budget_usd: None, run_ms: 600_000, idle_ms: 120_000, turn_ms: 600_000 },
        quoted_usd: Some(0.5),
        planned_calls: (4, 7),
        conversation: None,
        titled: false,
        principal: None,
        today: None,
        warnings: vec![],
    }
}

pub fn new_run() -> String {
    uuid::Uuid::now_v7().to_string()
}

pub fn asked(key: &str, at: Millis) -> NewRow {
    let seat = seat_of(key).unwrap_or(0);
    let body = Asked {
        seat,
        model: if seat == 1 { "gpt".into() } else { "opus".into() },
        prompt: "answer".into(),
        tier: Tier::Heavy,
        temperature: Some(0.7),
        max_tokens: 4096,
        sent_tokens: None,
        effort: None,
        reserved_usd: Some(0.01),
        extra: false,
        reasked: false,
    };
    NewRow::new(key, Kind::Asked, at, &body).digest(sha256_hex(key))
}

pub fn reply_text(key: &str) -> String {
    format!("What {key} says: a shared cache, with \"care\".")
}

pub fn replied(key: &str, at: Millis) -> NewRow {
    let usage = Usage { input: 100, output: 50, cached: 10, thinking: Some(20) };
    let reply = Reply { usage: Some(usage), ..Reply::text(reply_text(key)) };
    let raw = serde_json::to_string(&reply).expect("a reply is JSON");
    let body = Replied {
        raw_sha256: sha256_hex(&raw),
        finish: Finish::Stop,
        usage: Some(usage),
        spent_usd: Some(0.002),
        ms: 900,
        changed: Vec::new(),
        claimed: None,
        overran: false,
    };
    NewRow::new(key, Kind::Replied, at, &body).raw(raw)
}

pub fn said(key: &str, at: Millis) -> NewRow {
    let body = Said { value: reply_text(key).into(), reading: Reading::Plain, partial: false, from: None, ms: None };
    NewRow::new(key, Kind::Said, at, &body).digest(sha256_hex(key))
}

pub fn failed(key: &str, kind: FailureKind, at: Millis) -> NewRow {
    NewRow::new(key, Kind::Failed, at, &FailedTurn { failure: Failure::new(kind, "as scripted") })
}

pub fn turn(key: &str, at: Millis) -> Vec<NewRow> {
    vec![asked(key, at), replied(key, at + 900), said(key, at + 901)]
}

pub fn phase(name: &str, at: Millis) -> NewRow {
    NewRow::new(name, Kind::Phase, at, &PhaseMark { name: name.into(), n: None })
}

pub fn shown(key: &str, stage: &str, exhibit: Exhibit, at: Millis) -> NewRow {
    NewRow::new(key, Kind::Shown, at, &Shown { stage: stage.into(), exhibit })
}

pub fn verdict(run: &str, status: Status, head: &Hash, at: Millis) -> NewRow {
    let answer = status.completes().then(|| Answer { kind: AnswerKind::Synthesis, text: "Share it, behind a lock.".into(), by: vec![0] });
    let verdict = Verdict {
        schema: Verdict::SCHEMA.into(),
        run: run.into(),
        parent: None,
        mode: "council".into(),
        rehearsal: false,
        status,
        stop_reason: "done".into(),
        action: None,
        unsure: None,
        answer,
        decision: None,
        confidence: None,
        dissent: vec![],
        missing: vec![],
        warnings: vec![],
        receipt: Receipt { spent_usd: Some(0.006), head: hex::encode(head), ..Receipt::default() },
        data: serde_json::json!({}),
    };
    NewRow::new("", Kind::Verdict, at, &verdict)
}

pub fn stopped(reason: StopReason, nth: i64, at: Millis) -> NewRow {
    NewRow::new("", Kind::Stopped, at, &Stopped::new(reason, "as scripted")).attempt(nth)
}

/// Phase `collect` with three turns, each shown; then a computed tally and a note.
pub async fn deliberate(store: &Store, lease: &Lease) -> JournalResult<Tail> {
    let mut at = 2000;
    store.append(lease, vec![phase("collect", at)]).await?;
    for seat in 0..3 {
        at += 10;
        let key = format!("collect/answer@{seat}");
        store.append(lease, vec![asked(&key, at)]).await?;
        store.append(lease, vec![replied(&key, at + 900)]).await?;
        store.append(lease, vec![said(&key, at + 901)]).await?;
        let exhibit = Exhibit::said("Answer", seat, "respondent", &key).data(&Label { label: format!("K{seat}") });
        store.append(lease, vec![shown(&format!("collect/shown@{seat}"), "collect", exhibit, at + 902)]).await?;
    }
    let tally = Exhibit::new("Votes", Shape::Tally(Tally { valid: 3, ..Tally::default() }));
    let figure = NewRow::new("tiebroken", Kind::Figure, 3001, &Figure::new("tiebroken", 1.0));
    store.append(lease, vec![shown("tally", "vote_tally", tally, 3000), figure]).await?;
    store.append(lease, vec![shown("note", "vote_note", Exhibit::note("Note", "Nobody dissents."), 3002)]).await
}

/// A whole run, to its verdict. The lease is still held.
pub async fn council(store: &Store, header: &Header, status: Status) -> JournalResult<Lease> {
    let lease = store.create(header, 1000, vec![]).await?;
    let tail = deliberate(store, &lease).await?;
    store.append(&lease, vec![verdict(&header.run, status, &tail.head, 4000)]).await?;
    Ok(lease)
}
