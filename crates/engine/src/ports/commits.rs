//! Rows handed to watchers of this process as they are committed, without another look at the database.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use synod_types::Row;
use tokio::sync::mpsc;

/// Rows a watcher may be behind before it is sent to the journal instead.
const BEHIND: usize = 64;

/// What a watcher hears of a run.
#[derive(Clone, Debug)]
pub enum Commit {
    Row(Arc<Row>),
    /// This process gave the run up, or lost it.
    Left,
}

/// One watcher's end. A watcher that falls behind is told so once, and reads the journal: nothing is lost, and nothing piles up.
pub struct Commits {
    heard: mpsc::Receiver<Commit>,
    behind: Arc<AtomicBool>,
    run: String,
    tellers: Arc<Tellers>,
}

impl Drop for Commits {
    fn drop(&mut self) {
        self.heard.close();
        self.tellers.tidy(&self.run);
    }
}

impl Commits {
    /// The next commit. `None`: look into the journal, some were passed over.
    pub async fn next(&mut self) -> Option<Commit> {
        if self.heard.is_empty() && self.behind.swap(false, Ordering::SeqCst) {
            return None;
        }
        match self.heard.recv().await {
            Some(commit) => Some(commit),
            // Whoever told is gone: nothing will come this way any more.
            None => std::future::pending().await,
        }
    }
}

/// All watchers of a process, by run.
#[derive(Default)]
pub struct Tellers {
    runs: Mutex<HashMap<String, Vec<Teller>>>,
}

struct Teller {
    say: mpsc::Sender<Commit>,
    behind: Arc<AtomicBool>,
}

impl Tellers {
    /// Everything from this call on.
    pub fn listen(self: &Arc<Self>, run: &str) -> Commits {
        let (say, heard) = mpsc::channel(BEHIND);
        let behind = Arc::new(AtomicBool::new(false));
        self.held().entry(run.to_owned()).or_default().push(Teller { say, behind: behind.clone() });
        Commits { heard, behind, run: run.to_owned(), tellers: self.clone() }
    }

    /// Whether anybody would hear it.
    pub fn anybody(&self, run: &str) -> bool {
        self.held().contains_key(run)
    }

    pub fn tell(&self, run: &str, commit: &Commit) {
        let mut runs = self.held();
        let Some(tellers) = runs.get_mut(run) else { return };
        tellers.retain(|teller| match teller.say.try_send(commit.clone()) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Full(_)) => {
                teller.behind.store(true, Ordering::SeqCst);
                true
            }
            Err(mpsc::error::TrySendError::Closed(_)) => false,
        });
        if tellers.is_empty() {
            runs.remove(run);
        }
    }

    /// Forgets watchers that went away.
    fn tidy(&self, run: &str) {
        let mut runs = self.held();
        if let Some(tellers) = runs.get_mut(run) {
            tellers.retain(|teller| !teller.say.is_closed());
            if tellers.is_empty() {
                runs.remove(run);
            }
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<Teller>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{BEHIND, Commit, Tellers};
    use std::sync::Arc;
    use synod_types::{Kind, NewRow};

    fn commit(seq: i64) -> Commit {
        Commit::Row(Arc::new(NewRow::new("k", Kind::Figure, 0, &0).seal("r", seq, 1, &[0; 32])))
    }

    #[tokio::test]
    async fn a_watcher_that_falls_behind_hears_what_fits_and_then_that_it_must_look() {
        let tellers = Arc::new(Tellers::default());
        let mut slow = tellers.listen("r");
        for seq in 1..=BEHIND as i64 + 5 {
            tellers.tell("r", &commit(seq));
        }
        for want in 1..=BEHIND as i64 {
            assert!(matches!(slow.next().await, Some(Commit::Row(row)) if row.seq == want));
        }
        assert!(slow.next().await.is_none(), "five were passed over");
        tellers.tell("r", &Commit::Left);
        assert!(matches!(slow.next().await, Some(Commit::Left)));
        drop(slow);
        assert!(!tellers.anybody("r"));
    }
}
