//! Whatever many agents do at once, the rules hold: afterwards, and at any moment on the way.

use crate::support::case::{fitting, new_claim, says};
use crate::support::dice::Dice;
use crate::support::rules::{Decided, check, check_progress};
use crate::support::tables::Tables;
use crate::support::{Bed, for_each_engine};
use futures::future::join_all;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use synod_claims::{Agent, ClaimSettings, Claims, ClaimsError, ClaimsResult, Lease, Reader, Submission, WorkFilter};
use synod_types::*;

const STORES: usize = 4;
const AGENTS: usize = 24;
const CLAIMS: usize = 72;
const OPERATIONS: i64 = 10_000;
const SEED: u64 = 20_240_607;
const DECIDED: Decided = Decided { enforce_verdict_flag: true, points: true };

fn own_protocols() -> [Value; 2] {
    let text = |field: &str| json!({"type": "object", "properties": {field: {"type": "string"}}});
    [
        json!({"name": "quick", "description": "Leases that run out.", "leaseSecs": 1, "stages": [
            {"layer": 1, "name": "look", "goal": "Look.", "workerSlots": [{"role": "looker", "count": 2}], "consensusCount": 2, "consensusThreshold": 0.7},
            {"layer": 4, "name": "place", "goal": "Place.", "workerSlots": [{"role": "placer", "count": 1}], "consensusCount": 2, "consensusThreshold": 0.7, "effect": "domain", "outputSchema": text("domain")},
            {"layer": 6, "name": "say", "goal": "Say.", "consensusCount": 3, "consensusThreshold": 0.7, "outputSchema": text("recommendation")},
        ]}),
        json!({"name": "owners", "description": "One owner, one agent.", "leaseSecs": 2, "exclusivity": "layer_and_type", "exclusivityScope": "owner", "stages": [
            {"layer": 2, "name": "look", "goal": "Look.", "workerSlots": [{"role": "looker", "count": 3}, {"role": "doubter", "count": 1}], "consensusCount": 3, "consensusThreshold": 0.75},
            {"layer": 3, "name": "weigh", "goal": "Weigh.", "workerSlots": [{"role": "weigher", "count": 2}], "consensusCount": 3, "consensusThreshold": 0.6, "effect": "verdict", "outputSchema": text("verdict")},
        ]}),
    ]
}

/// What the agents know of what they did.
#[derive(Default)]
struct Ledger {
    stored: HashSet<String>,
    refused: HashSet<String>,
    leases: HashSet<String>,
    outcomes: BTreeMap<(&'static str, &'static str), u64>,
    seen: Vec<(String, String)>,
}

struct Load {
    stores: Vec<Claims>,
    claims: Vec<String>,
    protocols: HashMap<String, Protocol>,
    /// To move the ends of leases with.
    clock: tokio::sync::Mutex<sqlx::AnyConnection>,
    ledger: Mutex<Ledger>,
    left: AtomicI64,
    outputs: AtomicU64,
    over: AtomicBool,
}

impl Load {
    async fn new(bed: &Bed) -> Self {
        let settings = ClaimSettings { enforce_verdict_flag: DECIDED.enforce_verdict_flag, points: DECIDED.points, ..ClaimSettings::default() };
        let mut stores = Vec::new();
        for _ in 0..STORES {
            stores.push(bed.claims_with(settings.clone()).await);
        }
        for document in own_protocols() {
            stores[0].add_protocol(&document).await.expect("a protocol");
        }
        let names = ["prism-v1", "prism-v1-solo", "lens-v1", "auto", "quick", "owners"];
        let mut claims = Vec::new();
        for n in 0..CLAIMS {
            let created = stores[n % STORES].create(new_claim(names[n % names.len()]), &Agent::person()).await;
            claims.push(created.expect("a claim").id);
        }
        let protocols = stores[0].protocols().await.expect("protocols").into_iter();
        Self {
            protocols: protocols.map(|stored| (stored.protocol.name.clone(), stored.protocol)).collect(),
            stores,
            claims,
            clock: tokio::sync::Mutex::new(bed.connect().await),
            ledger: Mutex::default(),
            left: AtomicI64::new(OPERATIONS),
            outputs: AtomicU64::new(0),
            over: AtomicBool::new(false),
        }
    }

    fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("nobody panicked with it")
    }

    /// Counts what came of an operation. Anything but a refusal is a fault.
    fn count<T>(&self, what: &'static str, outcome: &ClaimsResult<T>) -> bool {
        let code = match outcome {
            Ok(_) => "ok",
            Err(ClaimsError::Refused(refusal)) => refusal.code(),
            Err(ClaimsError::Store(error)) => panic!("{what}: {error}"),
        };
        *self.ledger().outcomes.entry((what, code)).or_default() += 1;
        self.left.fetch_sub(1, Ordering::Relaxed);
        outcome.is_ok()
    }

    /// Lets a lease run out. Whether it was still there to run out.
    async fn run_out(&self, lease: &Lease) -> bool {
        let sql = "UPDATE claim_slots SET lease_expires_at = 1 WHERE id = $1 AND lease_id = $2 AND status = 'taken'";
        let update = sqlx::query(sql).bind(&lease.slot.id).bind(&lease.lease_id);
        update.execute(&mut *self.clock.lock().await).await.expect("moved").rows_affected() == 1
    }
}

/// One of those who work, in a task of its own: does one thing after the other, through any of the stores.
struct Worker {
    load: Arc<Load>,
    me: Agent,
    dice: Dice,
}

impl Worker {
    fn new(load: &Arc<Load>, n: usize) -> Self {
        let me = Agent::key(&format!("key {n}"), &format!("owner {}", n % (AGENTS * 2 / 3)));
        Self { load: load.clone(), me, dice: Dice::new(SEED + n as u64) }
    }

    fn store(&mut self) -> Claims {
        self.load.stores[self.dice.below(STORES)].clone()
    }

    async fn run(mut self) {
        while self.load.left.load(Ordering::Relaxed) > 0 {
            match self.dice.below(100) {
                0..70 => self.work().await,
                70..76 => self.take_blindly().await,
                76..80 => self.submit_blindly().await,
                80..84 => self.hide().await,
                84..92 => self.clear().await,
                92..95 => {
                    let swept = self.store().sweep().await;
                    self.load.count("sweep", &swept);
                }
                95..97 => {
                    let released = self.store().release_all(&self.me).await;
                    self.load.count("release all", &released);
                }
                _ => self.look().await,
            }
        }
    }

    fn submission(&mut self, slot: &Slot, protocol: &str) -> Submission {
        let n = self.load.outputs.fetch_add(1, Ordering::Relaxed);
        let confidence = if self.dice.chance(85) { 65 + self.dice.below(36) } else { self.dice.below(101) } as f64 / 100.0;
        let fine = if self.dice.chance(20) { self.dice.below(100) as f64 / 10_000.0 } else { 0.0 };
        let mut what = says(&format!("output {n}"), (confidence + fine).min(1.0));
        if slot.slot_type == SlotType::Work && self.dice.chance(30) {
            what.confidence = None;
        }
        let stage = self.load.protocols.get(protocol).and_then(|protocol| protocol.stage(slot.layer));
        what.structured_output = stage.and_then(fitting).filter(|_| self.dice.chance(85));
        let votes: [(&str, &[&str]); 4] = [
            ("domain", &["law", "ethics", "public-policy", "calibrating", "!!!"]),
            ("verdict", &["advance-to-synthesis", "advance-to-synthesis", "flag"]),
            ("recommendation", &["accept", "reject", "needs-more-evidence", "accept-with-caveats"]),
            ("protocol", &["prism-v1", "lens-v1", "prism-v1-solo", "quick", "meta-v1", "prism-v9"]),
        ];
        for (field, choices) in votes {
            if let Some(value) = what.structured_output.as_mut().and_then(|output| output.get_mut(field)) {
                *value = json!(self.dice.pick(choices));
            }
        }
        what
    }

    async fn submit(&mut self, of: &'static str, lease: &Lease, by: &Agent, what: Submission) -> bool {
        let (store, output) = (self.store(), what.output.clone());
        let outcome = store.submit(&lease.slot.claim_id, &lease.slot.id, by, what).await;
        let stored = self.load.count(of, &outcome);
        let mut ledger = self.load.ledger();
        if stored {
            ledger.stored.insert(output)
        } else {
            ledger.refused.insert(output)
        };
        stored
    }

    /// Takes something that is offered, and does one of the things that agents do with what they have.
    async fn work(&mut self) {
        let filter =
            WorkFilter { claim: if self.dice.chance(60) { self.dice.pick(&self.load.claims).cloned() } else { None }, ..WorkFilter::default() };
        let store = self.store();
        let offers = store.offers(&self.me, &filter).await;
        self.load.count("offers", &offers);
        let mut offers = offers.expect("offers");
        offers.truncate(6);
        let Some(offer) = self.dice.pick(&offers).cloned() else {
            tokio::time::sleep(Duration::from_millis(2)).await;
            return;
        };
        let taken = self.store().take(&offer.claim.id, &offer.slot.id, &self.me).await;
        self.load.count("take", &taken);
        self.load.ledger().seen.push((offer.claim.id.clone(), offer.slot.id.clone()));
        let Ok(lease) = taken else { return };
        assert!(self.load.ledger().leases.insert(lease.lease_id.clone()), "every lease has an id of its own");
        let mut what = self.submission(&offer.slot, &offer.claim.protocol);
        if self.dice.chance(50) {
            what.lease_id = Some(lease.lease_id.clone());
        }
        let me = self.me.clone();
        match self.dice.below(100) {
            0..6 => {
                let released = self.store().release(&lease.slot.claim_id, &lease.slot.id, &me).await;
                self.load.count("release", &released);
            }
            6..14 => {
                let beaten = self.store().heartbeat(&lease.slot.claim_id, &lease.slot.id, &me, Some(lease.lease_id.clone())).await;
                self.load.count("heartbeat", &beaten);
                self.submit("submit", &lease, &me, what).await;
            }
            14..20 => {
                let gone = self.load.run_out(&lease).await;
                what.lease_id = Some(lease.lease_id.clone());
                let stored = self.submit("submit late", &lease, &me, what).await;
                assert!(!(gone && stored), "stored after its lease had run out");
            }
            20..26 => {
                let (load, wait) = (self.load.clone(), self.dice.below(4) as u64);
                let moved = async {
                    tokio::time::sleep(Duration::from_millis(wait)).await;
                    load.run_out(&lease).await
                };
                futures::join!(moved, self.submit("submit beside the end", &lease, &me, what));
            }
            26..30 if offer.claim.protocol == "quick" => {
                tokio::time::sleep(Duration::from_millis(1_010)).await;
                what.lease_id = Some(lease.lease_id.clone());
                assert!(!self.submit("submit late", &lease, &me, what).await, "stored after its lease had run out");
            }
            30..34 => {
                let again = Submission { output: format!("{}, again", what.output), ..what.clone() };
                let mut twin = Self { load: self.load.clone(), me: me.clone(), dice: Dice::new(SEED ^ self.dice.below(1 << 30) as u64) };
                let both = futures::join!(self.submit("submit twice", &lease, &me, what), twin.submit("submit twice", &lease, &me, again));
                assert!(both != (true, true), "one slot, one output");
            }
            34..37 => {
                what.lease_id = Some("made up".into());
                assert!(!self.submit("submit by another lease", &lease, &me, what).await);
            }
            37..40 => {
                let thief = Agent { id: "thief".into(), ..me };
                assert!(!self.submit("submit by another", &lease, &thief, what).await);
            }
            40..43 => {}
            _ => {
                self.submit("submit", &lease, &me, what).await;
            }
        }
    }

    fn seen(&mut self) -> Option<(String, String)> {
        let load = self.load.clone();
        self.dice.pick(&load.ledger().seen).cloned()
    }

    async fn take_blindly(&mut self) {
        let Some((claim, slot)) = self.seen() else { return };
        let taken = self.store().take(&claim, &slot, &self.me).await;
        self.load.count("take blindly", &taken);
    }

    async fn submit_blindly(&mut self) {
        let Some((claim, slot)) = self.seen() else { return };
        let n = self.load.outputs.fetch_add(1, Ordering::Relaxed);
        let what = says(&format!("blind output {n}"), 0.8);
        let output = what.output.clone();
        let outcome = self.store().submit(&claim, &slot, &self.me, what).await;
        let stored = self.load.count("submit blindly", &outcome);
        let mut ledger = self.load.ledger();
        if stored {
            ledger.stored.insert(output)
        } else {
            ledger.refused.insert(output)
        };
    }

    /// Hides a claim, and most often shows it again soon.
    async fn hide(&mut self) {
        let Some(claim) = self.dice.pick(&self.load.claims).cloned() else { return };
        let hidden = self.store().hide(&claim, &self.me, Some("spam")).await;
        self.load.count("hide", &hidden);
        tokio::time::sleep(Duration::from_millis(self.dice.below(20) as u64)).await;
        if self.dice.chance(90) {
            let shown = self.store().hide(&claim, &self.me, None).await;
            self.load.count("show", &shown);
        }
    }

    async fn clear(&mut self) {
        let flags = self.store().open_flags().await.expect("flags");
        let Some(flag) = self.dice.pick(&flags) else { return };
        use Resolution::{Close, OverridePass, RerunConsensus, RerunLayer};
        let choices = [RerunLayer, RerunConsensus, OverridePass, Close];
        let resolution = *self.dice.pick(&choices).expect("a choice");
        let note = self.dice.chance(90).then_some("Because.");
        let cleared = self.store().clear(&flag.claim_id, &flag.id, &Agent::person(), resolution, note).await;
        self.load.count("clear", &cleared);
    }

    /// Looks at a claim as anybody may, and sees nothing of an open phase.
    async fn look(&mut self) {
        let Some(claim) = self.dice.pick(&self.load.claims).cloned() else { return };
        let store = self.store();
        let view = store.view(&claim, &Reader::Anybody).await;
        self.load.count("look", &view);
        let Ok(ClaimView { pipeline, slots, .. }) = view else { return };
        for slot in slots.iter().filter(|slot| pipeline.status == PipelineStatus::Active && slot.status == SlotStatus::Done) {
            let open = (slot.layer, slot.attempt, slot.slot_type) == (pipeline.current_layer, pipeline.attempt, pipeline.current_phase);
            assert!(!open || slot.withheld && slot.output.is_none(), "{slot:?}");
        }
        if let Some(slot) = self.dice.pick(&slots) {
            let told = store.context(&claim, &slot.id).await;
            if self.load.count("context", &told) && slot.slot_type == SlotType::Work {
                assert_eq!(told.expect("told").current_layer_work_outputs, Vec::<String>::new());
            }
        }
    }
}

/// Looks at the tables again and again while the others work. Returns how often.
async fn watch(load: Arc<Load>, mut conn: sqlx::AnyConnection, sqlite: bool) -> usize {
    let mut before = Tables::read(&mut conn, sqlite).await;
    let mut looks = 0;
    while !load.over.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let now = Tables::read(&mut conn, sqlite).await;
        assert_eq!(check(&now, DECIDED), Vec::<String>::new(), "on the way");
        assert_eq!(check_progress(&before, &now), Vec::<String>::new(), "on the way");
        before = now;
        looks += 1;
    }
    looks
}

#[test]
fn the_rules_hold_under_everything_that_agents_do_at_once() {
    for_each_engine(async |bed| {
        let began = Instant::now();
        let load = Arc::new(Load::new(bed).await);
        let watcher = tokio::spawn(watch(load.clone(), bed.connect().await, bed.sqlite));
        let workers = (0..AGENTS).map(|n| tokio::spawn(Worker::new(&load, n).run()));
        for worker in join_all(workers.collect::<Vec<_>>()).await {
            worker.expect("no worker failed");
        }
        load.over.store(true, Ordering::Relaxed);
        let looks = watcher.await.expect("the watcher found nothing");

        let tables = Tables::read(&mut bed.connect().await, bed.sqlite).await;
        assert_eq!(check(&tables, DECIDED), Vec::<String>::new());
        let ledger = load.ledger();
        let done = || tables.slots.iter().filter(|slot| !slot.copied && matches!(slot.status.as_str(), "done" | "superseded"));
        let kept: HashSet<String> = done().filter_map(|slot| slot.output.clone()).collect();
        assert_eq!(kept.len(), done().count(), "no output stands in two places");
        assert_eq!(
            kept.symmetric_difference(&ledger.stored).collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "what was accepted is there, and nothing else"
        );
        assert!(kept.is_disjoint(&ledger.refused), "of what was refused nothing was stored");

        // The load is worth something only if it came by everything.
        let status = |wanted: &str| tables.pipelines.iter().filter(|row| row.status == wanted).count();
        let resolved = |word: &str| tables.flags.iter().filter(|flag| flag.resolution.as_deref() == Some(word)).count();
        let verdicts = tables.flags.iter().filter(|flag| flag.reason == "deliberation_verdict").count();
        let operations: u64 = ledger.outcomes.values().sum();
        eprintln!(
            "{}: {operations} operations in {:?}, {looks} looks; {} slots, {} stored, {} refused; {} complete, {} flagged, {} active; {} endings",
            if bed.sqlite { "SQLite" } else { "PostgreSQL" },
            began.elapsed(),
            tables.slots.len(),
            ledger.stored.len(),
            ledger.refused.len(),
            status("complete"),
            status("flagged"),
            status("active"),
            tables.layers.len(),
        );
        eprintln!("{:#?}", ledger.outcomes);
        eprintln!("{:?}; by verdict: {verdicts}", Resolution::ALL.iter().map(|word| (word.as_str(), resolved(word.as_str()))).collect::<Vec<_>>());
        assert!(status("complete") >= CLAIMS / 4, "{} of {CLAIMS} complete", status("complete"));
        for word in Resolution::ALL {
            assert!(resolved(word.as_str()) > 0, "no flag was cleared by {word:?}");
        }
        let codes: HashSet<&str> = ledger.outcomes.keys().map(|(_, code)| *code).collect();
        for code in ["ok", "slot_conflict", "slot_not_active", "lease_expired", "forbidden", "slot_done_failed", "claim_not_found"] {
            assert!(codes.contains(code), "nothing was refused as {code}: {codes:?}");
        }
        assert!(looks > 3 && operations >= OPERATIONS as u64, "{looks} looks at {operations} operations");
    });
}
