use super::tests::{request, say, typed};
use super::*;
use proptest::prelude::*;

/// Schemas that have an instance, of every supported kind, referring to a recursive definition now and then.
fn any_schema() -> impl Strategy<Value = Value> {
    let ids = prop::sample::subsequence(vec!["K3", "T9", "P4", "R5", "J8", "V2"], 1..=6);
    let number = (-50_i32..50, 1_i32..40, any::<bool>(), any::<bool>()).prop_map(|(low, span, open, above)| {
        let (low_word, high_word) = if open { ("exclusiveMinimum", "exclusiveMaximum") } else { ("minimum", "maximum") };
        let mut schema = json!({"type": "number", low_word: low});
        if above {
            schema[high_word] = json!(low + span);
        }
        schema
    });
    let multiple = (-20_i32..20, prop::sample::select(vec![0.01, 0.1, 0.25, 0.5, 2.0, 5.0, 7.0]), prop::sample::select(vec!["number", "integer"]))
        .prop_map(|(low, step, kind)| json!({"type": kind, "minimum": low, "maximum": low + 40, "multipleOf": step}));
    let integer = (-1_000_i64..1_000, 0_i64..30, any::<bool>()).prop_map(|(low, span, open)| {
        if open {
            json!({"type": "integer", "exclusiveMinimum": low, "exclusiveMaximum": low + span + 2})
        } else {
            json!({"type": "integer", "minimum": low, "maximum": low + span})
        }
    });
    let string = (0_usize..200, 0_usize..300).prop_map(|(min, more)| json!({"type": "string", "minLength": min, "maxLength": min + more}));
    let format =
        prop::sample::select(vec!["date", "date-time", "time", "uuid", "email", "uri", "ipv4", "ipv6", "hostname", "duration", "unheard-of"]);
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "integer"})),
        Just(json!({"type": "number"})),
        Just(json!({"type": "null"})),
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"const": {"a": [1, null]}})),
        Just(json!({"$ref": "#/$defs/node"})),
        ids.prop_map(|ids| json!({"type": "string", "enum": ids})),
        number,
        multiple,
        integer,
        string,
        format.prop_map(|format| json!({"type": "string", "format": format})),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let names = prop::sample::subsequence(vec!["reasons", "summary", "score", "risks", "vote", "title", "next steps", "id"], 0..=5);
        let object = (names, prop::collection::vec((inner.clone(), any::<bool>()), 5), 0_usize..3).prop_map(|(names, schemas, additional)| {
            let mut schema = json!({"type": "object", "properties": {}, "required": []});
            for (name, (inner, required)) in names.iter().zip(schemas) {
                schema["properties"][*name] = inner;
                if required {
                    schema["required"].as_array_mut().expect("a list").push(json!(name));
                }
            }
            match additional {
                0 => schema["additionalProperties"] = json!(false),
                1 => schema["minProperties"] = json!(names.len()),
                _ => {}
            }
            schema
        });
        let array = (inner.clone(), 0_usize..4, 0_usize..4).prop_map(|(items, min, more)| json!({"type": "array", "items": items, "minItems": min, "maxItems": min + more}));
        let ranking = prop::sample::subsequence(vec!["K3", "T9", "P4", "R5", "J8", "V2"], 1..=6)
            .prop_flat_map(|ids| (0..=ids.len()).prop_map(move |min| json!({"type": "array", "items": {"enum": ids}, "minItems": min, "uniqueItems": true})));
        let distinct = (0_usize..12, prop::sample::select(vec![json!({"type": "string"}), json!({"type": "string", "maxLength": 3}), json!({"type": "integer"}), json!({"type": "number", "minimum": 0, "maximum": 1})]))
            .prop_map(|(min, items)| json!({"type": "array", "items": items, "minItems": min, "uniqueItems": true}));
        let map = inner.clone().prop_map(|inner| json!({"type": "object", "additionalProperties": inner, "minProperties": 1}));
        let tuple = prop::collection::vec(inner.clone(), 1..4).prop_map(|items| json!({"type": "array", "minItems": items.len(), "items": false, "prefixItems": items}));
        let any_of = prop::collection::vec(inner.clone(), 1..4).prop_map(|branches| json!({"anyOf": branches}));
        let one_of = prop::collection::vec(inner.clone(), 1..4).prop_map(|branches| {
            let tagged = branches.into_iter().enumerate().map(|(tag, inner)| json!({"type": "object", "properties": {"kind": {"const": tag}, "value": inner}, "required": ["kind", "value"]}));
            json!({"oneOf": tagged.collect::<Vec<_>>()})
        });
        let all_of = (inner.clone(), inner).prop_map(|(a, b)| {
            json!({"allOf": [
                {"type": "object", "properties": {"a": a, "n": {"type": "number", "minimum": 2}}, "required": ["a"]},
                {"properties": {"b": b, "n": {"type": "integer", "maximum": 6}}, "required": ["b", "n"]},
            ]})
        });
        prop_oneof![3 => object, 2 => array, 1 => ranking, 1 => distinct, 1 => map, 1 => tuple, 1 => any_of, 1 => one_of, 1 => all_of]
    })
    .prop_map(|schema| {
        json!({
            "allOf": [schema],
            "$defs": {"node": {
                "type": "object",
                "properties": {"summary": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}, "other": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
                "required": ["summary", "children", "other"],
                "additionalProperties": false,
            }},
        })
    })
}

/// The same with one value in it replaced, removed or doubled.
fn spoiled(mut document: Value, n: usize) -> Value {
    fn places(value: &Value, at: &str, all: &mut Vec<String>) {
        all.push(at.to_owned());
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, field)| places(field, &format!("{at}/{name}"), all)),
            Value::Array(items) => items.iter().enumerate().for_each(|(n, item)| places(item, &format!("{at}/{n}"), all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    places(&document, "", &mut all);
    let Some(place) = document.pointer_mut(&all[n / 8 % all.len()]) else { return document };
    *place = match (n % 8, place.take()) {
        (0, Value::Array(items)) => items.iter().chain(items.first()).cloned().collect(),
        (1, Value::Array(items)) => items.into_iter().skip(1).collect(),
        (2, Value::Object(fields)) => fields.into_iter().skip(1).collect(),
        (3, Value::Object(mut fields)) => {
            fields.insert("unheard of".into(), json!(1));
            Value::Object(fields)
        }
        // Rounded: one check takes 1.1800000000000002 for a multiple of 0.01, the other does not, and neither is wrong.
        (0 | 4, Value::Number(number)) => json!(((number.as_f64().unwrap_or_default() + 0.5) * 1e6).round() / 1e6),
        (1 | 5, Value::Number(_)) => json!(u64::MAX),
        (2 | 6, Value::Number(number)) => json!(number.as_f64().unwrap_or_default()),
        (0 | 4, Value::String(text)) => json!(text + &"é".repeat(70)),
        (5, _) => json!(null),
        (6, _) => json!([]),
        _ => json!("x"),
    };
    document
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_schema_is_given_a_valid_instance(schema in any_schema(), seed: u64, seat in 0_u32..12) {
        let key = format!("phase/prompt@{seat}");
        // Formats are checked here although a panel's own check does not insist on them.
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).expect("the schema compiles");
        let text = reply(&request(Some(schema.clone()), None), seed, &key).map_err(|failure| TestCaseError::fail(failure.to_string()))?.text;
        let value: Value = serde_json::from_str(&text).expect("a typed reply is JSON");
        prop_assert!(validator.is_valid(&value), "{}: {:?}", text, validator.validate(&value).err().map(|error| error.to_string()));
        prop_assert_eq!(say(&request(Some(schema), None), seed, &key).text, text);
    }

    #[test]
    fn every_such_schema_is_filled_at_the_first_throw(schema in any_schema(), seed: u64) {
        let mut filler = Filler::new(&schema, voices::of(1), 1, None, Dice::new(seed, "phase/prompt@1", 0));
        let value = filler.fill(None);
        prop_assert!(jsonschema::is_valid(&schema, &value), "{}", value);
    }

    /// The engine's own check says what a complete implementation says: of a schema's instances, of another's, and of broken ones.
    #[test]
    fn schemas_are_checked_as_elsewhere(schema in any_schema(), other in any_schema(), seed: u64, broken in 0_usize..400) {
        let fill = |schema: &Value| Filler::new(schema, voices::of(1), 1, None, Dice::new(seed, "phase/prompt@1", 0)).fill(None);
        let complete = jsonschema::validator_for(&schema).expect("the schema compiles");
        prop_assert_eq!(synod_engine::schema::flaw(&schema), None);
        for document in [fill(&schema), fill(&other), spoiled(fill(&schema), broken)] {
            let found = mismatches(&schema, &document);
            prop_assert_eq!(found.is_empty(), complete.is_valid(&document), "{} of {}: {:?}", document, schema, found);
        }
    }

    #[test]
    fn a_ranking_of_any_labels_is_a_permutation(seed: u64, n in 1_usize..40, seat in 0_u32..12) {
        let labels: Vec<String> = (0..n).map(|i| format!("L{i}")).collect();
        let schema = json!({"type": "array", "items": {"enum": labels}, "minItems": n, "maxItems": n, "uniqueItems": true});
        let mut ranking: Vec<String> = serde_json::from_value(typed(schema, None, seed, &format!("rank@{seat}"))).expect("labels");
        ranking.sort();
        let mut labels = labels;
        labels.sort();
        prop_assert_eq!(ranking, labels);
    }
}

#[test]
fn a_list_with_an_item_for_each_name_names_everybody_once() {
    let names = ["Ingrid Solheim", "Dario Menezes", "Ruth Nakamba", "Len Kowalczyk"];
    let item = json!({"type": "object", "required": ["name", "level"], "properties": {
        "name": {"type": "string", "enum": names}, "level": {"type": "string", "enum": ["HIGH", "LOW"]},
    }});
    let schema =
        json!({"type": "object", "required": ["rows"], "properties": {"rows": {"type": "array", "items": item, "minItems": 4, "maxItems": 4}}});
    for seed in 0..20 {
        let value = typed(schema.clone(), None, seed, "judge@1");
        let mut named: Vec<&str> = value["rows"].as_array().expect("rows").iter().filter_map(|row| row["name"].as_str()).collect();
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len(), names.len(), "seed {seed}: {value}");
    }
}
