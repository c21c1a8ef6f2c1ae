//! Judges' words as models send them, tables and their ties, and what may be ordered.

use super::pick::Pick;
use super::round_robin::standings;
use super::{Format, MODE, Tiebreak};
use proptest::prelude::*;
use serde_json::json;
use synod_engine::{IdLists, ReplyFormat, Seating, TypedReply};
use synod_types::{Json, Place, Seat, SeatIx};

fn winner(text: &str) -> Option<String> {
    Pick::from_text(text, &IdLists::default().with("labels", ["A", "B"])).map(|pick| pick.winner)
}

#[test]
fn a_winner_is_read_from_its_line_and_never_from_prose() {
    for (text, want) in [
        ("Response A is better than Response B.\nWINNER: A", Some("A")),
        ("REASONING: B rambles.\nWINNER: Response A", Some("A")),
        ("**WINNER: Response B**", Some("B")),
        ("**WINNER:** [Response B]", Some("B")),
        ("winner: response b.", Some("B")),
        ("WINNER: A\nOn reflection:\nWINNER: B", Some("B")),
        ("Response A is better than Response B.", None),
        ("The WINNER: A", None),
        ("WINNER: neither", None),
        ("WINNER: A or B", None),
        ("WINNER: C", None),
        ("WINNER:", None),
    ] {
        assert_eq!(winner(text).as_deref(), want, "{text:?}");
    }
    let terms = IdLists::default().with("labels", ["K3", "T9"]);
    let (value, _) = Pick::read("REASONING: It says **why**.\n\nWINNER: K3", &terms).expect("a whole word");
    assert_eq!(value, json!({"reasons": "It says **why**.", "winner": "K3"}));
    assert!(Pick::read("{\"reasons\": \"r\", \"winner\": \"B\"}", &terms).expect_err("B is not there").contains("K3, T9"));
}

#[test]
fn equals_are_told_apart_by_their_own_matches_then_by_lot() {
    let won = |pairs: &[(usize, usize)], n: usize| {
        let mut wins = vec![vec![0.0; n]; n];
        for (winner, loser) in pairs {
            wins[*winner][*loser] += 1.0;
        }
        wins
    };
    let clear = standings(&won(&[(2, 0), (2, 1), (0, 1)], 3), 1);
    assert_eq!((clear.order, clear.tiebreak), (vec![2, 0, 1], Tiebreak::None));
    // 0 and 1 have two wins each and the same strength; 1 beat 0.
    let met = standings(&won(&[(1, 0), (0, 2), (0, 3), (1, 2), (3, 1), (2, 3)], 4), 1);
    assert_eq!((met.order[..2].to_vec(), met.tiebreak), (vec![1, 0], Tiebreak::HeadToHead));
    // Four stand equal. Among them 0 and 1 have two points each, 2 and 3 one each; then 0 beat 1, and 2 beat 3.
    let among = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 0)];
    let outside = [(0, 4), (5, 0), (4, 1), (1, 5), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)];
    let nested = won(&[among.as_slice(), &outside].concat(), 6);
    for seed in 0..20 {
        let table = standings(&nested, seed);
        assert_eq!((table.order, table.tiebreak), (vec![0, 1, 2, 3, 4, 5], Tiebreak::HeadToHead), "{seed}");
    }
    let circle = won(&[(0, 1), (1, 2), (2, 0)], 3);
    let firsts: Vec<usize> = (0..60)
        .map(|seed| standings(&circle, seed))
        .map(|table| {
            assert_eq!(table.tiebreak, Tiebreak::Draw);
            table.order[0]
        })
        .collect();
    assert!((0..3).all(|entrant| firsts.contains(&entrant)), "{firsts:?}");
}

#[test]
fn a_round_robin_is_for_six_at_most_and_says_so_before_anything_is_paid() {
    let seat = |index: SeatIx, place| Seat { index, label: format!("m{index}"), model: "m".into(), place, persona: None };
    let seating = |contestants: SeatIx| Seating {
        seats: (0..contestants).map(|index| seat(index, Place::Panel)).chain([seat(contestants, Place::Chair)]).collect(),
        ..Seating::default()
    };
    let problems = |format: Format, contestants| (MODE.check_seating)(&Json::of(&json!({"format": format})), &seating(contestants));
    assert!(problems(Format::RoundRobin, 6).is_empty() && problems(Format::Knockout, 8).is_empty());
    let [problem] = problems(Format::RoundRobin, 7).try_into().expect("one problem");
    assert_eq!((problem.field.as_str(), problem.got.as_str()), ("options.format", "round_robin with 7 contestants"));
    let calls = |format: Format, contestants| {
        let lines = (MODE.calls)(&Json::of(&json!({"format": format})), &seating(contestants));
        (lines[1].min, lines[1].max)
    };
    assert_eq!([calls(Format::Knockout, 8), calls(Format::RoundRobin, 6), calls(Format::Knockout, 5)], [(14, 28), (30, 60), (8, 16)]);
}

proptest! {
    #[test]
    fn every_entrant_has_one_place_in_the_table(seed: u64, draw: u64, n in 2_usize..=6) {
        let mut rng = synod_math::Rng::new(seed);
        let mut wins = vec![vec![0.0; n]; n];
        for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
            match rng.below(3) {
                0 => wins[a][b] = 1.0,
                1 => wins[b][a] = 1.0,
                _ => (wins[a][b], wins[b][a]) = (0.5, 0.5),
            }
        }
        let table = standings(&wins, draw);
        let mut sorted = table.order.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..n).collect::<Vec<_>>());
        let points = |entrant: usize| wins[entrant].iter().sum::<f64>();
        prop_assert!(table.order.windows(2).all(|pair| points(pair[0]) >= points(pair[1])), "all met once, so more points are a better place");
    }
}
