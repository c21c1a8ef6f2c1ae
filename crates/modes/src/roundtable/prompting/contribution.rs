//! One seat's response as others read it, and what is left of it when it must be short.

use crate::roundtable::record::{Audit, Label, RecordChanges, Sentence};
use crate::tokens::{clip, size};
use crate::tools::unfenced;
use std::cell::Cell;
use std::collections::BTreeMap;
use synod_types::ToolRun;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contribution {
    pub name: String,
    /// Vote, confidence, position, and what its seat is unsure of: never dropped.
    head: String,
    /// The text as written; `None` once it is reduced to some of its sentences.
    full: Option<String>,
    /// Its sentences with their labels. They cite the record, because a reduced text has lost its list of references.
    sentences: Vec<(Option<Label>, String)>,
    /// What it did to the record, in ids.
    changes: String,
    tools: Vec<String>,
    /// Cut to this many tokens.
    most: Option<usize>,
    /// Its size in tokens, once it was counted.
    counted_size: Cell<Option<usize>>,
}

impl Contribution {
    pub fn new(name: &str, head: String, text: &str, audit: &Audit, changes: &RecordChanges, tools: &[ToolRun]) -> Self {
        let ids = |word: &str, ids: &[String]| if ids.is_empty() { None } else { Some(format!("{word} {}", ids.join(", "))) };
        let parts = [
            ids("introduced", &changes.introduced),
            ids("supported", &changes.reinforced),
            ids("disputed", &changes.challenged),
            ids("withdrew", &changes.withdrawn),
            ids("cited", &changes.evidence),
            ids("raised", &changes.risks),
        ];
        let sources = changes.sources.clone();
        let changes: Vec<String> = parts.into_iter().flatten().collect();
        let changes = if changes.is_empty() { String::new() } else { format!("In the record: {}.", changes.join("; ")) };
        let tool = |run: &ToolRun| format!("Used {}({}): {}", run.name, clip(&run.input.to_string(), 60), tool_output(run));
        Self {
            name: name.to_owned(),
            head,
            full: Some(text.trim().to_owned()),
            sentences: audit.sentences.iter().map(|sentence| (sentence.label, marked(sentence, &sources))).collect(),
            changes,
            tools: tools.iter().map(tool).collect(),
            most: None,
            counted_size: Cell::new(None),
        }
    }

    /// Stands in for words that may not be shown.
    pub fn withheld(name: &str, reason: &str) -> Self {
        Self { name: name.to_owned(), head: format!("[withheld: {reason}]"), ..Self::default() }
    }

    pub fn text(&self) -> String {
        let mut parts: Vec<String> = vec![self.head.clone()];
        match &self.full {
            Some(full) => parts.push(full.clone()),
            None => parts.push(self.sentences.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ")),
        }
        parts.push(self.changes.clone());
        parts.extend(self.tools.iter().cloned());
        let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        match self.most {
            Some(most) => clip(&text, most),
            None => text,
        }
    }

    pub fn size(&self) -> usize {
        if let Some(size) = self.counted_size.get() {
            return size;
        }
        let size = size(&self.text());
        self.counted_size.set(Some(size));
        size
    }

    /// Reduces it to a quota of tokens, if that is enough: tool logs go first, then sentences without a label, from the end. Position, vote and
    /// labelled sentences stay.
    pub fn reduce(&mut self, quota: usize) {
        if self.size() <= quota {
            return;
        }
        self.tools.clear();
        self.counted_size.set(None);
        if self.size() <= quota || self.sentences.is_empty() {
            return;
        }
        self.full = None;
        self.counted_size.set(None);
        let mut over = self.size().saturating_sub(quota);
        for at in (0..self.sentences.len()).rev() {
            if over == 0 {
                break;
            }
            if self.sentences[at].0.is_none() {
                over = over.saturating_sub(size(&self.sentences[at].1));
                self.sentences.remove(at);
            }
        }
        self.counted_size.set(None);
    }

    /// Cuts it to this many tokens, whatever is lost.
    pub fn cut(&mut self, most: usize) {
        if self.size() > most {
            self.most = Some(most);
            self.counted_size.set(None);
        }
    }
}

/// What a tool returned, as far as others read it.
pub fn tool_output(run: &ToolRun) -> String {
    clip(&unfenced(&run.output), 120)
}

fn marked(sentence: &Sentence, sources: &BTreeMap<u32, String>) -> String {
    let label = sentence.label.map(|label| format!(" [{}]", label.as_str())).unwrap_or_default();
    let cites: String = sentence.cites.iter().filter_map(|n| sources.get(n)).map(|id| format!("[{id}]")).collect();
    let known: String = sentence.evidence.iter().map(|id| format!("[{id}]")).collect();
    format!("{}{label}{cites}{known}", sentence.text)
}
