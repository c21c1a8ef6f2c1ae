//! The vectors of the protocol: stock phrases, names, gates, cards, and the sloppy forms models send.

use super::card::{Card, Heard};
use super::closing::{Moves, Summary, side};
use super::debate::Aspects;
use super::detect::{Disagreement, windows};
use super::extract::{DisagreementType, Extract, ExtractPosition, Stance};
use super::filter::{clean, uses};
use super::names::{addressed, meant};
use super::room::{Core, Surfaced};
use super::speak::Reaction;
use super::*;
use synod_engine::{Form, Speech, Terms};

#[test]
fn stock_phrases_are_taken_out_family_by_family() {
    for (given, want) in [
        ("That's a great point, but volatility is the price of admission.", Some("But volatility is the price of admission.")),
        ("Firstly, the supply is fixed. Secondly, demand is not.", Some("The supply is fixed. Secondly, demand is not.")),
        ("In summary, no.", None),
        ("The volatility argument misses the point entirely because rates moved.", Some("The point entirely because rates moved.")),
        ("As an AI, I cannot hold bitcoin but the math is clear.", Some("I cannot hold bitcoin but the math is clear.")),
        ("Demand is structural, in conclusion, and supply is not.", Some("Demand is structural, and supply is not.")),
        ("Let's break this down: capex is up 40% and hiring is flat.", Some("Capex is up 40% and hiring is flat.")),
        ("That's a fair question. Firstly, show me the data behind it.", Some("Show me the data behind it.")),
        ("That’s a good observation — and the grid still fails in July.", Some("And the grid still fails in July.")),
        ("THAT'S A VALID POINT; it fails in winter though.", Some("It fails in winter though.")),
        ("The price is what it is, and nobody set it.", Some("The price is what it is, and nobody set it.")),
        ("As an aide I saw it, in conclusions nobody drew.", Some("As an aide I saw it, in conclusions nobody drew.")),
        ("The risk, however, and the argument ignores it.", Some("The risk, however, and the argument ignores it.")),
        ("no", None),
        ("", None),
    ] {
        assert_eq!(clean(given).text.as_deref(), want, "{given}");
    }
    assert_eq!(clean("That's a fair question. Firstly, show me the data behind it.").removed, ["praise", "counting"]);
    assert!(clean("The grid is a promise with a switch on it.").removed.is_empty());
}

#[test]
fn what_was_cleaned_is_clean() {
    for given in [
        "That's a great point. That's a good question. Firstly, in summary, as an AI I would wait for the figures.",
        "Firstly, secondly, thirdly, it is late and dark.",
    ] {
        let once = clean(given).text.expect("enough is left");
        assert_eq!(clean(&once).text, Some(once.clone()), "{given}");
    }
}

#[test]
fn forbidden_phrases_are_whole_words_in_any_case() {
    let never = ["game changer", "win-win", "risk"].map(str::to_owned);
    assert_eq!(uses("A real Game Changer, a WIN-WIN.", &never), ["game changer", "win-win"]);
    assert_eq!(uses("A game changers' brisk asterisk.", &never), Vec::<&str>::new());
}

const TABLE: &[(SeatIx, &str)] = &[(0, "Michael Burr"), (1, "Michael Saylow"), (2, "Ann Burr-Lee"), (3, "Cathy Wu")];

#[test]
fn a_name_means_one_person_or_nobody() {
    // Given; whom a reply answers; whom a detector means.
    for (given, reply, detector) in [
        ("Cathy Wu", Some(3), Some(3)),
        ("  cathy wu ", Some(3), Some(3)),
        ("**Cathy**", Some(3), Some(3)),
        ("Wu", Some(3), Some(3)),
        ("Michael", None, None),
        ("Michael B", Some(0), Some(0)),
        ("Burr", Some(0), Some(0)),
        ("Saylow", Some(1), Some(1)),
        ("aylow", Some(1), None),
        ("urr", None, None),
        ("", None, None),
        ("everybody", None, None),
    ] {
        assert_eq!(addressed(given, TABLE), reply, "reply to {given:?}");
        assert_eq!(meant(given, TABLE), detector, "detector on {given:?}");
    }
}

fn disagreement(gates: [bool; 3], names: &[&str]) -> Disagreement {
    Disagreement {
        reasons: String::new(),
        has_direct_opposition: gates[0],
        has_specific_claim: gates[1],
        topic_relevant: gates[2],
        personas: names.iter().map(ToString::to_string).collect(),
        topic: "Is the supply really fixed for good?".into(),
        short_label: String::new(),
    }
}

#[test]
fn a_room_needs_three_open_gates_and_two_people() {
    let spawns = |gates, names: &[&str]| disagreement(gates, names).candidate(TABLE).is_some();
    assert!(spawns([true; 3], &["Michael Burr", "Cathy"]));
    for gates in [[true, true, false], [true, false, true], [false, true, true]] {
        assert!(!spawns(gates, &["Michael Burr", "Cathy"]), "{gates:?}");
    }
    for names in [&["Cathy", "Cathy Wu"][..], &["Cathy", "Nobody"], &["Cathy"], &["Michael", "Cathy"], &[]] {
        assert!(!spawns([true; 3], names), "{names:?}");
    }
    let found = disagreement([true; 3], &["Cathy", "Saylow", "Burr"]).candidate(TABLE).expect("a candidate");
    assert_eq!((found.pair, found.label.as_str()), ([3, 1], "Is the supply really"), "the first two names; four words for want of a label");
    let (value, _) = Disagreement::read(r#"{"reasons":"x","has_specific_claim":true,"topic_relevant":true,"personas":["a","b"]}"#, &Terms::default())
        .expect("readable");
    assert!(!Disagreement::recall(&value).expect("a form").has_direct_opposition, "a missing gate is shut");
}

#[test]
fn windows_are_taken_at_ten_messages_and_every_five_more() {
    assert_eq!([0, 9, 10, 14, 15, 33].map(windows), [0, 0, 1, 1, 2, 5]);
}

fn heard(said: &[(String, SeatIx, String)]) -> Heard<'_> {
    Heard {
        room: "crux-1-a-b",
        aspect: "Supply",
        question: "Is the supply fixed?",
        sources: &[],
        pair: [(0, "Michael Burr", "Michael Burr"), (3, "Cathy Wu", "Cathy Wu")],
        said,
    }
}

fn position(persona: &str, position: &str, quote: &str) -> ExtractPosition {
    ExtractPosition {
        persona: persona.into(),
        position: position.into(),
        reasoning: "because".into(),
        falsifier: Some(" ".into()),
        quotes: vec![quote.into()],
    }
}

fn extract() -> Extract {
    Extract {
        reasons: String::new(),
        crux_statement: "Can the rule be changed by those who run it?".into(),
        disagreement_type: "Empirical".into(),
        diagnosis: "They trust different people.".into(),
        resolved: false,
        resolution: None,
        positions: vec![position("Burr", "yes", "nobody can vote it away"), position("cathy", "perhaps", "x")],
    }
}

#[test]
fn a_card_is_checked_field_by_field() {
    let said = [
        ("c1.1".to_owned(), 3, "Nobody can vote it away, ever.".to_owned()),
        ("c1.2".to_owned(), 0, "You say  “nobody can vote it away”.".to_owned()),
    ];
    let card = Card::checked(&extract(), &heard(&said));
    assert_eq!((card.question.as_str(), card.kind), ("Can the rule be changed by those who run it?", DisagreementType::Evidence));
    assert_eq!([card.positions[0].stance, card.positions[1].stance], [Stance::Yes, Stance::Nuanced]);
    assert_eq!(card.positions[0].falsifier, None, "blank is nothing");
    assert_eq!(card.positions[0].quotes[0].found_in.as_deref(), Some("c1.2"), "the speaker's own message, but for spacing and quotation marks");
    assert_eq!(card.positions[1].quotes[0].found_in, None);

    for bad in ["", "Supply", "This one runs on and on and on and on and on and on, does it not?"] {
        let card = Card::checked(&Extract { crux_statement: bad.into(), ..extract() }, &heard(&said));
        assert_eq!(card.question, "Is the supply fixed?", "{bad:?}");
    }
    let card = Card::checked(&Extract { resolved: true, resolution: Some("  ".into()), ..extract() }, &heard(&said));
    assert!(!card.resolved && card.resolution.is_none(), "resolved without saying how is not resolved");
    let card = Card::checked(&Extract { resolved: true, resolution: Some("Yes.".into()), ..extract() }, &heard(&said));
    assert!(card.resolved && card.line().ends_with("[evidence] (resolved)"));
    let both = vec![position("Burr", "YES", ""), position("Wu", "**Yes**", "")];
    assert!(Card::checked(&Extract { positions: both.clone(), ..extract() }, &heard(&said)).weak);
    assert!(!Card::checked(&Extract { positions: both, resolved: true, resolution: Some("Yes.".into()), ..extract() }, &heard(&said)).weak);
    let card = Card::checked(&Extract { positions: vec![position("Michael", "NO", "")], ..extract() }, &heard(&said));
    assert_eq!((card.positions[0].stance, card.positions[1].stance), (Stance::No, Stance::Nuanced));
    assert!(card.positions[1].reasoning.is_empty(), "who is left out has said nothing");
}

#[test]
fn a_fallback_card_points_to_what_was_said() {
    let card = Card::fallback(&heard(&[]));
    assert!(card.fallback && !card.resolved && !card.weak && card.kind == DisagreementType::Claim);
    assert!(card.positions.iter().all(|position| position.stance == Stance::Nuanced && position.reasoning.contains("room")));
}

#[test]
fn kinds_are_known_by_many_words() {
    use DisagreementType::{Claim, Definition, Evidence, Horizon, Premise, Values};
    for (word, kind) in [
        ("empirical", Evidence),
        ("Factual", Evidence),
        ("definitional", Definition),
        ("value", Values),
        ("logical", Claim),
        ("assumption", Premise),
        ("timeframe", Horizon),
        ("taste", Claim),
        ("", Claim),
    ] {
        assert_eq!(DisagreementType::of(word), kind, "{word}");
    }
    for name in DisagreementType::NAMES {
        assert_eq!(DisagreementType::of(name).as_str(), name);
    }
}

fn read<T: Form>(text: &str) -> Option<T> {
    let (value, _) = T::read(text, &Terms::default()).ok()?;
    T::recall(&value).ok()
}

#[test]
fn the_text_forms_are_read_and_prose_is_not() {
    let reaction: Reaction = read("You counted the good years only.\n**REPLYING TO:** Cathy Wu").expect("readable");
    assert_eq!((reaction.utterance.as_str(), reaction.replying_to.as_deref()), ("You counted the good years only.", Some("Cathy Wu")));
    assert_eq!(read::<Reaction>("I am replying to Cathy, who is wrong."), None);

    let found: Disagreement =
        read("OPPOSITION: yes\nCLAIM: **yes**\nRELEVANT: no\nPERSONAS: Cathy, Saylow\nQUESTION: Is it fixed?\nLABEL: Supply").expect("readable");
    assert_eq!((found.has_specific_claim, found.topic_relevant, found.personas.len()), (true, false, 2));
    assert_eq!(read::<Disagreement>("There is opposition, yes."), None);

    assert_eq!(read::<Surfaced>("Both named it.\nSURFACED: yes").map(|found| found.crux_surfaced), Some(true));
    assert_eq!(read::<Surfaced>("It has surfaced: yes"), None);
    let core: Core = read("CORE: Who pays.\nKIND: values\nCONVERGED: no").expect("readable");
    assert_eq!((core.kind.as_str(), core.converged), ("values", false));

    let text = "CRUX: Is it fixed?\nTYPE: factual\nDIAGNOSIS: They trust others.\nRESOLVED: no\nPOSITION 1: Cathy Wu\nAnswer: YES\nReasoning: so\nPOSITION 2: Burr\nAnswer: NO\nFalsifier: a vote by 2030\n";
    let card: Extract = read(text).expect("readable");
    assert_eq!((card.positions.len(), card.positions[1].falsifier.as_deref(), card.resolved), (2, Some("a vote by 2030"), false));

    let aspects: Aspects = read("1. **Who pays**: Is it those who decide?\n2. Way back: Can it be undone?").expect("readable");
    assert_eq!(aspects.aspects[0].label, "Who pays");
    let moves: Moves = read("Cathy Wu: shifted - now only if cheap\nBurr: same").expect("readable");
    assert_eq!((moves.shifts.len(), moves.shifts[0].shifted, moves.shifts[0].summary.as_str()), (2, true, "now only if cheap"));
    let summary: Summary =
        read("### Claims\n- It is fixed\n### Evidence\n- Cathy: the code\n### Resolution paths\n- If a vote fails, it is settled").expect("readable");
    assert_eq!((summary.claims.len(), summary.evidence_ledger.len(), summary.agreements.len()), (1, 1, 0));
    assert_eq!(read::<Summary>("### Claims\n- It is fixed"), None, "a record without ledger and paths is none");
    assert_eq!(["For", "**against**", "both"].map(side), ["for", "against", "mixed"]);
}

#[test]
fn the_declared_calls_are_the_formula() {
    use synod_types::{Place, Seat};
    for n in 2..=6_u32 {
        let seat = |index| Seat { index, label: String::new(), model: String::new(), place: Place::Panel, persona: None };
        let seating = Seating { seats: (0..n).map(seat).collect(), ..Seating::default() };
        let most: u32 = calls(&Options::default(), &seating).iter().map(|line| line.max).sum();
        assert_eq!(most, 11 * n + 78);
    }
}

#[test]
fn personas_and_decks_are_put_in_full_before_a_run() {
    let mut options = Options { personas: vec![Named::Name("nurse".into()), Named::Name("founder".into())], ..Options::default() };
    assert_eq!(made(&options, 1), ["Ruth Nakamba", "Dario Menezes"]);
    assert!(prepare(&mut options, &NoLibrary).is_empty());
    assert!(options.personas.iter().all(|named| matches!(named, Named::Full(_))));
    options.deck = Some("mixed".into());
    assert!(prepare(&mut options, &NoLibrary).is_empty(), "a fork may change the deck");
    assert_eq!((options.personas.len(), options.deck.as_deref()), (4, None));

    let wrong = |personas: &[&str], deck: Option<&str>| {
        let named = personas.iter().map(|name| Named::Name((*name).to_owned())).collect();
        let problems = prepare(&mut Options { personas: named, deck: deck.map(str::to_owned), ..Options::default() }, &NoLibrary);
        problems.iter().map(|problem| format!("{}: {}", problem.got, problem.want)).collect::<Vec<_>>()
    };
    assert!(wrong(&["nurse", "nobody", "noone"], None).len() == 2, "every unknown name at once");
    assert!(wrong(&["nurse"], Some("mixed"))[0].contains("not both"));
    assert!(wrong(&[], Some("cooking"))[0].contains("mixed"));
    assert!(wrong(&["nurse", "nurse"], None)[0].contains("twice"));
    assert!(wrong(&["nurse"], None)[0].contains("2 to 6"), "a moderator is no second voice");
}
