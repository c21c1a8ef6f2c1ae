//! What a seat is shown of the debate: the record, summaries of the rounds before the last, the last round in full. Held to a budget.
//!
//! Compaction goes step by step and stops as soon as each part is within its own maximum and all of it below the trigger. Contested claims,
//! decisions and each seat's line are never dropped; in the last steps claims are shortened, down to their ids, and the longest texts of the last
//! round are cut to one length.

use super::contribution::Contribution;
use super::summary::RoundSummary;
use crate::roundtable::record::{Claim, ClaimStatus, DebateRecord, EvidenceItem, Risk};
use crate::tokens::{clip, even_share, size};
use serde::Serialize;

/// Beyond this a packet is compacted.
pub const TRIGGER: usize = 8_000;
/// Beyond this it is never sent.
pub const WALL: usize = 10_000;
/// What was said in the last round and, where seats speak in turn, in this one.
pub const PREVIOUS: usize = 5_000;
/// The record.
pub const RECORD: usize = 2_500;
/// What is new in it since the round began.
const NEWS: usize = 500;
/// Framing around each seat's words.
const FRAME: usize = 20;
const URL_TOKENS: usize = 40;

/// Ready to be put into a prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Packet {
    /// The record in words; empty before the first round. Prompts know it as `state`.
    #[serde(rename = "state")]
    pub record: String,
    pub summaries: Vec<String>,
    /// What came into the record since the round began, where seats speak in turn.
    pub news: String,
    pub previous: Vec<ContributionText>,
    /// What was objected to the last round, where the panel had to object.
    pub objections: Vec<ContributionText>,
    /// Those who have spoken in this round already, where seats speak in turn.
    pub current: Vec<ContributionText>,
    #[serde(skip)]
    pub tokens: usize,
    /// Ids of the risks it shows.
    #[serde(skip)]
    pub risks: Vec<String>,
    /// How many steps of compaction it took.
    #[serde(skip)]
    pub steps: u32,
    /// Texts of the last round had to be cut to stay below the wall.
    #[serde(skip)]
    pub overflow: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContributionText {
    pub name: String,
    pub text: String,
}

/// Everything a packet is made of.
pub struct PacketParts<'a> {
    /// As it was when the round began: it reads the same for all who speak in it.
    pub record: &'a DebateRecord,
    /// As it is now.
    pub now: &'a DebateRecord,
    pub names: &'a [String],
    /// The round that is about to be held.
    pub round: u32,
    /// Newest first: of the round before the last, and of the one before that.
    pub summaries: Vec<&'a RoundSummary>,
    /// A line for each seat that has spoken: where it stands.
    pub seats: Vec<String>,
    pub previous: Vec<Contribution>,
    pub objections: Vec<Contribution>,
    pub current: Vec<Contribution>,
    /// Tokens the rest of the prompt takes.
    pub reserve: usize,
}

/// How much of the record is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Whole,
    /// No withdrawn claims, old accepted ones and loose evidence in short.
    Shortened,
    /// Contested and open claims, decisions, seats.
    Live,
    /// Contested claims by id and so many tokens of their text, decisions, seats; of unanswered risks and open claims, in few words, what fits.
    Bare(std::cmp::Reverse<usize>),
}

impl PacketParts<'_> {
    pub fn pack(mut self) -> Packet {
        let news = self.news();
        self.reserve += size(&news);
        let mut depth = Depth::Whole;
        let mut summaries: Vec<String> = self.summaries.iter().map(|summary| summary.text.clone()).collect();
        let mut record = self.record_text(depth);
        let mut steps = 0;
        let entries = self.spoken().count().max(1);
        for step in 1..=6 {
            let whole = self.total(&record, &summaries) <= TRIGGER;
            let (long_record, long_words) = (size(&record) > RECORD, self.spoken_tokens() > PREVIOUS);
            if whole && !long_record && !long_words {
                break;
            }
            // A part that is too long by itself is shortened by itself.
            match step {
                1 if !whole || long_words => self.reduce(PREVIOUS / entries),
                2 if !whole || long_record => depth = Depth::Shortened,
                // Its decisions and contested claims are in the record anyway.
                3 if !whole => summaries.truncate(1),
                4 if !whole => summaries = self.summaries.iter().take(1).map(|summary| summary.short.clone()).collect(),
                5 if !whole || long_words => self.reduce(PREVIOUS * 6 / 10 / entries),
                6 if !whole || long_record => depth = Depth::Live,
                _ => continue,
            }
            steps = step;
            if matches!(step, 2 | 6) {
                record = self.record_text(depth);
            }
        }
        for most in [20, 12, 6, 0] {
            if size(&record) <= RECORD && self.total(&record, &summaries) <= WALL {
                break;
            }
            steps = 7;
            record = self.record_text(Depth::Bare(std::cmp::Reverse(most)));
        }
        let fixed = size(&record) + summaries.iter().map(|summary| size(summary) + FRAME).sum::<usize>() + self.reserve;
        let room = WALL.saturating_sub(fixed);
        let overflow = self.spoken_tokens() > room;
        if self.spoken_tokens() > room.min(PREVIOUS) {
            self.cut(room.min(PREVIOUS));
        }
        let tokens = self.total(&record, &summaries);
        let words =
            |entries: &[Contribution]| entries.iter().map(|entry| ContributionText { name: entry.name.clone(), text: entry.text() }).collect();
        let shown = |id: &str| record.lines().chain(news.lines()).any(|line| line.strip_prefix(id).is_some_and(|rest| rest.starts_with([' ', ':'])));
        let risks = self.now.risks.iter().map(|risk| risk.id.clone()).filter(|id| shown(id)).collect();
        Packet {
            record,
            summaries,
            news,
            previous: words(&self.previous),
            objections: words(&self.objections),
            current: words(&self.current),
            risks,
            tokens,
            steps,
            overflow,
        }
    }

    fn total(&self, record: &str, summaries: &[String]) -> usize {
        self.reserve + size(record) + summaries.iter().map(|summary| size(summary) + FRAME).sum::<usize>() + self.spoken_tokens()
    }

    fn spoken_tokens(&self) -> usize {
        self.spoken().map(|entry| entry.size() + FRAME).sum()
    }

    fn spoken(&self) -> impl Iterator<Item = &Contribution> {
        self.previous.iter().chain(&self.objections).chain(&self.current)
    }

    fn spoken_mut(&mut self) -> impl Iterator<Item = &mut Contribution> {
        self.previous.iter_mut().chain(&mut self.objections).chain(&mut self.current)
    }

    /// Current texts are charged to the same budget, so a seat that spoke just now is cut no more than one of the last round.
    fn reduce(&mut self, quota: usize) {
        for entry in self.spoken_mut() {
            entry.reduce(quota);
        }
    }

    /// Cuts the longest texts to one length, so that all fit into `room`.
    fn cut(&mut self, room: usize) {
        let sizes: Vec<usize> = self.spoken().map(Contribution::size).collect();
        let most = even_share(&sizes, room.saturating_sub(FRAME * sizes.len()));
        for entry in self.spoken_mut() {
            entry.cut(most);
        }
    }

    fn record_text(&self, depth: Depth) -> String {
        let mut lines: Vec<String> = Vec::new();
        let mut part = |title: &str, part: Vec<String>| {
            if !part.is_empty() {
                lines.push(format!("{title}:"));
                lines.extend(part);
            }
        };
        let bare = matches!(depth, Depth::Bare(_));
        let shown = |claim: &&Claim| match claim.status {
            // By id alone they fit into one line.
            ClaimStatus::Contested => depth != Depth::Bare(std::cmp::Reverse(0)),
            ClaimStatus::Open => depth <= Depth::Live,
            ClaimStatus::Accepted => depth < Depth::Live,
            ClaimStatus::Retracted => depth == Depth::Whole,
        };
        // What is voted on is never left out.
        part("Leading proposal", Some(self.record.proposal.clone()).filter(|text| !text.is_empty()).into_iter().collect());
        part("Claims", self.record.claims.iter().filter(shown).map(|claim| self.claim_line(claim, depth)).collect());
        if depth == Depth::Bare(std::cmp::Reverse(0)) {
            let contested = self.record.claims.iter().filter(|claim| claim.status == ClaimStatus::Contested);
            let ids: Vec<&str> = contested.map(|claim| claim.id.as_str()).collect();
            part("Contested claims", Some(ids.join(" ")).filter(|ids| !ids.is_empty()).into_iter().collect());
        }
        if depth < Depth::Live {
            part("Evidence", self.record.evidence.iter().map(|evidence| self.evidence_line(evidence, depth)).collect());
        }
        part(
            "Decisions",
            self.record.decisions.iter().map(|decision| format!("{} (round {}) {}", decision.id, decision.round, decision.text)).collect(),
        );
        let risk = |risk: &Risk| self.risk_line(risk);
        let open = |risk: &&Risk| risk.same_as.is_none() && (depth < Depth::Live || risk.open);
        if depth <= Depth::Live {
            part("Risks", self.record.risks.iter().filter(open).map(risk).collect());
        }
        part("Seats", self.seats.clone());
        let text = lines.join("\n");
        if bare { self.with_what_fits(text) } else { text }
    }

    /// Adds unanswered risks, the oldest first, then open claims, the newest first, as long as there is room for them.
    fn with_what_fits(&self, mut text: String) -> String {
        let mut used = size(&text);
        let risks = self.record.risks.iter().filter(|risk| risk.is_unanswered()).map(|risk| format!("{}: {}", risk.id, few_words(&risk.text)));
        let open = self.record.claims.iter().rev().filter(|claim| claim.status == ClaimStatus::Open);
        let open = open.map(|claim| format!("{}: {}", claim.id, few_words(&claim.text)));
        for (title, lines) in [("Unanswered risks:", risks.collect::<Vec<_>>()), ("Open claims:", open.collect())] {
            let mut titled = false;
            for line in lines {
                let line = if titled { line } else { format!("{title}\n{line}") };
                let more = size(&line) + 1;
                if used + more > RECORD {
                    break;
                }
                used += more;
                titled = true;
                text = format!("{text}\n{line}");
            }
        }
        text
    }

    /// What is new or stands otherwise since the round began, a line each.
    fn news(&self) -> String {
        let claim = |claim: &Claim| match self.record.claim(&claim.id) {
            None => Some(self.claim_line(claim, Depth::Whole)),
            Some(before) if before.status != claim.status => Some(format!("{} is {} now", claim.id, claim.status.as_str())),
            Some(_) => None,
        };
        let fresh = self.now.evidence.iter().filter(|evidence| !self.record.evidence.iter().any(|known| known.id == evidence.id));
        let changed = self.now.risks.iter().filter(|risk| risk.same_as.is_none() && !self.record.risks.contains(risk));
        let lines: Vec<String> = self
            .now
            .claims
            .iter()
            .filter_map(claim)
            .chain(fresh.map(|evidence| self.evidence_line(evidence, Depth::Whole)))
            .chain(changed.map(|risk| self.risk_line(risk)))
            .collect();
        clip(&lines.join("\n"), NEWS)
    }

    fn risk_line(&self, risk: &Risk) -> String {
        let name = |seat: usize| self.names.get(seat).map_or("?", String::as_str);
        format!("{} ({}, {}) {} – {}", risk.id, risk.kind, name(risk.by), risk.text, risk.state(self.names))
    }

    fn claim_line(&self, claim: &Claim, depth: Depth) -> String {
        if let Depth::Bare(std::cmp::Reverse(most)) = depth {
            return format!("{}: {}", claim.id, clip(&claim.text, most)).trim_end().to_owned();
        }
        let by = self.names.get(claim.by).map_or("?", String::as_str);
        let head = format!("{} [{}] {}, {by}, round {}", claim.id, claim.label.as_str(), claim.status.as_str(), claim.introduced_round);
        let old = claim.status == ClaimStatus::Accepted && claim.last_updated_round + 2 <= self.round;
        if depth >= Depth::Shortened && old {
            return format!("{head}: {}", few_words(&claim.text));
        }
        let list = |word: &str, ids: &[String]| if ids.is_empty() { String::new() } else { format!("; {word} {}", ids.join(", ")) };
        let objection =
            if claim.objection.is_empty() || claim.challengers.is_empty() { String::new() } else { format!("; disputed: {}", claim.objection) };
        format!("{head}: {}{}{}{objection}", claim.text, list("for", &claim.support), list("against", &claim.opposition))
    }

    fn evidence_line(&self, evidence: &EvidenceItem, depth: Depth) -> String {
        let live = |id: &String| self.record.claim(id).is_some_and(|claim| matches!(claim.status, ClaimStatus::Contested | ClaimStatus::Open));
        let head = format!("{} {}", evidence.id, evidence.title);
        if depth >= Depth::Shortened && !evidence.supports.iter().any(live) {
            return head;
        }
        // An address is no use in part: one that is too long is left out here, and kept in the record.
        let url = evidence.url.as_deref().filter(|url| size(url) <= URL_TOKENS).map(|url| format!(" <{url}>")).unwrap_or_default();
        let supports = if evidence.supports.is_empty() { String::new() } else { format!(" (for {})", evidence.supports.join(", ")) };
        format!("{head}{url} [{}] {}{supports}", evidence.kind.as_str().replace('_', " "), evidence.gist)
    }
}

/// The first eight words, and not many tokens.
fn few_words(text: &str) -> String {
    let head: Vec<&str> = text.split_whitespace().take(8).collect();
    clip(&head.join(" "), 12)
}
