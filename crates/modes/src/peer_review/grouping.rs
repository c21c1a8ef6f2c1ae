//! Which findings are one flaw in different words: the typed proposal of whoever read them all, its text reading, and the rules it must pass.

use super::review::Flaw;
use crate::text::after_first_marker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use synod_engine::{IdLists, TypedReply};
use synod_math::likeness::{cosine, terms};
use synod_math::matching;

/// How alike two findings of different places must be in all their words to be believed the same.
const SAME_DEFECT: f64 = 0.2;
/// Words that name no place.
const NOWHERE: [&str; 9] = ["throughout", "everywhere", "whole", "entire", "overall", "general", "generally", "document", "work"];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grouping {
    /// Which findings you compared, and what made you join them or keep them apart, in at most 120 words.
    pub reasons: String,
    /// Findings that are one flaw; a finding that stands alone is in none. Empty if all differ.
    pub groups: Vec<Group>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// The one flaw they all describe, in a sentence.
    pub flaw: String,
    /// Their ids, at least two.
    #[schemars(extend("items" = {"type": "string", "x-ids": "findings"}))]
    pub findings: Vec<String>,
}

impl TypedReply for Grouping {
    /// A line `SAME: K3.1, T9.2 - the flaw` a group; `SAME: none` for none at all.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let known = |id: &str| terms.list("findings").iter().find(|known| known.eq_ignore_ascii_case(id)).cloned();
        let lines: Vec<&str> = text.lines().filter_map(|line| Some(after_first_marker(line, "SAME")?.1)).collect();
        let group = |line: &&str| {
            let (ids, flaw) = line.split_once(" - ").unwrap_or((line, ""));
            let findings: Vec<String> = ids.split([',', ' ']).filter_map(|id| known(id.trim_matches(|c: char| !c.is_alphanumeric()))).collect();
            (findings.len() > 1).then(|| Group { flaw: flaw.trim().to_owned(), findings })
        };
        let groups = lines.iter().filter_map(group).collect();
        (!lines.is_empty()).then(|| Self { reasons: String::new(), groups })
    }
}

/// A finding as its reviewer wrote it.
pub struct Finding {
    pub id: String,
    /// Place of its reviewer among those who could be read.
    pub owner: usize,
    pub flaw: Flaw,
}

/// What stands of a proposed group.
pub struct Checked {
    pub flaw: String,
    /// Findings that are one, as places in the list; empty where nothing of the group stands.
    pub kept: Vec<usize>,
    /// Findings that stay out of it.
    pub refused: Vec<usize>,
}

/// Takes a proposal at its word where two findings of different reviewers name the same place or the same defect. Nothing is in two groups,
/// and what is refused stays a finding of its own.
pub fn check(proposed: &[Group], findings: &[Finding]) -> Vec<Checked> {
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut checked = Vec::new();
    for group in proposed {
        let named: BTreeSet<usize> = group.findings.iter().filter_map(|id| findings.iter().position(|finding| finding.id == *id)).collect();
        let free: Vec<usize> = named.iter().copied().filter(|at| !taken.contains(at)).collect();
        let owners: Vec<usize> = free.iter().map(|at| findings[*at].owner).collect();
        let parts = matching::groups(&owners, |a, b| alike(findings, free[a], free[b]), SAME_DEFECT);
        for part in parts.iter().filter(|part| part.len() > 1) {
            let kept: Vec<usize> = part.iter().map(|at| free[*at]).collect();
            taken.extend(&kept);
            checked.push(Checked { flaw: group.flaw.clone(), kept, refused: Vec::new() });
        }
        let refused: Vec<usize> =
            named.into_iter().filter(|at| !checked.iter().any(|each| each.flaw == group.flaw && each.kept.contains(at))).collect();
        if !refused.is_empty() {
            checked.push(Checked { flaw: group.flaw.clone(), kept: Vec::new(), refused });
        }
    }
    checked
}

/// 1 and more for the same place; else by their words.
fn alike(findings: &[Finding], a: usize, b: usize) -> f64 {
    let place = same_place(&findings[a].flaw, &findings[b].flaw) && telling(findings, a) && telling(findings, b);
    words(&findings[a].flaw, &findings[b].flaw) + f64::from(u8::from(place))
}

fn words(a: &Flaw, b: &Flaw) -> f64 {
    let whole = |flaw: &Flaw| format!("{} {} {} {}", flaw.title, flaw.description, flaw.impact, flaw.recommendation);
    cosine(&a.title, &b.title).max(cosine(&whole(a), &whole(b)))
}

/// A place in which its own reviewer found another flaw too does not tell them apart.
fn telling(findings: &[Finding], at: usize) -> bool {
    let place = place(&findings[at].flaw);
    let own =
        |(other, finding): (usize, &Finding)| other != at && finding.owner == findings[at].owner && place.is_subset(&self::place(&finding.flaw));
    !findings.iter().enumerate().any(own)
}

/// One of them names all that the other does.
fn same_place(a: &Flaw, b: &Flaw) -> bool {
    let (a, b) = (place(a), place(b));
    !a.is_empty() && !b.is_empty() && (a.is_subset(&b) || b.is_subset(&a))
}

fn place(flaw: &Flaw) -> BTreeSet<String> {
    terms(&flaw.location).into_iter().filter(|word| !NOWHERE.contains(&word.as_str())).collect()
}
