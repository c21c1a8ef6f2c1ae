//! Reports and reviews as models write them, roles as users ask for them, and what is counted.

use super::cross_review::{CrossReview, StanceKind};
use super::findings;
use super::preset_roles::PRESETS;
use super::report::{Rating, Report};
use super::roles::{self, Role};
use super::specialist::Specialist;
use super::synthesis;
use super::*;
use synod_engine::{IdLists, ReplyFormat, SeatReply};

const CRITERIA: [&str; 3] = ["Attack Surface", "Data Protection", "Input Validation"];

fn terms() -> IdLists {
    IdLists::default().with("criteria", CRITERIA).with("findings", ["S2.1", "S2.2", "S3.1"])
}

fn read<T: ReplyFormat>(text: &str) -> Option<T> {
    T::read(text, &terms()).ok().map(|(value, _)| T::recall(&value).expect("what was read can be recalled"))
}

fn report_with(table: &str) -> Report {
    read(&format!("## Assessment\n### Key Findings\n1. one\n### Risk Assessment\n{table}\n### Top 3 Recommendations\n1. do\n")).expect("a report")
}

fn scores(table: &str) -> Vec<Option<f64>> {
    let report = report_with(table);
    let role = Role { criteria: CRITERIA.map(str::to_owned).to_vec(), ..Role::from(&PRESETS[0]) };
    report.ratings_of(&role).into_iter().map(|(_, rating)| rating.and_then(|rating| rating.score)).collect()
}

#[test]
fn ratings_are_read_whatever_stands_around_them_and_only_on_the_scale() {
    let head = "| Criterion | Rating (1-5) | Notes |\n|---|---|---|\n";
    // rows, scores
    let table: &[(&str, [Option<f64>; 3])] = &[
        ("| Attack Surface | 4 | a |\n| Data Protection | 2 | b |\n| Input Validation | 5 | c |", [Some(4.0), Some(2.0), Some(5.0)]),
        ("| Attack Surface | 4/5 | a |\n| Data Protection | 4.5 | b |\n| **Input Validation** | **3** | c |", [Some(4.0), Some(4.5), Some(3.0)]),
        ("| Attack Surface | 0 | a |\n| Data Protection | 9 | b |\n| Input Validation | high | c |", [None, None, None]),
        ("| Input Validation | 1 | c |", [None, None, Some(1.0)]),
        // A row a criterion: a name that was paraphrased is told by its place.
        ("| Exposed surface | 2 | a |\n| Data Protection | 3 | b |\n| Validation of input | 4 | c |", [Some(2.0), Some(3.0), Some(4.0)]),
        ("| Exposed surface | 2 | a |\n| Overall | 3 | b |", [None, None, None]),
        ("| Attack Surface | 2 | a |\n| Attack Surface | 5 | b |", [Some(2.0), None, None]),
    ];
    for (rows, want) in table {
        assert_eq!(scores(&format!("{head}{rows}")), want, "{rows}");
    }
    assert_eq!(scores("no table here, but Attack Surface 4 in prose"), [None, None, None]);
}

#[test]
fn findings_keep_their_second_line_and_sub_headings_cut_nothing() {
    let text = "## Security Assessment\n### **Key Findings**\n#### Serious\n1) The key is shared\n   by all hosts.\n#### Minor\n2) Logs are kept\n\n### Risk Assessment\n| a | 3 |\n### Top 3 Recommendations\n1. rotate\n2. split\n3. test\n### Detailed Analysis\nLong.\n#### Aside\nMore.";
    let report: Report = read(text).expect("a report");
    assert_eq!(report.findings, ["The key is shared by all hosts.", "Logs are kept"]);
    assert_eq!(report.recommendations, ["rotate", "split", "test"]);
    assert_eq!(report.analysis, "Long.\n#### Aside\nMore.");
    assert_eq!(read::<Report>("The key findings: all is well. Attack Surface rates 4."), None);
}

#[test]
fn typed_ratings_keep_the_scale_and_the_criteria() {
    let report = |criterion: &str, score: &str| {
        format!(
            r#"{{"reasons":"r","findings":["f"],"ratings":[{{"criterion":"{criterion}","score":{score},"notes":""}}],"recommendations":[],"analysis":"a"}}"#
        )
    };
    assert!(read::<Report>(&report("Attack Surface", "4")).is_some());
    assert!(read::<Report>(&report("Attack Surface", "null")).is_some());
    assert_eq!(read::<Report>(&report("Charm", "4")), None);
    for off in ["0", "9"] {
        assert_eq!(read::<Report>(&report("Attack Surface", off)), None, "it is asked for again");
        let (value, _) = Report::read_anyway(&report("Attack Surface", off), &terms()).expect("the rest of it counts");
        let value = Report::recall(&value).expect("a value");
        let given = SeatReply { seat: 0, key: "report/report@0".into(), value, partial: false, ms: 0 };
        let (one, _) = Specialist::new(1, Role { criteria: CRITERIA.map(str::to_owned).to_vec(), ..Role::from(&PRESETS[0]) }, &given);
        assert_eq!((one.report.findings.len(), one.average()), (1, None), "{off}");
    }
    let sent = Report::schema(&terms()).expect("a schema").schema["properties"]["ratings"]["items"]["properties"]["score"].clone();
    assert_eq!((sent["minimum"].as_f64(), sent["maximum"].as_f64()), (Some(1.0), Some(5.0)), "{sent}");
}

#[test]
fn stances_are_read_at_the_start_of_a_line_only() {
    let text = "Some thoughts on S2.1: I agree.\n- **S2.1: AGREE** - seen it too\n[S2.2] — disagree: rare\n| S3.1 | Extend | more |\nS9.9: AGREE - unknown\nS2.10: AGREE - another\nRATING Data Protection: 2/5 - after S2.1\nRATING Attack Surface: 7 - off the scale";
    let review: CrossReview = read(text).expect("a review");
    let taken: Vec<(&str, StanceKind, &str)> = review.stances.iter().map(|taken| (taken.id.as_str(), taken.stance, taken.why.as_str())).collect();
    assert_eq!(taken, [("S2.1", StanceKind::Agree, "seen it too"), ("S2.2", StanceKind::Disagree, "rare"), ("S3.1", StanceKind::Extend, "more")]);
    let changes: Vec<(&str, f64, &str)> =
        review.changes.iter().map(|change| (change.criterion.as_str(), change.score, change.why.as_str())).collect();
    assert_eq!(changes, [("Data Protection", 2.0, "after S2.1")]);
    assert_eq!(read::<CrossReview>("**NONE**").map(|review| (review.stances.len(), review.changes.len())), Some((0, 0)));
    assert_eq!(read::<CrossReview>("I agree with S2.1 and disagree with S3.1."), None);
}

fn specialist(number: usize, findings: &[&str], ratings: &[(&str, Option<f64>)]) -> Specialist {
    let role = Role { criteria: CRITERIA.map(str::to_owned).to_vec(), ..Role::from(&PRESETS[number - 1]) };
    let ratings = ratings.iter().map(|(criterion, score)| Rating { criterion: criterion.to_string(), score: *score, notes: String::new() }).collect();
    let findings = findings.iter().map(ToString::to_string).collect();
    let value = Report { reasons: String::new(), findings, ratings, recommendations: vec!["do".into()], analysis: String::new() };
    let given = SeatReply { seat: number as SeatIx - 1, key: format!("report/report@{}", number - 1), value, partial: false, ms: 0 };
    Specialist::new(number, role, &given).0
}

fn review(stances: &[(&str, &str)]) -> CrossReview {
    let lines: Vec<String> = stances.iter().map(|(id, word)| format!("{id}: {word} - because")).collect();
    let ids = ["S1.1", "S1.2", "S2.1", "S3.1"];
    let (value, _) = CrossReview::read(&lines.join("\n"), &IdLists::default().with("findings", ids)).expect("a review");
    CrossReview::recall(&value).expect("it can be recalled")
}

#[test]
fn findings_are_counted_by_the_stances_of_others() {
    let panel = [specialist(1, &["a", "b"], &[]), specialist(2, &["c"], &[]), specialist(3, &["d"], &[])];
    let reviews = [
        review(&[("S2.1", "AGREE"), ("S1.1", "AGREE")]),
        review(&[("S1.1", "DISAGREE"), ("S1.1", "AGREE"), ("S3.1", "EXTEND")]),
        review(&[("S1.1", "AGREE")]),
    ];
    let read_reviews: Vec<(usize, &CrossReview)> = reviews.iter().enumerate().collect();
    let findings = findings::with_stances(&panel, &read_reviews);
    let got: Vec<(&str, &str)> = findings.iter().map(|finding| (finding.id.as_str(), finding.reception().as_str())).collect();
    assert_eq!(got, [("S1.1", "divergent"), ("S1.2", "alone"), ("S2.1", "convergent"), ("S3.1", "convergent")]);
    let dissent = findings::dissent(&findings);
    assert_eq!(dissent.iter().map(|one| (one.seat, one.text.as_str())).collect::<Vec<_>>(), [(Some(1), "because (against S1.1: a)")]);
}

#[test]
fn where_nobody_answered_no_conflict_is_claimed() {
    let panel = [specialist(1, &["a"], &[]), specialist(2, &["c"], &[])];
    let findings = findings::with_stances(&panel, &[]);
    assert_eq!(findings::count(&findings, Reception::Divergent, 0), None);
    assert_eq!(findings::count(&findings, Reception::Divergent, 1), Some(0));
    let data = findings::exhibit(&findings, 0).row().expect("data");
    assert!(data["divergentFindingCount"].is_null() && data["convergentFindingCount"].is_null(), "{data}");
}

#[test]
fn an_average_of_nothing_is_nothing_and_a_changed_rating_stands() {
    assert_eq!(specialist(1, &["a"], &[]).average(), None);
    assert_eq!(specialist::average([Some(4.0), Some(4.0), None, Some(5.0)]), Some(4.3));
    let mut one = specialist(1, &["a"], &[("Attack Surface", Some(4.0)), ("Data Protection", None), ("Input Validation", Some(3.0))]);
    assert_eq!(one.average(), Some(3.5));
    let data = one.exhibit().row().expect("data");
    assert_eq!((&data["averageScore"], &data["parsedCriteria"], &data["totalCriteria"]), (&json!(3.5), &json!(2), &json!(3)));
    one.changes = vec![cross_review::RatingChange { criterion: "Input Validation".into(), score: 1.0, why: "S2.1".into() }];
    assert_eq!(one.average(), Some(2.5));
    let told: Vec<String> = top_risks(&[one]).iter().map(|(risk, notes)| risk.told(notes)).collect();
    assert_eq!(told, ["Input Validation, 1 of 5 (security expert): S2.1", "Attack Surface, 4 of 5 (security expert)"]);
}

#[test]
fn citations_are_words_of_their_own() {
    assert_eq!(findings::citations("As S1.2 and [S2.10] show (S1.2). Not XS1.3, S.4, S5 or s1.1."), ["S1.2", "S2.10"]);
    assert_eq!(synthesis::count_recommendations("## Recommendations\n1. a\n2. b\n   more\n"), Some(2));
    assert_eq!(synthesis::count_recommendations("no heading"), None);
    assert_eq!(json!([4.0, 3.9, 2.0, 1.9].map(synthesis::assessment)), json!(["low_risk", "moderate_risk", "high_risk", "critical_risk"]));
}

fn own(title: &str) -> CustomRole {
    let texts = |texts: [&str; 3]| texts.map(str::to_owned).to_vec();
    CustomRole {
        title: title.into(),
        expertise_areas: "tides and moorings".into(),
        description: "Looks at it from the water, in all weathers.".into(),
        priorities: texts(["Ropes first", "Then the tide", "Then the hull"]),
        criteria: texts(["Depth", "Shelter", "Access"]),
    }
}

fn ids(options: &Options, models: usize) -> Vec<String> {
    roles::select(options, models).into_iter().map(|role| role.id).collect()
}

#[test]
fn roles_are_one_a_model_and_at_least_three() {
    let options = Options::default();
    assert_eq!(ids(&options, 1), ["security_expert", "scalability_architect", "cost_analyst"]);
    assert_eq!(ids(&options, 4).len(), 4);
    assert_eq!(ids(&options, 9).len(), roles::MOST);
    let mine = Options { custom_roles: vec![own("Harbour  Master (East)")], ..Options::default() };
    assert_eq!(ids(&mine, 3), ["custom_harbour_master_east", "security_expert", "scalability_architect"]);
    let named = Options { roles: vec!["ux_designer".into(), "custom_pilot".into()], custom_roles: vec![own("Pilot")] };
    assert_eq!(ids(&named, 1), ["ux_designer", "custom_pilot"]);
    // The roles are worked out again from the seats: the same must come out.
    for models in 0..9 {
        for options in [&options, &mine, &named] {
            assert_eq!(ids(options, ids(options, models).len()), ids(options, models));
        }
    }
    assert!(roles::check(&mine).is_empty() && roles::check(&named).is_empty());
}

#[test]
fn every_mistake_is_named_at_once() {
    let thin = CustomRole {
        title: "Pi".into(),
        expertise_areas: "few".into(),
        description: "short".into(),
        priorities: vec!["one".into()],
        criteria: vec!["ab".into(), "Depth".into(), "depth".into(), "Width".into()],
    };
    let options = Options {
        roles: ["security_expert", "security_expert", "wizard", "custom_pi"].map(str::to_owned).to_vec(),
        custom_roles: vec![thin, own("Pilot"), own("pilot!"), own("Cost Analyst")],
    };
    let got: Vec<String> = roles::check(&options).into_iter().map(|problem| problem.field).collect();
    let want = [
        "options.custom_roles[0].title",
        "options.custom_roles[0].expertise_areas",
        "options.custom_roles[0].description",
        "options.custom_roles[0].priorities[0]",
        "options.custom_roles[0].criteria[0]",
        "options.custom_roles[0].priorities",
        "options.custom_roles[0].criteria[2]",
        "options.roles",
        "options.custom_roles[2].title",
        "options.roles",
        "options.custom_roles[3].title",
        "options.roles",
        "options.roles[1]",
        "options.roles[2]",
    ];
    assert_eq!(got, want);
    let single = Options { roles: vec!["ux_designer".into()], ..Options::default() };
    assert_eq!(roles::check(&single).len(), 1);
}

#[test]
fn the_library_keeps_its_own_rules() {
    for preset in PRESETS {
        assert!(preset.criteria.iter().all(|criterion| criterion.len() >= 3) && preset.priorities.iter().all(|priority| priority.len() >= 5));
        assert!(preset.title.len() >= 3 && preset.expertise.len() >= 10 && preset.description.len() >= 20, "{}", preset.id);
        assert_eq!(PRESETS.iter().filter(|other| other.id == preset.id).count(), 1);
    }
}
