//! Markdown as terminal text: the answers of models, so nothing in it is trusted.
//!
//! Refuses to emit anything but characters and our own inks: raw HTML and links are shown as what was written.

use super::paper::{Ink, Paper};
use super::table::{self, Inline};
use crate::markup::too_deep;
use crate::text::{self, harmless, width};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

impl Paper {
    /// Sets markdown, every line after `indent`.
    pub fn prose(&mut self, indent: &str, markdown: &str) {
        let clean = text::clean(markdown);
        if too_deep(&clean) {
            return clean.lines().for_each(|line| self.para(Ink::PLAIN, indent, line));
        }
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let columns = self.columns().saturating_sub(width(indent)).max(16);
        let mut setter = Setter {
            paper: self,
            indent: indent.to_owned(),
            columns,
            ink: Ink::PLAIN,
            inline: Vec::new(),
            margins: Vec::new(),
            lists: Vec::new(),
            table: None,
            links: Vec::new(),
            code: false,
            begun: false,
        };
        for event in Parser::new_ext(&clean, options) {
            setter.take(event);
        }
        setter.flush();
    }
}

/// What stands before the lines of a list item or a quotation.
struct Margin {
    first: Option<String>,
    rest: String,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<Inline>>,
}

struct Setter<'p> {
    paper: &'p mut Paper,
    indent: String,
    columns: usize,
    ink: Ink,
    inline: Inline,
    margins: Vec<Margin>,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    table: Option<Table>,
    links: Vec<(String, usize)>,
    code: bool,
    begun: bool,
}

impl Setter<'_> {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.write(&text, self.ink),
            Event::Code(text) => self.write(&text, self.ink.with(Ink::MARK)),
            Event::Html(text) | Event::InlineHtml(text) => self.write(&text, self.ink),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => self.write(&text, self.ink),
            Event::SoftBreak => self.write(" ", self.ink),
            Event::HardBreak => self.inline.push(('\n', self.ink)),
            Event::Rule => {
                self.gap();
                let line = if self.paper.style.unicode { "─" } else { "-" }.repeat(self.room().min(24));
                self.write(&line, Ink::DIM);
                self.flush();
            }
            Event::TaskListMarker(done) => self.write(if done { "[x] " } else { "[ ] " }, self.ink),
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph => self.gap(),
            Tag::Heading { .. } => {
                self.gap();
                self.ink = self.ink.with(Ink::BOLD);
            }
            Tag::BlockQuote(_) => {
                self.gap();
                let mark = if self.paper.style.unicode { "│ " } else { "| " };
                self.margin(Some(mark.to_owned()), mark.to_owned());
            }
            Tag::CodeBlock(kind) => {
                self.gap();
                // Fenced or indented reads the same here; the language name would be noise.
                let (CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) = kind;
                self.code = true;
                self.ink = self.ink.with(Ink::MARK);
            }
            Tag::List(start) => {
                if self.lists.is_empty() {
                    self.gap();
                } else {
                    self.flush();
                }
                self.lists.push(start);
            }
            Tag::Item => {
                self.flush();
                let mark = match self.lists.last_mut() {
                    Some(Some(n)) => {
                        let mark = format!("{n}. ");
                        *n = n.saturating_add(1);
                        mark
                    }
                    Some(None) | None => if self.paper.style.unicode { "• " } else { "* " }.to_owned(),
                };
                let rest = " ".repeat(width(&mark));
                self.margin(Some(mark), rest);
            }
            Tag::Table(_) => {
                self.gap();
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => self.inline.clear(),
            Tag::Emphasis => self.ink = self.ink.with(Ink::ITALIC),
            Tag::Strong => self.ink = self.ink.with(Ink::BOLD),
            Tag::Strikethrough => self.ink = self.ink.with(Ink::STRUCK),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.links.push((dest_url.to_string(), self.inline.len())),
            Tag::HtmlBlock => self.gap(),
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(level) => {
                self.ink = self.ink.without(Ink::BOLD);
                // Without colour nothing else tells a heading from a short paragraph.
                if !self.paper.style.colour && matches!(level, HeadingLevel::H1 | HeadingLevel::H2) {
                    let text: String = self.inline.iter().map(|(c, _)| *c).collect();
                    let line = if self.paper.style.unicode { "─" } else { "-" }.repeat(width(&text).min(self.room()));
                    self.inline.push(('\n', Ink::PLAIN));
                    self.write(&line, Ink::PLAIN);
                }
                self.flush();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                self.margins.pop();
            }
            TagEnd::CodeBlock => {
                if self.inline.last().is_some_and(|(c, _)| *c == '\n') {
                    self.inline.pop();
                }
                self.margin(None, "    ".to_owned());
                self.flush();
                self.margins.pop();
                self.code = false;
                self.ink = self.ink.without(Ink::MARK);
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.set_table(&table.rows);
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis => self.ink = self.ink.without(Ink::ITALIC),
            TagEnd::Strong => self.ink = self.ink.without(Ink::BOLD),
            TagEnd::Strikethrough => self.ink = self.ink.without(Ink::STRUCK),
            TagEnd::Link | TagEnd::Image => {
                if let Some((url, start)) = self.links.pop() {
                    let shown: String = self.inline.iter().skip(start).map(|(c, _)| *c).collect();
                    if shown.is_empty() {
                        self.write(&url, self.ink);
                    } else if shown != url && format!("mailto:{shown}") != url {
                        self.write(&format!(" ({url})"), self.ink.with(Ink::DIM));
                    }
                }
            }
            TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// The parser decodes entities, so what was cleaned before may be unclean again.
    fn write(&mut self, text: &str, ink: Ink) {
        self.inline.extend(text.chars().filter(|c| *c == '\n' || harmless(*c)).map(|c| (c, ink)));
    }

    fn margin(&mut self, first: Option<String>, rest: String) {
        let taken: usize = self.margins.iter().map(|margin| width(&margin.rest)).sum();
        if taken + width(&rest) > self.columns / 2 {
            // Nested too deep for this sheet: the mark goes into the text and the margin stays where it is.
            self.margins.push(Margin { first: None, rest: String::new() });
            self.write(&first.unwrap_or_default(), self.ink);
        } else {
            self.margins.push(Margin { first, rest });
        }
    }

    fn room(&self) -> usize {
        self.columns.saturating_sub(self.margins.iter().map(|margin| width(&margin.rest)).sum()).max(8)
    }

    /// An empty line before a block, except right after a list mark.
    fn gap(&mut self) {
        self.flush();
        let fresh = self.margins.iter().any(|margin| margin.first.is_some());
        if self.begun && !fresh {
            let start = self.start_of_line();
            self.paper.raw(&start);
        }
    }

    fn start_of_line(&mut self) -> String {
        let mut start = self.indent.clone();
        for margin in &mut self.margins {
            start.push_str(&margin.first.take().unwrap_or_else(|| margin.rest.clone()));
        }
        start
    }

    fn flush(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        if inline.iter().all(|(c, _)| c.is_whitespace()) && !self.code {
            return;
        }
        let room = self.room();
        // Code is there to be copied: its lines are left whole and the terminal may wrap them.
        let lines = if self.code { inline.split(|(c, _)| *c == '\n').map(<[_]>::to_vec).collect() } else { text::wrap(&inline, room) };
        for line in lines {
            let start = self.start_of_line();
            self.paper.marked_line(&start, &line);
        }
        self.begun = true;
    }

    fn set_table(&mut self, rows: &[Vec<Inline>]) {
        let Some(lines) = table::lines(rows, self.room(), self.paper.style.unicode) else {
            return self.set_records(rows);
        };
        for line in lines {
            let start = self.start_of_line();
            self.paper.marked_line(&start, &line);
        }
        self.begun = true;
    }

    /// A table too wide for the sheet, one cell a line under its column's name.
    fn set_records(&mut self, rows: &[Vec<Inline>]) {
        let Some((head, rows)) = rows.split_first() else { return };
        for (i, row) in rows.iter().enumerate() {
            if i > 0 {
                self.gap();
            }
            for (at, cell) in row.iter().enumerate() {
                if let Some(name) = head.get(at).filter(|name| !name.is_empty()) {
                    self.inline.extend(name.iter().map(|(c, ink)| (*c, ink.with(Ink::BOLD))));
                    self.write(": ", Ink::PLAIN);
                }
                self.inline.extend_from_slice(cell);
                self.flush();
            }
        }
    }
}
