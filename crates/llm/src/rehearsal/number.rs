//! Numbers within a schema's bounds, in a range that suits the field's name where the schema gives none.

use super::dice::Dice;
use serde_json::{Map, Number, Value, json};

/// `throw` says where in the range, from 0 to 1. Where the schema sets no bounds the usual range of such a field is taken, or with `wide`
/// one in which any list of numbers finds enough different ones.
pub(super) fn number(rules: &Map<String, Value>, name: &str, throw: f64, wide: bool) -> Value {
    let integer = rules.get("type").is_some_and(|kind| kind == "integer" || kind.as_array().is_some_and(|kinds| !kinds.contains(&json!("number"))));
    let step = rules.get("multipleOf").and_then(Value::as_f64).filter(|step| *step > 0.0);
    let usual = if wide { (0.0, 1e6) } else { usual(name, integer) };
    let range = Range::of(rules, usual);
    if integer || step.is_some() {
        let step = step.unwrap_or(1.0);
        let step = if integer { whole_multiple(step) } else { step };
        let value = range.nth_multiple(step, throw);
        return if integer { json!(value as i64) } else { float(to_decimals(value, decimals_of(step))) };
    }
    let wanted = range.low + (range.high - range.low) * throw;
    // As few decimals as still leave a choice.
    let rounded =
        (0..=12).map(|decimals| to_decimals(wanted, decimals)).find(|&value| (value - wanted).abs() < range.width() / 40.0 && range.holds(value));
    float(rounded.unwrap_or(f64::midpoint(range.low, range.high)))
}

struct Range {
    low: f64,
    high: f64,
    above: bool,
    below: bool,
}

impl Range {
    fn of(rules: &Map<String, Value>, usual: (f64, f64)) -> Self {
        let bound = |keyword: &str| rules.get(keyword).and_then(Value::as_f64);
        let (low, above) = tighter(bound("minimum"), bound("exclusiveMinimum"), |a, b| a > b);
        let (high, below) = tighter(bound("maximum"), bound("exclusiveMaximum"), |a, b| a < b);
        let step = bound("multipleOf").unwrap_or(0.0);
        let span = (usual.1 - usual.0).max(step * 3.0);
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, if low < usual.1 - step { usual.1.max(low + step) } else { low + span }),
            (None, Some(high)) => (if high > usual.0 + step { usual.0.min(high - step) } else { high - span }, high),
            (None, None) => (usual.0, usual.1.max(usual.0 + step)),
        };
        Self { low, high, above, below }
    }

    fn width(&self) -> f64 {
        (self.high - self.low).max(f64::MIN_POSITIVE)
    }

    fn holds(&self, value: f64) -> bool {
        (if self.above { value > self.low } else { value >= self.low }) && (if self.below { value < self.high } else { value <= self.high })
    }

    fn nth_multiple(&self, step: f64, throw: f64) -> f64 {
        // A hair of tolerance: 0.3 / 0.1 is not quite 3.
        let hair = 1e-9;
        let mut first = (self.low / step - hair).ceil();
        let mut last = (self.high / step + hair).floor();
        if self.above && (first * step - self.low).abs() <= hair * step {
            first += 1.0;
        }
        if self.below && (last * step - self.high).abs() <= hair * step {
            last -= 1.0;
        }
        let count = (last - first + 1.0).max(1.0);
        (first + (count * throw).floor().min(count - 1.0)) * step
    }
}

fn tighter(closed: Option<f64>, open: Option<f64>, wins: impl Fn(f64, f64) -> bool) -> (Option<f64>, bool) {
    match (closed, open) {
        (Some(closed), Some(open)) if wins(closed, open) => (Some(closed), false),
        (_, Some(open)) => (Some(open), true),
        (closed, None) => (closed, false),
    }
}

/// What people mean by such a field when they give no bounds.
fn usual(name: &str, integer: bool) -> (f64, f64) {
    let name = name.to_lowercase();
    let about = |stems: &[&str]| stems.iter().any(|stem| name.contains(stem));
    if !integer && about(&["confidence", "probab", "share", "weight", "likelihood", "ratio", "chance"]) {
        (0.0, 1.0)
    } else if about(&["confidence", "percent", "probab", "likelihood"]) {
        (0.0, 100.0)
    } else if about(&["score", "rating", "grade", "severity", "importance", "priority"]) {
        (1.0, 10.0)
    } else if about(&["year"]) {
        (2024.0, 2040.0)
    } else {
        (0.0, 20.0)
    }
}

/// The smallest whole number that is a multiple of a step such as 0.5.
fn whole_multiple(step: f64) -> f64 {
    (1..=1_000).map(|times| step * f64::from(times)).find(|value| (value - value.round()).abs() < 1e-9).map_or(step, f64::round)
}

fn decimals_of(step: f64) -> u32 {
    (0..=12).find(|&decimals| (to_decimals(step, decimals) - step).abs() < step * 1e-12).unwrap_or(12)
}

/// Through text, so that the result is the float nearest to the decimal number.
fn to_decimals(value: f64, decimals: u32) -> f64 {
    format!("{value:.0$}", decimals as usize).parse().unwrap_or(value)
}

fn float(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { Number::from_f64(value).map_or(json!(0), Value::Number) }
}

/// Where in its range a voice's number lies: partly what the whole panel feels about the field, partly the voice's own throw and temper.
pub(super) fn throw(name: &str, tilt: f64, dice: &mut Dice) -> f64 {
    let own = dice.unit();
    (0.35 * dice.appeal(name) + 0.65 * own + tilt).clamp(0.0, 0.999)
}
