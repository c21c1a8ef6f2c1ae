//! Built-in personas are whole and of the right weight; a broken file is told everything that is wrong with it.

use super::*;
use synod_engine::NoLibrary;

#[test]
fn every_built_in_persona_can_be_read_and_its_prompt_has_the_right_weight() {
    for (id, text) in files() {
        let persona = read(id, text).unwrap_or_else(|problems| panic!("{id}: {problems:?}"));
        assert_eq!(persona.id, *id);
        let tokens = synod_engine::tokens::count(&consolidated(&persona));
        assert!((2000..=2400).contains(&tokens), "{id}: {tokens} tokens");
        assert!(persona.anchors.len() >= 5 && persona.voice.examples.len() >= 3 && persona.voice.never.len() >= 4, "{id}");
        assert!(!persona.version.is_empty() && !persona.decks.is_empty(), "{id}");
    }
    assert_eq!(built_in().len(), files().len());
}

#[test]
fn every_deck_seats_four_people_with_names_of_their_own() {
    for (name, _) in decks() {
        let seated = deck(name, &NoLibrary).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        assert_eq!(seated.len(), 4, "{name}: {:?}", seated.iter().map(|persona| &persona.id).collect::<Vec<_>>());
    }
    let mut words: Vec<String> = built_in().iter().flat_map(|persona| persona.name.split(' ').map(str::to_lowercase)).collect();
    let all = words.len();
    words.sort();
    words.dedup();
    assert_eq!(words.len(), all, "first and last names must not be confused");
    let stray: Vec<&String> =
        built_in().iter().flat_map(|persona| &persona.decks).filter(|deck| !decks().iter().any(|(name, _)| name == deck)).collect();
    assert!(stray.is_empty(), "{stray:?}");
}

#[test]
fn every_deck_is_balanced_between_caution_and_speed() {
    for (name, _) in decks() {
        let seated = deck(name, &NoLibrary).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let pulling = |pull: Pull| seated.iter().filter(|persona| persona.pulls == Some(pull)).count();
        assert_eq!((pulling(Pull::Caution), pulling(Pull::Speed)), (seated.len() / 2, seated.len() / 2), "{name}");
    }
    assert!(built_in().iter().all(|persona| persona.pulls.is_some()), "everybody pulls one way");
    let other = files()[0].1.replace("pulls = \"caution\"", "pulls = \"sideways\"");
    assert!(read("actuary", &other).is_err_and(|problems| problems[0].want == "one of: caution, speed"));
}

#[test]
fn hedges_are_banned_for_those_who_never_hedge_and_for_nobody_else() {
    const HEDGES: [&str; 7] = ["perhaps", "might", "could be", "arguably", "hopefully", "in theory", "it could be said"];
    let bans = |persona: &Persona| persona.voice.never.iter().any(|phrase| HEDGES.contains(&phrase.as_str()));
    for persona in built_in() {
        let prompt = consolidated(persona).to_lowercase();
        let never = prompt.split("you never say").nth(1).and_then(|rest| rest.split("what you have said before").next()).unwrap_or_default();
        let told: Vec<&str> = HEDGES.into_iter().filter(|hedge| never.contains(&format!("\"{hedge}\""))).collect();
        assert_eq!(!told.is_empty(), bans(persona), "{}: {told:?}", persona.id);
        assert!(!never.contains("hedg"), "{}", persona.id);
    }
    let who = |banned: bool| built_in().iter().filter(|persona| bans(persona) == banned).map(|persona| persona.id.as_str()).collect::<Vec<_>>();
    for (id, banned) in [("founder", true), ("executive", true), ("dispatcher", true), ("actuary", false), ("economist", false), ("modeller", false)]
    {
        assert!(who(banned).contains(&id), "{id}: {:?}", who(banned));
    }
}

#[test]
fn a_personas_own_sayings_pass_its_own_rules() {
    use crate::crux::speech::stock_phrases::{phrases_used, remove_stock_phrases};
    for persona in built_in() {
        let said = persona.anchors.iter().map(|anchor| &anchor.text).chain(persona.voice.examples.iter().map(|example| &example.response));
        for text in said {
            assert_eq!(phrases_used(text, &persona.voice.never), Vec::<&str>::new(), "{}: {text}", persona.id);
            assert_eq!(remove_stock_phrases(text).text.as_ref(), Some(text), "{}", persona.id);
        }
    }
}

#[test]
fn the_prompt_has_its_blocks_in_order_and_bounded() {
    let mut persona = built_in()[0].clone();
    persona.voice.never.push("In Conclusion".into());
    for n in 0..9 {
        persona.anchors.push(Anchor { text: format!("saying {n}"), source: "test".into(), date: String::new() });
        persona.voice.examples.push(VoiceExample { context: format!("case {n}"), response: format!("reply {n}") });
    }
    let prompt = consolidated(&persona);
    let places: Vec<usize> =
        ["WHO YOU ARE", "HOW YOU THINK", "WHAT WOULD CHANGE YOUR MIND", "YOUR VOICE", "YOU NEVER SAY", "WHAT YOU HAVE SAID BEFORE"]
            .iter()
            .map(|block| prompt.find(block).unwrap_or_else(|| panic!("{block} is missing")))
            .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(prompt.to_lowercase().matches("\"in conclusion\"").count(), 1, "the never-say list is de-duplicated");
    let examples = prompt.lines().filter(|line| line.starts_with("When ") && line.ends_with('"')).count();
    assert_eq!(examples, 3);
    assert!(!prompt.contains("saying 0") && !prompt.contains("reply 0"), "only the first few fit");
}

#[test]
fn a_broken_file_is_told_everything_at_once() {
    let text = "name = 7\nhandle = \"x\"\ncolour = \"red\"\npersonality = \"too short\"\nanchors = [{ text = \"a\" }]\n[evidence]\naccepts = []\nweighting = 3\n";
    let problems = read("odd", text).expect_err("it is broken");
    let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
    for field in [
        "persona odd: name",
        "persona odd: colour",
        "persona odd: personality",
        "persona odd: bias",
        "persona odd: stakes",
        "persona odd: epistemology",
        "persona odd: time_horizon",
        "persona odd: flip_conditions",
        "persona odd: evidence.accepts",
        "persona odd: evidence.refuses",
        "persona odd: evidence.weighting",
        "persona odd: anchors[0].source",
    ] {
        assert!(fields.contains(&field), "{field} is not named: {fields:?}");
    }
    assert!(read("odd", "name = ").is_err_and(|problems| problems.len() == 1 && problems[0].want.contains("TOML")));
    assert!(read("Odd One", files()[0].1).is_err_and(|problems| problems.iter().any(|problem| problem.field.ends_with(": id"))));
}

#[test]
fn a_persona_may_be_json_and_may_leave_its_voice_to_the_default() {
    let mut value = serde_json::to_value(&built_in()[0]).expect("JSON");
    value.as_object_mut().expect("an object").remove("voice");
    let persona = read("actuary", &value.to_string()).expect("readable");
    assert_eq!((persona.voice.patterns.len(), persona.voice.vocabulary.len(), persona.voice.never.len()), (2, 0, 3));
}
