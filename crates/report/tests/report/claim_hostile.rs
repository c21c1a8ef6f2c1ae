//! Claims are filled by agents from outside: nothing they wrote may act in any medium, whatever field it stands in.

use crate::claims;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};
use synod_report::{Style, claim_brief, claim_html, claim_markdown, claim_terminal};
use synod_types::*;

const HOSTILE: &str = "Fine so far.\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\r\n\n# Forged heading\n\n- forged item\n\n<script>alert('page')</script> \
</script></style></details></section></main><h1>Forged</h1> <img src=x onerror=alert(1)> <b onclick=x style=\"color:red\">bold</b> &#27;[31m \
[click](javascript:alert(1)) ![pixel](https://tracker.example/p.png) [r][ref]\n\n[ref]: JaVaScRiPt:alert(3)\n\n| a | b |\n|---|---|\n| <script>x</script> | \u{8}\u{0} |\n\n\
```\n</pre><script>in code</script>\n```\n\nAnunbreakablewordAnunbreakablewordAnunbreakablewordAnunbreakablewordAnunbreakablewordAnunbreakableword";

/// The same words in every place that somebody can fill, numbers no layer could give, and addresses that are none.
fn everywhere(mut view: ClaimView) -> ClaimView {
    let claim = &mut view.claim;
    for text in [&mut claim.id, &mut claim.title, &mut claim.body, &mut claim.domain, &mut claim.protocol, &mut claim.author_name] {
        HOSTILE.clone_into(text);
    }
    (claim.author_type, claim.author_model, claim.rehearsal, claim.hidden) = (AuthorType::Ai, Some(HOSTILE.into()), true, true);
    let urls = [
        HOSTILE,
        "javascript:alert(1)",
        "https://a.example/\"onclick=alert(1)",
        "https://a.example/><script>",
        "java\nscript://x",
        "https://good.example/a_b?c=d&e",
    ];
    claim.sources = urls.iter().map(|url| ClaimSource { url: (*url).into(), title: Some(HOSTILE.into()) }).collect();
    claim.sources.push(ClaimSource { url: HOSTILE.into(), title: None });
    (view.protocol.name, view.protocol.description) = (HOSTILE.into(), HOSTILE.into());
    for stage in &mut view.protocol.stages {
        (stage.name, stage.goal) = (HOSTILE.into(), HOSTILE.into());
    }
    view.pipeline.output_hash = Some(HOSTILE.into());
    view.pipeline.output_hash_v2 = Some(HOSTILE.into());
    for layer in &mut view.layers {
        (layer.stage_name, layer.effect, layer.avg_confidence) = (HOSTILE.into(), Some(HOSTILE.into()), f64::NAN);
    }
    for slot in &mut view.slots {
        let said = Some(HOSTILE.to_owned());
        (slot.id, slot.role) = (HOSTILE.into(), HOSTILE.into());
        (slot.agent_id, slot.owner, slot.agent_name, slot.agent_model) = (said.clone(), said.clone(), said.clone(), said.clone());
        (slot.notice, slot.run, slot.signing_address, slot.output_signature) = (said.clone(), said.clone(), said.clone(), said.clone());
        slot.output = said;
        slot.confidence = Some(f64::INFINITY);
        slot.structured_output = Some(json!({HOSTILE: HOSTILE, "list": [HOSTILE], "deep": {HOSTILE: [[HOSTILE]]}}));
    }
    for flag in &mut view.flags {
        (flag.id, flag.reason) = (HOSTILE.into(), HOSTILE.into());
        (flag.cleared_by, flag.note) = (Some(HOSTILE.into()), Some(HOSTILE.into()));
    }
    if let Some(record) = &mut view.record {
        let list = vec![HOSTILE.to_owned(), "B".to_owned()];
        (record.summary, record.summaries, record.key_points) = (HOSTILE.into(), list.clone(), list.clone());
        (record.dissent, record.open_questions) = (list.clone(), list);
        (record.agent_id, record.agent_name, record.agent_model) = (Some(HOSTILE.into()), Some(HOSTILE.into()), Some(HOSTILE.into()));
        record.split_verdict = true;
    }
    view.notices = vec![ClaimNotice { layer: 9, attempt: 1, text: HOSTILE.into(), at: i64::MAX / 4 }];
    view
}

pub fn views() -> Vec<ClaimView> {
    let mut views: Vec<ClaimView> =
        [claims::active(), claims::flagged(), claims::rerun(), claims::complete(), claims::closed()].into_iter().map(everywhere).collect();
    let mut own = views[3].clone();
    own.record.as_mut().expect("it is complete").by_pipeline = false;
    let mut bare = views[0].clone();
    bare.protocol.stages.clear();
    views.extend([own, bare]);
    views
}

/// Nothing that a terminal, a page or a viewer would obey.
fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
}

#[test]
fn a_terminal_gets_no_control_character_but_line_ends() {
    for view in views() {
        for style in [Style { width: 80, colour: false, unicode: true }, Style { width: 40, colour: false, unicode: false }] {
            for text in [claim_terminal(&view, style), claim_brief(&view, style)] {
                assert!(is_clean(&text), "{text}");
                assert!(text.contains("Fine so far."), "the words themselves stay");
            }
        }
        let inked = claim_terminal(&view, Style { width: 80, colour: true, unicode: true });
        for (at, _) in inked.match_indices('\u{1b}') {
            let ink: String = inked[at + 1..].chars().take_while(|c| *c != 'm').collect();
            let ours = |codes: &str| codes.split(';').all(|code| ["0", "1", "2", "3", "4", "9", "33", "36"].contains(&code));
            assert!(ink.strip_prefix('[').is_some_and(ours), "{ink:?}");
        }
    }
}

#[test]
fn a_page_runs_nothing_fetches_nothing_and_keeps_its_own_shape() {
    for view in views() {
        let page = claim_html(&view);
        assert!(is_clean(&page));
        let tags = tags_of(&page);
        for tag in &tags {
            let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            let never = ["script", "img", "iframe", "object", "embed", "form", "input", "link", "base", "audio", "video"];
            assert!(!never.contains(&name.as_str()), "<{tag}>");
            let unquoted: String = tag.split('"').step_by(2).collect();
            assert!(!unquoted.contains(" on") && !unquoted.contains("src=") && !unquoted.contains("style="), "<{tag}>");
            if let Some(at) = tag.find("href=\"") {
                let target = &tag[at + 6..];
                assert!(target.starts_with("https://") || target.starts_with('#'), "<{tag}>");
            }
        }
        let count = |what: &str| tags.iter().filter(|tag| tag.split_whitespace().next() == Some(what)).count();
        for name in ["section", "details", "div", "dl", "svg", "ul", "ol", "li", "p", "span", "b"] {
            assert_eq!(count(name), count(&format!("/{name}")), "{name}");
        }
        assert_eq!((count("h1"), count("main"), count("/main"), count("/style")), (1, 1, 1, 1));
        assert!(page.contains("href=\"https://good.example/a_b?c=d&amp;e\""), "a good source stays a link");
    }
}

/// What stands between `<` and `>`, which in our pages appear nowhere else.
fn tags_of(page: &str) -> Vec<String> {
    let body = &page[page.find("</style>").expect("the page has its style")..];
    body.split('<').skip(1).filter_map(|part| part.split_once('>')).map(|(tag, _)| tag.to_owned()).collect()
}

#[test]
fn a_markdown_export_has_only_headings_of_ours_and_nothing_live() {
    for view in views() {
        let report = claim_markdown(&view);
        assert!(is_clean(&report));
        let mut quoted = 0_i32;
        let mut heading = None;
        for event in Parser::new_ext(&report, Options::all()) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("live HTML: {html}"),
                Event::Start(Tag::Image { dest_url, .. }) => panic!("an image: {dest_url}"),
                Event::Start(Tag::Link { dest_url, .. }) => assert!(dest_url.starts_with("https://"), "a link: {dest_url}"),
                Event::Start(Tag::BlockQuote(_)) => quoted += 1,
                Event::End(TagEnd::BlockQuote(_)) => quoted -= 1,
                Event::Start(Tag::Heading { .. }) if quoted == 0 => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) if quoted == 0 => {
                    let text = heading.take().unwrap_or_default();
                    let ours = ["Fine so far.", "Layer", "Sources", "Work", "Consensus", "Flags", "Notices", "About", "Dissent", "Key points"];
                    let also = ["Summaries of the seats", "Caveats and open questions"];
                    assert!(ours.iter().chain(&also).any(|begins| text.starts_with(begins)), "{text}");
                }
                Event::Text(text) => heading.iter_mut().for_each(|heading| heading.push_str(&text)),
                Event::Code(text) => assert!(quoted > 0, "code outside a quotation: {text}"),
                _ => {}
            }
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "word ",
        "longerwordthatdoesnotend",
        "\n",
        "\n\n",
        "\r",
        "\t",
        "# ",
        "- ",
        "1. ",
        "> ",
        "|",
        "`",
        "```\n",
        "**",
        "[a](b)",
        "[a](javascript:x)",
        "![",
        "](",
        "<i>",
        "</script>",
        "<!--",
        "&#27;",
        "&lt;",
        "\\",
        "\"",
        "'",
        "\u{1b}[31m",
        "\u{1b}]0;x",
        "\u{9b}2J",
        "\u{202e}",
        "\u{2066}",
        "\u{0}",
        "é",
        "漢字",
        "👩‍👩‍👧",
        "https://",
        "0x",
    ]);
    prop::collection::vec(parts, 0..10).prop_map(|parts| parts.concat())
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..1.0, Just(0.7), Just(f64::NAN), Just(f64::INFINITY), Just(-1.0), Just(f64::MAX), any::<f64>()]
}

fn structured() -> impl Strategy<Value = Option<Value>> {
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), any::<i64>().prop_map(Value::from), text().prop_map(Value::from)];
    let deep = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    });
    prop::option::of(deep)
}

prop_compose! {
    fn a_slot()(
        at in (0u32..5, 0u32..4, prop::sample::select(&SlotType::ALL[..]), 0u32..4, prop::sample::select(&SlotStatus::ALL[..])),
        told in (text(), prop::option::of(text()), prop::option::of(text()), prop::option::of(text()), prop::option::of(text())),
        fields in structured(),
        confidence in prop::option::of(number()),
        rest in (any::<bool>(), any::<bool>(), prop::option::of(prop::sample::select(&SignatureState::ALL[..])), any::<i32>()),
    ) -> Slot {
        let (layer, attempt, kind, ordinal, status) = at;
        let (role, agent_name, agent_model, output, notice) = told;
        let (copied, withheld, signature, taken) = rest;
        let slot = claims::slot(layer, attempt, kind, ordinal, &role);
        let run = notice.clone();
        Slot { status, agent_name, agent_model, output, notice, run, structured_output: fields, confidence, copied, withheld, signature, taken_at: Some(taken.into()), ..slot }
    }
}

prop_compose! {
    fn a_view()(
        base in prop::sample::select(vec![claims::active(), claims::flagged(), claims::rerun(), claims::complete(), claims::closed()]),
        words in prop::collection::vec(text(), 8),
        slots in prop::collection::vec(a_slot(), 0..5),
        layers in prop::collection::vec((0u32..5, 0u32..4, prop::sample::select(&LayerOutcome::ALL[..]), number(), number()), 0..5),
        pipeline in (prop::sample::select(&PipelineStatus::ALL[..]), 0u32..6, 0u32..4, prop::sample::select(&SlotType::ALL[..])),
        resolution in prop::option::of(prop::sample::select(&Resolution::ALL[..])),
        flags in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
    ) -> ClaimView {
        let mut view = base;
        view.claim.title.clone_from(&words[0]);
        view.claim.body.clone_from(&words[1]);
        view.claim.domain.clone_from(&words[2]);
        view.claim.author_name.clone_from(&words[3]);
        view.claim.sources.push(ClaimSource { url: words[4].clone(), title: Some(words[5].clone()) });
        view.protocol.stages[0].name.clone_from(&words[6]);
        view.notices.push(ClaimNotice { layer: 7, attempt: 0, text: words[7].clone(), at: -1 });
        (view.claim.rehearsal, view.claim.hidden) = (flags.0, flags.1);
        (view.pipeline.status, view.pipeline.current_layer, view.pipeline.attempt, view.pipeline.current_phase) = pipeline;
        view.slots.extend(slots);
        view.layers.extend(layers.into_iter().map(|(layer, attempt, outcome, avg_confidence, threshold)| LayerResult {
            layer, attempt, outcome, avg_confidence, threshold, stage_name: words[6].clone(), effect: Some(words[5].clone()), at: 0,
        }));
        for flag in &mut view.flags {
            flag.resolution = resolution;
            flag.note = Some(words[4].clone());
            flag.reason.clone_from(&words[3]);
        }
        if let Some(record) = &mut view.record {
            record.summary.clone_from(&words[1]);
            record.dissent = words.clone();
            (record.merged, record.by_pipeline) = (flags.2, flags.3);
        }
        view
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_view_holds_nothing_breaks_and_nothing_acts(view in a_view(), width in 0usize..130, unicode in any::<bool>()) {
        let style = Style { width, colour: false, unicode };
        for text in [claim_terminal(&view, style), claim_brief(&view, style), claim_markdown(&view), claim_html(&view)] {
            prop_assert!(is_clean(&text), "{}", text);
        }
        let page = claim_html(&view);
        prop_assert!(!page.contains("<i>") && !page.contains("</script"), "{}", page);
        for event in Parser::new_ext(&claim_markdown(&view), Options::all()) {
            prop_assert!(!matches!(event, Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. })), "{:?}", event);
        }
    }
}
