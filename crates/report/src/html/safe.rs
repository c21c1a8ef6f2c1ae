//! What may stand in a page as it is: templates, which escape whatever they are given, and models' markdown, sanitised after rendering.

use crate::markup::too_deep;
use crate::text::{clean, harmless};
use ammonia::{Builder, UrlRelative};
use askama::Template;
use askama::filters::{Escaper, Safe};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};
use std::ops::Deref;
use std::sync::LazyLock;

/// HTML that is safe as it is, made in this file and nowhere else. A template shows it as `{{ *html }}`; without the star it is escaped once more,
/// which is ugly and harmless.
pub struct Html(Safe<String>);

impl Html {
    pub fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    pub fn into_string(self) -> String {
        self.0.0
    }
}

impl Default for Html {
    fn default() -> Self {
        Self(Safe(String::new()))
    }
}

impl Deref for Html {
    type Target = Safe<String>;

    fn deref(&self) -> &Safe<String> {
        &self.0
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(parts: I) -> Self {
        Self(Safe(parts.into_iter().map(Html::into_string).collect()))
    }
}

/// Our templates call nothing that fails, and writing to a string does not.
pub fn render(template: &impl Template) -> Html {
    Html(Safe(template.render().unwrap_or_default()))
}

/// How every template escapes text, for an element or a quoted attribute.
#[derive(Clone, Copy, Default)]
pub struct Cleaned;

impl Escaper for Cleaned {
    fn write_escaped_str<W: Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        for c in clean(text).chars() {
            match c {
                '&' => dest.write_str("&amp;")?,
                '<' => dest.write_str("&lt;")?,
                '>' => dest.write_str("&gt;")?,
                '"' => dest.write_str("&quot;")?,
                '\'' => dest.write_str("&#39;")?,
                c => dest.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A cell of a model's table, with its column's name for screens too narrow for a table.
#[derive(Template)]
#[template(source = r#"<td data-label="{{ column }}">"#, ext = "html")]
struct Cell<'a> {
    column: &'a str,
}

/// As it came, where it cannot be laid out.
#[derive(Template)]
#[template(source = "<pre>{{ text }}</pre>", ext = "html")]
struct Verbatim<'a> {
    text: &'a str,
}

/// Only what the renderer below can write, and no attribute but a link's address, a list's first number and a cell's column.
static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags = "p h3 h4 h5 h6 em strong del code pre blockquote ul ol li table thead tbody tr th td hr br a";
    let mut builder = Builder::empty();
    builder
        .tags(tags.split(' ').collect())
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(HashMap::from([("a", HashSet::from(["href"])), ("ol", HashSet::from(["start"])), ("td", HashSet::from(["data-label"]))]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        // A link without a host would lead into whatever site shows this.
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

/// Markdown from a model. Raw HTML is shown as what was written, images become links: a page of ours fetches nothing.
pub fn prose(markdown: &str) -> Html {
    let text = clean(markdown);
    if too_deep(&text) {
        return render(&Verbatim { text: &text });
    }
    let events = Parser::new_ext(&text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Text(text) => Event::Text(plain(text)),
        Event::Code(text) => Event::Code(plain(text)),
        Event::Start(Tag::Heading { level, .. }) => {
            Event::Start(Tag::Heading { level: lower(level), id: None, classes: Vec::new(), attrs: Vec::new() })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => Event::Start(Tag::Link { link_type, dest_url, title, id }),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, with_columns(events).into_iter());
    Html(Safe(SANITISER.clean(&html).to_string()))
}

/// The cells of each table with the names of their columns.
fn with_columns<'t>(events: impl Iterator<Item = Event<'t>>) -> Vec<Event<'t>> {
    let mut out = Vec::new();
    let (mut columns, mut heading, mut at): (Vec<String>, bool, usize) = (Vec::new(), false, 0);
    for event in events {
        match &event {
            Event::Start(Tag::TableHead) => (columns, heading) = (Vec::new(), true),
            Event::End(TagEnd::TableHead) => heading = false,
            Event::Start(Tag::TableRow) => at = 0,
            Event::Start(Tag::TableCell) if heading => columns.push(String::new()),
            Event::Text(text) | Event::Code(text) if heading => columns.iter_mut().last().into_iter().for_each(|name| name.push_str(text)),
            _ => {}
        }
        out.push(match event {
            Event::Start(Tag::TableCell) if !heading => {
                at += 1;
                Event::InlineHtml(render(&Cell { column: columns.get(at - 1).map_or("", String::as_str) }).into_string().into())
            }
            Event::End(TagEnd::TableCell) if !heading => Event::InlineHtml("</td>".into()),
            other => other,
        });
    }
    out
}

/// The parser decodes entities, so what was cleaned before may be unclean again.
fn plain(text: CowStr) -> CowStr {
    if text.chars().all(|c| c == '\n' || harmless(c)) { text } else { text.chars().filter(|c| *c == '\n' || harmless(*c)).collect::<String>().into() }
}

/// The page's own headings are the first two levels.
fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(markdown: &str) -> String {
        prose(markdown).into_string()
    }

    #[test]
    fn nothing_that_runs_fetches_or_leads_astray_is_left() {
        let html = shown(
            "see <script>alert(1)</script> <img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](/v1/keys) ![c](https://t.example/p.png) [d](https://e.example)",
        );
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("href=\"javascript") && !html.contains("href=\"/v1"), "{html}");
        assert!(html.contains("&lt;script&gt;"), "what was written is shown: {html}");
        assert!(html.contains("<a href=\"https://e.example\" rel=\"noopener noreferrer nofollow\">d</a>"), "{html}");
    }

    #[test]
    fn entities_cannot_bring_back_what_was_taken_out() {
        assert_eq!(shown("a&#27;[31m&#x202e;b"), "<p>a[31mb</p>\n");
    }

    #[test]
    fn an_attribute_cannot_be_left() {
        assert_eq!(render(&Cell { column: "\" onload='x'<\u{1b}[31m\u{202e}" }).into_string(), "<td data-label=\"&quot; onload=&#39;x&#39;&lt;\">");
    }

    #[test]
    fn a_models_table_names_its_columns_and_keeps_them_in_their_attribute() {
        let html = shown("| a \"x | `b` |\n|---|--:|\n| 1 | 2 |\n");
        assert!(html.contains("<td data-label=\"a &quot;x\">1</td><td data-label=\"b\">2</td>"), "{html}");
    }

    #[test]
    fn headings_of_an_answer_stay_below_the_pages_own() {
        assert_eq!(shown("# One\n\n###### Six"), "<h3>One</h3>\n<h6>Six</h6>\n");
    }
}
