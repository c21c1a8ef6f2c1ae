//! One seat's words of a round, as others read them, and what is left of them when they must be short.

use super::audit::Audit;
use super::ingest::Touched;
use super::labels::{Label, Sentence};
use super::tokens::{clip, size};
use std::cell::Cell;
use std::collections::BTreeMap;
use synod_types::ToolRun;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    pub name: String,
    /// Vote, confidence, position: kept to the last.
    head: String,
    /// The text as written; nothing once it has been taken apart.
    full: Option<String>,
    /// Taken apart: sentences as they are printed, by label. They cite the record, because the list of references is gone by then.
    sentences: Vec<(Option<Label>, String)>,
    /// What it did to the record, in ids.
    touched: String,
    tools: Vec<String>,
    /// Cut to so many tokens.
    most: Option<usize>,
    counted: Cell<Option<usize>>,
}

impl Entry {
    pub fn new(name: &str, head: String, text: &str, audit: &Audit, touched: &Touched, tools: &[ToolRun]) -> Self {
        let ids = |word: &str, ids: &[String]| if ids.is_empty() { None } else { Some(format!("{word} {}", ids.join(", "))) };
        let parts = [
            ids("introduced", &touched.introduced),
            ids("supported", &touched.reinforced),
            ids("disputed", &touched.challenged),
            ids("withdrew", &touched.withdrawn),
            ids("cited", &touched.evidence),
            ids("raised", &touched.risks),
        ];
        let sources = touched.sources.clone();
        let touched: Vec<String> = parts.into_iter().flatten().collect();
        let touched = if touched.is_empty() { String::new() } else { format!("In the record: {}.", touched.join("; ")) };
        let tool = |run: &ToolRun| format!("Used {}({}): {}", run.name, clip(&run.input.to_string(), 60), tool_output(run));
        Self {
            name: name.to_owned(),
            head,
            full: Some(text.trim().to_owned()),
            sentences: audit.sentences.iter().map(|sentence| (sentence.label, marked(sentence, &sources))).collect(),
            touched,
            tools: tools.iter().map(tool).collect(),
            most: None,
            counted: Cell::new(None),
        }
    }

    /// What is said in place of words that may not be shown.
    pub fn stub(name: &str, reason: &str) -> Self {
        Self { name: name.to_owned(), head: format!("[withheld: {reason}]"), ..Self::default() }
    }

    pub fn text(&self) -> String {
        let mut parts: Vec<String> = vec![self.head.clone()];
        match &self.full {
            Some(full) => parts.push(full.clone()),
            None => parts.push(self.sentences.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ")),
        }
        parts.push(self.touched.clone());
        parts.extend(self.tools.iter().cloned());
        let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        match self.most {
            Some(most) => clip(&text, most),
            None => text,
        }
    }

    pub fn size(&self) -> usize {
        if let Some(size) = self.counted.get() {
            return size;
        }
        let size = size(&self.text());
        self.counted.set(Some(size));
        size
    }

    /// Down to a quota: tool logs go first, then what no label marks, from the end. Position, vote and labelled sentences stay.
    pub fn reduce(&mut self, quota: usize) {
        if self.size() <= quota {
            return;
        }
        self.tools.clear();
        self.counted.set(None);
        if self.size() <= quota || self.sentences.is_empty() {
            return;
        }
        self.full = None;
        self.counted.set(None);
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
        self.counted.set(None);
    }

    /// Hard limit, whatever it costs.
    pub fn cut(&mut self, most: usize) {
        if self.size() > most {
            self.most = Some(most);
            self.counted.set(None);
        }
    }
}

/// What a tool gave, as far as others read it.
pub fn tool_output(run: &ToolRun) -> String {
    clip(&super::tools::unfenced(&run.output), 120)
}

fn marked(sentence: &Sentence, sources: &BTreeMap<u32, String>) -> String {
    let label = sentence.label.map(|label| format!(" [{}]", label.as_str())).unwrap_or_default();
    let cites: String = sentence.cites.iter().filter_map(|n| sources.get(n)).map(|id| format!("[{id}]")).collect();
    let known: String = sentence.evidence.iter().map(|id| format!("[{id}]")).collect();
    format!("{}{label}{cites}{known}", sentence.text)
}
