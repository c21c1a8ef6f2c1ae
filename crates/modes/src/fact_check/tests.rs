//! The vectors of a fact-check: replies as models write them, and what the votes, the marks and the table come to.

use super::checks::{Check, Ruling, Sureness, Verification, Vote, votes};
use super::claim_rulings::{ClaimRuling, Totals, dissent};
use super::claims::{Claim, ClaimType, ExtractedClaim, Extraction, number};
use super::material::Material;
use super::report::{Method, action, annotate, appendix, headline, summary};
use proptest::prelude::*;
use synod_engine::{IdLists, ReplyFormat, TypedReply};
use synod_types::{Attachment, SeatIx};

fn terms() -> IdLists {
    IdLists::default().with("claims", ["claim_1", "claim_2", "claim_3"])
}

/// `claim_1 DISPUTED HIGH (correction)`, one a line.
fn read(text: &str) -> Option<String> {
    let checks = Verification::from_text(text, &terms())?.checks;
    let line = |check: &Check| {
        let correction = check.correction.as_ref().map(|right| format!(" ({right})")).unwrap_or_default();
        format!("{} {} {}{correction}", check.id, check.verdict.as_str(), check.confidence.as_str())
    };
    Some(checks.iter().map(line).collect::<Vec<_>>().join("; "))
}

#[test]
fn rulings_are_read_from_their_blocks_and_from_nowhere_else() {
    let block = |head: &str| format!("{head}\nEvidence: seen\nCorrection: N/A\nConfidence: HIGH\n");
    let whole = "claim_1 VERIFIED HIGH (N/A)";
    for (text, want) in [
        (block("VERIFICATION claim_1: VERIFIED"), Some(whole)),
        (block("VERIFICATION 1: VERIFIED"), Some(whole)),
        (block("VERIFICATION claim_1: **VERIFIED**"), Some(whole)),
        (block("**VERIFICATION claim_1: VERIFIED**"), Some(whole)),
        (block("**VERIFICATION claim_1:** VERIFIED"), Some(whole)),
        (block("### Verification [claim_1]: [verified]"), Some(whole)),
        (block("- VERIFICATION claim_1: Verified, beyond doubt"), Some(whole)),
        (block("VERIFICATION claim_1:\nVerdict: VERIFIED"), Some(whole)),
        // A block without its Correction line takes nothing from the next one.
        (
            "VERIFICATION claim_1: DISPUTED\nEvidence: wrong\nConfidence: LOW\nVERIFICATION claim_2: VERIFIED\nEvidence: right\nCorrection: N/A\nConfidence: HIGH"
                .into(),
            Some("claim_1 DISPUTED LOW; claim_2 VERIFIED HIGH (N/A)"),
        ),
        // Fields in another order, bold, and with counts below the last block.
        (
            "**VERIFICATION 2: DISPUTED**\n- **Confidence:** Medium\n- **Correction:** It was 1998.\n\nVerified: 0\nDisputed: 1".into(),
            Some("claim_2 DISPUTED MEDIUM (It was 1998.)"),
        ),
        (block("VERIFICATION claim_9: VERIFIED"), None),
        (block("VERIFICATION claim_1: PROBABLY"), None),
        (block("VERIFICATION claim_1: not VERIFIED"), None),
        ("VERIFICATION claim_1: VERIFIED\nEvidence: no confidence given".into(), None),
        (format!("{}{}", block("VERIFICATION claim_1: VERIFIED"), "VERIFICATION claim_2: maybe\nConfidence: LOW"), Some(whole)),
        ("I verified claim_1: VERIFIED. In VERIFICATION claim_1: VERIFIED was my word. Confidence: HIGH".into(), None),
        ("All claims are VERIFIED.".into(), None),
        (String::new(), None),
    ] {
        assert_eq!(read(&text).as_deref(), want, "{text}");
    }
}

#[test]
fn claims_are_read_from_their_blocks_or_all_of_the_reply_is_refused() {
    let read = |text: &str| Extraction::from_text(text, &IdLists::default()).map(|read| read.claims);
    let one = |claim: &str, context: &str, kind| vec![ExtractedClaim { claim: claim.into(), context: context.into(), kind }];
    let plain = "Two opinions left out.\n\nCLAIM 1: Cron runs forty jobs.\nContext: It runs forty.\nType: STATISTIC\n\nSummary: 1 claim";
    assert_eq!(read(plain), Some(one("Cron runs forty jobs.", "It runs forty.", ClaimType::Statistic)));
    assert_eq!(Extraction::from_text(plain, &IdLists::default()).expect("a claim").reasons, "Two opinions left out.");
    let bold = "**CLAIM 1:** It came in 1998.\n- **Context:** “In 1998 it\ncame.”\n- **Type:** [DATE]";
    assert_eq!(read(bold), Some(one("It came in 1998.", "In 1998 it\ncame.", ClaimType::Date)));
    assert_eq!(read("CLAIM 7: x is y\nType: TECHNICAL"), Some(one("x is y", "", ClaimType::Technical)));
    assert_eq!(read("**NO CLAIMS**"), Some(Vec::new()));
    for unreadable in
        ["CLAIM 1: x\nContext: y\nType: OPINION", "CLAIM 1: x\nContext: y", "CLAIM 1:\nType: DATE", "There are no claims here.", "See CLAIM 1: x"]
    {
        assert_eq!(read(unreadable), None, "{unreadable}");
    }
}

#[test]
fn every_typed_reply_argues_first_and_json_comes_first() {
    for schema in [synod_engine::schema_of::<Extraction>(), synod_engine::schema_of::<Verification>()] {
        assert_eq!(schema["properties"].as_object().and_then(|map| map.keys().next()).map(String::as_str), Some("reasons"));
    }
    let error = Verification::read(r#"{"reasons":"","checks":[{"id":"claim_9","evidence":"","verdict":"VERIFIED","confidence":"LOW"}]}"#, &terms());
    assert!(error.is_err_and(|error| error.contains("claim_9") && error.contains("claim_1, claim_2, claim_3")));
    assert!(Extraction::read(r#"{"reasons":"nothing","claims":[]}"#, &IdLists::default()).is_ok());
}

fn claim(n: usize, content: &str, context: &str) -> Claim {
    let stated = ExtractedClaim { claim: format!("Statement {n}."), context: context.into(), kind: ClaimType::Technical };
    // Where its context is not in the content, the claim itself stands behind it.
    let content = format!("{content}Statement {n}.");
    Claim { id: format!("claim_{n}"), ..number(&content, vec![stated], 1).claims.remove(0) }
}

#[test]
fn claims_are_numbered_in_order_without_repetitions_and_without_strays() {
    let stated = |claim: &str, context: &str| ExtractedClaim { claim: claim.into(), context: context.into(), kind: ClaimType::Date };
    let content = "It came\nin 1998.  Then it went.";
    let all = vec![
        stated("It came in 1998.", "It came in 1998."),
        stated("It  CAME, in 1998", "elsewhere"),
        stated("…", "no words"),
        stated("It went up.", "It left."),
        stated("One more.", ""),
    ];
    let numbered = number(content, all, 2);
    let got: Vec<(&str, &str, &str, bool)> =
        numbered.claims.iter().map(|claim| (claim.id.as_str(), claim.text.as_str(), &content[claim.place.at.clone()], claim.place.quoted)).collect();
    assert_eq!(got, [("claim_1", "It came in 1998.", "It came\nin 1998.", true)]);
    assert_eq!(numbered.not_found.iter().map(|claim| claim.claim.as_str()).collect::<Vec<_>>(), ["It went up.", "One more."]);
    let over = number(content, vec![stated("It came in 1998.", ""), stated("Then it went.", "")], 1);
    assert_eq!((over.claims.len(), over.over), (1, 1));
}

#[test]
fn a_claim_is_found_by_quotation_or_by_a_close_paraphrase_with_its_numbers() {
    let content =
        "The queue of the billing team runs forty jobs every night. In 2021 a survey of 312 teams found that 14 percent regretted the change.";
    let found = |claim: &str, context: &str| {
        let stated = ExtractedClaim { claim: claim.into(), context: context.into(), kind: ClaimType::Statistic };
        number(content, vec![stated], 1).claims.first().map(|claim| (content[claim.place.at.clone()].starts_with("In 2021"), claim.place.quoted))
    };
    assert_eq!(found("Whatever it says", "runs forty jobs every night"), Some((false, true)));
    assert_eq!(found("Every night the billing queue runs forty jobs.", ""), Some((false, false)));
    assert_eq!(found("A survey in 2021 found that 14 percent of 312 teams regretted the change.", "A survey put it so."), Some((true, false)));
    assert_eq!(found("A survey in 2021 found that 41 percent of 312 teams regretted the change.", ""), None, "another number is another claim");
    assert_eq!(found("Cron was written in Bell Labs.", "It began in a laboratory."), None);
}

fn file(name: &str, text: &str) -> Attachment {
    Attachment { name: name.into(), sha256: String::new(), bytes: text.len() as u64, text: text.into() }
}

fn check(id: &str, verdict: Ruling, quote: Option<&str>, correction: Option<&str>) -> Check {
    let (quote, correction) = (quote.map(str::to_owned), correction.map(str::to_owned));
    Check { id: id.into(), evidence: "seen".into(), quote, verdict, confidence: Sureness::High, correction }
}

#[test]
fn the_last_ruling_on_a_claim_counts_and_what_is_missing_is_missing() {
    let claims = [claim(1, "", ""), claim(2, "", ""), claim(3, "", "")];
    let material = Material::new(&[file("a.txt", "forty\n jobs run"), file("b.txt", "three fail")], &claims, 2);
    let verification = Verification {
        reasons: String::new(),
        checks: vec![
            check("claim_3", Ruling::Verified, Some("forty jobs run"), Some("kept for nothing")),
            check("claim_2", Ruling::Verified, Some("forty"), None),
            check("claim_1", Ruling::Verified, Some("N/A"), None),
            check("claim_1", Ruling::Disputed, Some("“thirty jobs”"), Some(" n/a. ")),
        ],
    };
    let got = votes(&verification, &claims, &material);
    let got: Vec<_> = got
        .iter()
        .map(|check| (check.claim_id.as_str(), check.verdict, check.quote.as_deref(), check.found_in.as_deref(), check.correction.as_deref()))
        .collect();
    assert_eq!(
        got,
        [
            ("claim_1", Ruling::Disputed, Some("thirty jobs"), None, None),
            ("claim_2", Ruling::Verified, Some("forty"), None, None),
            ("claim_3", Ruling::Verified, Some("forty jobs run"), Some("a.txt"), None)
        ],
        "a word alone proves nothing"
    );
}

#[test]
fn each_claim_brings_its_nearest_passages_and_each_passage_is_shown_once() {
    let long = format!("The queue keeps jobs.\n\n{}\n\nCron forgets them.", "Nothing here. ".repeat(80));
    let mut claims = vec![claim(1, "", "The queue keeps jobs for long."), claim(2, "", "Cron forgets."), claim(3, "", "The queue again.")];
    for claim in &mut claims {
        claim.text.clear();
    }
    let material = Material::new(&[file("notes.md", &long), file("empty.txt", "")], &claims, 1);
    let shown: Vec<(&str, &str, bool)> =
        material.passages.iter().map(|passage| (passage.label.as_str(), passage.file.as_str(), passage.text.starts_with("The queue"))).collect();
    assert_eq!(shown, [("P1", "notes.md", true), ("P2", "notes.md", false)]);
    assert_eq!(material.near, [["P1"], ["P2"], ["P1"]]);
    assert_eq!(Material::new(&[file("notes.md", &long)], &claims, 0).passages, []);
    assert_eq!(Material::new(&[], &claims, 5).near, [[""; 0]; 3]);
}

/// A claim with these votes: `V` verified, `D` disputed, `U` unverifiable, each with `H`, `M` or `L`.
fn ruling(n: usize, content: &str, context: &str, votes: &str) -> ClaimRuling {
    let vote = |(seat, word): (usize, &str)| {
        let verdict = Ruling::ALL.into_iter().find(|ruling| ruling.as_str().starts_with(&word[..1])).expect("a ruling");
        let confidence =
            [Sureness::Low, Sureness::Medium, Sureness::High].into_iter().find(|sure| sure.as_str().starts_with(&word[1..])).expect("a sureness");
        let correction = (verdict == Ruling::Disputed).then(|| "It was 1998.".to_owned());
        let vote = Vote {
            claim_id: format!("claim_{n}"),
            verdict,
            confidence,
            evidence: format!("seen by {seat}"),
            quote: None,
            found_in: None,
            correction,
        };
        (seat as SeatIx, vote)
    };
    ClaimRuling::new(claim(n, content, context), votes.split_whitespace().enumerate().map(vote).collect())
}

#[test]
fn votes_come_to_rulings_and_rulings_to_a_score() {
    // votes of each claim; score; verified, disputed, unverifiable
    let table: [(&[&str], Option<u32>, [u32; 3]); 10] = [
        (&["VH VH VH", "VH VH VH"], Some(100), [2, 0, 0]),
        (&["DH DH", "DL DM DH"], Some(0), [0, 2, 0]),
        (&["UH UH"], Some(50), [0, 0, 1]),
        (&["VH"], None, [0, 0, 1]),
        (&[""], None, [0, 0, 1]),
        // The lone vote on the second claim has no weight.
        (&["VH VH", "DH"], Some(100), [1, 0, 1]),
        // 1 × 1 against 0.5 × 0.3: opposing sure votes dispute the claim, but with little weight.
        (&["VH VH", "VH DH"], Some(87), [1, 1, 0]),
        (&["VH VH", "DH DH"], Some(50), [1, 1, 0]),
        (&["VH VH", "DM DM"], Some(63), [1, 1, 0]),
        // A tie with unverifiable is open, whatever the other side says.
        (&["VH UH", "DH UH", "VH DH UH"], Some(50), [0, 0, 3]),
    ];
    for (votes, score, counts) in table {
        let all: Vec<ClaimRuling> = (1..).zip(votes).map(|(n, votes)| ruling(n, "", "", votes)).collect();
        let totals = Totals::of(&all);
        assert_eq!((totals.score, [totals.verified, totals.disputed, totals.unverifiable]), (score, counts), "{votes:?}");
    }
}

#[test]
fn an_even_split_is_disputed_with_low_confidence_and_the_other_side_is_kept() {
    let split = ruling(1, "", "", "VH DH");
    assert_eq!((split.outcome.ruling, split.outcome.sureness, split.agreement()), (Ruling::Disputed, Sureness::Low, Some(50)));
    assert_eq!(split.correction.as_deref(), Some("It was 1998."));
    let kept = dissent(&[split]);
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].seat, kept[0].label.as_deref(), kept[0].text.as_str()), (Some(0), None, "“Statement 1.” is verified: seen by 0"));
    let verified = ruling(1, "", "", "VH VM DH");
    assert_eq!((verified.outcome.sureness, verified.correction), (Sureness::Medium, None));
    assert!(dissent(&[ruling(1, "", "", "VH")]).is_empty(), "one vote alone opposes nobody");
}

#[test]
fn marks_stand_behind_the_sentences_they_belong_to() {
    let content = "Cron runs forty jobs. “Three fail.” It is old";
    let claims = [
        ruling(1, content, "Cron runs forty jobs", "VH VH"),
        ruling(3, content, "It is old", "UH UH"),
        ruling(4, content, "Cron runs forty jobs.", "DH DH"),
        ruling(5, content, "forty jobs. “Three fail", "DH DH"),
    ];
    let want = "Cron runs forty jobs. [VERIFIED claim_1] [DISPUTED claim_4] “Three fail.” [DISPUTED claim_5] It is old [UNVERIFIABLE claim_3]";
    assert_eq!(annotate(content, &claims), want);
    let stray = [ExtractedClaim { claim: "It is blue.".into(), context: "nowhere in it".into(), kind: ClaimType::Technical }];
    let text = appendix(content, &claims, &stray, &Totals::of(&claims), &Method { checkers: 2, with_passages: false });
    assert!(text.contains("## Not found in the content") && text.ends_with("- It is blue."), "{text}");
    assert!(!text.contains('|'), "the claims have an exhibit: {text}");
    assert!(text.contains("2 checkers ruled, each alone, on all claims from memory"), "{text}");
    assert!(text.contains(&format!("> {want}")), "{text}");
}

#[test]
fn the_report_says_who_ruled_on_how_much() {
    let claims = [ruling(1, "", "", "VH VH"), ruling(2, "", "", "DH")];
    let said =
        |claims: &[ClaimRuling], checkers| appendix("Statement 1.", claims, &[], &Totals::of(claims), &Method { checkers, with_passages: false });
    let text = said(&claims, 2);
    assert!(text.contains("2 checkers ruled, each alone, though not each on every claim (3 of 4 possible votes), from memory"), "{text}");
    let text = said(&[ruling(1, "", "", "VH"), ruling(2, "", "", "")], 1);
    assert!(text.contains("1 checker ruled on 1 of 2 claims from memory"), "{text}");
}

#[test]
fn the_first_words_say_what_to_do_and_what_was_decided() {
    let told = |votes: &[&str]| {
        let all: Vec<ClaimRuling> = (1..).zip(votes).map(|(n, votes)| ruling(n, "", "", votes)).collect();
        (action(&all, &Totals::of(&all)), summary(&Totals::of(&all), 1))
    };
    let (action, summary) = told(&["VH VH", "DH DH", "UH UH"]);
    assert_eq!(action, "Correct 1 of 3 claims before you rely on the text, first: Statement 2. Rather: It was 1998.");
    assert_eq!(summary, "1 of 3 claims verified, 1 disputed, 1 unverifiable; reliability 50 of 100, mixed; 1 more not found in the text.");
    assert_eq!(told(&["VH VH", "UH UH"]).0, "Find a source for 1 of 2 claims before you rely on the text, first: Statement 2.");
    assert_eq!(told(&["VH VH", "VH VH"]).0, "You can rely on the text: all 2 claims hold.");
    let mut open = ruling(1, "", "", "DH DH");
    open.claim.text = "## Costs ".into();
    let open = [open];
    let action = super::report::action(&open, &Totals::of(&open));
    assert_eq!(action, "Correct 1 of 1 claims before you rely on the text, first: ## Costs. Rather: It was 1998.");
    let lone = [ruling(2, "", "", "DH")];
    assert!(headline(&Totals::of(&lone)).starts_with("There is no reliability score"));
    let held = [ruling(1, "", "", "VH VH DH")];
    assert_eq!(headline(&Totals::of(&held)), "Reliability 100 of 100: highly reliable. Claims: 1 verified, 0 disputed, 0 unverifiable.");
}

#[test]
fn a_text_of_which_less_than_half_is_verified_is_not_mostly_reliable() {
    // 0.4 of the weight verified and 0.6 open comes to 70.
    let all: Vec<ClaimRuling> = (1..).zip(["VH VH", "VH VH", "UH UH", "UH UH", "UH UH"]).map(|(n, votes)| ruling(n, "", "", votes)).collect();
    let totals = Totals::of(&all);
    assert_eq!((totals.score, totals.held, totals.band()), (Some(70), 0.4, Some(synod_math::Band::Mixed)));
}

proptest! {
    /// Whatever a model sends, a reader returns, and rules on nothing that was not asked.
    #[test]
    fn no_text_breaks_a_reader(text in ".{0,300}", form in "(VERIFICATION |CLAIM |claim_[1-4]|1|: |VERIFIED|DISPUTED|\\*\\*|\\[|\\n|Evidence: |Confidence: |HIGH|Type: |DATE|x){0,40}") {
        for text in [text.clone(), form.clone(), format!("{form}{text}")] {
            if let Ok((value, _)) = Verification::read(&text, &terms()) {
                let ids: Vec<&str> = value["checks"].as_array().expect("a list").iter().filter_map(|check| check["id"].as_str()).collect();
                prop_assert!(ids.iter().all(|id| terms().list("claims").iter().any(|known| known == id)));
            }
            if let Ok((value, _)) = Extraction::read(&text, &IdLists::default()) {
                prop_assert!(value["claims"].as_array().expect("a list").iter().all(|claim| claim["type"].is_string()));
            }
        }
    }

    /// Marks are all that is added, wherever the sentences stand.
    #[test]
    fn marking_changes_nothing_else(content in "[ab. \n“”é]{0,40}", contexts in prop::collection::vec("[ab. é]{0,5}", 0..5)) {
        let stands = |context: &&String| !context.is_empty() && synod_math::Verbatim::new(&content).find(&content, context).is_some();
        let claims: Vec<ClaimRuling> = (1..).zip(contexts.iter().filter(stands)).map(|(n, context)| ruling(n, &content, context, "VH VH")).collect();
        let mut text = annotate(&content, &claims);
        for claim in &claims {
            let mark = format!(" [VERIFIED {}]", claim.claim.id);
            prop_assert_eq!(text.matches(&mark).count(), 1);
            text = text.replacen(&mark, "", 1);
        }
        prop_assert_eq!(text, content);
    }
}
