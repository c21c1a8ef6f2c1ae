//! What may be read from an attack, a defence and a ruling, and what becomes of findings.

use super::fate::Fate;
use super::findings::Register;
use super::material::Material;
use super::replies::{self, Attack, AttackAgain, Defence, Flaw, Reopening, Response, ResponseVerdict, Ruling, Rulings};
use super::rows::HardeningConfidence;
use super::severity::{Risk, Severity};
use crate::revision::long_enough;
use proptest::prelude::*;
use synod_engine::{IdLists, ReplyFormat, TypedReply};
use synod_types::{Attachment, Question};

const PLAIN: &str = "ATTACK REPORT — ROUND 1\n\nFINDING 1: Open port\nSeverity: CRITICAL\nLocation: Section 2\nVulnerability: The port is open.\n\
    Exploit Scenario: Anybody connects.\n\nFINDING 2: No limit\nSeverity: Low\nLocation: Section 4\nVulnerability: Requests are not counted.\n\
    Exploit Scenario: A loop.\n\nSUMMARY:\nCritical: 1\nOverall Risk: CRITICAL";

fn terms() -> IdLists {
    let ids = ["F1", "F2", "F3"];
    IdLists::default().with("answered", ids).with("findings", ids).with("disputed", ids)
}

fn flaws(text: &str) -> Option<Vec<(String, Severity)>> {
    let attack = Attack::from_text(text, &terms())?;
    Some(attack.findings.into_iter().map(|flaw| (flaw.title, flaw.severity)).collect())
}

#[test]
fn the_classic_report_is_read_field_by_field() {
    let attack = Attack::from_text(PLAIN, &terms()).expect("a report");
    assert_eq!(attack.reasons, "ATTACK REPORT — ROUND 1");
    assert!(!attack.no_flaws);
    let second = &attack.findings[1];
    assert_eq!((second.title.as_str(), second.severity, second.location.as_str()), ("No limit", Severity::Low, "Section 4"));
    assert_eq!((second.vulnerability.as_str(), second.exploit.as_str()), ("Requests are not counted.", "A loop."));
}

#[test]
fn bold_labels_and_headings_keep_findings_and_fields_apart() {
    let text = "### Finding 1 — Open port\n**Severity:** HIGH\n- **Location**: line 3\n**Vulnerability:** The port is open.\n**Exploit Scenario:** \
        Anybody connects.\n\n### Finding 2 — No limit\n**Severity:** MEDIUM\n**Vulnerability:** Nothing counts.\n**Exploit Scenario:** A loop.\n\n**SUMMARY**\n\
        Critical: 0";
    let attack = Attack::from_text(text, &terms()).expect("two findings");
    assert_eq!(attack.findings.len(), 2);
    assert_eq!(attack.findings[0].vulnerability, "The port is open.");
    assert_eq!(attack.findings[1].exploit, "A loop.");
}

#[test]
fn nothing_is_found_in_prose() {
    for text in [
        "I looked at severity, location and vulnerability and have no issues to report.",
        "There is no vulnerability of any severity at this location. Finding 1 would be the tone.",
        "I found no flaws in section 2, but the rest worries me.",
        "Looks good to me.",
        "",
    ] {
        let attack = Attack::from_text(text, &terms()).expect("prose without blocks");
        assert!(attack.findings.is_empty() && !attack.no_flaws, "{text}");
        assert!(Attack::read(text, &terms()).is_err(), "no clean bill of health: {text:?}");
    }
}

#[test]
fn a_clean_bill_needs_the_line_and_an_empty_list() {
    for text in ["I tried everything.\n\nNO FLAWS", "**No flaws.**", "## NO FLAWS FOUND", "- no findings"] {
        let (value, _) = Attack::read(text, &terms()).expect(text);
        assert_eq!(value["no_flaws"], true, "{text}");
    }
    let both = format!("NO FLAWS\n{PLAIN}");
    assert!(!Attack::from_text(&both, &terms()).expect("findings").no_flaws, "what is listed counts");
    assert!(Attack::read("{\"reasons\": \"r\", \"findings\": [], \"no_flaws\": false}", &terms()).is_err_and(|error| error.contains("no_flaws")));
    assert!(Attack::read("{\"reasons\": \"r\", \"findings\": [], \"no_flaws\": true}", &terms()).is_ok());
}

#[test]
fn a_report_that_cannot_be_read_is_no_clean_bill() {
    for text in [
        "1. Open port\nSeverity: HIGH\nVulnerability: open\n\nNO FLAWS",
        "**A. Open port** (**Severity**: HIGH)\n\nSection 3:\nNo findings",
        "| Flaw | Severity |\n| Open port | HIGH |\nNo flaws found",
        "- Exploit Scenario: anybody connects.\nNO FLAWS",
        "{\"findings\": [{\"severity\": \"HIGH\"}]}\nNO FLAWS",
        "Section 1:\nNo flaws\n\nSection 2: the port is open to anybody.",
    ] {
        assert!(Attack::read(text, &terms()).is_err(), "{text}");
        assert!(AttackAgain::read(text, &terms()).is_err(), "{text}");
    }
    let numbered = "FINDING #1: Open port\nSeverity: HIGH\nVulnerability: The port is open.";
    assert_eq!(flaws(numbered), Some(vec![("Open port".into(), Severity::High)]));
}

#[test]
fn what_is_accepted_must_come_with_the_text() {
    let defence = |verdict: &str, content: &str| {
        let response = format!(r#"{{"id": "F1", "verdict": "{verdict}", "reasoning": "r", "revision": null}}"#);
        Defence::read(&format!(r#"{{"reasons": "r", "responses": [{response}], "revised_content": "{content}"}}"#), &terms())
    };
    assert!(defence("ACCEPT", " ").is_err_and(|error| error.contains("F1") && error.contains("revised_content")));
    assert!(defence("ACCEPT", "The work.").is_ok() && defence("REBUT", "").is_ok());
    assert!(Defence::read("RESPONSE TO FINDING F1:\nVerdict: ACCEPT\nReasoning: right\nRevision: a limit", &terms()).is_err());
}

#[test]
fn a_severity_is_the_word_the_value_begins_with() {
    for (value, want) in [
        ("HIGH (not CRITICAL)", Some(Severity::High)),
        ("**Critical**", Some(Severity::Critical)),
        ("[MEDIUM]", Some(Severity::Medium)),
        ("low, in my view", Some(Severity::Low)),
        ("LOW to MEDIUM", None),
        ("HIGH/CRITICAL", None),
        ("not HIGH", None),
        ("8/10", None),
        ("highest", None),
    ] {
        assert_eq!(replies::severity(value), want, "{value}");
    }
}

#[test]
fn a_block_without_its_severity_or_flaw_makes_the_report_unreadable() {
    for text in [
        "FINDING 1: A\nVulnerability: v",
        "FINDING 1: A\nSeverity: LOW to MEDIUM\nVulnerability: v",
        "FINDING 1: A\nSeverity: LOW",
        "FINDING 1:\nSeverity: LOW\nVulnerability: v",
    ] {
        assert_eq!(flaws(text), None, "{text}");
    }
    assert_eq!(flaws("FINDING 1:\nTitle: A\nSeverity: LOW\nVulnerability: v"), Some(vec![("A".into(), Severity::Low)]));
}

#[test]
fn answers_are_reopened_by_id_and_only_those_given() {
    let text = "**REOPEN F2:** the check can be skipped\nREOPEN 1 — same as before\n\nFINDING 9: B\nSeverity: LOW\nVulnerability: v\nExploit: e";
    let attack = AttackAgain::from_text(text, &terms()).expect("a later attack");
    let reopened: Vec<(&str, &str)> = attack.reopened.iter().map(|reopened| (reopened.id.as_str(), reopened.why.as_str())).collect();
    assert_eq!(reopened, [("F2", "the check can be skipped"), ("F1", "same as before")]);
    assert_eq!((attack.findings.len(), attack.findings[0].exploit.as_str()), (1, "e"));
    assert_eq!(AttackAgain::from_text("REOPEN F9: no such finding", &terms()), None);
    assert!(
        AttackAgain::read("{\"reasons\": \"r\", \"reopened\": [{\"id\": \"F9\", \"why\": \"w\"}], \"findings\": [], \"no_flaws\": false}", &terms())
            .is_err()
    );
    assert!(AttackAgain::read("I would reopen F1.", &terms()).is_err());
}

#[test]
fn a_verdict_is_the_word_the_value_begins_with() {
    let defence = |verdict: &str| {
        let text = format!("RESPONSE TO FINDING F1: A\nVerdict: {verdict}\nReasoning: because\nRevision: N/A\n");
        Defence::from_text(&text, &terms()).map(|defence| defence.responses[0].verdict)
    };
    for (verdict, want) in [
        ("REBUT - not acceptable evidence", Some(ResponseVerdict::Rebut)),
        ("ACCEPT", Some(ResponseVerdict::Accept)),
        ("**Accepted** in part", Some(ResponseVerdict::Accept)),
        ("[REBUTTED]", Some(ResponseVerdict::Rebut)),
        ("I cannot accept this", None),
        ("UNACCEPTABLE", None),
        ("partly", None),
    ] {
        assert_eq!(defence(verdict), want, "{verdict}");
    }
}

#[test]
fn a_defence_is_matched_by_id_and_its_text_kept_whole() {
    let text = "**RESPONSE TO FINDING 2: Other title than before**\n**Verdict:** ACCEPT\n**Reasoning:** right\n**Revision:** a limit\n\n\
        RESPONSE TO FINDING F1:\nVerdict: REBUT\nReasoning: section 3 says so\nRevision: N/A\n\nDEFENSE SUMMARY:\nAccepted: 1\n\n---\n\nREVISED CONTENT:\n\
        # Plan\n\nStep 1.\n---\nStep 2.";
    let defence = Defence::from_text(text, &terms()).expect("a defence");
    let read: Vec<(&str, ResponseVerdict, Option<&str>)> =
        defence.responses.iter().map(|response| (response.id.as_str(), response.verdict, response.revision.as_deref())).collect();
    assert_eq!(read, [("F2", ResponseVerdict::Accept, Some("a limit")), ("F1", ResponseVerdict::Rebut, None)]);
    assert_eq!(defence.revised_content, "# Plan\n\nStep 1.\n---\nStep 2.");
    assert_eq!(Defence::from_text("I accept F1 and rebut F2.", &terms()), None);
    let apart = "<<<revised_content\nfn main() { println!(\"a\\n\"); }\nrevised_content>>>\n```json\n{\"reasons\": \"r\", \"responses\": [{\"id\": \"F1\", \
        \"verdict\": \"ACCEPT\", \"reasoning\": \"right\", \"revision\": null}], \"revised_content\": \"\"}\n```";
    let (value, _) = Defence::read(apart, &terms()).expect("a text of its own beside the JSON");
    assert_eq!(value["revised_content"], "fn main() { println!(\"a\\n\"); }", "nothing in it is read as an escape");
    assert_eq!(Defence::from_text("RESPONSE TO FINDING F7: x\nVerdict: ACCEPT\nReasoning: r", &terms()), None);
}

#[test]
fn rulings_are_read_from_their_lines() {
    let text = "I weighed both.\n**RULING ON F1:** UPHELD\nSection 3 covers it.\nRULING ON 2: overruled, not upheld\nIt does not.";
    let rulings = Rulings::from_text(text, &terms()).expect("two rulings");
    let read: Vec<(&str, bool, &str)> = rulings.rulings.iter().map(|ruling| (ruling.id.as_str(), ruling.upheld, ruling.why.as_str())).collect();
    assert_eq!(read, [("F1", true, "Section 3 covers it."), ("F2", false, "It does not.")]);
    assert_eq!(Rulings::from_text("F1 is upheld.", &terms()), None);
    assert_eq!(Rulings::from_text("RULING ON F1: perhaps", &terms()), None);
}

fn flaw(title: &str, severity: Severity) -> Flaw {
    Flaw { title: title.into(), severity, location: String::new(), vulnerability: format!("{title} is wrong"), exploit: String::new() }
}

fn response(id: &str, verdict: ResponseVerdict) -> Response {
    Response { id: id.into(), verdict, reasoning: format!("about {id}"), revision: None }
}

fn fates(register: &Register) -> Vec<Fate> {
    register.all().iter().map(|finding| finding.fate).collect()
}

#[test]
fn ids_stay_through_rounds_and_fates_follow_what_was_said() {
    let mut register = Register::default();
    register.enter(1, vec![flaw("a", Severity::High), flaw("b", Severity::Critical), flaw("c", Severity::Low), flaw("d", Severity::Medium)]);
    assert_eq!((register.risk(), register.hardening()), (Risk::Critical, HardeningConfidence::Low));
    let disputed = register
        .answer(&[response("F1", ResponseVerdict::Accept), response("F2", ResponseVerdict::Rebut), response("F3", ResponseVerdict::Rebut)], true);
    assert_eq!(disputed, ["F2", "F3"]);
    assert_eq!(fates(&register), [Fate::Fixed, Fate::Contested, Fate::Contested, Fate::Open], "nobody has ruled yet, and d was not answered");
    let ruling = |id: &str, upheld| Ruling { id: id.into(), why: "w".into(), upheld };
    register.rule(&[ruling("F2", true), ruling("F3", false)]);
    assert_eq!(fates(&register), [Fate::Fixed, Fate::Rebutted, Fate::Overruled, Fate::Open]);
    assert_eq!((register.to_answer(), register.answered()), (vec!["F3".into(), "F4".into()], vec!["F1".into(), "F2".into()]));
    assert_eq!((register.risk(), register.hardening()), (Risk::Medium, HardeningConfidence::Medium));
    assert_eq!(register.action(), "Mend 2 things before you use it, first: F4 d (medium, open).");
    assert_eq!(register.summary(), "4 findings: 1 fixed, 1 rightly rebutted, 1 whose rebuttal failed, 1 open; hardening confidence medium.");

    register.reopen(&[Reopening { id: "F1".into(), why: "still there".into() }]);
    assert_eq!(register.enter(1, vec![flaw("e", Severity::Low)]), ["F5"]);
    assert_eq!(register.to_answer(), ["F1", "F3", "F4", "F5"]);
    let all = ["F1", "F3", "F4", "F5"].map(|id| response(id, ResponseVerdict::Accept));
    assert!(register.answer(&all, true).is_empty());
    assert_eq!((register.risk(), register.hardening()), (Risk::None, HardeningConfidence::High));
    assert_eq!(register.action(), "Use the hardened version below: every finding was fixed or rightly rebutted.");
    assert_eq!(register.dissent(0).len(), 1, "what was rightly rebutted is kept as the attacker's word");
}

#[test]
fn what_was_accepted_is_fixed_only_if_the_text_was_taken() {
    let mut register = Register::default();
    register.enter(1, vec![flaw("a", Severity::High)]);
    register.answer(&[response("F1", ResponseVerdict::Accept)], false);
    assert_eq!(fates(&register), [Fate::Open]);
    assert_eq!(register.risk(), Risk::High);
}

#[test]
fn a_text_that_lost_half_of_its_words_is_no_revision() {
    let before = "one two three four five six seven eight";
    assert!(long_enough(before, "one two three four", 0.5));
    assert!(!long_enough(before, "one two three", 0.5));
    assert!(!long_enough(before, "  ", 0.1));
    assert!(!long_enough("", "", 0.5));
}

#[test]
fn material_is_cut_between_characters_and_says_so() {
    let question = |content: Option<&str>, files: Vec<Attachment>| Question {
        text: "Is this sound?".into(),
        content: content.map(str::to_owned),
        files,
        ..Question::default()
    };
    let cut = Material::of(&question(Some(&"é".repeat(1200)), Vec::new()), 1000);
    assert_eq!((cut.left_out, cut.is_question), (200, false));
    assert!(cut.text.starts_with(&"é".repeat(1000)) && cut.text.contains("200 more characters"));
    let alone = Material::of(&question(Some(" "), Vec::new()), 1000);
    assert_eq!((alone.text.as_str(), alone.is_question), ("Is this sound?", true));
    let file = Attachment { name: "plan.md".into(), sha256: String::new(), bytes: 3, text: "# Plan".into() };
    let filed = Material::of(&question(None, vec![file]), 1000);
    assert_eq!((filed.text.as_str(), filed.is_question), ("File plan.md:\n# Plan", false));
}

proptest! {
    /// Whatever a model sends, a reader returns, and names only what is there.
    #[test]
    fn no_text_breaks_a_reader(text in ".{0,300}", around in "(FINDING 1: x\\n|Severity: |HIGH|REOPEN F1: |RESPONSE TO FINDING F1:\\n|Verdict: ACCEPT\\n|\
        Reasoning: r\\n|REVISED CONTENT:|RULING ON F1: |UPHELD|NO FLAWS|\\{|\\n){0,20}") {
        for text in [text.clone(), format!("{around}{text}"), format!("{text}{around}")] {
            let terms = terms();
            if let Ok((value, _)) = Attack::read(&text, &terms) {
                prop_assert!(value["no_flaws"] == true || value["findings"].as_array().is_some_and(|list| !list.is_empty()));
            }
            if let Ok((value, _)) = Defence::read(&text, &terms) {
                prop_assert!(terms.list("findings").iter().any(|id| value["responses"][0]["id"] == id.as_str()));
            }
            let _ = (AttackAgain::read(&text, &terms), Rulings::read(&text, &terms));
        }
    }

    /// Every finding has one fate, and the counts say the same as the list.
    #[test]
    fn counts_and_risk_agree_with_the_list(answers in prop::collection::vec((0_usize..6, any::<bool>(), any::<bool>()), 0..12), taken: bool) {
        let mut register = Register::default();
        let severities = [Severity::Low, Severity::High, Severity::Medium, Severity::Critical, Severity::Low, Severity::Medium];
        register.enter(1, severities.map(|severity| flaw("x", severity)).to_vec());
        for (at, accept, upheld) in answers {
            let id = format!("F{}", at + 1);
            register.answer(&[response(&id, if accept { ResponseVerdict::Accept } else { ResponseVerdict::Rebut })], taken);
            if !accept && upheld {
                register.rule(&[Ruling { id, why: String::new(), upheld }]);
            }
        }
        let counts = register.counts();
        prop_assert_eq!(counts.fixed + counts.rebutted + counts.unresolved(), 6);
        let left = register.unresolved();
        prop_assert_eq!(left.critical + left.high + left.medium + left.low, counts.unresolved());
        prop_assert_eq!(register.risk() == Risk::None, counts.unresolved() == 0);
        prop_assert_eq!(register.risk() == Risk::Critical, left.critical > 0);
        prop_assert!(register.worst_first().windows(2).all(|pair| pair[0].flaw.severity <= pair[1].flaw.severity));
    }
}
