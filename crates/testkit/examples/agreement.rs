//! How often panels of each size print an agreement, and how it is distributed: `cargo run -p synod-testkit --example agreement`.
//!
//! Once with the built-in voices, who lean to one common taste, and once with the same voices casting their ballots by lot, whose mean belongs
//! near 0.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "an example prints")]

use serde_json::{Value, json};
use std::sync::Arc;
use synod_math::Rng;
use synod_modes::{council, vote};
use synod_testkit::rig::{Rig, order, verdict};
use synod_testkit::voices::Voices;
use synod_types::Reply;

const SEEDS: u64 = 100;

/// The first list of ids that a schema allows.
fn ids(schema: &Value) -> Option<&Vec<Value>> {
    let own = schema.get("enum").and_then(Value::as_array);
    own.or_else(|| schema.as_object().and_then(|map| map.values().find_map(ids)))
}

/// Ballots drawn from the seed and the key of the turn.
fn by_lot(seed: u64) -> Voices {
    Voices::default().scripted(move |_, request, context| {
        let key = context.key.as_str();
        if !key.contains("rank@") && !key.contains("vote@") {
            return None;
        }
        let mut labels = ids(&request.schema.as_ref()?.schema)?.clone();
        Rng::derive(seed, key).shuffle(&mut labels);
        let ballot =
            if key.contains("rank@") { json!({"reasons": "A lot.", "ranking": labels}) } else { json!({"reasons": "A lot.", "vote": labels[0]}) };
        Some(Ok(Reply::text(ballot.to_string())))
    })
}

#[tokio::main]
async fn main() {
    println!("ballots  mode     seats  printed     min      q1  median      q3     max    mean");
    for (ballots, lot) in [("voices", false), ("by lot", true)] {
        for mode in [&council::MODE, &vote::MODE] {
            for seats in [3, 4, 5, 7] {
                let mut values = Vec::new();
                for seed in 0..SEEDS {
                    let mut order = order(mode, seed);
                    order.panel.chair = None;
                    order.panel.models = (0..seats).map(|n| format!("m{n}")).collect();
                    let voices = if lot { by_lot(seed) } else { Voices::default() };
                    let (_, ending) = Rig::new(Arc::new(voices)).run(&order).await;
                    values.extend(verdict(ending).confidence.and_then(|confidence| confidence.value));
                }
                values.sort_by(f64::total_cmp);
                print!("{ballots:<8} {:<8} {seats:>5}  {:>3}/{SEEDS}", mode.id, values.len());
                if let Some(last) = values.len().checked_sub(1) {
                    let mean = values.iter().sum::<f64>() / values.len() as f64;
                    for value in [0, 1, 2, 3, 4].map(|quarter| values[quarter * last / 4]).into_iter().chain([mean]) {
                        print!("{value:>8.2}");
                    }
                }
                println!();
            }
        }
    }
}
