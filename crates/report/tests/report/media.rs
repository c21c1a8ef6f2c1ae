//! What people see of a run, in each medium. Read a changed snapshot as its reader would.

use crate::runs;
use serde_json::json;
use synod_report::{Extent, Style, View, html, markdown, show, stopped, terminal, verdict};
use synod_types::{Answer, AnswerKind, Dissent, FailureKind, Header, Missing, RunState, Status, Verdict};

fn plain(width: usize) -> Style {
    Style { width, colour: false, unicode: true }
}

#[test]
fn a_council_in_the_terminal() {
    let view = View::of(&runs::council());
    insta::assert_snapshot!("council_terminal_80", terminal(&view, plain(80)));
    insta::assert_snapshot!("council_terminal_40", terminal(&view, plain(40)));
    insta::assert_snapshot!("council_terminal_120", terminal(&view, plain(120)));
}

#[test]
fn a_council_with_colour_and_without_unicode() {
    let view = View::of(&runs::council());
    insta::assert_snapshot!("council_terminal_colour", terminal(&view, Style { width: 80, colour: true, unicode: true }).replace('\u{1b}', "ESC"));
    insta::assert_snapshot!("council_terminal_ascii", terminal(&view, Style { width: 80, colour: false, unicode: false }));
}

#[test]
fn a_vote_in_the_terminal() {
    insta::assert_snapshot!("vote_terminal", terminal(&View::of(&runs::vote()), plain(80)));
    insta::assert_snapshot!("vote_terminal_40", terminal(&View::of(&runs::vote()), plain(40)));
}

#[test]
fn a_degraded_council_says_who_is_missing_and_never_calls_an_unknown_cost_zero() {
    let text = terminal(&View::of(&runs::degraded()), plain(80));
    assert!(text.contains("unknown") && !text.contains("$0 "), "{text}");
    insta::assert_snapshot!("degraded_terminal", text);
}

#[test]
fn a_verdict_begins_with_twelve_lines_at_most_and_cuts_none_of_its_parts_out() {
    let long = |what: &str| format!("{what} {}", "and a good deal more that nobody reads at midnight ".repeat(9));
    let names = |view: &View| -> Vec<String> {
        let text = verdict(view, plain(80), Extent::Brief);
        assert!(text.lines().count() <= 12, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(terminal(view, plain(80)).starts_with(&text), "the whole begins with the brief");
        text.lines()
            .filter_map(|line| line.get(..12).map(str::trim).filter(|name| !name.is_empty() && !name.contains(' ')))
            .map(str::to_owned)
            .collect()
    };
    for dissenters in [0, 1, 2, 3, 9] {
        for missing in [0, 1, 5] {
            let mut view = View::of(&runs::council());
            if let (Some(header), Some(verdict)) = (view.header.as_mut(), view.verdict.as_mut()) {
                header.models.values_mut().for_each(|card| card.rehearsal = true);
                verdict.action = Some(long("Wait"));
                verdict.decision = Some(json!({"summary": long("2 of 3 say wait")}));
                verdict.unsure = Some(long("because"));
                verdict.confidence = None;
                verdict.dissent = (0..dissenters).map(|seat| Dissent { seat: Some(seat), label: None, text: long("No") }).collect();
                let lost = |seat| Missing { seat, who: long("qwen"), phase: "rank".into(), why: FailureKind::Timeout, detail: long("120 s") };
                verdict.missing = (0..missing).map(lost).collect();
                verdict.status = if missing > 0 { Status::Degraded } else { Status::Full };
            }
            let names = names(&view);
            let has = |name: &str| names.iter().any(|each| each == name);
            assert!(has("Decided") && has("Sure") && has("Cost"), "{names:?}");
            assert_eq!((has("Against"), has("Degraded")), (dissenters > 0, missing > 0), "{names:?}");
        }
    }
    let degraded = View::of(&runs::degraded());
    let text = verdict(&degraded, plain(80), Extent::Brief);
    assert!(text.contains("Degraded    stands without"), "{text}");
}

#[test]
fn an_answer_computed_without_a_panel_names_no_replies() {
    let mut alone = runs::header("collapse", "Which way?");
    alone.seats.clear();
    let seated = runs::header("collapse", "Which way?");
    let pages = |header: &Header, asked: bool| {
        let mut tape = runs::Tape::new(header);
        if asked {
            tape.turn("round 1/a/verify@0", "opus", 5, (10, 10), None, json!("No.")).fail("round 1/b/verify@1", FailureKind::Timeout, "120 s");
        }
        let answer = Answer { kind: AnswerKind::Computed, text: "Take a.".into(), by: Vec::new() };
        let rows = tape.verdict(Verdict { answer: Some(answer), ..runs::verdict("collapse", Status::Full) });
        let view = View::of(&rows);
        [terminal(&view, plain(100)), markdown(&view), html(&view)]
    };
    let (by_rule, by_replies) = ("Computed by rule from what was given; no model was asked", "Computed from the panel");
    for page in pages(&alone, false) {
        assert!(page.contains(by_rule) && !page.contains(by_replies), "{page}");
    }
    for page in pages(&seated, true) {
        assert!(page.contains(by_replies) && !page.contains(by_rule), "{page}");
    }
}

#[test]
fn answers_are_one_flag_away() {
    let view = View::of(&runs::council());
    let (whole, with_answers) = (terminal(&view, plain(80)), verdict(&view, plain(80), Extent::WithAnswers));
    assert!(!whole.contains("Most write load of this kind") && with_answers.contains("Most write load of this kind"), "{with_answers}");
}

#[test]
fn the_order_a_reader_was_shown_is_in_the_long_form_and_not_beside_the_answer() {
    let view = View::of(&runs::council());
    let order = "Saw them in this order: ";
    assert!(!terminal(&view, plain(80)).contains(order));
    assert_eq!(show(&view, plain(80), false).matches(order).count(), markdown(&view).matches(order).count());
}

#[test]
fn a_lost_run_gives_each_reason_what_was_kept_and_the_next_command() {
    let view = View::of(&runs::lost());
    assert_eq!(view.state, RunState::Lost);
    insta::assert_snapshot!("lost_terminal", terminal(&view, plain(80)));
}

#[test]
fn a_stopped_run_says_why_and_how_to_go_on() {
    let view = View::of(&runs::stopped());
    assert_eq!(view.state, RunState::Stopped);
    insta::assert_snapshot!("stopped_terminal", stopped(&view, plain(80)));
    insta::assert_snapshot!("waiting_terminal", stopped(&View::of(&runs::waiting()), plain(80)));
}

#[test]
fn the_long_form_has_every_phase_and_turn() {
    insta::assert_snapshot!("council_show", show(&View::of(&runs::council()), plain(80), false));
    insta::assert_snapshot!("council_show_full", show(&View::of(&runs::council()), plain(80), true));
    insta::assert_snapshot!("degraded_show", show(&View::of(&runs::degraded()), plain(80), false));
    insta::assert_snapshot!("stopped_show", show(&View::of(&runs::stopped()), plain(80), false));
}

#[test]
fn reports_in_markdown() {
    insta::assert_snapshot!("council_markdown", markdown(&View::of(&runs::council())));
    insta::assert_snapshot!("vote_markdown", markdown(&View::of(&runs::vote())));
    insta::assert_snapshot!("degraded_markdown", markdown(&View::of(&runs::degraded())));
    insta::assert_snapshot!("lost_markdown", markdown(&View::of(&runs::lost())));
    insta::assert_snapshot!("stopped_markdown", markdown(&View::of(&runs::stopped())));
}

#[test]
fn every_medium_says_the_status_of_a_run_that_has_one() {
    for (rows, word) in [(runs::council(), "Full"), (runs::vote(), "Full"), (runs::degraded(), "Degraded"), (runs::lost(), "No quorum")] {
        let view = View::of(&rows);
        assert!(markdown(&view).contains(&format!("\n- {word}: ")), "{}", markdown(&view));
        assert!(html(&view).contains(&format!("</span>{word}</span>")), "{}", html(&view));
    }
    assert!(!markdown(&View::of(&runs::stopped())).contains("- Full: "));
}

#[test]
fn reports_in_html() {
    // The style sheet is left out: it changes without changing what a page says.
    let page = |rows: &[synod_types::Row]| html(&View::of(rows)).replace(synod_report::STYLE, "");
    insta::assert_snapshot!("council_html", page(&runs::council()));
    insta::assert_snapshot!("vote_html", page(&runs::vote()));
    insta::assert_snapshot!("degraded_html", page(&runs::degraded()));
    insta::assert_snapshot!("lost_html", page(&runs::lost()));
    insta::assert_snapshot!("stopped_html", page(&runs::stopped()));
}

/// Code, addresses, ids and commands are left whole, to be copied; everything else keeps to the sheet.
#[test]
fn lines_keep_to_the_width() {
    for rows in [runs::council(), runs::vote(), runs::degraded(), runs::lost(), runs::stopped(), runs::waiting()] {
        let view = View::of(&rows);
        for width in [40, 80, 120] {
            for text in [terminal(&view, plain(width)), show(&view, plain(width), false)] {
                for line in text.lines() {
                    let whole = [runs::RUN, "://", "SELECT", "\"reasons\"", "head "].iter().any(|part| line.contains(part));
                    assert!(whole || line.chars().count() <= width, "{width}: {line}");
                }
            }
        }
    }
}
