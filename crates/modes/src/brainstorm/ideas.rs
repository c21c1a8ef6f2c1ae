//! Ideation: every seat invents alone; the ideas go into one pool under ids that say nothing of their authors.

use super::rows::{IdeaEntry, IdeationRow};
use crate::attendance;
use crate::text::{bare, blocks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use synod_engine::{Bench, IdLists, Result, SeatReply, TypedReply, prompt};
use synod_math::{Rng, groups, likeness};
use synod_types::{Cluster, Clusters, Exhibit, SeatIx, Shape};

/// The most ideas taken from one seat.
pub const MOST: usize = 10;
/// Ideas that share this part of their words are one idea in two wordings.
pub const SAME: f64 = 0.7;
/// The fewest seats with ideas a brainstorm needs.
const LEAST: usize = 2;

/// What one seat came up with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ideas {
    /// From which sides you came at it, in at most 60 words.
    pub reasons: String,
    /// The ideas, in any order.
    #[schemars(length(min = 1))]
    pub ideas: Vec<Idea>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Idea {
    /// A few words that tell it from the others.
    pub title: String,
    /// What it is and why it could work, in 25 to 60 words.
    pub description: String,
}

impl Idea {
    fn text(&self) -> String {
        format!("{}\n{}", self.title, self.description)
    }

    /// On one line, for people.
    pub fn told(&self) -> String {
        let (title, description) = (self.title.trim(), self.description.trim());
        if description.is_empty() { title.to_owned() } else { format!("{title}: {description}") }
    }
}

impl TypedReply for Ideas {
    /// `IDEA n: title` and what follows it. A title alone is an idea too, also at the very end.
    fn from_text(text: &str, _terms: &IdLists) -> Option<Self> {
        let ideas = blocks(text, "IDEA").into_iter().filter_map(|block| {
            let body = block.body.trim();
            // Some put the title below the heading.
            let (title, description) =
                if block.title.is_empty() { body.split_once('\n').unwrap_or((body, "")) } else { (block.title.as_str(), body) };
            let idea = Idea { title: bare(title).to_owned(), description: bare(description).to_owned() };
            has_title(&idea).then_some(idea)
        });
        let before = text.lines().take_while(|line| blocks(line, "IDEA").is_empty());
        let reasons = bare(&before.collect::<Vec<_>>().join("\n")).to_owned();
        Some(Self { reasons, ideas: ideas.collect() })
    }

    fn check(&self, _terms: &IdLists) -> Result<(), String> {
        if self.ideas.iter().any(has_title) { Ok(()) } else { Err("no idea has a title".to_owned()) }
    }
}

fn has_title(idea: &Idea) -> bool {
    idea.title.chars().any(char::is_alphanumeric)
}

/// One idea of the pool, with those who had it.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolIdea {
    pub id: String,
    pub idea: Idea,
    pub authors: Vec<SeatIx>,
    /// Ids of the other wordings of it.
    pub merged: Vec<String>,
}

/// Every idea once, in the order of their ids, which are drawn at random.
pub struct Pool {
    pub entries: Vec<PoolIdea>,
    /// The seats that gave any.
    pub authors: Vec<SeatIx>,
    /// How many there were before repeats were merged.
    pub given: usize,
}

impl Pool {
    /// Ids are given to all ideas in a random order; of repeats the lowest id is kept. `given` holds each seat's ideas.
    fn of(given: &[(SeatIx, Vec<Idea>)], seed: u64) -> (Self, Vec<AssignedId>) {
        let all: Vec<(SeatIx, &Idea)> = given.iter().flat_map(|(seat, ideas)| ideas.iter().map(|idea| (*seat, idea))).collect();
        let order = Rng::derive(seed, "ideas").permutation(all.len());
        let texts: Vec<String> = order.iter().map(|at| all[*at].1.text()).collect();
        let stands_for = groups::repeats(texts.len(), SAME, |a, b| likeness::overlap(&texts[a], &texts[b]));
        let id = |place: usize| format!("I{:02}", place + 1);
        let mut entries: Vec<PoolIdea> = Vec::new();
        let mut assigned: Vec<AssignedId> = Vec::new();
        for (place, at) in order.iter().enumerate() {
            let (seat, idea) = all[*at];
            let kept = id(stands_for[place]);
            match entries.iter_mut().find(|entry| entry.id == kept) {
                Some(entry) => {
                    entry.merged.push(id(place));
                    if !entry.authors.contains(&seat) {
                        entry.authors.push(seat);
                    }
                }
                None => entries.push(PoolIdea { id: id(place), idea: idea.clone(), authors: vec![seat], merged: Vec::new() }),
            }
            assigned.push(AssignedId { at: *at, seat, id: id(place), merged_into: (stands_for[place] != place).then_some(kept) });
        }
        assigned.sort_by_key(|assigned| assigned.at);
        (Self { entries, authors: given.iter().map(|(seat, _)| *seat).collect(), given: all.len() }, assigned)
    }

    pub fn ids(&self, members: &[usize]) -> Vec<String> {
        members.iter().map(|member| self.entries[*member].id.clone()).collect()
    }

    /// Ids and titles.
    pub fn ids_and_titles(&self, members: &[usize]) -> Vec<(String, String)> {
        members.iter().map(|member| (self.entries[*member].id.clone(), self.entries[*member].idea.title.clone())).collect()
    }

    /// Ideas as prompts take them: nothing that tells whose they are.
    pub fn for_prompt(&self, members: &[usize]) -> Value {
        let one = |entry: &PoolIdea| json!({"id": entry.id, "title": entry.idea.title, "description": entry.idea.description});
        members.iter().map(|member| one(&self.entries[*member])).collect()
    }

    /// How alike two ideas are in their words, whatever their lengths.
    pub fn likeness(&self, a: usize, b: usize) -> f64 {
        likeness::cosine(&self.entries[a].idea.text(), &self.entries[b].idea.text())
    }
}

/// Which id a seat's idea got.
#[derive(Clone, Debug, PartialEq)]
struct AssignedId {
    /// The idea's place among all, seat by seat.
    at: usize,
    seat: SeatIx,
    id: String,
    /// The id of the idea it repeats.
    merged_into: Option<String>,
}

/// Where a seat starts from, so that no two search the same ground: a name, and what to do.
pub const ANGLES: [(&str, &str); 8] = [
    ("other trades", "Ask who else had this trouble, in another trade, country or century, and what they did about it."),
    ("the opposite", "Ask what would make it worse, and turn that round; do the opposite of what everybody does."),
    ("the smallest case", "Begin with one person, one day and no money, and let it grow from there."),
    ("ten times as much", "Ask what you would do with ten times the means, or for ten times as many, and what of it can be had now."),
    ("the people nobody asks", "Take the side of those who are affected and never asked, and of those who gain by how it is."),
    ("taking away", "Add nothing: ask what could be left out, stopped, given up or done by nobody."),
    ("what happens already", "Look for what people do by themselves without being asked, and help that along."),
    ("other rules", "Change who decides, who pays, who goes first or when, and leave everything else as it is."),
];

/// An angle of its own for each seat, drawn by the seed.
pub fn deal(seed: u64, seats: &[SeatIx]) -> Vec<(SeatIx, (&'static str, &'static str))> {
    let order = Rng::derive(seed, "angles").permutation(ANGLES.len());
    seats.iter().zip(order.iter().cycle()).map(|(seat, at)| (*seat, ANGLES[*at])).collect()
}

/// Every seat invents alone, from an angle of its own. Two seats with an idea are enough.
pub async fn collect(bench: &Bench, least: u32) -> Result<Pool> {
    let phase = bench.phase("ideation");
    let dealt = deal(bench.seed("angles"), bench.role("ideator"));
    let angle = |seat: SeatIx| dealt.iter().find(|(of, _)| *of == seat).map_or(ANGLES[0], |(_, angle)| *angle);
    let ask = |seat: SeatIx| prompt!("ideas", least, most = MOST, angle = angle(seat).1);
    let answers = phase.ask_each::<Ideas>(bench.role("ideator"), &ask).await?.quorum(LEAST)?;
    let mut given: Vec<(SeatIx, Vec<Idea>)> = Vec::new();
    for SeatReply { seat, value, .. } in &answers.replies {
        let mut ideas: Vec<Idea> = value.ideas.iter().filter(|idea| has_title(idea)).cloned().collect();
        if ideas.len() > MOST {
            phase.warn(format!("{} gave {} ideas; the first {MOST} were taken.", bench.seat(*seat).label, ideas.len()));
            ideas.truncate(MOST);
        }
        given.push((*seat, ideas));
    }
    let (pool, assigned) = Pool::of(&given, bench.seed("ideas"));
    for ((seat, ideas), answer) in given.iter().zip(&answers.replies) {
        let own: Vec<&AssignedId> = assigned.iter().filter(|assigned| assigned.seat == *seat).collect();
        let entry = |(idea, assigned): (&Idea, &&AssignedId)| IdeaEntry {
            id: assigned.id.clone(),
            title: idea.title.clone(),
            description: idea.description.clone(),
            merged_into: assigned.merged_into.clone(),
        };
        let entries = ideas.iter().zip(&own).map(entry).collect();
        let data = IdeationRow { angle: angle(*seat).0, ideas: entries, idea_count: ideas.len(), error: None };
        let items = ideas.iter().zip(&own).map(|(idea, assigned)| (assigned.id.clone(), idea.told())).collect();
        let merged: Vec<String> =
            own.iter().filter_map(|assigned| Some(format!("{} repeats {}", assigned.id, assigned.merged_into.as_ref()?))).collect();
        let name = format!("Ideas of {}", bench.seat(*seat).label);
        let theme = format!("From {}", angle(*seat).0);
        let list = Cluster { name: name.clone(), theme, items, note: merged.join("; "), ..Cluster::default() };
        let exhibit = Exhibit::new(name, Shape::Clusters(Clusters { clusters: vec![list] })).part("How they came about", &answer.value.reasons);
        phase.show(&format!("ideation_{seat}"), exhibit.by(*seat, "ideator").turn(&answer.key).data(&data))?;
    }
    for failed in &answers.failures {
        let data = IdeationRow { angle: angle(failed.seat).0, ideas: Vec::new(), idea_count: 0, error: Some(failed.failure.to_string()) };
        let title = format!("Ideas of {}", bench.seat(failed.seat).label);
        phase.show(&format!("ideation_{}", failed.seat), attendance::failure(title, "ideator", failed).data(&data))?;
    }
    Ok(pool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn idea(title: &str, description: &str) -> Idea {
        Idea { title: title.into(), description: description.into() }
    }

    fn pool(seed: u64) -> (Pool, Vec<AssignedId>) {
        let first = vec![idea("Night shift", "Run the jobs at night, when nobody waits."), idea("Fewer jobs", "Drop half of them.")];
        let second = vec![idea("night shift", "Run the jobs at night, when nobody waits!"), idea("A queue", "Let workers pull the jobs.")];
        Pool::of(&[(0, first), (4, second)], seed)
    }

    #[test]
    fn a_repeat_is_kept_once_and_belongs_to_both() {
        for seed in 0..20 {
            let (pool, assigned) = pool(seed);
            assert_eq!((pool.entries.len(), pool.given, assigned.len()), (3, 4, 4));
            let both: Vec<&PoolIdea> = pool.entries.iter().filter(|entry| entry.authors.len() == 2).collect();
            let [entry] = both.as_slice() else { panic!("{:?}", pool.entries) };
            assert!(entry.merged.len() == 1 && entry.id < entry.merged[0], "{entry:?}");
            assert_eq!(assigned.iter().filter(|assigned| assigned.merged_into.as_deref() == Some(entry.id.as_str())).count(), 1);
        }
    }

    #[test]
    fn every_seat_has_an_angle_of_its_own_and_the_seed_deals_them() {
        let names = |seed: u64| deal(seed, &[0, 1, 2, 3, 4, 5]).into_iter().map(|(_, (name, _))| name).collect::<Vec<_>>();
        for seed in 0..20 {
            assert_eq!(names(seed).into_iter().collect::<BTreeSet<_>>().len(), 6, "{:?}", names(seed));
        }
        assert_eq!(names(3), names(3));
        assert!((0..20).map(names).collect::<BTreeSet<_>>().len() > 10);
    }

    #[test]
    fn ids_say_nothing_of_the_author() {
        let of_seat_0: BTreeSet<Vec<String>> =
            (0..40).map(|seed| pool(seed).1.into_iter().filter(|assigned| assigned.seat == 0).map(|assigned| assigned.id).collect()).collect();
        assert!(of_seat_0.len() > 6, "any id may be anybody's: {of_seat_0:?}");
        assert_eq!(pool(3).1, pool(3).1);
    }
}
