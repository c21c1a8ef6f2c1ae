//! What is said of the larger shapes: a line for each entry, and what the whole comes to.

use super::{label, listed, seat};
use crate::figures::{count, quantity, score, score_or_none, several};
use crate::text::one_line;
use crate::view::View;
use std::collections::BTreeMap;
use synod_types::{
    Bracket, Change, CheckEntry, Checks, Cluster, Distribution, Document, Evidence, FindingEntry, Findings, Graph, Match, Node, Point, Revision,
    Scorecard, Section, Series,
};

/// A word of a protocol as people write it: `second_judge` is `second judge`.
pub fn plain(word: &str) -> String {
    one_line(word).replace('_', " ")
}

/// The parts that say something, in a row.
fn joined<const N: usize>(parts: [String; N], between: &str) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
}

/// Text with a mark before it; nothing where there is no text.
pub fn led(mark: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{mark}{text}") }
}

/// `3 high, 1 low`: how often each word comes up, in the order of the first of each.
fn counted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut counts: Vec<(String, u64)> = Vec::new();
    for word in words.map(plain).filter(|word| !word.is_empty()) {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, n)) => *n += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.into_iter().map(|(word, n)| format!("{} {word}", count(n))).collect::<Vec<_>>().join(", ")
}

pub fn round_name(bracket: &Bracket, round: usize) -> String {
    let last = round + 1 == bracket.rounds.len() && bracket.champion.is_some();
    match bracket.rounds.get(round) {
        Some(matches) if last && matches.len() == 1 => "Final".to_owned(),
        Some(_) | None => format!("Round {}", round + 1),
    }
}

/// `K3 (opus) beat T9 (gpt), agreed`.
pub fn match_line(view: &View, each: &Match) -> String {
    let a = label(view, &each.a);
    let Some(b) = &each.b else { return format!("{a} goes on without a match") };
    let (b_name, how) = (label(view, b), led(", ", &plain(&each.how)));
    match &each.winner {
        // Nobody won a match that was drawn or void: the rules say who goes on.
        Some(winner) if ["draw", "void"].contains(&each.how.as_str()) => format!("{a} against {b_name}{how}; {} goes on", label(view, winner)),
        Some(winner) if *winner == each.a => format!("{a} beat {b_name}{how}"),
        Some(winner) if winner == b => format!("{b_name} beat {a}{how}"),
        Some(winner) => format!("{a} against {b_name}{how}; {} goes on", label(view, winner)),
        None if how.is_empty() => format!("{a} against {b_name}, not played yet"),
        None => format!("{a} against {b_name}{how}; nobody goes on"),
    }
}

pub fn bracket_sum(view: &View, bracket: &Bracket) -> String {
    let field = several(bracket.contestants.len() as u64, "contestant", "contestants");
    match &bracket.champion {
        Some(champion) => format!("{field}; champion: {}", label(view, champion)),
        None => format!("{field}; no champion yet"),
    }
}

/// What stands beside the names of a card's rows.
pub struct CardColumns {
    /// Also where a row has more cells than there are names.
    pub names: Vec<String>,
    pub weighed: bool,
    /// Any row, or the card, has a score of all together.
    pub judged: bool,
    pub noted: bool,
}

pub fn card_columns(card: &Scorecard) -> CardColumns {
    let most = card.rows.iter().map(|row| row.cells.len()).chain([card.columns.len(), card.totals.len()]).max().unwrap_or(0);
    CardColumns {
        names: (0..most).map(|at| named(&card.columns, at)).collect(),
        weighed: card.rows.iter().any(|row| row.weight.is_some()),
        judged: card.rows.iter().any(|row| row.summary.is_some()) || card.overall.is_some(),
        noted: card.rows.iter().any(|row| !row.note.trim().is_empty()),
    }
}

/// Steps of a series, also where a line has more values than there are names.
pub fn series_steps(series: &Series) -> Vec<String> {
    let most = series.lines.iter().map(|line| line.values.len()).chain([series.steps.len()]).max().unwrap_or(0);
    (0..most).map(|at| named(&series.steps, at)).collect()
}

fn named(names: &[String], at: usize) -> String {
    names.get(at).map_or_else(|| "unnamed".to_owned(), |name| one_line(name))
}

pub fn scorecard_sum(card: &Scorecard) -> String {
    let (worst, best) = card.scale;
    // Under totals of their own it stands beside them.
    let overall = card.overall.filter(|_| card.totals.is_empty()).map(|value| format!("overall {}", score(value))).unwrap_or_default();
    let scale = if worst == best { String::new() } else { format!("scores from {} (worst) to {} (best)", score(worst), score(best)) };
    joined([overall, one_line(&card.measure), scale], "; ")
}

pub fn with_unit(value: f64, unit: &str) -> String {
    format!("{}{}", quantity(value), led(" ", &one_line(unit)))
}

/// What a seat holds: its number, its choice, or that it gave none.
pub fn point_value(distribution: &Distribution, point: &Point) -> String {
    let choice = one_line(&point.choice);
    match point.value {
        Some(value) if choice.is_empty() => with_unit(value, &distribution.unit),
        Some(value) => format!("{choice} ({})", with_unit(value, &distribution.unit)),
        None if choice.is_empty() => "none given".to_owned(),
        None => choice,
    }
}

/// The label, with who holds it where that is known and the label does not say it.
pub fn point_name(view: &View, point: &Point) -> String {
    let name = one_line(&point.label);
    match point.seat.map(|index| seat(view, index)) {
        Some(who) if name.is_empty() => who,
        Some(who) if who != name => format!("{name} ({who})"),
        Some(_) | None => name,
    }
}

pub fn distribution_sum(distribution: &Distribution) -> String {
    let given = distribution.points.iter().filter(|point| point.value.is_some() || !point.choice.is_empty()).count() as u64;
    let all = distribution.points.len() as u64;
    let held = if all == 0 { String::new() } else { format!("given by {} of {}", count(given), count(all)) };
    let spread = distribution.spread.map(|spread| {
        let [min, low, high, max] = [spread.min, spread.low, spread.high, spread.max].map(quantity);
        format!("middle {}, half within {low} to {high}, all within {min} to {max}", with_unit(spread.middle, &distribution.unit))
    });
    joined([spread.unwrap_or_default(), held, one_line(&distribution.measure)], "; ")
}

/// `revise: 412 to 517 words (+120 −15), kept`.
pub fn revision_line(revision: &Revision, minus: &str) -> String {
    let words = |text: &str| text.split_whitespace().count() as u64;
    let (mut added, mut removed) = (0, 0);
    for change in &revision.changes {
        match change {
            Change::Added(text) => added += words(text),
            Change::Removed(text) => removed += words(text),
            Change::Same(_) | Change::Skipped(_) => {}
        }
    }
    let moved = if added + removed == 0 { String::new() } else { format!(" (+{} {minus}{})", count(added), count(removed)) };
    let (before, now) = (count(u64::from(revision.before_words)), several(u64::from(revision.after_words), "word", "words"));
    let length = if revision.before_words == revision.after_words { now } else { format!("{before} to {now}") };
    let fate = if revision.kept { "kept" } else { "refused: the old text stands" };
    let decision = plain(&revision.decision);
    format!("{}{length}{moved}, {fate}", if decision.is_empty() { decision } else { format!("{decision}: ") })
}

pub fn skipped(lines: u32) -> String {
    several(u64::from(lines), "unchanged line", "unchanged lines")
}

/// What a reader must not miss, whatever scale a mode uses.
pub fn grave(severity: &str) -> bool {
    ["critical", "high", "major", "severe", "blocker", "fatal", "p0", "p1"].contains(&severity.trim().to_ascii_lowercase().as_str())
}

/// `F1 Title (location)`.
pub fn finding_head(entry: &FindingEntry) -> String {
    let place = one_line(&entry.location);
    joined([one_line(&entry.id), one_line(&entry.title), if place.is_empty() { place } else { format!("({place})") }], " ")
}

pub fn found_by(entry: &FindingEntry) -> String {
    led("found by ", &listed(&entry.by.iter().map(|name| one_line(name)).collect::<Vec<_>>()))
}

pub fn findings_sum(findings: &Findings) -> String {
    if findings.entries.is_empty() {
        let none = one_line(&findings.none);
        return if none.is_empty() { "Nothing was found.".to_owned() } else { none };
    }
    let entries = &findings.entries;
    let severities = counted(entries.iter().map(|entry| entry.severity.as_str()));
    // Fates told in sentences stand with their findings; only words can be counted.
    let fates = counted(entries.iter().map(|entry| entry.fate.as_str()).filter(|fate| !fate.contains(' ')));
    format!("{}{}{}", several(entries.len() as u64, "finding", "findings"), led(": ", &severities), led("; ", &fates))
}

/// `2 verified, 1 disputed`, with how sure and how united: `high confidence, 67% agree`.
pub fn check_note(entry: &CheckEntry) -> String {
    let confidence = plain(&entry.confidence);
    let confidence = if confidence.is_empty() { confidence } else { format!("{confidence} confidence") };
    let agreement = entry.agreement.filter(|share| share.is_finite()).map(|share| format!("{:.0}% agree", share.clamp(0.0, 1.0) * 100.0));
    let votes = entry.votes.iter().map(|(word, n)| format!("{} {}", count(u64::from(*n)), plain(word))).collect::<Vec<_>>().join(", ");
    joined([confidence, agreement.unwrap_or_default(), votes], ", ")
}

pub fn doubtful(verdict: &str) -> bool {
    !verdict.trim().eq_ignore_ascii_case("verified")
}

pub fn checks_sum(checks: &Checks) -> String {
    let verdicts = counted(checks.entries.iter().map(|entry| entry.verdict.as_str()));
    let made = format!("{}{}", several(checks.entries.len() as u64, "claim", "claims"), led(": ", &verdicts));
    let score = checks.score.map_or_else(|| "no score".to_owned(), |value| format!("score {} of 100", quantity(value)));
    joined([made, score, one_line(&checks.measure)], "; ")
}

/// Where a quotation stands in the material, or that it does not.
pub fn quoted_from(evidence: &Evidence) -> String {
    match &evidence.found_in {
        Some(place) => format!("found in {}", one_line(place)),
        None => "this quotation was not found in the material".to_owned(),
    }
}

/// `novelty 8, impact not scored`.
pub fn cluster_scores(cluster: &Cluster) -> String {
    cluster.scores.iter().map(|(name, value)| format!("{} {}", plain(name), score_or_none(*value))).collect::<Vec<_>>().join(", ")
}

/// `C1 Name`; an id that only repeats the name is left out.
pub fn id_and_name(id: &str, name: &str) -> String {
    let (id, name) = (one_line(id), one_line(name));
    if id == name { name } else { joined([id, name], " ") }
}

pub fn section_note(view: &View, section: &Section) -> String {
    let by = section.seat.map(|index| format!("by {}", seat(view, index))).unwrap_or_default();
    let length = if section.text.trim().is_empty() { "not written".to_owned() } else { several(u64::from(section.words), "word", "words") };
    joined([by, length], ", ")
}

pub fn document_sum(document: &Document) -> String {
    let words: u64 = document.sections.iter().map(|section| u64::from(section.words)).sum();
    let missing = document.sections.iter().filter(|section| section.text.trim().is_empty()).count() as u64;
    let missing = if missing == 0 { String::new() } else { format!("{} not written", count(missing)) };
    let open = if document.todos.is_empty() { String::new() } else { format!("{} marked as still to be done", count(document.todos.len() as u64)) };
    let size = format!("{}, {}", several(document.sections.len() as u64, "section", "sections"), several(words, "word", "words"));
    joined([size, missing, open], "; ")
}

/// What is still to be done, without the mark it had in the text.
pub fn todo(text: &str) -> String {
    let line = one_line(text);
    line.strip_prefix("TODO").map_or_else(|| line.clone(), |rest| rest.trim_start_matches([':', ' ']).to_owned())
}

/// The nodes of each wave, first wave first, each in the order given.
pub fn waves(graph: &Graph) -> Vec<(u32, Vec<&Node>)> {
    let mut waves: BTreeMap<u32, Vec<&Node>> = BTreeMap::new();
    for node in &graph.nodes {
        waves.entry(node.wave).or_default().push(node);
    }
    waves.into_iter().collect()
}

/// `done (opus), after T1 and T2, on the longest path`.
pub fn node_note(view: &View, graph: &Graph, node: &Node) -> String {
    let ids =
        |cut: bool| graph.edges.iter().filter(|edge| edge.to == node.id && edge.cut == cut).map(|edge| one_line(&edge.from)).collect::<Vec<_>>();
    let by = node.seat.map(|index| format!("({})", seat(view, index))).unwrap_or_default();
    let state = joined([plain(&node.state), by], " ");
    let critical = if node.critical { "on the longest path".to_owned() } else { String::new() };
    let cut = led("no longer waits for ", &listed(&ids(true)));
    joined([state, led("after ", &listed(&ids(false))), cut, critical], ", ")
}

pub fn graph_sum(graph: &Graph) -> String {
    let steps = several(graph.nodes.len() as u64, "step", "steps");
    let waves = several(waves(graph).len() as u64, "wave", "waves");
    let states = counted(graph.nodes.iter().map(|node| node.state.as_str()));
    let cut = graph.edges.iter().filter(|edge| edge.cut).count() as u64;
    let cut = if cut == 0 { String::new() } else { format!("{} dropped to break a circle", several(cut, "dependency", "dependencies")) };
    joined([format!("{steps} in {waves}{}", led(": ", &states)), cut], "; ")
}
