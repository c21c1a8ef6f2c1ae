//! A valid instance of a JSON Schema, in a voice's words.
//!
//! Properties come in the schema's order, optional ones included while there is room; where ids are to be chosen or ranked, the voices lean
//! towards what the panel as a whole is drawn to. Depth and size are bounded whatever the schema refers to. Hints that do not fit are
//! passed over and named.

use super::dice::Dice;
use super::hint::Fill;
use super::number;
use super::phrase::{self, Length};
use super::schema::{self, Choice};
use super::voices::{Manner, Voice};
use serde_json::{Map, Value, json};
use synod_types::SeatIx;

/// Past these, only what the schema insists on is filled.
const DEPTH: usize = 5;
const VALUES: usize = 200;
/// Past these a schema that insists on more, perhaps forever, is given up.
const TOO_DEEP: usize = 40;
const TOO_MANY: usize = 5_000;
/// Lists have up to this many items where the schema leaves it open.
const LIST: usize = 3;
/// After so many rejected values what suits the field matters less than that it differs.
pub(super) const MANY_TRIES: usize = 12;
const RESERVED_HINTS: [&str; 2] = ["fill", "tool"];

pub(super) struct Filler<'a> {
    root: &'a Value,
    voice: &'static Voice,
    seat: SeatIx,
    fill: Fill<'a>,
    dice: Dice,
    values: usize,
    signed: bool,
    /// What this reply already holds: nobody says the same thing twice in one breath.
    said: Vec<String>,
    /// Ids the items of the list being filled have named so far, by property; `None` outside a list.
    named: Option<Vec<(String, Value)>>,
    /// The length of that list, where the schema leaves no choice: it has an item for each of something.
    each_of: Option<usize>,
    unfit: Vec<String>,
}

/// Where a value goes.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// The property's name; for a list's item, the list's.
    name: &'a str,
    depth: usize,
    /// How often this very value was rejected before.
    nth: usize,
}

impl<'a> Filler<'a> {
    pub(super) fn new(root: &'a Value, voice: &'static Voice, seat: SeatIx, hint: Option<&'a Value>, dice: Dice) -> Self {
        Self {
            root,
            voice,
            seat,
            fill: Fill::new(hint, seat),
            dice,
            values: 0,
            signed: false,
            said: Vec::new(),
            named: None,
            each_of: None,
            unfit: Vec::new(),
        }
    }

    pub(super) fn fill(&mut self, hint: Option<&Value>) -> Value {
        self.value(self.root, hint, Place { name: "", depth: 0, nth: 0 })
    }

    /// Fields whose hint was of no use.
    pub(super) fn unfit_hints(&self) -> &[String] {
        &self.unfit
    }

    fn tight(&self, depth: usize) -> bool {
        depth > DEPTH || self.values > VALUES
    }

    fn value(&mut self, schema: &Value, hint: Option<&Value>, place: Place) -> Value {
        self.values += 1;
        if place.depth > TOO_DEEP || self.values > TOO_MANY {
            return Value::Null;
        }
        let tight = self.tight(place.depth);
        let rules = schema::flatten(self.root, schema, &Choice { hint, tight }, &mut self.dice);
        if let Some(constant) = rules.get("const") {
            return constant.clone();
        }
        if let Some(Value::Array(allowed)) = rules.get("enum") {
            return self.one_of(allowed, hint, place);
        }
        let kinds = schema::types(&rules);
        match self.kind(&kinds, hint, tight).as_str() {
            "object" => self.object(&rules, hint, place),
            "array" => self.array(&rules, hint, place),
            "null" => Value::Null,
            kind => self.scalar(kind, &rules, hint, place),
        }
    }

    /// Of several types the one the hint has; else anything but nothing.
    fn kind(&mut self, kinds: &[String], hint: Option<&Value>, tight: bool) -> String {
        let scalar = |kind: &&String| !["object", "array"].contains(&kind.as_str());
        let hinted = kinds.iter().find(|kind| hint.is_some_and(|hint| schema::is_of(kind, hint)));
        let shallow = kinds.iter().find(scalar).filter(|_| tight);
        let told: Vec<&String> = kinds.iter().filter(|kind| *kind != "null").collect();
        let thrown = self.dice.pick(&told).copied();
        hinted.or(shallow).or(thrown).or(kinds.first()).cloned().unwrap_or_else(|| "string".to_owned())
    }

    fn object(&mut self, rules: &Map<String, Value>, hint: Option<&Value>, place: Place) -> Value {
        let depth = place.depth + 1;
        let nothing = Map::new();
        let properties = rules.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
        let required: Vec<&str> = rules.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let count = |keyword: &str| rules.get(keyword).and_then(Value::as_u64).map(|n| n as usize);
        let room = count("maxProperties").unwrap_or(usize::MAX).saturating_sub(required.len());
        let optional = properties.iter().filter(|(name, schema)| !required.contains(&name.as_str()) && **schema != json!(false));
        let optional: Vec<&str> = optional.map(|(name, _)| name.as_str()).take(if self.tight(depth) { 0 } else { room }).collect();

        let mut object = Map::new();
        for (name, schema) in properties.iter().filter(|(name, _)| required.contains(&name.as_str()) || optional.contains(&name.as_str())) {
            // `*` speaks for every property it does not name: those of a map are ids nobody knows beforehand.
            let hint =
                hint.and_then(|hint| hint.get(name).or_else(|| hint.get("*"))).filter(|_| depth > 1 || !RESERVED_HINTS.contains(&name.as_str()));
            object.insert(name.clone(), self.value(schema, hint, Place { name, depth, nth: 0 }));
        }
        let any = Value::Bool(true);
        let other = rules.get("additionalProperties").unwrap_or(&any);
        for name in required.iter().filter(|name| !properties.contains_key(**name)) {
            let value = self.value(other, hint.and_then(|hint| hint.get(*name)), Place { name, depth, nth: 0 });
            object.insert((*name).to_owned(), value);
        }
        self.extras(&mut object, rules, other, place);
        Value::Object(object)
    }

    /// Properties the schema does not name: as many as it insists on, and a few where it is nothing but a map.
    fn extras(&mut self, object: &mut Map<String, Value>, rules: &Map<String, Value>, schema: &Value, place: Place) {
        let depth = place.depth + 1;
        let is_map = schema.is_object() && !rules.contains_key("properties") && !self.tight(depth);
        let least = rules.get("minProperties").and_then(Value::as_u64).unwrap_or(0) as usize;
        let most = rules.get("maxProperties").and_then(Value::as_u64).map_or(usize::MAX, |n| n as usize);
        let wanted = least.max(if is_map { 2 } else { 0 }).min(most);
        let names: Vec<String> = match rules.get("propertyNames").and_then(|names| names.get("enum")).and_then(Value::as_array) {
            Some(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            None => (1..=wanted + object.len()).map(|n| format!("item_{n}")).collect(),
        };
        for name in names.iter().filter(|_| *schema != json!(false)) {
            if object.len() >= wanted {
                break;
            }
            if !object.contains_key(name) {
                let value = self.value(schema, None, Place { name: place.name, depth, nth: 0 });
                object.insert(name.clone(), value);
            }
        }
    }

    fn array(&mut self, rules: &Map<String, Value>, hint: Option<&Value>, place: Place) -> Value {
        let depth = place.depth + 1;
        let first: &[Value] = rules.get("prefixItems").and_then(Value::as_array).map_or(&[], Vec::as_slice);
        let any = json!({"type": "string"});
        let items = rules.get("items").filter(|items| !items.is_boolean()).unwrap_or(&any);
        let closed = rules.get("items") == Some(&json!(false));
        let least = rules.get("minItems").and_then(Value::as_u64).unwrap_or(0) as usize;
        let most = rules.get("maxItems").and_then(Value::as_u64).map_or(usize::MAX, |n| n as usize);
        let most = if closed { most.min(first.len()) } else { most };
        let unique = rules.get("uniqueItems") == Some(&json!(true));

        let mut out: Vec<Value> = Vec::new();
        for schema in first.iter().take(most) {
            out.push(self.value(schema, None, Place { name: place.name, depth, nth: 0 }));
        }
        // Lists in the list are whole alternatives, an empty one among them.
        let whole = hint.and_then(Value::as_array).filter(|lists| !lists.is_empty() && lists.iter().all(Value::is_array));
        let hint = whole.and_then(|lists| self.dice.pick(lists)).or(hint);
        let fixed = hint.and_then(|hint| hint.get("in_order")).and_then(Value::as_array);
        let suggested = fixed.cloned().unwrap_or_else(|| self.suggestions(hint));
        let none = whole.is_some() && suggested.is_empty();
        let wanted = match fixed {
            Some(list) => list.len().max(least).min(most),
            None if none => least.max(out.len()),
            None => self.how_many(least.max(out.len()), most, suggested.len(), depth),
        };
        if let Some(allowed) = self.ids(items).filter(|allowed| unique || fixed.is_some() || allowed.len() >= wanted) {
            // Of a list in order, ids that are not in play are left out, not replaced.
            let known = fixed.map(|list| list.iter().filter(|id| allowed.contains(id)).count().max(least).min(most));
            let wanted = known.unwrap_or(wanted);
            let mut ranked = self.ranked(&allowed);
            // What the hint names comes first.
            ranked.sort_by_key(|id| suggested.iter().position(|hint| hint == id).unwrap_or(usize::MAX));
            let missing = wanted.saturating_sub(out.len());
            out.extend(ranked.into_iter().take(missing));
            return Value::Array(out);
        }
        let wanted = self.different(items).map_or(wanted, |ids| wanted.min(ids).max(least));
        let each = hint.filter(|hint| !hint.is_array() && fixed.is_none());
        let around = (self.named.replace(Vec::new()), std::mem::replace(&mut self.each_of, (least == most).then_some(least)));
        while out.len() < wanted {
            let hint = each.or(suggested.get(out.len()));
            // Items that must differ are thrown again until they do; a hint that repeats itself is dropped.
            let tries = if unique { 60 } else { 6 };
            let mut item = Value::Null;
            for nth in 0..tries {
                item = self.value(items, hint.filter(|_| nth == 0), Place { name: place.name, depth, nth });
                if !out.contains(&item) {
                    break;
                }
            }
            out.push(item);
        }
        (self.named, self.each_of) = around;
        Value::Array(out)
    }

    fn how_many(&mut self, least: usize, most: usize, suggested: usize, depth: usize) -> usize {
        if self.tight(depth) {
            return least;
        }
        let usual = if suggested > 0 { suggested.min(LIST) } else { 1 + self.dice.below(LIST) };
        usual.max(least).min(most.max(least))
    }

    /// A hint's list, in a thrown order.
    fn suggestions(&mut self, hint: Option<&Value>) -> Vec<Value> {
        let mut list = hint.and_then(Value::as_array).cloned().unwrap_or_default();
        self.dice.shuffle(&mut list);
        list
    }

    /// The values a list may hold, where the schema names them all.
    fn ids(&mut self, items: &Value) -> Option<Vec<Value>> {
        schema::flatten(self.root, items, &Choice { hint: None, tight: false }, &mut self.dice).get("enum")?.as_array().cloned()
    }

    /// How many items can speak of different things, where each names one by its id.
    fn different(&mut self, items: &Value) -> Option<usize> {
        let rules = schema::flatten(self.root, items, &Choice { hint: None, tight: false }, &mut self.dice);
        let fields = rules.get("properties")?.as_object()?.values();
        let ids = |field| self.ids(field).filter(|ids| ids.iter().all(is_id)).map(|ids| ids.len());
        fields.filter_map(ids).min()
    }

    /// Best first: the panel's common leaning, and each voice's own mind on top.
    fn ranked(&mut self, allowed: &[Value]) -> Vec<Value> {
        let mut valued: Vec<(f64, &Value)> = Vec::with_capacity(allowed.len());
        for value in allowed {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let shy = ["abstain", "none", "unknown", "null", "n/a", "refuse", "unsure"].contains(&text.to_lowercase().as_str());
            valued.push((self.dice.appeal(&text) + 0.9 * self.dice.unit() - if shy { 2.0 } else { 0.0 }, value));
        }
        valued.sort_by(|a, b| b.0.total_cmp(&a.0));
        valued.into_iter().map(|(_, value)| value.clone()).collect()
    }

    fn one_of(&mut self, allowed: &[Value], hint: Option<&Value>, place: Place) -> Value {
        // A name that is known only when it is asked for.
        let filled = match hint {
            Some(Value::String(template)) if template.contains('{') => Some(Value::String(self.fill.render(template, &mut self.dice))),
            _ => None,
        };
        let unnamed: Vec<Value> = allowed.iter().filter(|value| !self.has_named(place.name, value, allowed.len())).cloned().collect();
        let free = if unnamed.is_empty() { allowed } else { &unnamed };
        let hint = filled.as_ref().or(hint);
        // A hint of which all has been said is no bad one.
        let spent = |value: &Value| allowed.contains(value) && !free.contains(value);
        let spent = hint.is_some_and(|hint| hint.as_array().map_or(std::slice::from_ref(hint), Vec::as_slice).iter().any(spent));
        let left = |hint: &&Value| hint.as_array().map_or(std::slice::from_ref(*hint), Vec::as_slice).iter().any(|value| free.contains(value));
        let hinted = self.suggestion(hint.filter(|hint| !spent || left(hint)), place, |value| free.contains(value));
        let chosen = hinted.or_else(|| self.ranked(free).into_iter().next());
        let chosen = chosen.unwrap_or(Value::Null);
        if let Some(named) = &mut self.named {
            named.push((place.name.to_owned(), chosen.clone()));
        }
        chosen
    }

    /// Items of a list speak of different things while there are any: ids, which have a number in them, and names of which the list has an
    /// item for each; not words like HIGH.
    fn has_named(&self, name: &str, value: &Value, among: usize) -> bool {
        (is_id(value) || self.each_of == Some(among))
            && self.named.as_ref().is_some_and(|named| named.iter().any(|(other, id)| other == name && id == value))
    }

    /// A hint's value, or one of its phrases, if it fits.
    fn suggestion(&mut self, hint: Option<&Value>, place: Place, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let hint = hint?;
        let one = std::slice::from_ref(hint);
        let fitting: Vec<&Value> = hint.as_array().map_or(one, Vec::as_slice).iter().filter(|value| fits(value)).collect();
        let picked = self.dice.pick(&fitting).map(|value| (*value).clone());
        if picked.is_none() && !self.unfit.iter().any(|name| name == place.name) {
            self.unfit.push(place.name.to_owned());
        }
        picked
    }

    fn scalar(&mut self, kind: &str, rules: &Map<String, Value>, hint: Option<&Value>, place: Place) -> Value {
        let hinted = self.suggestion(hint, place, |value| schema::is_of(kind, value) && within(rules, value));
        match (kind, hinted) {
            ("string", Some(Value::String(template))) => {
                let text = self.fill.render(&template, &mut self.dice);
                self.text(text, rules, place)
            }
            (_, Some(value)) => value,
            ("boolean", None) => self.boolean(place.name),
            ("integer" | "number", None) => {
                let throw = number::throw(place.name, self.voice.tilt, &mut self.dice);
                let throw = if place.nth > 0 { self.dice.unit() } else { throw };
                number::number(rules, place.name, throw, place.nth > MANY_TRIES)
            }
            (_, None) => self.string(rules, place),
        }
    }

    fn boolean(&mut self, name: &str) -> Value {
        let lower = name.to_lowercase();
        let way_out = ["abstain", "refus", "declin", "fail", "error", "truncat"].iter().any(|stem| lower.contains(stem));
        let thrown = 0.5 * self.dice.appeal(name) + 0.5 * self.dice.unit() > 0.5;
        json!(thrown && !way_out)
    }

    fn string(&mut self, rules: &Map<String, Value>, place: Place) -> Value {
        if let Some(text) = rules.get("format").and_then(Value::as_str).and_then(|format| phrase::formatted(format, &mut self.dice)) {
            return json!(text);
        }
        let length = Length::of(rules);
        let mut text = String::new();
        for nth in place.nth..place.nth + MANY_TRIES {
            text = phrase::phrase(self.voice, place.name, nth, length, &self.said, &self.fill, &mut self.dice);
            if !self.said.contains(&text) {
                break;
            }
        }
        self.said.push(text.clone());
        self.text(text, rules, place)
    }

    /// Fits a text to the field, and signs the first one of the reply that speaks at length.
    fn text(&mut self, text: String, rules: &Map<String, Value>, place: Place) -> Value {
        let length = Length::of(rules);
        let signature = self.voice.signature(self.seat);
        let room = signature.chars().count() + 1 + text.chars().count() <= length.max;
        let speech = Manner::of_field(place.name).is_speech() && place.depth == 1 && !rules.contains_key("pattern");
        let text = if speech && room && !self.signed {
            self.signed = true;
            format!("{text} {signature}")
        } else {
            text
        };
        json!(phrase::fit(text, self.voice, length, &self.fill, &mut self.dice))
    }
}

/// Ids have a number in them, words like HIGH have not.
fn is_id(value: &Value) -> bool {
    value.as_str().is_some_and(|id| id.contains(|c: char| c.is_ascii_digit()))
}

/// Whether a hinted number keeps the bounds. Texts are fitted instead.
fn within(rules: &Map<String, Value>, value: &Value) -> bool {
    let Some(value) = value.as_f64() else { return true };
    let bound = |keyword: &str| rules.get(keyword).and_then(Value::as_f64);
    bound("minimum").is_none_or(|low| value >= low)
        && bound("maximum").is_none_or(|high| value <= high)
        && bound("exclusiveMinimum").is_none_or(|low| value > low)
        && bound("exclusiveMaximum").is_none_or(|high| value < high)
        && bound("multipleOf").is_none_or(|step| (value / step - (value / step).round()).abs() < 1e-9)
}
