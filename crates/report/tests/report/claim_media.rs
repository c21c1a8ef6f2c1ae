//! What people see of a claim, in each medium. Read a changed snapshot as its reader would.

use crate::claims::{self, CLAIM};
use synod_report::{Style, claim_brief, claim_html, claim_markdown, claim_terminal};
use synod_types::{ClaimView, LayerOutcome, LayerResult, PipelineStatus, SlotType};

fn plain(width: usize) -> Style {
    Style { width, colour: false, unicode: true }
}

fn all() -> [(&'static str, ClaimView); 5] {
    [
        ("active", claims::active()),
        ("flagged", claims::flagged()),
        ("rerun", claims::rerun()),
        ("complete", claims::complete()),
        ("closed", claims::closed()),
    ]
}

#[test]
fn claims_in_the_terminal() {
    for (name, view) in all() {
        insta::assert_snapshot!(format!("claim_{name}_terminal"), claim_terminal(&view, plain(80)));
        insta::assert_snapshot!(format!("claim_{name}_brief"), claim_brief(&view, plain(80)));
    }
}

#[test]
fn a_claim_in_a_narrow_terminal_and_without_unicode() {
    insta::assert_snapshot!("claim_complete_terminal_40", claim_terminal(&claims::complete(), plain(40)));
    insta::assert_snapshot!("claim_flagged_brief_40", claim_brief(&claims::flagged(), plain(40)));
    let ascii = claim_terminal(&claims::rerun(), Style { width: 80, colour: false, unicode: false });
    assert!(ascii.is_ascii(), "{ascii}");
    insta::assert_snapshot!("claim_rerun_terminal_ascii", ascii);
}

#[test]
fn claims_in_markdown() {
    for (name, view) in all() {
        insta::assert_snapshot!(format!("claim_{name}_markdown"), claim_markdown(&view));
    }
}

#[test]
fn claims_in_html() {
    // The style sheet is left out: it changes without changing what a page says.
    for (name, view) in all() {
        let page = claim_html(&view);
        assert!(page.contains("default-src 'none'") && !page.contains(" style="), "{name}");
        insta::assert_snapshot!(format!("claim_{name}_html"), page.replace(synod_report::STYLE, ""));
    }
}

/// Ids, commands and hashes are left whole, to be copied; everything else keeps to the sheet.
#[test]
fn lines_keep_to_the_width() {
    for (_, view) in all() {
        for width in [40, 80, 120] {
            for text in [claim_terminal(&view, plain(width)), claim_brief(&view, plain(width))] {
                for line in text.lines() {
                    let whole = [CLAIM, "://", "0x"].iter().any(|part| line.contains(part));
                    assert!(whole || line.chars().count() <= width, "{width}: {line}");
                }
            }
        }
    }
}

#[test]
fn a_brief_stays_brief() {
    let long = "Long words about little, again and again. ".repeat(60);
    for (name, mut view) in all() {
        if let Some(record) = &mut view.record {
            record.summary.clone_from(&long);
            record.dissent = vec![long.clone(); 9];
            record.open_questions = vec![long.clone(); 9];
        }
        view.claim.body.clone_from(&long);
        let text = claim_brief(&view, plain(80));
        assert!(text.lines().count() <= 28, "{name}: {text}");
    }
}

#[test]
fn a_flagged_claim_names_the_command_that_goes_on_and_no_other_does() {
    for (name, view) in all() {
        let waits = view.pipeline.status == PipelineStatus::Flagged;
        for text in [claim_terminal(&view, plain(80)), claim_brief(&view, plain(80)), claim_html(&view)] {
            assert_eq!(text.contains(&format!("synod claim review {CLAIM}")), waits, "{name}");
        }
    }
}

#[test]
fn what_is_withheld_or_superseded_says_so() {
    let withheld = claims::active();
    for text in [claim_terminal(&withheld, plain(120)), claim_markdown(&withheld), claim_html(&withheld)] {
        assert!(text.contains("withheld until its phase ends") && text.contains("open") && text.contains("taken since"), "{text}");
    }
    let rerun = claims::rerun();
    for text in [claim_terminal(&rerun, plain(120)), claim_markdown(&rerun), claim_html(&rerun)] {
        assert!(text.contains("superseded") && text.contains("taken over from the attempt before"), "{text}");
        assert!(text.contains("69.95%"), "the mean is not rounded up to its threshold: {text}");
    }
}

#[test]
fn a_layer_passed_by_a_person_and_one_of_another_protocol_keep_their_place() {
    let mut view = claims::complete();
    view.layers.retain(|result| result.layer != 3 || result.attempt == 2);
    view.layers[2].outcome = LayerOutcome::Overridden;
    view.layers[2].avg_confidence = 0.5;
    let route = LayerResult { layer: 0, stage_name: "meta-classify".into(), effect: Some("protocol: four-layers".into()), ..view.layers[0].clone() };
    view.layers.push(route);
    let text = claim_brief(&view, plain(80));
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("needs")).collect();
    assert_eq!(
        rows[..4],
        [
            "  ● 0 meta-classify   passed      ██████████████│██····  78%, needs 70%",
            "  ● 1 framing         passed      ██████████████│██····  78%, needs 70%",
            "  ● 2 classification  passed      ██████████████│███···  85%, needs 70%",
            "  ◆ 3 evidence        overridden  ██████████····│······  50%, needs 70%",
        ],
        "{text}"
    );
}

#[test]
fn a_second_attempt_in_work_says_so_and_has_no_mean_yet() {
    let mut view = claims::rerun();
    view.layers.truncate(3);
    view.slots.retain(|slot| slot.layer < 4);
    view.pipeline.current_layer = 3;
    view.pipeline.attempt = 2;
    let last = view.slots.len() - 1;
    view.slots[last] = claims::slot(3, 2, SlotType::Consensus, 2, "consensus");
    let text = claim_terminal(&view, plain(80));
    assert!(text.contains("In progress at layer 3, evidence, attempt 2, consensus phase: 1 of 2 slots done."), "{text}");
    assert!(text.contains("▶ 3 evidence        current        ··············│······  needs 70%"), "{text}");
    assert!(text.contains("attempt 1: 69.95%, needs 70%, flagged; superseded") && text.contains("attempt 2: current"), "{text}");
}
