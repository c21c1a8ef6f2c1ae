//! The sloppy forms reviewers and consolidators send, what may be read from each, and what the reviews come to.

use super::consolidation::{Consolidation, Effort, report};
use super::review::{CriterionScore, Flaw};
use super::*;
use synod_engine::{IdLists, OptionValue, ReplyFormat, SeatReply};

fn code() -> Rubric {
    Rubric::of(ReviewType::CodeReview, None)
}

fn terms(rubric: &Rubric) -> IdLists {
    IdLists::default().with("criteria", rubric.names()).with("categories", rubric.names().into_iter().chain([OTHER.to_owned()]))
}

fn read(text: &str) -> Option<Review> {
    let (value, _) = Review::read(text, &terms(&code())).ok()?;
    Review::recall(&value).ok()
}

fn score(text: &str, criterion: &str) -> Option<f64> {
    read(text)?.score(criterion)?.score
}

const WHOLE: &str = "## Review
### Scores
| Criterion | Score | Weight | Justification |
|---|---|---|---|
| **Correctness** | 4/5 | 5 | Off by one in the last slot |
| Readability | 4.5 | 4 | Good names |
| Security | **2** | 2.5 | No check of rights |
| Performance | 0 | 3 | not judged |
| Test Coverage | 7 | 4 | off the scale |
| **Weighted Overall** | 3.4 | | |
### Findings
**FINDING 1: Last slot is never used**
- **Category:** Correctness
- **Severity:** MAJOR (was CRITICAL in draft)
- **Location:** queue.rs, line 40
  and the test beside it
- **Description:** The loop ends early.
- **Impact:** One job in ten waits.
- **Recommendation:** Use an inclusive range.

**FINDING 2:** Names of threads
- Category: Style
- Severity: suggestion
- Description: They are numbers.
### Strengths
1. Small functions
- Good tests
### Summary
Sound, with one bug.

Mend it first.
";

#[test]
fn the_classic_form_is_read_with_its_markup() {
    let review = read(WHOLE).expect("readable");
    let scores = code().names().iter().map(|name| review.score(name).and_then(|scored| scored.score)).collect::<Vec<_>>();
    assert_eq!(scores, [Some(4.0), Some(4.5), Some(2.0), None, None, None], "0 and 7 are off the scale; Error Handling is not there");
    assert_eq!(review.score("Correctness").map(|scored| scored.justification.as_str()), Some("Off by one in the last slot"));
    let found: Vec<(&str, &str, Severity)> =
        review.findings.iter().map(|flaw| (flaw.title.as_str(), flaw.category.as_str(), flaw.severity)).collect();
    assert_eq!(found, [("Last slot is never used", "Correctness", Severity::Major), ("Names of threads", OTHER, Severity::Suggestion)]);
    assert_eq!(review.findings[0].location, "queue.rs, line 40\n  and the test beside it");
    assert_eq!(review.findings[1].impact, "", "a missing line takes nothing from the next");
    assert_eq!(review.strengths, ["Small functions", "Good tests"]);
    assert_eq!(review.summary, "Sound, with one bug.\n\nMend it first.");
}

#[test]
fn scores_are_read_where_the_form_has_them_and_from_no_prose() {
    for (text, want) in [
        ("| Security | 4 | 5 | fine |", Some(4.0)),
        ("**Security:** 4/5 – fine", Some(4.0)),
        ("| Security | 4/10 | 5 | fine |\nCorrectness: 3", None),
        ("Security - 3 holes found\nCorrectness: 3", None),
        ("| Security | 6 | 5 | fine |\nCorrectness: 3", None),
    ] {
        assert_eq!(score(text, "Security"), want, "{text}");
    }
    assert_eq!(read("I would give security a 4."), None);
    assert_eq!(read("FINDING 1: Leak\nSeverity: HIGH\n"), None, "a severity of another scale is asked for again");
    assert!(read("FINDING 1: Leak\nSeverity: **CRITICAL**\n").is_some());
}

#[test]
fn a_good_work_may_have_no_findings_but_a_review_says_something() {
    let with = |scores: &str| format!(r#"{{"reasons":"x","scores":[{scores}],"findings":[],"strengths":[],"summary":"y"}}"#);
    assert!(read(&with(r#"{"criterion":"Security","score":5,"justification":"z"}"#)).is_some());
    assert_eq!(read(&with(r#"{"criterion":"Security","score":null,"justification":"z"}"#)), None);
    assert_eq!(read(&with(r#"{"criterion":"Security","score":6,"justification":"z"}"#)), None);
    assert_eq!(read(&with(r#"{"criterion":"Beauty","score":5,"justification":"z"}"#)), None);
}

fn flaw(title: &str, category: &str, severity: Severity) -> Flaw {
    let text = |what: &str| format!("{what} of {title}");
    Flaw {
        title: title.into(),
        category: category.into(),
        severity,
        location: "queue.rs".into(),
        description: text("Description"),
        impact: text("Impact"),
        recommendation: text("Recommendation"),
    }
}

fn reviewer(index: usize, label: &str, scores: &[(&str, f64)], findings: Vec<Flaw>) -> Reviewer {
    let scored = |(criterion, score): &(&str, f64)| CriterionScore {
        criterion: (*criterion).into(),
        score: Some(*score),
        justification: format!("{label} on {criterion}"),
    };
    let review = Review { reasons: "x".into(), scores: scores.iter().map(scored).collect(), findings, strengths: vec![], summary: "y".into() };
    let given = SeatReply { seat: index as SeatIx, key: format!("review/review@{index}"), value: review, partial: false, ms: 0 };
    Reviewer::new(index, label.into(), given, &code())
}

fn panel() -> Consensus {
    let reviewers = vec![
        reviewer(
            0,
            "T9",
            &[("Correctness", 4.0), ("Security", 1.0)],
            vec![flaw("Retries have no limit", "Correctness", Severity::Major), flaw("Secrets in the log", "Security", Severity::Critical)],
        ),
        reviewer(2, "K3", &[("Correctness", 3.0), ("Security", 5.0)], vec![flaw("No limit on retries", "Correctness", Severity::Critical)]),
        reviewer(3, "Q2", &[("Correctness", 4.0)], vec![flaw("Magic number", "Readability", Severity::Minor)]),
    ];
    Consensus::of(code(), reviewers)
}

#[test]
fn what_two_reviewers_found_is_one_finding_and_the_rest_are_unique() {
    let consensus = panel();
    let found: Vec<(&str, &str, Severity, Vec<String>)> =
        consensus.findings.iter().map(|finding| (finding.id.as_str(), finding.flaw().title.as_str(), finding.severity, finding.by())).collect();
    let by = |labels: &[&str]| labels.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        found,
        [
            ("F1", "No limit on retries", Severity::Critical, by(&["K3", "T9"])),
            ("F2", "Secrets in the log", Severity::Critical, by(&["T9"])),
            ("F3", "Magic number", Severity::Minor, by(&["Q2"])),
        ]
    );
    assert_eq!((consensus.shared(), consensus.count(Severity::Critical), consensus.count(Severity::Major)), (1, 2, 0));
    assert_eq!((consensus.overlap_rate(), consensus.severity_agreement_rate()), (Some(0.33), Some(0.0)));
}

#[test]
fn findings_are_the_same_by_words_and_category_and_never_within_one_review() {
    let said = |title: &str, category: &str, description: &str| Flaw {
        location: String::new(),
        description: description.into(),
        ..flaw(title, category, Severity::Major)
    };
    let cases = [
        ("Retries have no limit", "Reliability", "No limit on retries", "Reliability", true),
        ("Retries have no limit", "Reliability", "No limit on retries", "Security", true),
        ("Retries have no limit", "Reliability", "Retry limit missing", "Security", false),
        ("No test for retries", "Test Coverage", "No test for time zones", "Test Coverage", false),
        ("Secrets in the log", "Security", "Passwords can be guessed", "Security", false),
    ];
    for (a, under, b, under_b, same) in cases {
        let first = reviewer(0, "K3", &[], vec![said(a, under, "It goes on for ever.")]);
        let second = reviewer(1, "T9", &[], vec![said(b, under_b, "Nothing ends it.")]);
        assert_eq!(Consensus::of(code(), vec![first, second]).shared(), u32::from(same), "{a} ({under}), {b} ({under_b})");
    }
    let twice = reviewer(0, "K3", &[], vec![flaw("Leak", "Security", Severity::Minor), flaw("Leak", "Security", Severity::Minor)]);
    assert_eq!(Consensus::of(code(), vec![twice]).findings.len(), 2);
}

#[test]
fn a_criterion_nobody_scored_is_unknown_and_a_split_one_disputed() {
    let consensus = panel();
    let scores = consensus.scores();
    let numbers = |at: usize| (scores[at].average, scores[at].stddev, scores[at].agreement);
    assert_eq!(numbers(0), (Some(3.7), Some(0.47), Some("medium")));
    assert_eq!(numbers(1), (None, None, None));
    assert_eq!(consensus.disputed(), ["Security"]);
    let dissent = dissent(&consensus);
    assert_eq!(dissent.len(), 1);
    assert_eq!((dissent[0].label.as_deref(), dissent[0].text.as_str()), (Some("K3"), "Security is 5, not 3: K3 on Security"));
    let nobody = Consensus::of(code(), vec![reviewer(0, "T9", &[], vec![]), reviewer(1, "K3", &[], vec![])]);
    assert_eq!((nobody.overall.average, nobody.overlap_rate(), nobody.severity_agreement_rate()), (None, None, None));
}

fn consolidated(text: &str, consensus: &Consensus) -> Option<Consolidation> {
    let ids = consensus.findings.iter().map(|finding| finding.id.clone()).chain(consensus.rubric.names());
    let (value, _) = Consolidation::read(text, &IdLists::default().with("evidence", ids)).ok()?;
    Consolidation::recall(&value).ok()
}

#[test]
fn a_consolidation_is_read_from_its_headings_and_its_actions_are_put_in_order() {
    let consensus = panel();
    let text = "### Executive Summary\nFix the retries.\n\nThen the rest.\n### Actions\n1. **Name the number** [F3] (effort: low)\n2. Limit retries [F1, Correctness] (effort: **MEDIUM**)\n3. Rest [F9]\n### Remarks\n- **F2:** It can be seen in the log.\n- Security: One looked at the log, one did not.\n- Nothing: here\n";
    let read = consolidated(text, &consensus).expect("readable");
    assert_eq!(read.summary, "Fix the retries.\n\nThen the rest.");
    assert_eq!(read.actions[0].action, "Name the number");
    assert_eq!((read.actions[1].effort, read.actions[2].effort), (Some(Effort::Medium), None));
    assert_eq!((read.actions[1].evidence.len(), read.actions[2].evidence.len()), (2, 0), "F9 is no finding");
    let order: Vec<&str> = read.ordered(&consensus).iter().map(|action| action.action.as_str()).collect();
    assert_eq!(order, ["Limit retries", "Name the number", "Rest"]);
    assert_eq!(read.remarks.len(), 2);
    assert_eq!(consolidated("A fine work, says everyone. Actions: none.", &consensus), None);
    let wrong = r#"{"reasons":"x","summary":"y","remarks":[],"actions":[{"action":"z","evidence":["F9"],"effort":null}]}"#;
    assert_eq!(consolidated(wrong, &consensus), None, "ids are those in play");

    let text = report(&consensus, Some(&read));
    let want = "Fix the retries.\n\nThen the rest.\n\n## Actions\n\n1. Limit retries [F1, Correctness] (effort: medium)\n2. Name the number [F3] (effort: low)\n3. Rest\n\n\
        ## Remarks\n\n- **F2 Secrets in the log**: It can be seen in the log.\n- **Security**: One looked at the log, one did not.\n";
    assert_eq!(text, want, "neither scores nor findings stand in it: they have exhibits");
    assert_eq!(consolidation::first_action(&consensus, Some(&read)), "Limit retries");
}

#[test]
fn without_a_consolidator_the_findings_say_what_to_do() {
    let text = report(&panel(), None);
    let want = "Recommendation of No limit on retries\n\n## Actions\n\n1. Recommendation of No limit on retries [F1]\n2. Recommendation of Secrets in the log [F2]\n3. Recommendation of Magic number [F3]\n";
    assert_eq!(text, want);
    let nothing = Consensus::of(code(), vec![reviewer(0, "T9", &[], vec![]), reviewer(1, "K3", &[], vec![])]);
    assert_eq!(report(&nothing, None), "Nothing need be mended: no reviewer found anything wrong.\n");
}

#[test]
fn a_group_is_taken_apart_where_its_findings_share_neither_place_nor_words() {
    let at = |place: &str, title: &str| Flaw {
        location: place.into(),
        description: String::new(),
        impact: String::new(),
        recommendation: String::new(),
        ..flaw(title, "Correctness", Severity::Major)
    };
    let reviewers = vec![
        reviewer(
            0,
            "K3",
            &[],
            vec![
                at("queue.rs, line 40", "Loop ends early"),
                at("log.rs", "Secrets are printed"),
                at("queue.rs", "Names"),
                at("throughout", "No tests"),
            ],
        ),
        reviewer(
            1,
            "T9",
            &[],
            vec![at("line 40 of queue.rs, in `take`", "Off by one"), at("mail.rs", "Slow"), at("queue.rs", "Too long"), at("throughout", "Jargon")],
        ),
    ];
    let consensus = Consensus::of(code(), reviewers);
    let all = consensus.all_findings();
    let kept = |groups: &[&[&str]]| -> Vec<Vec<String>> {
        let proposed: Vec<grouping::Group> =
            groups.iter().map(|ids| grouping::Group { flaw: ids.join("="), findings: ids.iter().map(ToString::to_string).collect() }).collect();
        let checked = grouping::check(&proposed, &all);
        checked.iter().filter(|group| !group.kept.is_empty()).map(|group| group.kept.iter().map(|at| all[*at].id.clone()).collect()).collect()
    };
    let none: Vec<Vec<String>> = Vec::new();
    assert_eq!(kept(&[&["K3.1", "T9.1"]]), [["K3.1", "T9.1"]], "one place");
    assert_eq!(kept(&[&["K3.2", "T9.2"]]), none, "neither place nor words");
    assert_eq!(kept(&[&["K3.4", "T9.4"]]), none, "throughout is no place");
    assert_eq!(kept(&[&["K3.3", "T9.3"]]), none, "K3 and T9 found more than one flaw in that file");
    assert_eq!(kept(&[&["K3.1", "K3.2"]]), none, "one reviewer's own");
    assert_eq!(kept(&[&["K3.1", "T9.1"], &["K3.1", "T9.2"]]), [["K3.1", "T9.1"]], "nothing is in two groups");
}

#[test]
fn a_rubric_of_ones_own_is_checked_whole() {
    let options = |value: Value| synod_engine::read_options::<Options>(&synod_types::Json::of(&value)).map(|options| options.check());
    let fields = |value: Value| -> Vec<String> {
        options(value).expect("it has the right types").into_iter().map(|problem| problem.field.replace("options.custom_rubric", "R")).collect()
    };
    let criterion = |name: &str| json!({"name": name, "description": "What is to be seen", "weight": 2.5});
    let good = json!({"name": "Poems", "description": "For short poems", "criteria": [criterion("Rhyme"), criterion("Metre"), criterion("Sense")]});
    assert_eq!(fields(json!({"review_type": "custom", "custom_rubric": good})), Vec::<String>::new());
    assert_eq!(fields(json!({})), Vec::<String>::new());
    assert_eq!(fields(json!({"review_type": "custom"})), ["R"]);
    assert_eq!(fields(json!({"review_type": "code_review", "custom_rubric": good})), ["options.review_type"]);
    let bad = json!({"name": "P", "description": "short", "criteria": [
        {"name": "x", "description": "y", "weight": 6}, criterion("Metre"), criterion("metre "),
    ]});
    let found = fields(json!({"review_type": "custom", "custom_rubric": bad}));
    assert_eq!(found, ["R.name", "R.description", "R.criteria[0].name", "R.criteria[0].description", "R.criteria[0].weight", "R.criteria[2].name"]);
    assert!(options(json!({"review_type": "custom", "custom_rubric": {"name": "Poems", "description": "For short poems"}})).is_err());
    assert!(options(json!({"review_type": "poetry"})).is_err());
}

#[test]
fn a_rubric_with_unknown_parts_is_refused_with_what_would_be_right() {
    let text = r#"{"name": "Poems", "describtion": "For short poems", "criteria": []}"#;
    let given = [("review-type", "custom"), ("custom-rubric", text)].map(|(name, text)| (name.to_owned(), OptionValue::Text(text.to_owned())));
    let problems = synod_engine::options::resolve(&MODE, &given).expect_err("describtion is no part of a rubric");
    let told: Vec<String> =
        problems.iter().map(|problem| format!("{}: {}", problem.field.trim_start_matches("options.custom_rubric."), problem.got)).collect();
    assert_eq!(told, ["description: nothing", "describtion: unknown field", "criteria: []"]);
    assert_eq!(problems[1].want, "one of: name, description, criteria");
}

#[test]
fn the_schema_says_what_a_rubric_must_be_and_a_problem_where_it_is_not() {
    let schema = (MODE.options_schema)();
    let rubric = &schema["properties"]["custom_rubric"];
    let rubric = rubric.get("anyOf").map_or(rubric, |either| &either[0]);
    assert_eq!(rubric["required"], json!(["name", "description", "criteria"]), "{rubric}");
    let (name, criteria) = (&rubric["properties"]["name"], &rubric["properties"]["criteria"]);
    assert_eq!((&name["minLength"], &criteria["minItems"], &criteria["maxItems"]), (&json!(3), &json!(3), &json!(10)));
    assert_eq!(criteria["items"]["required"], json!(["name", "description", "weight"]));
    let criterion = |weight: f64| json!({"name": format!("Rhyme {weight}"), "description": "What is to be seen", "weight": weight});
    let of = |criteria: Vec<Value>| json!({"name": "Poems", "description": "For short poems", "criteria": criteria});
    let given = [
        ("review_type".to_owned(), OptionValue::Text("custom".into())),
        ("custom_rubric".to_owned(), OptionValue::json(of(vec![criterion(6.0), criterion(1.0), criterion(2.0)]))),
    ];
    let [problem] = synod_engine::options::resolve(&MODE, &given).expect_err("6 is too much").try_into().expect("one problem");
    assert_eq!((problem.field.as_str(), problem.want.as_str()), ("options.custom_rubric.criteria[0].weight", "a number from 1 to 5"));
}

#[test]
fn a_reviewer_is_asked_for_a_score_on_each_criterion() {
    let schema = Review::schema(&terms(&code())).expect("a schema").schema;
    let scores = &schema["properties"]["scores"];
    assert_eq!((&scores["minItems"], &scores["maxItems"]), (&json!(6), &json!(6)));
}

#[test]
fn every_built_in_rubric_would_pass_as_a_custom_one() {
    use ReviewType::*;
    for kind in [ArchitectureReview, CodeReview, DesignSpecReview, ComplianceAudit, BusinessPlanReview] {
        assert!(Rubric::of(kind, None).check("rubric").is_empty(), "{kind:?}");
    }
    let weights: Vec<f64> = Rubric::of(ComplianceAudit, None).weights();
    assert_eq!(weights, [5.0, 5.0, 4.0, 4.0]);
}
