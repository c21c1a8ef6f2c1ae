//! Evidence pointers, looked up once before a run: a file that exists and can be read, a command's recorded exit code, a URL's shape. Nothing is
//! fetched or run.

use super::card::{Card, Evidence, PointerCheck};
use super::excerpt::mark_unshown;
use synod_engine::PointerTarget;
use synod_types::Json;

/// Writes into every piece of evidence on the cards what became of its pointer, whatever stood there before. `find` is asked what is at a
/// path. A value that does not hold cards is left as it is: the plan of the run says what is wrong with it.
pub fn check(cards: &mut Json, find: &dyn Fn(&str) -> PointerTarget) {
    let Ok(mut read) = cards.read::<Vec<Card>>() else { return };
    for card in &mut read {
        for evidence in &mut card.evidence {
            evidence.checked = Some(look_up(evidence, find));
        }
        mark_unshown(&mut card.evidence);
    }
    *cards = Json::of(&read);
}

/// What the pointer itself tells comes first; only a path is looked up.
fn look_up(evidence: &Evidence, find: &dyn Fn(&str) -> PointerTarget) -> PointerCheck {
    let check = |valid: bool, found: String| PointerCheck::new(valid, found);
    if let Some(told) = evidence.told() {
        // Whose word is not looked into is not believed either, save against itself.
        let unseen = told.valid && find("") == PointerTarget::NotLookedUp;
        return if unseen { PointerCheck::not_looked_up("not looked up") } else { told };
    }
    match find(evidence.path()) {
        PointerTarget::File { bytes, unread: None } => check(true, format!("a file of {bytes} bytes")),
        PointerTarget::File { bytes, unread: Some(why) } => PointerCheck::not_looked_up(&format!("a file of {bytes} bytes, shown to nobody: {why}")),
        PointerTarget::Outside => PointerCheck::not_looked_up("it lies outside the decision's own folder and was not read"),
        PointerTarget::NotAFile => check(false, "it is not a file".into()),
        PointerTarget::Nothing => check(false, "there is no such file".into()),
        PointerTarget::NotLookedUp => PointerCheck::not_looked_up("not looked up"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A folder with one file in it.
    fn folder(path: &str) -> PointerTarget {
        match path {
            "load.txt" => PointerTarget::File { bytes: 4, unread: None },
            "chart.png" => PointerTarget::File { bytes: 9, unread: Some("it is not text") },
            "../key" => PointerTarget::Outside,
            "." => PointerTarget::NotAFile,
            _ => PointerTarget::Nothing,
        }
    }

    fn cards(evidence: Value) -> Json {
        Json::of(
            &json!([{"id": "a", "claims": ["x"], "plan": [{"action": "y"}], "evidence": evidence, "confidence": 1, "cost": "Low", "reversibility": 1}]),
        )
    }

    fn checked(pointer: &str, exit_code: Option<i64>, find: &dyn Fn(&str) -> PointerTarget) -> (bool, String) {
        let said = json!({"valid": true, "found": "whatever its author wrote"});
        let mut cards = cards(json!([{"type": "test", "pointer": pointer, "quality": 1, "exit_code": exit_code, "checked": said}]));
        check(&mut cards, find);
        let check = &cards.value()[0]["evidence"][0]["checked"];
        (check["valid"].as_bool().expect("a check"), check["found"].as_str().expect("a reason").to_owned())
    }

    #[test]
    fn a_pointer_leads_somewhere_or_says_why_not() {
        for (pointer, exit_code, valid, found) in [
            ("load.txt", None, true, "a file of 4 bytes"),
            (" load.txt ", None, true, "a file of 4 bytes"),
            ("load.txt#tail", None, true, "a file of 4 bytes"),
            ("chart.png", None, false, "a file of 9 bytes, shown to nobody: it is not text"),
            ("../key", None, false, "it lies outside the decision's own folder and was not read"),
            ("https://example.org/a?b", None, false, "a URL that was not fetched"),
            ("https:// no", None, false, "it is no URL"),
            ("https://", None, false, "it is no URL"),
            ("command: cargo test", Some(0), true, "recorded with exit code 0"),
            ("command: cargo test", Some(1), false, "recorded with exit code 1"),
            ("command: cargo test", None, false, "no exit code is recorded"),
            ("missing.txt", None, false, "there is no such file"),
            ("missing.txt", Some(0), false, "there is no such file"),
            (".", None, false, "it is not a file"),
        ] {
            assert_eq!(checked(pointer, exit_code, &folder), (valid, found.to_owned()), "{pointer} with {exit_code:?}");
        }
    }

    #[test]
    fn where_nothing_is_looked_up_nothing_is_believed_save_against_itself() {
        let nowhere = |_: &str| PointerTarget::NotLookedUp;
        assert_eq!(checked("load.txt", None, &nowhere), (false, "not looked up".to_owned()));
        assert_eq!(checked("https://example.org/a", None, &nowhere).1, "a URL that was not fetched");
        assert_eq!(checked("command: cargo test", Some(0), &nowhere).1, "not looked up");
        assert_eq!(checked("command: cargo test", Some(1), &nowhere).1, "recorded with exit code 1");
        type Find<'a> = &'a dyn Fn(&str) -> PointerTarget;
        let half: [(&str, Find<'_>); 4] = [("load.txt", &nowhere), ("https://example.org/a", &folder), ("../key", &folder), ("chart.png", &folder)];
        for (pointer, find) in half {
            let mut half = cards(json!([{"type": "test", "pointer": pointer, "quality": 0.8}]));
            check(&mut half, find);
            let half = half.value();
            assert_eq!(half[0]["evidence"][0]["checked"]["not_looked_up"], true, "{pointer}");
            let card: Card = serde_json::from_value(half[0].clone()).expect("a card");
            assert!((card.evidence[0].worth() - 0.4).abs() < 1e-9 && !card.pointers_valid(), "it counts half, and nothing is remembered of it");
        }
    }

    #[test]
    fn cards_are_put_back_whole_and_what_is_no_card_is_left_alone() {
        let mut read = cards(json!([]));
        check(&mut read, &folder);
        let read = read.value();
        assert_eq!((read[0]["id"].as_str(), read[0]["cost"].as_u64()), (Some("a"), Some(20)), "words have become numbers");
        for unread in [json!("cards.json"), json!([{"id": "a"}]), json!(null)] {
            let mut value = Json::of(&unread);
            check(&mut value, &folder);
            assert_eq!(value.value(), unread);
        }
    }

    #[test]
    fn the_mode_says_where_its_evidence_and_its_experience_are() {
        let abilities = crate::collapse::MODE.abilities;
        let properties = (crate::collapse::MODE.options_schema)()["properties"].clone();
        let evidence = abilities.evidence.expect("cards point to evidence");
        for option in [evidence.option, abilities.learns.expect("it learns")] {
            assert!(properties[option].is_object(), "{option}");
        }
        let mut cards = cards(json!([{"type": "test", "pointer": "load.txt", "quality": 1}]));
        (evidence.check)(&mut cards, &folder);
        assert_eq!(cards.value()[0]["evidence"][0]["checked"]["valid"], true);
    }
}
