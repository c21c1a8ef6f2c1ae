//! The rules of the pipeline, told a second time: a checker that knows them and the tables, and nothing of the crate that keeps them.

use super::recount::{Plan, Stage, hashes, parts, recommended, slug, winners};
use super::tables::{FlagRow, LayerRow, PipelineRow, PointRow, SlotRow, Tables};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// What is against the rules, each in a sentence.
pub type Broken = Vec<String>;

macro_rules! must {
    ($broken:expr, $holds:expr, $($why:tt)+) => {
        if !$holds {
            $broken.push(format!($($why)+));
        }
    };
}

/// What the owner of the database decided.
#[derive(Clone, Copy)]
pub struct Decided {
    pub enforce_verdict_flag: bool,
    pub points: bool,
}

/// Checks everything that must hold at any moment.
pub fn check(tables: &Tables, decided: Decided) -> Broken {
    let mut broken = Broken::new();
    let plans: HashMap<&str, Plan> = tables.protocols.iter().map(|row| (row.id.as_str(), Plan::read(&row.body))).collect();
    let names: BTreeSet<&str> = tables.protocols.iter().map(|row| row.name.as_str()).collect();
    must!(broken, names.len() == tables.protocols.len(), "U5: two protocols of one name");
    must!(broken, tables.protocols.iter().filter(|row| row.is_default).count() <= 1, "U5: two defaults");
    let routable: BTreeSet<String> = plans.values().filter(|plan| !plan.routes()).map(|plan| plan.name.clone()).collect();

    for claim in &tables.claims {
        let id = claim.id.as_str();
        let pipelines: Vec<&PipelineRow> = tables.pipelines.iter().filter(|row| row.claim == id).collect();
        must!(broken, pipelines.len() == 1, "U1: {id} has {} pipelines", pipelines.len());
        let Some(pipeline) = pipelines.first() else { continue };
        let Some(plan) = plans.get(pipeline.protocol.as_str()) else {
            broken.push(format!("{id} is under no protocol"));
            continue;
        };
        must!(broken, plan.name == claim.protocol, "{id} says {} and is under {}", claim.protocol, plan.name);
        let of_claim = Claim {
            id,
            pipeline,
            plan,
            plans: &plans,
            routable: &routable,
            decided,
            slots: tables.slots.iter().filter(|row| row.claim == id).collect(),
            flags: tables.flags.iter().filter(|row| row.claim == id).collect(),
            layers: tables.layers.iter().filter(|row| row.claim == id).collect(),
        };
        of_claim.slots_are_sound(&mut broken, claim.hidden_at);
        of_claim.agents_exclude_each_other(&mut broken);
        of_claim.layers_follow_each_other(&mut broken);
        of_claim.flags_match(&mut broken);
        of_claim.domain_is_the_voted_one(&mut broken, &claim.domain);
        of_claim.ends_with_one_record(&mut broken, tables.records.iter().filter(|(of, _)| of == id).map(|(_, body)| body).collect());
        of_claim.points_are_earned(&mut broken, tables.points.iter().filter(|(of, _)| of == id).map(|(_, row)| row.clone()).collect());
        for row in of_claim.layers.iter().filter(|row| row.outcome == "overridden") {
            let told = tables.overrides.iter().filter(|(of, layer)| of == id && *layer == row.layer).count();
            must!(broken, told == 1, "8: {id} layer {} was passed by a person {told} times", row.layer);
        }
    }
    broken
}

struct Claim<'t> {
    id: &'t str,
    pipeline: &'t PipelineRow,
    plan: &'t Plan,
    plans: &'t HashMap<&'t str, Plan>,
    routable: &'t BTreeSet<String>,
    decided: Decided,
    slots: Vec<&'t SlotRow>,
    flags: Vec<&'t FlagRow>,
    layers: Vec<&'t LayerRow>,
}

impl Claim<'_> {
    fn of(&self, layer: i64, attempt: i64) -> Vec<&SlotRow> {
        self.slots.iter().copied().filter(|slot| (slot.layer, slot.attempt) == (layer, attempt)).collect()
    }

    fn stage_of(&self, layer: i64) -> Option<&Stage> {
        let slot = self.slots.iter().find(|slot| slot.layer == layer)?;
        self.plans.get(slot.protocol.as_str())?.stage(layer)
    }

    fn attempts(&self, layer: i64) -> BTreeSet<i64> {
        self.slots.iter().filter(|slot| slot.layer == layer).map(|slot| slot.attempt).collect()
    }

    fn ended(&self, layer: i64, attempt: i64) -> Option<&LayerRow> {
        self.layers.iter().copied().find(|row| (row.layer, row.attempt) == (layer, attempt))
    }

    /// What each state of a slot holds, and what it does not.
    fn slots_are_sound(&self, broken: &mut Broken, hidden_at: Option<i64>) {
        let mut places = BTreeSet::new();
        for slot in &self.slots {
            let (id, status) = (slot.id.as_str(), slot.status.as_str());
            must!(broken, places.insert((slot.layer, slot.attempt, &slot.kind, slot.ordinal)), "U2: two slots at the place of {id}");
            must!(
                broken,
                slot.confidence.is_none_or(|confidence| (0.0..=1.0).contains(&confidence)),
                "{id} has the confidence {:?}",
                slot.confidence
            );
            let said = slot.output.is_some() || slot.structured.is_some() || slot.confidence.is_some() || slot.done_at.is_some();
            let leased = slot.lease.is_some() && slot.taken_at.is_some() && slot.expires_at.is_some();
            match status {
                "open" => {
                    must!(broken, slot.agent.is_none() && slot.lease.is_none() && slot.expires_at.is_none() && !said, "4: open, not empty: {slot:?}")
                }
                "taken" => must!(broken, slot.agent.is_some() && leased && !said, "4: taken without a lease, or with an output: {slot:?}"),
                "done" | "superseded" => {
                    must!(broken, slot.agent.is_some() && slot.output.is_some() && slot.done_at.is_some(), "done, and incomplete: {slot:?}");
                    must!(broken, slot.kind == "work" || slot.confidence.is_some(), "a seat without a confidence: {slot:?}");
                    must!(broken, slot.expires_at.is_none(), "done, and still leased: {slot:?}");
                }
                _ => broken.push(format!("{id} is {status}")),
            }
            if let (Some(taken), Some(plan)) = (slot.taken_at, self.plans.get(slot.protocol.as_str())) {
                // Taken, and extended three times at the very end of each.
                let last = taken + 4 * plan.lease_ms;
                must!(broken, slot.done_at.is_none_or(|done| taken <= done && done <= last), "4: done outside its lease: {slot:?}");
                must!(broken, slot.expires_at.is_none_or(|until| until <= last), "a lease without end: {slot:?}");
            }
            if let Some(hidden) = hidden_at {
                let since = |at: Option<i64>| at.is_some_and(|at| at > hidden);
                must!(broken, !since(slot.taken_at) && !since(slot.done_at), "9: {id} was taken or done on a hidden claim");
            }
        }
    }

    fn agents_exclude_each_other(&self, broken: &mut Broken) {
        let mut held = BTreeSet::new();
        for slot in self.slots.iter().filter(|slot| matches!(slot.status.as_str(), "taken" | "done")) {
            let Some(plan) = self.plans.get(slot.protocol.as_str()) else { continue };
            let who = if plan.by_owner { &slot.owner } else { &slot.agent };
            let kind = if plan.by_type { slot.kind.as_str() } else { "" };
            must!(broken, held.insert((slot.layer, slot.attempt, kind, who)), "U3: {who:?} has two slots of layer {} of {}", slot.layer, self.id);
        }
    }

    /// Layers in ascending order, none skipped, each attempt complete before the next, and the claim where its slots say.
    fn layers_follow_each_other(&self, broken: &mut Broken) {
        let (id, now) = (self.id, self.pipeline);
        let visited: Vec<i64> = self.slots.iter().map(|slot| slot.layer).collect::<BTreeSet<_>>().into_iter().collect();
        let mut path: Vec<i64> = self.plan.stages.iter().map(|stage| stage.layer).collect();
        if visited.first() == Some(&0) && !self.plan.routes() {
            path.insert(0, 0);
        }
        must!(broken, path.starts_with(&visited) && visited.last() == Some(&now.layer), "7: {id} is at {}, by {visited:?} of {path:?}", now.layer);
        must!(broken, matches!(now.status.as_str(), "active" | "flagged" | "complete"), "{id} is {}", now.status);
        let mut ends = 0;
        for layer in visited {
            let Some(stage) = self.stage_of(layer) else {
                broken.push(format!("{id} has slots of layer {layer}, which no protocol has"));
                continue;
            };
            let attempts = self.attempts(layer);
            let last = attempts.iter().max().copied().unwrap_or(0);
            must!(broken, attempts.iter().copied().eq(1..=last) && last <= 3, "{id} layer {layer}: attempts {attempts:?}");
            must!(broken, layer != now.layer || last == now.attempt, "{id} is at attempt {}, its slots at {last}", now.attempt);
            for attempt in attempts {
                let slots = self.of(layer, attempt);
                let (work, seats): (Vec<&SlotRow>, Vec<&SlotRow>) = slots.iter().copied().partition(|slot| slot.kind == "work");
                let here = layer == now.layer && attempt == last;
                let active = here && now.status == "active";
                must!(broken, work.iter().map(|slot| &slot.role).eq(&stage.roles), "{id} layer {layer}/{attempt}: other work slots: {work:?}");
                let ordinals = |slots: &[&SlotRow]| slots.iter().map(|slot| slot.ordinal).eq(1..=slots.len() as i64);
                must!(broken, ordinals(&work) && ordinals(&seats), "{id} layer {layer}/{attempt}: places are missing");
                let working = active && now.phase == "work";
                let wanted = if working { 0 } else { stage.seats };
                must!(broken, seats.len() == wanted, "3: {id} layer {layer}/{attempt}: {} seats, not {wanted}", seats.len());
                let all = |slots: &[&SlotRow], status: &str| slots.iter().all(|slot| slot.status == status);
                if attempt < last {
                    must!(broken, all(&slots, "superseded"), "{id} layer {layer}/{attempt}: sent back, and not superseded");
                } else {
                    must!(broken, slots.iter().all(|slot| slot.status != "superseded"), "{id} layer {layer}/{attempt}: superseded by nothing");
                }
                if active {
                    let (before, open) = if working { (&seats, &work) } else { (&work, &seats) };
                    must!(broken, all(before, "done"), "{id} layer {layer}/{attempt}: the phase before is not done");
                    must!(
                        broken,
                        !open.is_empty() && !all(open, "done"),
                        "10: {id} layer {layer}/{attempt}: the phase is done, and it did not go on"
                    );
                    must!(broken, self.ended(layer, attempt).is_none(), "8: {id} layer {layer}/{attempt}: ended, and still worked");
                    continue;
                }
                must!(broken, attempt < last || all(&slots, "done"), "5: {id} layer {layer}/{attempt}: not done, and nobody can do it");
                ends += 1;
                let Some(end) = self.ended(layer, attempt) else {
                    broken.push(format!("8: {id} layer {layer}/{attempt}: over, and not ended"));
                    continue;
                };
                let outcomes: &[&str] = match (attempt < last, here, now.status.as_str()) {
                    (true, ..) | (false, true, "flagged") => &["flagged"],
                    (false, true, "complete") => &["passed", "overridden", "closed"],
                    _ => &["passed", "overridden"],
                };
                must!(broken, outcomes.contains(&end.outcome.as_str()), "{id} layer {layer}/{attempt}: {}, not {outcomes:?}", end.outcome);
                self.mean_is_right(broken, stage, end, &slots, &seats);
            }
        }
        must!(broken, self.layers.len() == ends, "8: {id}: {} endings of {ends} attempts", self.layers.len());
        must!(broken, self.layers.windows(2).all(|pair| pair[0].at <= pair[1].at), "7: {id}: layers ended in another order");
        if now.status == "complete" {
            let closed = self.layers.last().is_some_and(|row| row.outcome == "closed");
            must!(broken, closed || path.last() == Some(&now.layer), "7: {id}: complete at layer {} of {path:?}", now.layer);
        }
    }

    /// The mean and whether it passes, counted again in whole numbers.
    fn mean_is_right(&self, broken: &mut Broken, stage: &Stage, end: &LayerRow, slots: &[&SlotRow], seats: &[&SlotRow]) {
        let place = format!("{} layer {}/{}", self.id, end.layer, end.attempt);
        let n = seats.len() as i64;
        let sum: i64 = seats.iter().filter_map(|slot| slot.confidence).map(parts).sum();
        let passes = sum >= parts(stage.threshold) * n;
        let avg = sum as f64 / (n * 10_000) as f64;
        must!(broken, (end.avg - avg).abs() < 1e-9 && end.threshold == stage.threshold, "{place}: mean {} of {}, not {avg}", end.avg, end.threshold);
        let said = |word: &str| slots.iter().filter(|slot| slot.structured.as_ref().is_some_and(|output| output["verdict"] == word)).count();
        let verdict = stage.effect.as_deref() == Some("verdict") && said("flag") > said("advance-to-synthesis");
        let stopped = !passes || verdict && self.decided.enforce_verdict_flag;
        must!(broken, stopped == (end.outcome != "passed"), "{place}: {} with a sum of {sum} over {n}", end.outcome);
        let flags: Vec<&&FlagRow> = self.flags.iter().filter(|flag| (flag.layer, flag.attempt) == (end.layer, end.attempt)).collect();
        must!(broken, flags.len() == usize::from(stopped), "8: {place}: {} flags", flags.len());
        for flag in flags {
            let reason = if passes { "deliberation_verdict" } else { "low_consensus_confidence" };
            must!(broken, flag.reason == reason, "{place}: flagged for {}, not {reason}", flag.reason);
            must!(broken, (flag.avg - avg).abs() < 1e-9 && flag.threshold == stage.threshold, "{place}: the flag says {}", flag.avg);
        }
    }

    /// Every flag was cleared as the claim went on.
    fn flags_match(&self, broken: &mut Broken) {
        let id = self.id;
        let open: Vec<&&FlagRow> = self.flags.iter().filter(|flag| !flag.cleared).collect();
        must!(broken, open.len() <= 1, "U4: {id} has {} open flags", open.len());
        must!(broken, (open.len() == 1) == (self.pipeline.status == "flagged"), "{id} is {}, with {} open flags", self.pipeline.status, open.len());
        for flag in open {
            let here = (flag.layer, flag.attempt) == (self.pipeline.layer, self.pipeline.attempt);
            must!(broken, here && flag.resolution.is_none(), "{id}: the open flag is of another place: {flag:?}");
        }
        for flag in self.flags.iter().filter(|flag| flag.cleared) {
            let place = format!("{id} layer {}/{}", flag.layer, flag.attempt);
            let word = flag.resolution.as_deref().unwrap_or_default();
            let next = self.of(flag.layer, flag.attempt + 1);
            let outcome = self.ended(flag.layer, flag.attempt).map(|row| row.outcome.as_str());
            let wanted = match word {
                "rerun_layer" | "rerun_consensus" => "flagged",
                "override_pass" => "overridden",
                _ => "closed",
            };
            must!(broken, outcome == Some(wanted), "{place}: {word}, and {outcome:?}");
            must!(broken, next.is_empty() != word.starts_with("rerun"), "{place}: {word}, and {} slots after", next.len());
            must!(broken, word.starts_with("rerun") || flag.note.is_some(), "{place}: {word} without a note");
            let (before, copies) = (self.of(flag.layer, flag.attempt), next.iter().filter(|slot| slot.kind == "work"));
            for (old, copy) in before.iter().filter(|slot| slot.kind == "work").zip(copies) {
                let said = |slot: &SlotRow| (slot.agent.clone(), slot.owner.clone(), slot.output.clone(), slot.structured.clone(), slot.done_at);
                must!(broken, copy.copied == (word == "rerun_consensus"), "{place}: {word}, and copied is {}", copy.copied);
                must!(broken, !copy.copied || said(old) == said(copy) && old.confidence == copy.confidence, "{place}: copied otherwise: {copy:?}");
            }
        }
        let sent_back = self.flags.iter().any(|flag| flag.resolution.as_deref() == Some("rerun_consensus"));
        must!(broken, sent_back || self.slots.iter().all(|slot| !slot.copied), "{id}: copies without a reason");
    }

    /// The domain is what the last layer that decides it voted, and each layer says what it did.
    fn domain_is_the_voted_one(&self, broken: &mut Broken, domain: &str) {
        let mut told: Option<String> = None;
        for row in &self.layers {
            let place = format!("{} layer {}/{}", self.id, row.layer, row.attempt);
            let Some(stage) = self.stage_of(row.layer) else { continue };
            let passed = matches!(row.outcome.as_str(), "passed" | "overridden");
            must!(broken, passed || row.effect.is_none(), "8: {place}: {} with the effect {:?}", row.outcome, row.effect);
            if !passed {
                continue;
            }
            let slots = self.of(row.layer, row.attempt);
            let or = |found: BTreeSet<String>, usual: &str| if found.is_empty() { BTreeSet::from([usual.to_owned()]) } else { found };
            let effect = row.effect.as_deref().unwrap_or_default();
            match stage.effect.as_deref() {
                Some("domain") => {
                    let voted = or(winners(slots.into_iter(), "domain", slug), "general");
                    let said = effect.strip_prefix("domain: ").unwrap_or_default();
                    must!(broken, voted.contains(said), "{place}: {effect:?} of {voted:?}");
                    told = Some(said.to_owned());
                }
                Some("route") => {
                    let work = || slots.iter().copied().filter(|slot| slot.kind == "work");
                    let known = |given: &str| self.routable.get(given).cloned();
                    let (protocols, domains) = (or(winners(work(), "protocol", known), "prism-v1"), or(winners(work(), "domain", slug), "general"));
                    let said = effect.strip_prefix("protocol: ").and_then(|rest| rest.split_once(", domain: ")).unwrap_or_default();
                    must!(broken, protocols.contains(said.0) && domains.contains(said.1), "{place}: {effect:?} of {protocols:?} and {domains:?}");
                    must!(broken, said.0 == self.plan.name, "{place}: {effect:?}, and under {}", self.plan.name);
                    told = Some(said.1.to_owned());
                }
                Some(_) => {}
                None => must!(broken, row.effect.is_none(), "{place}: the effect {effect:?} of nothing"),
            }
        }
        must!(broken, told.as_deref().unwrap_or("calibrating") == domain, "{}: the domain is {domain}, not {told:?}", self.id);
    }

    fn ends_with_one_record(&self, broken: &mut Broken, records: Vec<&Value>) {
        let (id, complete) = (self.id, self.pipeline.status == "complete");
        must!(broken, records.len() == usize::from(complete), "8: {id} is {}, with {} records", self.pipeline.status, records.len());
        must!(broken, self.pipeline.hash.is_some() == complete, "{id} is {}, hashed {:?}", self.pipeline.status, self.pipeline.hash);
        let (true, Some(record), Some(end)) = (complete, records.first(), self.layers.last()) else { return };
        let slots = self.of(end.layer, end.attempt);
        let seats: Vec<&SlotRow> = slots.into_iter().filter(|slot| slot.kind == "consensus").collect();
        let (word, split) = if end.outcome == "closed" { (Some("needs-more-evidence"), false) } else { recommended(&seats) };
        must!(broken, record["recommendation"].as_str() == word && record["splitVerdict"] == split, "{id}: {record}, not {word:?}");
        must!(broken, record["confidence"].as_f64() == Some((end.avg * 100.0).round()), "{id}: {record} of a mean of {}", end.avg);
        let (first, second) = hashes(id, &self.plan.name, &self.slots, word);
        must!(broken, self.pipeline.hash.as_ref() == Some(&first), "{id}: the hash is another");
        must!(broken, self.pipeline.hash_v2.as_ref() == Some(&second), "{id}: the second hash is another");
    }

    /// What was earned is what the attempts that passed are worth, and nothing else.
    fn points_are_earned(&self, broken: &mut Broken, mut given: Vec<PointRow>) {
        let mut earned: BTreeSet<PointRow> = BTreeSet::new();
        let passed = |row: &&LayerRow| matches!(row.outcome.as_str(), "passed" | "overridden");
        for row in self.layers.iter().copied().filter(passed) {
            for slot in self.of(row.layer, row.attempt) {
                let owner = slot.owner.clone().unwrap_or_default();
                let (kind, points) = if slot.kind == "work" { ("work", 10) } else { ("consensus", 5) };
                earned.insert((owner.clone(), kind.into(), slot.id.clone(), points));
                if slot.kind == "work" {
                    earned.insert((owner, "layer".into(), row.layer.to_string(), 20));
                }
            }
        }
        if self.pipeline.status == "complete" && self.layers.last().copied().is_some_and(|row| passed(&row)) {
            for slot in self.slots.iter().filter(|slot| slot.status == "done") {
                earned.insert((slot.owner.clone().unwrap_or_default(), "pipeline".into(), "complete".into(), 50));
            }
        }
        given.sort();
        let earned: Vec<PointRow> = if self.decided.points { earned.into_iter().collect() } else { Vec::new() };
        must!(broken, given == earned, "8: {}: earned {earned:?}, given {given:?}", self.id);
    }
}

/// Checks that everything only went forward from one moment to a later one.
pub fn check_progress(before: &Tables, after: &Tables) -> Broken {
    let mut broken = Broken::new();
    let now: HashMap<&str, &PipelineRow> = after.pipelines.iter().map(|row| (row.claim.as_str(), row)).collect();
    for old in &before.pipelines {
        let Some(new) = now.get(old.claim.as_str()) else {
            broken.push(format!("{} is gone", old.claim));
            continue;
        };
        must!(broken, new.version >= old.version, "{}: version {} after {}", old.claim, new.version, old.version);
        must!(broken, (new.layer, new.attempt) >= (old.layer, old.attempt), "7: {} went back: {new:?} after {old:?}", old.claim);
        let turned = (new.layer, new.attempt) == (old.layer, old.attempt) && old.phase == "consensus" && new.phase == "work";
        must!(broken, !turned, "7: {} went back to work", old.claim);
        must!(broken, old.status != "complete" || new.status == "complete" && new.hash == old.hash, "5: {} was complete", old.claim);
    }
    let now: HashMap<&str, &SlotRow> = after.slots.iter().map(|row| (row.id.as_str(), row)).collect();
    for old in &before.slots {
        let Some(new) = now.get(old.id.as_str()) else {
            broken.push(format!("slot {} is gone", old.id));
            continue;
        };
        let kept = (&new.output, &new.agent, new.done_at) == (&old.output, &old.agent, old.done_at);
        match old.status.as_str() {
            "done" => must!(broken, kept && matches!(new.status.as_str(), "done" | "superseded"), "6: {old:?} became {new:?}"),
            "superseded" => must!(broken, kept && new.status == "superseded", "6: {old:?} became {new:?}"),
            _ => {}
        }
    }
    broken
}
