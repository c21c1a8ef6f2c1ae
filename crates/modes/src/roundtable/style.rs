//! A style of debate as data: which seat has which role, in which order they speak, and what each role must do. Each style is a file in
//! `styles/`; a new file is a new style.

use super::phrases::{Anchor, phrases};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use synod_math::debate::sides::{Side, for_and_against, is_attacker};

/// Name and text of each file.
const FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/styles.rs"));

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    #[serde(skip)]
    pub id: &'static str,
    /// Its place in lists. The first is the default.
    pub place: u32,
    /// Seats speak one after another and read those before them; else all speak at once.
    pub sequential: bool,
    /// Whether a vote is asked for. Questions cannot be voted on.
    pub votes: bool,
    /// Seats are known by shuffled labels, and are told the group's figures.
    #[serde(default)]
    pub anonymous: bool,
    /// Each seat looks from a perspective of its own, given or made for the question.
    #[serde(default)]
    pub perspectives: bool,
    /// The style itself calls for a safety evaluator.
    #[serde(default)]
    pub risky: bool,
    /// An open question is turned into a proposition before anybody argues.
    #[serde(default)]
    pub proposition: bool,
    pub deal: RoleDeal,
    pub personas: Vec<String>,
    pub synthesis: SynthesisStyle,
    pub roles: Vec<StyleRole>,
}

/// What the chair writes in this style, and the titles of its sections.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SynthesisStyle {
    pub task: String,
    pub recommendation: String,
    pub common_ground: String,
    pub differences: String,
    pub evolution: String,
}

/// How roles are dealt to the seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleDeal {
    /// One role for all.
    One,
    /// For, against, and those who weigh both: three roles.
    Sides,
    /// Attack and defence, turn about: two roles.
    Teams,
}

/// What a seat's prompt says of its part, layer by layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StyleRole {
    pub id: String,
    /// The stance its answers must carry.
    #[serde(default)]
    pub stance: Option<String>,
    /// It argues a side it was given, so its votes are shown and not counted.
    #[serde(default)]
    pub bound: bool,
    /// It rules which side argued better.
    #[serde(default)]
    pub rules: bool,
    pub identity: String,
    pub helpful: String,
    /// Duties and bans that hold while it must object, too.
    #[serde(default)]
    pub must_always: Vec<String>,
    #[serde(default)]
    pub must_never: Vec<String>,
    /// Those of a regular round.
    pub must: Vec<String>,
    /// Duties that need the words of others: they begin when somebody has spoken.
    #[serde(default)]
    pub must_later: Vec<String>,
    pub must_not: Vec<String>,
    pub failure: String,
    pub priorities: Vec<String>,
    /// Sections of the first round, and of every later one.
    pub first: Vec<String>,
    pub later: Vec<String>,
    #[serde(default)]
    pub note: Option<String>,
    /// How it takes up what others said, where the usual rule would break its part.
    #[serde(default)]
    pub hearing: Option<String>,
    pub focus: String,
    pub objection: String,
    /// What it owes in a round of objections, where the usual would break its part.
    #[serde(default)]
    pub objection_owes: Option<String>,
    pub questions: [String; 2],
    /// In their place as long as nobody has spoken.
    #[serde(default)]
    pub first_questions: Option<[String; 2]>,
    /// The checks of this role in place of the usual ones, which it would have to fail.
    #[serde(default)]
    pub clarity: Option<String>,
    #[serde(default)]
    pub alternatives: Option<String>,
    #[serde(default)]
    pub failures: Option<String>,
    /// Kinds of problems it lists under ids.
    #[serde(default)]
    pub risk_kinds: Vec<String>,
    /// Kinds among them that it must answer itself. Where there are none, answering is for others.
    #[serde(default)]
    pub mitigated_kinds: Vec<String>,
    /// It owes an answer to every open problem.
    #[serde(default)]
    pub answers_risks: bool,
    /// Names of the anchors that suit it; any, where there are none.
    #[serde(default)]
    pub anchors: Vec<String>,
    /// What a rehearsal voice says in this role.
    #[serde(skip_serializing)]
    pub rehearse: RehearsedWords,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RehearsedWords {
    pub position: Vec<String>,
    pub say: Vec<String>,
}

impl StyleRole {
    /// It names problems and leaves the answers to others.
    pub fn only_attacks(&self) -> bool {
        !self.risk_kinds.is_empty() && self.mitigated_kinds.is_empty() && !self.answers_risks
    }
}

impl Style {
    pub fn all() -> &'static [Self] {
        static STYLES: OnceLock<Vec<Style>> = OnceLock::new();
        STYLES.get_or_init(|| {
            let mut styles: Vec<Self> = FILES.iter().map(|(id, text)| read(id, text)).collect();
            styles.sort_by_key(|style| style.place);
            styles
        })
    }

    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|style| style.id == id)
    }

    pub fn ids() -> Vec<&'static str> {
        Self::all().iter().map(|style| style.id).collect()
    }

    /// Some seats argue a side they were given: how far all agree then says nothing.
    pub fn assigns_sides(&self) -> bool {
        self.roles.iter().any(|role| role.bound)
    }

    /// Somebody rules which side argued better.
    pub fn has_ruling(&self) -> bool {
        self.roles.iter().any(|role| role.rules)
    }

    /// The role of each of `n` seats.
    pub fn deal_roles(&self, n: usize) -> Vec<&StyleRole> {
        (0..n).filter_map(|seat| self.roles.get(self.role_place(seat, n))).collect()
    }

    /// What each of `n` seats pays attention to for the whole run: the anchors that suit its role, dealt round among the seats that have it.
    pub fn deal_anchors(&self, n: usize) -> Vec<&'static Anchor> {
        let roles = self.deal_roles(n);
        let anchor = |seat: usize| {
            let suits = |anchor: &&Anchor| roles[seat].anchors.is_empty() || roles[seat].anchors.contains(&anchor.name);
            let suiting: Vec<&'static Anchor> = phrases().anchors.iter().filter(suits).collect();
            let before = roles[..seat].iter().filter(|role| role.id == roles[seat].id).count();
            suiting[before % suiting.len()]
        };
        (0..n).map(anchor).collect()
    }

    fn role_place(&self, seat: usize, n: usize) -> usize {
        match self.deal {
            RoleDeal::One => 0,
            RoleDeal::Sides => match for_and_against(n)[seat] {
                Side::For => 0,
                Side::Against => 1,
                Side::Weighing => 2,
            },
            RoleDeal::Teams => usize::from(!is_attacker(seat)),
        }
    }

    /// Where roles differ, each role has its persona; where all seats have the same role, personas go round.
    pub fn persona(&self, seat: usize, n: usize) -> &str {
        let place = match self.deal {
            RoleDeal::One => seat,
            RoleDeal::Sides | RoleDeal::Teams => self.role_place(seat, n),
        };
        &self.personas[place % self.personas.len()]
    }
}

/// The files are built into the program, and a test reads every one of them.
fn read(id: &'static str, text: &str) -> Style {
    let style: Style = toml::from_str(text).unwrap_or_else(|error| unreachable!("the built-in style {id}: {error}"));
    Style { id, ..style }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those there must be; another one may be anything.
    const SEVEN: [&str; 7] = ["collaborative", "adversarial", "socratic", "expert-panel", "devils-advocate", "delphi", "red-team-blue-team"];

    fn those(which: fn(&Style) -> bool) -> Vec<&'static str> {
        Style::all().iter().filter(|style| SEVEN.contains(&style.id) && which(style)).map(|style| style.id).collect()
    }

    #[test]
    fn every_style_is_whole() {
        let places: Vec<u32> = Style::all().iter().map(|style| style.place).collect();
        assert_eq!(places, (1..=FILES.len() as u32).collect::<Vec<_>>());
        for style in Style::all() {
            let roles = match style.deal {
                RoleDeal::One => 1,
                RoleDeal::Teams => 2,
                RoleDeal::Sides => 3,
            };
            assert_eq!(style.roles.len(), roles, "{}", style.id);
            assert!(!style.personas.is_empty(), "{}", style.id);
            for role in &style.roles {
                for list in [&role.priorities, &role.first, &role.later, &role.rehearse.position, &role.rehearse.say] {
                    assert!(list.len() >= 2, "{} {}", style.id, role.id);
                }
                assert!(
                    role.must_always.len() + role.must.len() >= 2 && role.must_never.len() + role.must_not.len() >= 2,
                    "{} {}",
                    style.id,
                    role.id
                );
            }
            assert_eq!(style.deal_roles(5).len(), 5, "{}", style.id);
        }
    }

    #[test]
    fn the_seven_are_told_apart_by_their_marks() {
        assert_eq!(those(|_| true), SEVEN, "the first is the default");
        assert_eq!(those(|style| style.sequential), ["adversarial", "socratic", "devils-advocate"]);
        assert_eq!(those(|style| style.risky), ["adversarial", "devils-advocate", "red-team-blue-team"]);
        assert_eq!(those(|style| !style.votes), ["socratic"]);
        assert_eq!(those(|style| style.anonymous), ["delphi"]);
        assert_eq!(those(|style| style.perspectives), ["expert-panel"]);
        assert_eq!(those(|style| style.proposition), ["devils-advocate"]);
        assert_eq!(those(Style::assigns_sides), ["devils-advocate", "red-team-blue-team"]);
        assert_eq!(those(Style::has_ruling), ["devils-advocate"]);
    }

    /// A role that may not do something is not asked whether it did.
    #[test]
    fn no_role_has_a_check_it_must_fail() {
        for style in Style::all().iter().filter(|style| SEVEN.contains(&style.id)) {
            for role in &style.roles {
                let forbidden = [role.must_never.as_slice(), &role.must_not].concat().join(" ");
                let name = format!("{} {}", style.id, role.id);
                let answers = forbidden.contains("solutions") || forbidden.contains("answer your own") || forbidden.contains("a case of your own");
                assert_eq!(answers, role.only_attacks() || role.rules || !style.votes, "{name}");
                assert!(!answers || (role.alternatives.is_some() && role.failures.is_some()), "{name}: mitigations are checked and forbidden");
                let assigned = answers || role.bound;
                assert!(!assigned || role.hearing.is_some(), "{name}: a concern and an alternative are asked for and forbidden");
                assert!(
                    !(role.rules || role.stance.is_some() || !style.votes) || role.objection_owes.is_some(),
                    "{name}: it owes what its part forbids"
                );
                let concludes = forbidden.contains("conclude") || role.rules;
                assert!(!concludes || role.clarity.is_some(), "{name}: a position is checked and forbidden");
                let needs_others = |line: &String| line.contains("others said") || line.contains("by name") || line.contains("other side stated");
                let first = role.first_questions.as_ref().unwrap_or(&role.questions);
                assert!(!first.iter().any(needs_others), "{name}: a check of the first round needs the words of others");
                assert!(!role.must.iter().any(|line| line.contains("agree with others") || line.contains("claim by its id")), "{name}");
            }
        }
    }

    #[test]
    fn a_role_has_its_persona() {
        for style in Style::all().iter().filter(|style| style.deal != RoleDeal::One) {
            assert_eq!(style.personas.len(), style.roles.len(), "{}", style.id);
            for n in 2..=10 {
                for (seat, role) in style.deal_roles(n).into_iter().enumerate() {
                    let place = style.roles.iter().position(|known| known.id == role.id).expect("a role of the style");
                    assert_eq!(style.persona(seat, n), style.personas[place], "{} seat {seat} of {n}", style.id);
                }
            }
        }
        let together = Style::find("collaborative").expect("a style");
        assert_eq!((together.persona(0, 5), together.persona(4, 5)), (together.personas[0].as_str(), together.personas[0].as_str()));
    }

    /// Whoever speaks for something is not told to look at how it fails, and whoever attacks is not told to see how it can be done.
    #[test]
    fn anchors_suit_the_role_and_differ_among_those_who_have_it() {
        for style in Style::all() {
            for role in &style.roles {
                let known = |name: &&String| phrases().anchors.iter().any(|anchor| anchor.name == **name);
                assert_eq!(role.anchors.iter().filter(known).count(), role.anchors.len(), "{} {}: an anchor nobody knows", style.id, role.id);
            }
            for n in 2..=10 {
                let dealt: Vec<(&str, &str)> =
                    style.deal_roles(n).iter().zip(style.deal_anchors(n)).map(|(role, anchor)| (role.id.as_str(), anchor.name.as_str())).collect();
                for (at, (role, anchor)) in dealt.iter().enumerate() {
                    let suits = match *role {
                        "advocate" | "blue" => *anchor != "Risk-Attentive",
                        "opposition" | "red" => *anchor != "Implementation-Focused",
                        _ => true,
                    };
                    assert!(suits, "{}: {role} looks at {anchor}", style.id);
                    let before = dealt[..at].iter().rposition(|(other, _)| other == role);
                    assert!(before.is_none_or(|before| dealt[before].1 != *anchor), "{} of {n}: {dealt:?}", style.id);
                }
            }
        }
    }

    #[test]
    fn stances_belong_to_one_style() {
        for style in Style::all().iter().filter(|style| SEVEN.contains(&style.id)) {
            let stances: Vec<Option<&str>> = style.roles.iter().map(|role| role.stance.as_deref()).collect();
            match style.id {
                "devils-advocate" => assert_eq!(stances, [Some("YES"), Some("NO"), Some("NEUTRAL")]),
                _ => assert!(stances.iter().all(Option::is_none), "{}", style.id),
            }
        }
    }
}
