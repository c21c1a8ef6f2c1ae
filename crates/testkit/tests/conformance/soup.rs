//! Replies nobody foresaw: scraps of every form any prompt asks for, and valid replies with a piece bent or missing. A run ends in a verdict
//! all the same, and its replay in the same one.

use crate::ended;
use futures::FutureExt;
use serde_json::{Value, json};
use std::sync::Arc;
use synod_engine::{CallContext, Mode, Model};
use synod_llm::rehearsal::Rehearsal;
use synod_math::Rng;
use synod_testkit::rig::{Rig, order};
use synod_testkit::voices::Voices;
use synod_types::{Failure, ModelCard, Reply, Request};

const SCRAPS: &[&str] = &[
    "VOTE: ",
    "FINAL RANKING:\n",
    "VERDICT: APPROVE",
    "**VERDICT:** cannot approve",
    "DECISION: STAND\n",
    "DECISION: [MERGE]",
    "REASONING: ",
    "REVISED RESPONSE:\n",
    "TYPE: NUMERIC\n",
    "OPTIONS: a (b, c), d",
    "ESTIMATE: 42 million",
    "ESTIMATE: 30-40\n",
    "ANSWER: 1. O2",
    "CONFIDENCE: 1.5",
    "CONFIDENCE: **high**",
    "CONFIDENCE: 8/10",
    "FINDING 1: title\n",
    "### Finding 2 — x\n",
    "**Severity:** HIGH (not CRITICAL)\n",
    "Location:\n",
    "RESPONSE TO FINDING F1: ",
    "Verdict: REBUT - no\n",
    "REVISED CONTENT:\n",
    "[Editor's Note: cut",
    "[editor’s note: é]",
    "| Accuracy | 8/10 | x |\n",
    "|---|---|\n",
    "| **Security** | 4.5 | |\n",
    "### Scores\n",
    "### Key Findings\n1) é\n",
    "DOCUMENT TITLE: x\n",
    "SECTION 1: a\n",
    "SECTION 99999999999: b\n",
    "Key Topics:\n- é\n",
    "Length: Long\n",
    "WINNER: A\n",
    "TASK task_1: \n",
    "Dependencies: task_1 and task_2\n",
    "Complexity: HUGE\n",
    "IDEA 1: \n",
    "CLUSTER 1: x\nIdeas: I01, I99\n",
    "Cluster 1: Novelty=9 Feasibility=4/5, Impact=",
    "CLAIM 1: x\nType: DATE\n",
    "VERIFICATION claim_1: **VERIFIED**\n",
    "Evidence: ",
    "Correction: N/A\n",
    "RESPONSE:\n",
    "SYNTHESIS:\n",
    "{",
    "}",
    "[",
    "]",
    "```json\n",
    "```\n",
    "\"reasons\":",
    ",",
    ":",
    "null",
    "1e999",
    "-0",
    "NaN",
    "\u{202e}",
    "é—“”",
    "\u{0}",
    "\n",
    "\n\n",
    "    ",
    "****",
    "__",
    "<think>",
    "</think>",
    "</answer>",
    "1.",
    "K3",
    "T9",
    "task_1",
    "F1",
];

fn soup(request: &Request, rng: &mut Rng) -> String {
    let heard: Vec<&str> = request.messages.iter().flat_map(|message| message.text().split_whitespace()).collect();
    let mut out = String::new();
    for _ in 0..rng.below(40) + 1 {
        let part = if rng.below(4) == 0 && !heard.is_empty() { heard[rng.index(heard.len())] } else { SCRAPS[rng.index(SCRAPS.len())] };
        out.push_str(part);
        if rng.below(3) == 0 {
            out.push(' ');
        }
    }
    out
}

/// A valid reply with one piece bent: gone, of another type, empty, huge, or twice.
fn bend(value: &mut Value, rng: &mut Rng) {
    let odd = [json!(null), json!(""), json!(-1), json!(1e300), json!(true), json!([]), json!({}), json!("é".repeat(300)), json!("N/A")];
    match value {
        Value::Object(map) if !map.is_empty() && rng.below(5) > 0 => {
            let key = map.keys().nth(rng.index(map.len())).cloned().unwrap_or_default();
            match rng.below(6) {
                0 => drop(map.shift_remove(&key)),
                1 => drop(map.insert(key, odd[rng.index(odd.len())].clone())),
                _ => bend(map.get_mut(&key).unwrap_or(&mut Value::Null), rng),
            }
        }
        Value::Array(items) if !items.is_empty() && rng.below(5) > 0 => {
            let at = rng.index(items.len());
            match rng.below(5) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.clear(),
                _ => bend(&mut items[at], rng),
            }
        }
        other => *other = odd[rng.index(odd.len())].clone(),
    }
}

fn reply(_: &ModelCard, request: &Request, context: &CallContext) -> Option<Result<Reply, Failure>> {
    let mut rng = Rng::derive(context.seed, &context.key);
    match rng.below(4) {
        0 => None,
        1 => Some(Ok(Reply::text(soup(request, &mut rng)))),
        _ => {
            let valid = Rehearsal::new().call(request, context).now_or_never().expect("voices do not wait");
            let mut value: Value = serde_json::from_str(&valid.ok()?.text).ok()?;
            for _ in 0..rng.below(3) {
                bend(&mut value, &mut rng);
            }
            Some(Ok(Reply::text(value.to_string())))
        }
    }
}

every_mode!(
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    whatever_is_replied_a_run_ends_in_a_verdict
);
async fn whatever_is_replied_a_run_ends_in_a_verdict(mode: &'static Mode) {
    let runs = std::env::var("SYNOD_SOUP").ok().and_then(|runs| runs.parse().ok()).unwrap_or(25);
    for seed in 0..runs {
        let rig = Rig::new(Arc::new(Voices::default().scripted(reply)));
        let mut order = order(mode, seed);
        if seed % 2 == 0 {
            order.question.content = Some("cron runs forty jobs, and three of them fail every week.".into());
        }
        let (run, ending) = rig.run(&order).await;
        let verdict = ended(&rig, &run, ending, &format!("{} seed {seed}", mode.id)).await;
        assert_eq!(
            verdict.answer.is_some(),
            verdict.status.decided() || verdict.answer.is_some() && verdict.status.completes(),
            "{} seed {seed}",
            mode.id
        );
    }
}
