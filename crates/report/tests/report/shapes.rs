//! One exhibit of each larger shape, as modes fill them, and a run that shows them all.

use crate::runs::{self, Tape};
use serde_json::json;
use synod_types::*;

pub fn bracket() -> Bracket {
    let contestant = |label: &str, seat| Contestant { label: label.into(), seat };
    let game = |a: &str, b: Option<&str>, winner: &str, how: &str, note: &str| Match {
        a: a.into(),
        b: b.map(Into::into),
        winner: Some(winner.into()),
        how: how.into(),
        note: note.into(),
    };
    Bracket {
        contestants: vec![contestant("K3", 0), contestant("T9", 1), contestant("B6", 2), contestant("M4", 0), contestant("R7", 1)],
        rounds: vec![
            vec![
                game("K3", Some("B6"), "K3", "agreed", "K3 names the index that is missing."),
                game("T9", Some("M4"), "M4", "second_judge", "The orders disagreed; the second judge preferred M4."),
                game("R7", None, "R7", "bye", ""),
            ],
            vec![game("K3", Some("M4"), "K3", "draw", "Even on both orders: the better seed goes on."), game("R7", None, "R7", "bye", "")],
            vec![game("K3", Some("R7"), "K3", "agreed", "Only K3 gives a date to look again.")],
        ],
        champion: Some("K3".into()),
    }
}

pub fn scorecard() -> Scorecard {
    let row = |name: &str, weight, cells: [Option<f64>; 3], summary, note: &str| ScoreRow {
        name: name.into(),
        weight: Some(weight),
        cells: cells.into(),
        summary: Some(summary),
        note: note.into(),
    };
    Scorecard {
        scale: (1.0, 10.0),
        columns: vec!["opus".into(), "gpt".into(), "local/qwen3:8b".into()],
        rows: vec![
            row("Correctness", 5.0, [Some(9.0), Some(8.0), Some(8.0)], 8.33, "strong agreement"),
            row("Failure handling", 4.0, [Some(4.0), Some(7.0), Some(9.0)], 6.67, "disagreement"),
            row("Cost of operation", 2.0, [Some(6.0), Some(6.5), None], 6.25, "mixed"),
        ],
        totals: vec![Some(6.73), Some(7.32), Some(8.44)],
        overall: Some(7.35),
        measure: "weighted mean; agreement by range".into(),
        of: String::new(),
    }
}

pub fn distribution() -> Distribution {
    let point =
        |label: &str, seat, value, note: &str| Point { label: label.into(), seat: Some(seat), value, choice: String::new(), note: note.into() };
    Distribution {
        unit: "weeks".into(),
        points: vec![
            point("K3", 0, Some(12.0), "Two migrations, then a month of watching."),
            point("T9", 1, Some(9.0), "The tooling exists already."),
            point("B6", 2, Some(20.0), ""),
            point("opus 2", 3, None, "Would not guess without the schema."),
        ],
        spread: Some(Spread { min: 9.0, low: 10.5, middle: 12.0, high: 16.0, max: 20.0 }),
        shares: Vec::new(),
        measure: "not settled: half the range is 0.46 of the middle, wanted at most 0.15".into(),
    }
}

pub fn choices() -> Distribution {
    let point = |label: &str, seat, choice: &str| Point { label: label.into(), seat: Some(seat), choice: choice.into(), ..Point::default() };
    Distribution {
        points: vec![point("opus", 0, "scale up"), point("gpt", 1, "scale up"), point("local/qwen3:8b", 2, "shard")],
        shares: vec![("scale up".into(), 2), ("shard".into(), 1), ("wait".into(), 0)],
        measure: "67% hold the same".into(),
        ..Distribution::default()
    }
}

pub fn series() -> Series {
    let line = |name: &str, values: &[Option<f64>]| Line { name: name.into(), values: values.into() };
    Series {
        steps: vec!["round 1".into(), "round 2".into(), "round 3".into(), "round 4".into()],
        lines: vec![
            line("spread", &[Some(0.81), Some(0.46), Some(0.31), Some(0.12)]),
            line("estimates given", &[Some(4.0), Some(3.0), None, Some(3.0)]),
            line("middle", &[Some(26.0), Some(14.5), Some(12.0), Some(12.0)]),
        ],
    }
}

pub fn revision() -> Revision {
    Revision {
        decision: "revise".into(),
        reasons: "T9 showed that the write rate is **not** the limit, so the order of work changes.".into(),
        kept: true,
        before_words: 46,
        after_words: 52,
        changes: vec![
            Change::Same("A single modern server takes ten times your write rate.".into()),
            Change::Removed("1. Move to a machine with 512 GB of memory.".into()),
            Change::Added("1. Read pg_stat_statements for a week.".into()),
            Change::Added("2. Move to a machine with 512 GB of memory if writes still queue.".into()),
            Change::Skipped(4),
            Change::Same("Measure again in six months.".into()),
        ],
        notes: Vec::new(),
    }
}

pub fn refused() -> Revision {
    Revision {
        decision: "copy_edit".into(),
        kept: false,
        before_words: 517,
        after_words: 61,
        notes: vec!["The new text is shorter than half of the old one and has none of its headings.".into()],
        ..Revision::default()
    }
}

pub fn findings() -> Findings {
    let entry = |id: &str, title: &str, severity: &str, fate: &str| FindingEntry {
        id: id.into(),
        title: title.into(),
        severity: severity.into(),
        fate: fate.into(),
        ..FindingEntry::default()
    };
    Findings {
        entries: vec![
            FindingEntry {
                location: "step 2".into(),
                detail: "Month partitions do not help if the hot rows are all in **the current month**.".into(),
                by: vec!["gpt".into(), "local/qwen3:8b".into()],
                reply: "Partition by tenant hash within the month; the text says so now.".into(),
                ..entry("F1", "Partitioning by month leaves the hot spot where it is", "critical", "accepted")
            },
            FindingEntry {
                detail: "No number is given for the rate at which to look again.".into(),
                by: vec!["gpt".into()],
                reply: "It is: 10,000 writes a second, in the last line.".into(),
                ..entry("F2", "No threshold", "medium", "rebutted")
            },
            entry("F3", "The price of the machine is a list price", "low", "open"),
        ],
        none: String::new(),
    }
}

pub fn checks() -> Checks {
    let entry =
        |id: &str, claim: &str, verdict: &str| CheckEntry { id: id.into(), claim: claim.into(), verdict: verdict.into(), ..CheckEntry::default() };
    let evidence = |by: &str, text: &str, quote: &str, found: Option<&str>| Evidence {
        by: by.into(),
        text: text.into(),
        quote: quote.into(),
        found_in: found.map(Into::into),
    };
    Checks {
        entries: vec![
            CheckEntry {
                confidence: "high".into(),
                agreement: Some(1.0),
                votes: vec![("verified".into(), 3)],
                evidence: vec![evidence("opus", "The release notes say it.", "declarative partitioning was added", Some("release notes, line 14"))],
                ..entry("C1", "Declarative partitioning has been in PostgreSQL since version 10.", "verified")
            },
            CheckEntry {
                confidence: "medium".into(),
                agreement: Some(2.0 / 3.0),
                votes: vec![("disputed".into(), 2), ("verified".into(), 1)],
                correction: "Primary keys must contain the partition key, so uniqueness across partitions is limited.".into(),
                evidence: vec![
                    evidence("gpt", "The manual names the limit.", "unique constraints must include all the partition key columns", None),
                    evidence("local/qwen3:8b", "It worked in a test.", "", None),
                ],
                ..entry("C2", "Any primary key works on a partitioned table.", "disputed")
            },
            entry("C3", "Most teams regret sharding early.", "unverifiable"),
        ],
        score: Some(58.3),
        measure: "verified claims by confidence, unverifiable ones left out".into(),
    }
}

pub fn clusters() -> Clusters {
    let items = |items: &[(&str, &str)]| items.iter().map(|(id, title)| ((*id).into(), (*title).into())).collect();
    Clusters {
        clusters: vec![
            Cluster {
                id: "C2".into(),
                name: "Make writes cheaper".into(),
                theme: "Less work for each row before any more machines.".into(),
                items: items(&[("I4", "Drop the three unused indexes"), ("I7", "Batch the audit log"), ("I9", "COPY instead of INSERT for imports")]),
                scores: vec![("novelty".into(), Some(5.5)), ("feasibility".into(), Some(9.0)), ("impact".into(), Some(8.25))],
                note: "Ranked first by all three.".into(),
                chosen: true,
            },
            Cluster {
                id: "C1".into(),
                name: "Spread the load".into(),
                theme: "More servers, one way or another.".into(),
                items: items(&[("I1", "Shard by tenant"), ("I2", "Read replicas for reports")]),
                scores: vec![("novelty".into(), Some(4.0)), ("feasibility".into(), Some(3.0)), ("impact".into(), None)],
                ..Cluster::default()
            },
        ],
    }
}

pub fn document() -> Document {
    let section = |number, title: &str, seat, text: &str, words| Section { number, title: title.into(), seat: Some(seat), text: text.into(), words };
    Document {
        title: "Growing one PostgreSQL server".into(),
        front: "For the platform team. Read section 2 first if writes queue today.".into(),
        sections: vec![
            section(1, "Where the time goes", 0, "Look at `pg_stat_statements` for a week:\n\n- index maintenance\n- lock waits", 14),
            section(2, "The bigger machine", 1, "### Sizing\n\n512 GB of memory holds the working set twice over.", 10),
            section(3, "The way back", 2, "", 0),
        ],
        todos: vec!["TODO: name the maintenance window".into()],
    }
}

pub fn graph() -> Graph {
    let node = |id: &str, title: &str, seat, wave, state: &str, critical| Node {
        id: id.into(),
        title: title.into(),
        seat: Some(seat),
        wave,
        state: state.into(),
        note: String::new(),
        critical,
        ms: critical.then_some(61_500),
    };
    let edge = |from: &str, to: &str, cut| Edge { from: from.into(), to: to.into(), cut };
    let mut nodes = vec![
        node("T1", "Measure the write load over a week", 0, 1, "done", true),
        node("T2", "List the indexes nobody uses", 1, 1, "done", false),
        node("T3", "Choose the partition key for the two largest tables", 2, 2, "done", true),
        node("T4", "Price the machines", 0, 2, "failed", false),
        node("T5", "Write the plan and its way back", 1, 3, "planned", true),
    ];
    nodes[3].note = "Timed out; the plan gives list prices.".into();
    Graph {
        nodes,
        edges: vec![
            edge("T1", "T3", false),
            edge("T1", "T4", false),
            edge("T2", "T3", false),
            edge("T3", "T5", false),
            edge("T4", "T5", false),
            edge("T5", "T2", true),
        ],
    }
}

/// A computed exhibit of each shape, and of choices as well as numbers.
pub fn computed() -> Vec<(&'static str, Exhibit)> {
    vec![
        ("bracket", Exhibit::new("Bracket", Shape::Bracket(bracket()))),
        ("scores", Exhibit::new("Scores of the panel", Shape::Scorecard(scorecard()))),
        ("round_4_stats", Exhibit::new("Estimates, round 4", Shape::Distribution(distribution()))),
        ("choices", Exhibit::new("Positions", Shape::Distribution(choices()))),
        ("convergence", Exhibit::new("How the estimates settled", Shape::Series(series()))),
        ("findings", Exhibit::new("Flaws and what became of them", Shape::Findings(findings()))),
        ("report", Exhibit::new("Claims", Shape::Checks(checks()))),
        ("ranked_clusters", Exhibit::new("Ideas by theme", Shape::Clusters(clusters()))),
        ("document", Exhibit::new("Document", Shape::Document(document()))),
        ("tasks", Exhibit::new("Plan", Shape::Graph(graph()))),
    ]
}

/// A run that shows every larger shape; no mode shows them all.
pub fn run() -> Vec<Row> {
    let mut tape = Tape::new(&runs::header("everything", runs::QUESTION));
    tape.phase("work");
    tape.turn("work/revise@0", "opus", 6_400, (1_210, 402), Some(0.0112), json!({"reasons": "T9 is right.", "decision": "revise"}));
    tape.show("work/show revision@0", "revision", Exhibit::new("Revision", Shape::Revision(revision())).by(0, "debater").turn("work/revise@0"));
    tape.show("work/show revision@1", "revision", Exhibit::new("Revision", Shape::Revision(refused())).by(1, "debater"));
    let mut own = scorecard();
    own.columns = vec!["score".into()];
    own.totals = vec![Some(6.73)];
    own.overall = None;
    own.rows.iter_mut().for_each(|row| (row.cells, row.summary, row.note) = (row.cells[..1].to_vec(), None, String::new()));
    let review = Exhibit::new("Review", Shape::Scorecard(own)).by(0, "reviewer");
    let review =
        review.list("Strengths", ["It fails *closed*.", " ", "One owner per table."]).part("Summary", "Sound, but nobody is told when it stops.");
    tape.show("work/show review@0", "review", review.part("Left blank", " "));
    // How things stood earlier: told in the record, not beside the answer.
    let mut earlier = distribution();
    earlier.measure = "first round: nothing to compare".into();
    tape.show("work/show round_1_stats", "round_1_stats", Exhibit::new("Estimates, round 1", Shape::Distribution(earlier)));
    tape.phase_end("work").phase("result");
    for (stage, exhibit) in computed() {
        tape.show(&format!("result/show {stage}"), stage, exhibit);
    }
    tape.phase_end("result");
    let answer = Answer { kind: AnswerKind::Report, text: "Move to a bigger machine first.".into(), by: vec![3] };
    tape.verdict(Verdict { answer: Some(answer), ..runs::verdict("everything", Status::Full) })
}
