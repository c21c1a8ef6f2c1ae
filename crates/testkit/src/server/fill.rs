//! Any JSON Schema, filled validly and always the same for the same seed, by what fills them for rehearsals.

use serde_json::Value;
use synod_math::Rng;

const WORDS: &[&str] = &[
    "the", "panel", "finds", "cost", "evidence", "risk", "because", "option", "plain", "measure", "holds", "under", "load", "and", "test", "shows",
    "limit", "change", "careful", "reading", "of", "a", "result", "with", "known", "bounds", "would", "support", "this", "claim", "in", "part",
];

/// So many words, a capital first and a full stop last.
pub fn sentence(dice: &mut Rng, words: usize) -> String {
    let mut text = String::with_capacity(words * 7);
    for i in 0..words.max(1) {
        if i > 0 {
            text.push(' ');
        }
        text.push_str(WORDS[dice.index(WORDS.len())]);
    }
    if let Some(first) = text.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    text.push('.');
    text
}

/// `words`: the length of free strings. A schema that cannot be met is answered with what it lacks.
pub fn fill(schema: &Value, seed: u64, words: usize) -> Value {
    let text = |throw| sentence(&mut Rng::new(throw), words);
    synod_llm::rehearsal::fill(schema, seed, &text).unwrap_or_else(Value::String)
}
