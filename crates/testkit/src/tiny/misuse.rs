//! Modes with a bug in them.

use super::{found, mode};
use synod_engine::{Mode, prompt};

const PROMPTS: &[(&str, &str)] = &[("say", "# user\n{{ question }}")];

/// Asks under one key twice.
pub static TWICE: Mode = mode("twice", &["work"], PROMPTS, |bench, _| {
    Box::pin(async move {
        let work = bench.phase("work");
        let _ = work.ask::<String>(0, prompt!("say")).await?;
        let _ = work.ask::<String>(0, prompt!("say")).await?;
        Ok(found("it went through".into(), vec![]))
    })
});

/// Breaks off after its first turn.
pub static PANICS: Mode = mode("panics", &["work"], PROMPTS, |bench, _| {
    Box::pin(async move {
        let said = bench.phase("work").ask::<String>(0, prompt!("say")).await?;
        assert!(said.is_err(), "a mode with a bug");
        Ok(found("it went through".into(), vec![]))
    })
});
