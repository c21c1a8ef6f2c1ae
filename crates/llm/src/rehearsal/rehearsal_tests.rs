use super::*;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

pub(super) fn request(schema: Option<Value>, hint: Option<Value>) -> Request {
    Request {
        model: "rehearsal".into(),
        messages: vec![Message::system("You sit on a panel."), Message::user("Is tea better than coffee?")],
        schema: schema.map(|schema| ReplySchema { name: "ballot".into(), schema }),
        tools: Vec::new(),
        temperature: None,
        max_tokens: 4096,
        effort: None,
        hint,
    }
}

pub(super) fn say(request: &Request, seed: u64, key: &str) -> Reply {
    reply(request, seed, key).expect("a voice always answers")
}

pub(super) fn typed(schema: Value, hint: Option<Value>, seed: u64, key: &str) -> Value {
    serde_json::from_str(&say(&request(Some(schema), hint), seed, key).text).expect("a typed reply is JSON")
}

fn assert_readable(text: &str) {
    assert!(!text.to_lowercase().contains("lorem"), "{text}");
    assert!(!text.contains(['{', '}', '!']), "{text}");
    assert!(!text.contains("  "), "{text}");
}

#[test]
fn every_seat_has_its_own_way_of_putting_it() {
    let said: BTreeSet<String> = (0..30).map(|seat| say(&request(None, None), 7, &format!("collect/answer@{seat}")).text).collect();
    assert_eq!(said.len(), 30);
}

#[test]
fn free_text_is_readable_and_says_that_it_is_a_rehearsal() {
    for seat in 0..voices::VOICES.len() {
        for seed in 0..20 {
            let text = say(&request(None, None), seed, &format!("collect/answer@{seat}")).text;
            let (words, signature) = text.rsplit_once(" (rehearsal voice: the ").unwrap_or_else(|| panic!("unsigned: {text}"));
            assert!(signature.ends_with(')') && words.ends_with(['.', '?']), "{text}");
            let body = text.replace("\n\n", " ");
            assert_readable(&body);
            assert!((40..200).contains(&body.split(' ').count()), "{text}");
            assert!(text.split("\n\n").count() >= 2, "{text}");
        }
    }
}

#[test]
fn every_line_of_every_voice_is_a_sentence_of_its_own() {
    use voices::{Manner, VOICES};
    let mut seen = BTreeSet::new();
    for voice in VOICES {
        for manner in
            [Manner::Position, Manner::Reason, Manner::Evidence, Manner::Worry, Manner::Merit, Manner::Action, Manner::Question, Manner::Remark]
        {
            let lines = voice.lines(manner);
            assert!(lines.len() >= 3, "{} {manner:?}", voice.name);
            for line in lines {
                assert!(line.ends_with(if manner == Manner::Question { '?' } else { '.' }), "{line}");
                assert!(line.starts_with(char::is_uppercase), "{line}");
                assert!(seen.insert(*line), "said twice: {line}");
            }
        }
        assert!(voice.openings.iter().all(|line| line.contains("{topic}") && seen.insert(line)), "{}", voice.name);
        assert!(voice.titles.iter().all(|title| title.len() < 32 && seen.insert(title)), "{}", voice.name);
    }
}

#[test]
fn the_seed_and_the_key_alone_decide_what_is_said() {
    let one = request(None, None);
    let mut other = one.clone();
    other.messages = vec![Message::user("Something else entirely.")];
    other.model = "rehearsal-2".into();
    let key = "collect/answer@1";
    assert_eq!(say(&one, 5, key).text, say(&other, 5, key).text);
    assert_ne!(say(&one, 5, key).text, say(&one, 6, key).text);
    assert_ne!(say(&one, 5, key).text, say(&one, 5, "revise/answer@1").text);
}

#[test]
fn a_topic_is_quoted_from_the_hint() {
    let hint = json!({"fill": {"topic": "Is tea better than coffee?"}});
    let text = say(&request(None, Some(hint)), 1, "collect/answer@0").text;
    assert!(text.contains("“Is tea better than coffee?”"), "{text}");
}

#[test]
fn hinted_paragraphs_are_said_with_something_of_the_voices_own() {
    let hint = json!({"text": ["First, {topic}.", ["Second, {other}.", "Second, {seat}."], "Third."], "fill": {"topic": "tea", "other": "K3"}});
    for seat in 0..8 {
        let text = say(&request(None, Some(hint.clone())), 3, &format!("collect/answer@{seat}")).text;
        let paragraphs: Vec<&str> = text.split("\n\n").collect();
        assert_eq!(paragraphs.len(), 3, "{text}");
        let known = ["First, tea.", "Second, K3.", &format!("Second, seat {seat}."), "Third."];
        assert!(known.iter().any(|known| paragraphs[0].ends_with(known)) && known.contains(&paragraphs[1]), "{text}");
    }
    let whole = say(&request(None, Some(json!({"text": "Just {topic}."}))), 3, "collect/answer@1").text;
    assert_eq!(whole, "Just the question. (rehearsal voice: the sceptic)");
}

#[test]
fn a_reply_keeps_within_its_token_limit() {
    for max_tokens in [4, 12, 30, 60, 80, 120, 4096] {
        for seat in 0..8 {
            let request = Request { max_tokens, ..request(None, None) };
            let reply = say(&request, 2, &format!("title@{seat}"));
            assert!(!reply.text.is_empty());
            assert!(reply.usage.expect("usage is given").output <= u64::from(max_tokens), "{}: {}", max_tokens, reply.text);
        }
    }
}

#[test]
fn usage_is_counted_and_the_reply_is_finished() {
    let reply = say(&request(None, None), 1, "collect/answer@0");
    assert_eq!(reply.finish, Finish::Stop);
    let usage = reply.usage.expect("usage is given");
    assert_eq!(usage.input, tokens("You sit on a panel.") + tokens("Is tea better than coffee?"));
    assert_eq!(usage.output, tokens(&reply.text));
}

fn ballot() -> Value {
    json!({
        "type": "object",
        "properties": {
            "reasons": {"type": "string"},
            "ranking": {"type": "array", "items": {"type": "string", "enum": ["K3", "T9", "P4", "R5"]}, "minItems": 4, "maxItems": 4, "uniqueItems": true},
        },
        "required": ["reasons", "ranking"],
        "additionalProperties": false,
    })
}

#[test]
fn a_ranking_is_a_permutation_and_comes_after_its_reasons() {
    let mut orders = BTreeSet::new();
    for seat in 0..40 {
        let value = typed(ballot(), None, 9, &format!("rank/rank@{seat}"));
        let fields: Vec<&String> = value.as_object().expect("a ballot is an object").keys().collect();
        assert_eq!(fields, ["reasons", "ranking"]);
        let reasons = value["reasons"].as_str().expect("reasons are text");
        assert!(reasons.contains(" (rehearsal voice: "), "{reasons}");
        assert_readable(reasons);
        let ranking: Vec<String> = serde_json::from_value(value["ranking"].clone()).expect("a ranking is a list of labels");
        assert_eq!(ranking.iter().collect::<BTreeSet<_>>().len(), 4);
        orders.insert(ranking);
    }
    assert!(orders.len() > 3, "voices differ: {orders:?}");
}

#[test]
fn a_reply_does_not_repeat_itself() {
    let idea = json!({"type": "object", "properties": {"title": {"type": "string"}, "description": {"type": "string", "maxLength": 70}}});
    let schema = json!({"type": "object", "properties": {"ideas": {"type": "array", "items": idea, "minItems": 9}, "risks": {"type": "array", "items": {"type": "string"}, "minItems": 5}}});
    for seat in 0..8 {
        let value = typed(schema.clone(), None, 3, &format!("collect/ideas@{seat}"));
        let ideas = value["ideas"].as_array().expect("ideas are a list");
        let strings = ideas.iter().flat_map(|idea| [&idea["title"], &idea["description"]]).chain(value["risks"].as_array().into_iter().flatten());
        let strings: Vec<&str> = strings.filter_map(Value::as_str).collect();
        assert_eq!(strings.len(), 23);
        assert_eq!(strings.iter().collect::<BTreeSet<_>>().len(), 23, "{strings:#?}");
    }
}

#[test]
fn a_field_is_answered_by_what_its_name_asks_for() {
    use voices::Manner;
    let table = [
        ("reasons", Manner::Reason),
        ("key_risks", Manner::Worry),
        ("consideration", Manner::Remark),
        ("confidenceNote", Manner::Remark),
        ("cons", Manner::Worry),
        ("next_steps", Manner::Action),
        ("ideas", Manner::Position),
        ("description", Manner::Position),
        ("title", Manner::Title),
        ("ids", Manner::Id),
        ("evidence", Manner::Evidence),
        ("strengths", Manner::Merit),
        ("openQuestions", Manner::Question),
        ("", Manner::Remark),
    ];
    for (name, manner) in table {
        assert_eq!(Manner::of_field(name), manner, "{name}");
    }
}

#[test]
fn a_list_may_be_hinted_to_be_empty_now_and_then() {
    let schema = json!({"type": "object", "properties": {"marks": {"type": "array", "items": {"enum": ["K3", "T9"]}}}, "required": ["marks"]});
    let marks = |hint: Value| -> BTreeSet<usize> {
        let lengths =
            (0..40).map(|seed| typed(schema.clone(), Some(json!({"marks": hint})), seed, "vote/vote@0")["marks"].as_array().map_or(9, Vec::len));
        lengths.collect()
    };
    assert_eq!(marks(json!([[], [], ["K3"]])), [0, 1].into());
    assert_eq!(marks(json!([[]])), [0].into());
    assert_eq!(marks(json!(["K3"])), [1].into());
}

#[test]
fn hints_give_fields_their_values_and_phrases() {
    let schema = json!({
        "type": "object",
        "properties": {
            "reasons": {"type": "string"},
            "vote": {"enum": ["K3", "T9", "P4"]},
            "score": {"type": "integer", "minimum": 1, "maximum": 10},
            "sure": {"type": "boolean"},
            "note": {"anyOf": [{"type": "null"}, {"type": "string"}]},
            "risks": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
            "ideas": {"type": "array", "items": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}, "minItems": 3},
        },
        "required": ["reasons", "vote", "score", "sure", "note", "risks", "ideas"],
    });
    let hint = json!({
        "reasons": ["Because of {topic}."], "vote": "T9", "score": [8, 99], "sure": true, "note": "as {other} said",
        "risks": ["fire", "water"], "ideas": {"title": ["boats", "bridges"]}, "fill": {"topic": "tea", "other": "K3"},
    });
    let value = typed(schema, Some(hint), 4, "collect/answer@1");
    assert_eq!(value["reasons"], "Because of tea. (rehearsal voice: the sceptic)");
    assert_eq!((&value["vote"], &value["score"], &value["sure"], &value["note"]), (&json!("T9"), &json!(8), &json!(true), &json!("as K3 said")));
    let risks: BTreeSet<&str> = value["risks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(risks, BTreeSet::from(["fire", "water"]));
    let ideas = value["ideas"].as_array().expect("ideas are a list");
    assert!(ideas[0]["title"] == "boats" || ideas[0]["title"] == "bridges", "{ideas:?}");
}

#[test]
fn a_list_in_order_has_just_these_items() {
    let task = json!({"type": "object", "properties": {"title": {"type": "string"}, "needs": {"type": "array", "items": {"enum": ["a", "b", "c"]}}}});
    let schema = json!({"type": "object", "properties": {"tasks": {"type": "array", "items": task}}});
    let named = |title: &str, needs: Value| json!({"title": title, "needs": {"in_order": needs}});
    let hint = json!({"tasks": {"in_order": [named("one", json!([])), named("two", json!(["a"])), named("three", json!(["b", "a"])), named("four", json!(["c"]))]}});
    for seed in 0..20 {
        let value = typed(schema.clone(), Some(hint.clone()), seed, "plan/plan@0");
        let got: Vec<(&Value, &Value)> = value["tasks"].as_array().expect("a list").iter().map(|task| (&task["title"], &task["needs"])).collect();
        let want = [("one", json!([])), ("two", json!(["a"])), ("three", json!(["b", "a"])), ("four", json!(["c"]))];
        assert!(got.iter().zip(&want).all(|((title, needs), (name, list))| *title == name && *needs == list) && got.len() == 4, "{value}");
    }
}

#[test]
fn of_ids_in_order_those_not_in_play_are_left_out() {
    let schema = json!({"type": "object", "properties": {"ideas": {"type": "array", "items": {"enum": ["I01", "I02", "I03"]}}}});
    let hint = json!({"ideas": {"in_order": ["I03", "I09", "I01"]}});
    for seed in 0..20 {
        assert_eq!(typed(schema.clone(), Some(hint.clone()), seed, "clustering/clusters@0")["ideas"], json!(["I03", "I01"]));
    }
}

#[test]
fn the_items_of_a_list_name_different_ids_while_there_are_any() {
    let item = json!({"type": "object", "properties": {"cluster": {"enum": ["K3", "T9", "P4"]}, "size": {"enum": ["HIGH"]}}, "required": ["cluster", "size"]});
    let schema = json!({"type": "object", "properties": {"scores": {"type": "array", "items": item, "minItems": 4, "maxItems": 4}}});
    for seed in 0..20 {
        let value = typed(schema.clone(), None, seed, "scoring/score@1");
        let list = value["scores"].as_array().expect("a list");
        let named: BTreeSet<&str> = list.iter().take(3).filter_map(|item| item["cluster"].as_str()).collect();
        assert_eq!((named.len(), list.len()), (3, 4), "{value}");
    }
}

#[test]
fn a_hint_that_does_not_fit_is_passed_over() {
    let value = typed(ballot(), Some(json!({"ranking": "nonsense", "reasons": 7})), 4, "rank/rank@2");
    assert_eq!(value["ranking"].as_array().map(Vec::len), Some(4));
    assert!(value["reasons"].is_string());
}

#[test]
fn recursive_schemas_end() {
    let tree = json!({
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "left": {"$ref": "#/$defs/node"},
                    "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                    "leaf": {"oneOf": [{"$ref": "#/$defs/node"}, {"const": "end"}]},
                },
                "required": ["title", "next", "children", "leaf"],
            },
        },
    });
    for seat in 0..8 {
        let value = typed(tree.clone(), None, 1, &format!("map/tree@{seat}"));
        assert!(value.to_string().len() < 200_000);
    }
}

#[test]
fn what_cannot_be_filled_is_a_failure_that_says_why() {
    let endless = json!({"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}, "required": ["left", "right"]});
    for schema in [endless, json!({"enum": []}), json!({"type": "string", "pattern": "^[0-9]{30}$"}), json!({"type": "no such type"})] {
        let failure = reply(&request(Some(schema), None), 1, "a@0").expect_err("nothing fits");
        assert_eq!(failure.kind, FailureKind::Unreadable);
        assert!(failure.detail.starts_with("the rehearsal voices cannot fill the schema ballot: "), "{}", failure.detail);
    }
}

fn with_tools(hint: Value) -> Request {
    let input = json!({"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": 5}}, "required": ["query", "limit"]});
    let tools = vec![ToolDef { name: "search".into(), description: "Searches.".into(), input }];
    Request { tools, ..request(None, Some(hint)) }
}

#[test]
fn a_tool_is_called_once_and_only_when_the_hint_says_so() {
    let quiet = say(&with_tools(json!({})), 1, "collect/answer@0");
    assert!(quiet.tool_calls.is_empty() && !quiet.text.is_empty());

    let mut asked = with_tools(json!({"tool": {"name": "search", "input": {"query": "about {topic}"}}, "fill": {"topic": "tea"}}));
    let calling = say(&asked, 1, "collect/answer@0");
    assert_eq!(calling.finish, Finish::ToolCalls);
    assert_eq!(calling.tool_calls[0].name, "search");
    assert_eq!(calling.tool_calls[0].input["query"], "about tea");
    assert!((1..=5).contains(&calling.tool_calls[0].input["limit"].as_i64().expect("a number")));

    asked.messages.push(Message::Tool { call_id: calling.tool_calls[0].id.clone(), name: "search".into(), output: "Nothing.".into() });
    let answering = say(&asked, 1, "collect/answer@0");
    assert!(answering.tool_calls.is_empty() && answering.finish == Finish::Stop && !answering.text.is_empty());

    assert!(say(&with_tools(json!({"tool": {"name": "other"}})), 1, "collect/answer@0").tool_calls.is_empty());
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Deltas for Heard {
    fn push(&self, text: &str) {
        self.0.lock().expect("no test panics while holding it").push(text.to_owned());
    }
    fn restart(&self) {
        self.0.lock().expect("no test panics while holding it").clear();
    }
}

#[tokio::test]
async fn the_text_is_streamed_in_a_few_pieces() {
    let heard = Arc::new(Heard::default());
    let deltas: Arc<dyn Deltas> = heard.clone();
    let context = CallContext {
        run: "r".into(),
        key: "collect/answer@0".into(),
        seed: 1,
        idle_ms: 1_000,
        total_ms: 1_000,
        sending: Default::default(),
        deltas: Some(deltas),
    };
    let reply = Rehearsal::new().call(&request(None, None), &context).await.expect("a voice always answers");
    let pieces = heard.0.lock().expect("no test panics while holding it").clone();
    assert!(pieces.len() > 2, "{pieces:?}");
    assert_eq!(pieces.concat(), reply.text);
}
