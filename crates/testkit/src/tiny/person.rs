//! Drafts, asks a person twice in a row and once more beside a turn, and goes on with what was said.

use super::{found, mode};
use synod_engine::{Mode, prompt};
use synod_types::PersonAnswer;

pub static PERSON: Mode = mode("person", &["draft", "review", "final"], &[("say", "# user\n{{ question }}\n{{ note }}")], |bench, _| {
    Box::pin(async move {
        let draft = bench.phase("draft").ask::<String>(0, prompt!("say", note = "A draft.")).await?;
        let draft = draft.map(|given| given.value).unwrap_or_default();
        let review = bench.phase("review");
        let first = review.person("approve", format!("Is this draft good enough? {}", draft.len()), &["yes", "no"]).await?;
        let second = review.person("tone", "Which tone?", &[]).await?;
        // A person in one strand does not hold up the turn in the other.
        let (third, beside) =
            futures::join!(review.person("reader", "Who reads it?", &[]), review.at("beside").ask::<String>(0, prompt!("say", note = "Beside.")));
        let (third, _) = (third?, beside?);
        let said = |answer: Option<PersonAnswer>| answer.map_or_else(|| "nobody said".to_owned(), |answer| answer.answer);
        let note = format!("Approved: {}; tone: {}; for {}.", said(first), said(second), said(third));
        let last = bench.phase("final").ask::<String>(0, prompt!("say", note)).await?;
        Ok(found(format!("{note} {}", last.map(|given| given.value).unwrap_or_default()), vec![0]))
    })
});
