//! Progress on standard error: a live line a seat on a terminal, plain lines elsewhere, nothing when quiet.

use crate::door::Door;
use crate::say::{self, note};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::time::Duration;
use synod_engine::{News, Runner};
use synod_report::{clean, one_line};
use synod_types::{Asked, Body, Closing, Event, Header, Row, Status, seat_of};
use tokio::task::JoinHandle;

pub struct Progress {
    task: Option<JoinHandle<()>>,
}

impl Progress {
    pub fn start(door: &Door, runner: &Runner, run: &str, quiet: bool) -> Self {
        if quiet {
            return Self { task: None };
        }
        let mut events = runner.watch(run, 0);
        let mut board: Box<dyn Board + Send> = if say::err_is_terminal() && !door.plain { Box::new(Live::new()) } else { Box::new(Lines::default()) };
        let task = tokio::spawn(async move {
            while let Some(Ok(news)) = events.recv().await {
                match news {
                    News::Row(row) => board.row(&row),
                    News::Words(words) => board.delta(&words),
                }
            }
            board.clear();
        });
        Self { task: Some(task) }
    }

    /// Lets the last lines out; the run has ended.
    pub async fn finish(self) {
        if let Some(task) = self.task {
            // A watcher that lags must not hold back the verdict.
            let _ = tokio::time::timeout(Duration::from_secs(2), task).await;
        }
    }
}

impl Progress {
    /// Waits for the run's end, however long that takes.
    pub async fn until_done(self) {
        if let Some(task) = self.task {
            // The task only ends by itself or by a panic, which its own message tells.
            let _ = task.await;
        }
    }
}

trait Board {
    fn row(&mut self, row: &Row);
    fn delta(&mut self, event: &Event);
    fn clear(&mut self);
}

/// What both boards need to know: names of seats, and what a row says in one line.
#[derive(Default)]
struct Names(Option<Header>);

impl Names {
    fn seat(&self, key: &str) -> String {
        let header = self.0.as_ref();
        let seat = seat_of(key).and_then(|index| header.and_then(|header| header.seat(index)));
        seat.map_or_else(|| one_line(key), |seat| one_line(&seat.label))
    }

    /// `None`: not worth a line.
    fn line(&mut self, row: &Row) -> Option<String> {
        let seat = self.seat(&row.key);
        let phase = row.key.split('/').next().unwrap_or_default().to_owned();
        match row.body().ok()? {
            Body::Header(header) => {
                let panel: Vec<String> = header.panel().map(|seat| one_line(&seat.label)).collect();
                let rehearsal = if header.rehearsal() { " (rehearsal)" } else { "" };
                let who = if panel.is_empty() { "no models".to_owned() } else { panel.join(", ") };
                let line = format!("{} with {who}{rehearsal} · run {}", one_line(&header.mode), one_line(&header.run));
                self.0 = Some(*header);
                Some(line)
            }
            Body::Phase(mark) => Some(mark.n.map_or_else(|| one_line(&mark.name), |n| format!("{} {n}", one_line(&mark.name)))),
            Body::Said(_) if row.key.contains("/repair") => None,
            Body::Said(_) => Some(format!("  {seat} answered ({phase})")),
            Body::Failed(failed) => Some(format!("  {seat} {}: {}", failed.failure.kind.plain(), one_line(&failed.failure.detail))),
            Body::Warning(warned) => Some(format!("  note: {}", one_line(&warned.text))),
            Body::Closing(Closing { reason }) if reason == "deadline" => {
                Some("  The deadline is here: nothing new begins. Turns under way may finish, then the run concludes.".into())
            }
            Body::Closing(_) => Some("  Asked to conclude: no new turn starts.".into()),
            Body::Waiting(asking) => Some(format!("  waiting for a person: {}", one_line(&asking.question))),
            Body::Asked(_) if row.key.ends_with("/room") => Some(format!("  {seat} thought until its limit was spent; it gets more room ({phase})")),
            Body::Asked(_) if row.key.ends_with("/effort") => {
                Some(format!("  {seat} thought its limit away again; it is asked for less thought ({phase})"))
            }
            Body::Asked(_) if row.key.ends_with("/repair") => Some(format!("  {seat} is asked to mend its reply ({phase})")),
            Body::Asked(Asked { reasked: true, .. }) => Some(format!("  {seat} is asked again: its reply was lost with the process")),
            Body::Verdict(verdict) if !verdict.status.decided() => Some(format!("ended: {}", status(verdict.status))),
            Body::PhaseEnd(_) | Body::Asked(_) | Body::Replied(_) | Body::Tool(_) | Body::Shown(_) | Body::Figure(_) | Body::Answered(_) => None,
            Body::Stopped(_) | Body::Resumed(_) | Body::Title(_) | Body::Verdict(_) => None,
        }
    }
}

fn status(status: Status) -> &'static str {
    status.as_str()
}

/// For logs and pipes.
#[derive(Default)]
struct Lines {
    names: Names,
}

impl Board for Lines {
    fn row(&mut self, row: &Row) {
        if let Some(line) = self.names.line(row) {
            note!("{line}");
        }
    }
    fn delta(&mut self, _: &Event) {}
    fn clear(&mut self) {}
}

/// For a terminal: who is speaking, for how long, and how much so far.
struct Live {
    names: Names,
    bars: MultiProgress,
    phases: Option<ProgressBar>,
    seats: BTreeMap<String, (ProgressBar, usize)>,
}

impl Live {
    fn new() -> Self {
        Self { names: Names::default(), bars: MultiProgress::new(), phases: None, seats: BTreeMap::new() }
    }

    fn phase(&mut self, name: &str) {
        let style = ProgressStyle::with_template("{bar:20} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        let known = self.names.0.as_ref().and_then(|header| synod_modes::MODES.iter().find(|mode| mode.id == header.mode));
        let total = known.map_or(1, |mode| mode.phases.len()) as u64;
        let bars = &self.bars;
        let bar = self.phases.get_or_insert_with(|| bars.add(ProgressBar::new(total).with_style(style)));
        let place = known.and_then(|mode| mode.phases.iter().position(|phase| *phase == name)).unwrap_or(0) as u64;
        bar.set_position(place + 1);
        bar.set_message(one_line(name));
    }

    /// A line above the bars.
    #[expect(clippy::disallowed_methods, reason = "cleaned here")]
    fn line(&self, line: &str) {
        let _ = self.bars.println(clean(line));
    }
}

impl Board for Live {
    fn row(&mut self, row: &Row) {
        let line = self.names.line(row);
        match row.body() {
            Ok(Body::Phase(mark)) => self.phase(&mark.name),
            Ok(Body::Asked(_)) => {
                let style = ProgressStyle::with_template("  {spinner} {prefix} {elapsed} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
                let bar = self.bars.add(ProgressBar::new_spinner().with_style(style));
                bar.set_prefix(one_line(&self.names.seat(&row.key)));
                bar.enable_steady_tick(Duration::from_millis(120));
                self.seats.insert(row.key.clone(), (bar, 0));
            }
            Ok(Body::Said(_) | Body::Failed(_)) => {
                if let Some((bar, _)) = self.seats.remove(&row.key) {
                    bar.finish_and_clear();
                }
                if let Some(line) = line {
                    self.line(&line);
                }
            }
            _ => {
                if let Some(line) = line {
                    self.line(&line);
                }
            }
        }
    }

    fn delta(&mut self, event: &Event) {
        let text = event.data["text"].as_str().unwrap_or_default();
        if let Some((bar, words)) = event.data["key"].as_str().and_then(|key| self.seats.get_mut(key)) {
            *words = if event.data["offset"] == 0 { 0 } else { *words } + text.split_whitespace().count();
            // Words by four thirds: near enough to tokens for a line that is gone in a moment.
            bar.set_message(format!("~{} tokens", *words * 4 / 3));
        }
    }

    fn clear(&mut self) {
        for (bar, _) in self.seats.values() {
            bar.finish_and_clear();
        }
        if let Some(bar) = &self.phases {
            bar.finish_and_clear();
        }
    }
}
