//! What a seat hands in: one form for every style and round. Fields a style or a round has no use for are not asked for, because the ids they
//! would need do not exist.

use super::risk_reply::{Mitigation, each_once, risk_lines};
use crate::roundtable::record::{Label, audit};
use crate::roundtable::style::StyleRole;
use crate::text::{bare, field, items, token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use synod_engine::{IdLists, TypedReply};
use synod_math::debate::exits::Vote;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// Your contribution in full: the sections you were asked for, with labels, numeric citations and the closing list of references.
    pub reasons: String,
    /// Your position in one or two sentences.
    pub position: String,
    /// How sure you are of it, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// Why your confidence is not what it was; in the first round, what it rests on.
    #[serde(default)]
    pub confidence_reason: String,
    /// Your vote on the leading proposal.
    #[serde(default)]
    #[schemars(extend("x-ids" = "votes"))]
    pub vote: Option<String>,
    /// For a BLOCKER: the claim that must change, if it has an id.
    #[serde(default)]
    #[schemars(extend("x-ids" = "claims"))]
    pub blocker: Option<String>,
    /// The stance you were assigned.
    #[serde(default)]
    #[schemars(extend("x-ids" = "stances"))]
    pub stance: Option<String>,
    /// Which side argued better so far.
    #[serde(default)]
    #[schemars(extend("x-ids" = "rulings"))]
    pub ruling: Option<String>,
    /// The point on which the ruling turned, with the ids of the claims.
    #[serde(default)]
    #[schemars(extend("x-if" = "rulings"))]
    pub ruling_reason: String,
    /// What became of your position since the last round: MAINTAIN, if it is the same in other words.
    #[serde(default)]
    #[schemars(extend("x-ids" = "changes"))]
    pub position_change: Option<String>,
    /// What you do not know and would need to.
    #[serde(default)]
    pub uncertainties: Vec<String>,
    /// Claims you bring in that are not in the debate's record yet: the sentences of your text that others should answer.
    #[serde(default)]
    #[schemars(length(max = 5))]
    pub claims: Vec<NewClaim>,
    /// Claims of the record you support.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "x-ids": "claims"}))]
    pub reinforces: Vec<String>,
    /// Claims of the record you dispute.
    #[serde(default)]
    pub challenges: Vec<Challenge>,
    /// Claims of your own that you take back.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "x-ids": "own"}))]
    pub withdraws: Vec<String>,
    /// Problems you found, each of its own.
    #[serde(default)]
    pub risks: Vec<NewRisk>,
    /// A word on each open risk: an answer, or that it stands.
    #[serde(default)]
    #[schemars(extend("x-each" = "risks"))]
    pub mitigations: Vec<Mitigation>,
    /// Seats you answer directly.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "x-ids": "seats"}))]
    pub replies_to: Vec<String>,
    /// The two or three points a reader must keep.
    #[serde(default)]
    #[schemars(length(min = 2, max = 3))]
    pub key_points: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewClaim {
    /// One sentence of at most 30 tokens.
    pub text: String,
    pub label: Label,
    /// Numbers of your own references.
    #[serde(default)]
    pub cites: Vec<u32>,
    /// Evidence of the record it rests on.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "x-ids": "evidence"}))]
    pub evidence: Vec<String>,
    /// Claims of the record it speaks against.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "x-ids": "claims"}))]
    pub against: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Challenge {
    #[schemars(extend("x-ids" = "claims"))]
    pub id: String,
    /// The conflicting fact, or the gap in the inference, in a few words.
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewRisk {
    #[schemars(extend("x-ids" = "risk_kinds"))]
    pub kind: String,
    /// What goes wrong, in general terms.
    pub text: String,
    /// What would prevent it or limit it.
    #[serde(default)]
    #[schemars(extend("x-if" = "mitigated_kinds"))]
    pub mitigation: String,
}

pub const VOTES: [(&str, Vote); 3] = [("ACCEPT", Vote::Accept), ("MINOR", Vote::Minor), ("BLOCKER", Vote::Blocker)];
pub const CHANGES: [&str; 3] = ["MAINTAIN", "REVISE", "REVERSE"];
pub const STANCES: [&str; 3] = ["YES", "NO", "NEUTRAL"];
pub const RULINGS: [&str; 3] = ["FOR", "AGAINST", "EVEN"];

pub fn vote_name(vote: Vote) -> &'static str {
    VOTES.iter().find(|(_, known)| *known == vote).map_or("", |(name, _)| name)
}

/// What a turn was asked for.
pub struct TurnRequest<'a> {
    pub vote: bool,
    /// It is no objection: what became of its position, a ruling and answers to risks are wanted.
    pub regular: bool,
    /// Its seat has spoken before.
    pub again: bool,
    /// The seats it can answer.
    pub others: &'a [String],
    pub role: &'a StyleRole,
}

impl Turn {
    /// The turn without what it was not asked for: nobody checks such fields, and a model may write anything into them.
    pub fn keep_requested(mut self, request: &TurnRequest) -> Self {
        let role = request.role;
        self.vote = self.vote.filter(|_| request.vote);
        self.blocker = self.blocker.filter(|_| request.vote);
        self.stance = self.stance.filter(|_| role.stance.is_some());
        self.position_change = self.position_change.filter(|change| request.regular && request.again && CHANGES.contains(&change.as_str()));
        self.ruling = self.ruling.filter(|ruling| request.regular && role.rules && RULINGS.contains(&ruling.as_str()));
        if self.ruling.is_none() {
            self.ruling_reason.clear();
        }
        self.risks.retain(|risk| role.risk_kinds.contains(&risk.kind));
        // Whoever only attacks leaves the answers to others, so its own are dropped.
        if role.mitigated_kinds.is_empty() {
            self.risks.iter_mut().for_each(|risk| risk.mitigation.clear());
        }
        self.key_points.truncate(MOST_POINTS);
        self.mitigations = if request.regular && role.answers_risks { each_once(self.mitigations) } else { Vec::new() };
        let mut named = BTreeSet::new();
        self.replies_to.retain(|name| request.others.contains(name) && named.insert(name.clone()));
        self
    }

    /// Answers to problems, its own or those of others.
    pub fn remedies(&self) -> impl Iterator<Item = &str> {
        let own = self.risks.iter().map(|risk| risk.mitigation.trim());
        own.chain(self.mitigations.iter().filter(|word| word.answered).map(|word| word.text.trim())).filter(|text| !text.is_empty())
    }

    pub fn vote(&self) -> Option<Vote> {
        let said = self.vote.as_deref()?;
        VOTES.iter().find(|(name, _)| *name == said).map(|(_, vote)| *vote)
    }
}

const LEAST_POINTS: usize = 2;
const MOST_POINTS: usize = 3;
const FIELDS: [&str; 11] = [
    "Position",
    "Confidence",
    "Confidence reason",
    "Vote",
    "Stance",
    "Ruling",
    "Ruling reason",
    "Position change",
    "Uncertainties",
    "Key points",
    "References",
];

/// Whether a sentence is a line of the text form and no sentence of the contribution.
pub fn is_field(sentence: &str) -> bool {
    FIELDS
        .iter()
        .any(|field| sentence.get(..field.len()).is_some_and(|head| head.eq_ignore_ascii_case(field)) && sentence[field.len()..].starts_with(':'))
}

impl TypedReply for Turn {
    /// Lines `POSITION:` and `CONFIDENCE:`, the others where they apply; claims are the labelled sentences.
    fn from_text(text: &str, terms: &IdLists) -> Option<Self> {
        let value = |label: &str| field(text, label, &FIELDS);
        let position = value("Position")?;
        let confidence = share(&value("Confidence")?)?;
        let list = |label: &str| value(label).map(|value| items(&value)).unwrap_or_default();
        let line = |label: &str| value(label).and_then(|value| Some(value.lines().next()?.to_owned())).unwrap_or_default();
        let word = |label: &str, words: &[&'static str]| value(label).and_then(|value| token(&value, words)).map(str::to_owned);
        let allowed = |list: &str, said: Option<String>| said.filter(|said| terms.list(list).contains(said));
        let audit = audit(text, &[], &|id| terms.list("evidence").iter().any(|known| known == id));
        let sentences = || audit.sentences.iter().filter(|sentence| !is_field(&sentence.text));
        // Where too few key points are named, the position and the first sentences fill the list.
        let mut key_points: Vec<String> = list("Key points").into_iter().take(MOST_POINTS).collect();
        for text in std::iter::once(&position).chain(sentences().map(|sentence| &sentence.text)) {
            if key_points.len() < LEAST_POINTS && !key_points.contains(text) {
                key_points.push(text.clone());
            }
        }
        let claims = sentences()
            .filter_map(|sentence| {
                Some(NewClaim {
                    text: sentence.text.clone(),
                    label: sentence.label?,
                    cites: sentence.cites.clone(),
                    evidence: sentence.evidence.clone(),
                    against: Vec::new(),
                })
            })
            .take(5)
            .collect();
        Some(Self {
            reasons: text.trim().to_owned(),
            position,
            confidence,
            vote: allowed("votes", word("Vote", &VOTES.map(|(name, _)| name))),
            stance: allowed("stances", word("Stance", &STANCES)),
            ruling: allowed("rulings", word("Ruling", &RULINGS)),
            ruling_reason: line("Ruling reason"),
            confidence_reason: line("Confidence reason"),
            position_change: allowed("changes", word("Position change", &CHANGES)),
            uncertainties: list("Uncertainties"),
            mitigations: risk_lines(text, terms),
            claims,
            key_points,
            ..Self::default()
        })
    }

    fn check(&self, terms: &IdLists) -> Result<(), String> {
        if let Some(risk) = self.risks.iter().find(|risk| terms.list("mitigated_kinds").contains(&risk.kind) && risk.mitigation.trim().is_empty()) {
            return Err(format!("a risk of the kind {} has no mitigation: say beside it what would prevent it or limit it", risk.kind));
        }
        if self.position.trim().is_empty() {
            return Err("position is empty: state it in a sentence".into());
        }
        if self.reasons.trim().is_empty() {
            return Err("reasons is empty: give your contribution in full".into());
        }
        Ok(())
    }
}

/// A share as people write it: `0.8`, `80 %`, `8/10`. Words and ranges are not read.
fn share(text: &str) -> Option<f64> {
    let text = bare(text).lines().next()?;
    if let Some(percent) = text.strip_suffix('%') {
        return percent.trim().parse::<f64>().ok().map(|value| value / 100.0).filter(|value| (0.0..=1.0).contains(value));
    }
    if text.contains('/') {
        return crate::text::score(text, 0.0, 10.0).map(|value| value / 10.0);
    }
    text.replace(',', ".").parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roundtable::style::Style;
    use synod_engine::{ReplyFormat, to_value};

    fn terms() -> IdLists {
        let terms = IdLists::default().with("votes", VOTES.map(|(name, _)| name)).with("changes", CHANGES);
        terms.with("claims", ["C1"]).with("seats", ["S2"]).with("own", Vec::<String>::new())
    }

    #[test]
    fn the_form_asks_only_for_what_there_is() {
        let names = |terms: &IdLists| -> Vec<String> {
            let schema = Turn::schema(terms).expect("a schema").schema;
            schema["properties"].as_object().expect("an object").keys().cloned().collect()
        };
        let first = names(&IdLists::default());
        assert_eq!(first.first().map(String::as_str), Some("reasons"));
        for absent in [
            "vote",
            "blocker",
            "stance",
            "ruling",
            "ruling_reason",
            "position_change",
            "reinforces",
            "challenges",
            "withdraws",
            "risks",
            "mitigations",
            "replies_to",
        ] {
            assert!(!first.iter().any(|name| name == absent), "{absent}");
        }
        let later = names(&terms());
        for present in ["vote", "blocker", "reinforces", "challenges", "replies_to"] {
            assert!(later.iter().any(|name| name == present), "{present}");
        }
        assert!(!later.iter().any(|name| name == "withdraws" || name == "stance"));
    }

    #[test]
    fn the_text_form_is_read_and_nothing_is_guessed() {
        let text = "**POSITION:** Move to a queue.\nCONFIDENCE: 80 %\n- VOTE: MINOR, mostly\nKEY POINTS:\n- retries\n- one owner\n\nQueues retry. [FACT][1]\n\nReferences\n[1] Manual";
        let (value, _) = Turn::read(text, &terms()).expect("readable");
        let turn = Turn::recall(&value).expect("a turn");
        assert_eq!((turn.position.as_str(), turn.confidence, turn.vote()), ("Move to a queue.", 0.8, Some(Vote::Minor)));
        assert_eq!((turn.key_points.len(), turn.claims.len(), turn.claims[0].label), (2, 1, Label::Fact));
        let (value, _) = Turn::read("POSITION: Move.\nCONFIDENCE: 0.7\n\nQueues retry. [INFER]", &terms()).expect("readable");
        assert_eq!(Turn::recall(&value).expect("a turn").key_points, ["Move.", "Queues retry."]);
        let owing = terms().with("risks", ["R1", "R2", "R10"]);
        let text = "POSITION: Move.\nCONFIDENCE: 0.7\n- **R10 ANSWERED:** A pager.\nR1 stands: nobody can\nR2: perhaps";
        let said = Turn::recall(&Turn::read(text, &owing).expect("readable").0).expect("a turn").mitigations;
        assert_eq!(said.iter().map(Mitigation::in_words).collect::<Vec<_>>(), ["R1 stands: nobody can", "R10: A pager."]);
        for prose in
            ["I think we should accept this with confidence 0.8.", "POSITION: yes\nCONFIDENCE: fairly high", "POSITION: yes\nCONFIDENCE: 120 %"]
        {
            assert!(Turn::read(prose, &terms()).is_err(), "{prose}");
        }
    }

    #[test]
    fn whoever_must_mitigate_does_and_whoever_may_not_does_not() {
        let risk = |mitigation: &str| NewRisk { kind: "exploitable".into(), text: "The key is shared.".into(), mitigation: mitigation.into() };
        let said = |risk: NewRisk| Turn { reasons: "r".into(), position: "p".into(), risks: vec![risk], ..Turn::default() };
        let terms = terms().with("risk_kinds", ["exploitable", "logical"]).with("mitigated_kinds", ["exploitable"]);
        assert!(said(risk(" ")).check(&terms).is_err_and(|error| error.contains("mitigation")));
        assert!(said(risk("One key a service.")).check(&terms).is_ok());
        let logical = NewRisk { kind: "logical".into(), ..risk("") };
        assert!(said(logical).check(&terms).is_ok(), "a gap in an argument is mended by whoever made it");
        let role = |style: &str| Style::find(style).expect("a style").deal_roles(2)[0];
        let request = |style: &str| TurnRequest { vote: true, regular: true, again: false, others: &[], role: role(style) };
        let kept = said(risk("One key a service.")).keep_requested(&request("adversarial"));
        assert_eq!(kept.risks[0].mitigation, "One key a service.");
        let attack = NewRisk { kind: "attack".into(), ..risk("One key a service.") };
        assert_eq!((said(attack.clone()).remedies().count(), role("red-team-blue-team").only_attacks()), (1, true));
        let offered = |terms: &IdLists| Turn::schema(terms).expect("a form").schema.to_string().contains("prevent it or limit it");
        assert!(offered(&terms) && !offered(&terms.clone().with("mitigated_kinds", [""; 0])), "whoever only attacks is asked for no answer");
        let cleared = said(attack).keep_requested(&request("red-team-blue-team"));
        assert_eq!(cleared.risks[0].mitigation, "", "red finds problems, blue answers them");
    }

    #[test]
    fn words_in_fields_nobody_asked_for_go_no_further() {
        let role = Style::find("collaborative").expect("a style").deal_roles(2)[0];
        let said = || Turn {
            position_change: Some("and now something else".into()),
            replies_to: vec!["S2".into(), "S2".into(), "anything at all".into()],
            vote: Some("ACCEPT".into()),
            ..Turn::default()
        };
        let others = ["S2".to_owned()];
        let first = said().keep_requested(&TurnRequest { vote: false, regular: true, again: false, others: &[], role });
        assert_eq!((first.position_change, first.replies_to.len(), first.vote), (None, 0, None));
        let later = said().keep_requested(&TurnRequest { vote: true, regular: true, again: true, others: &others, role });
        assert_eq!((later.position_change, later.replies_to.as_slice(), later.vote.as_deref()), (None, &others[..], Some("ACCEPT")));
    }

    #[test]
    fn ids_nobody_gave_are_refused() {
        let key_points = vec!["one".into(), "two".into()];
        let mut turn = Turn { reasons: "r".into(), position: "p".into(), confidence: 0.5, key_points, ..Turn::default() };
        turn.reinforces = vec!["C9".into()];
        let error = Turn::read(&to_value(&turn).to_string(), &terms()).expect_err("C9 is not known");
        assert!(error.contains("C9"), "{error}");
        // A list that does not exist was not asked for, and what comes under it is not looked at.
        turn.reinforces.clear();
        turn.withdraws = vec!["C9".into()];
        assert!(Turn::read(&to_value(&turn).to_string(), &terms()).is_ok());
    }
}
