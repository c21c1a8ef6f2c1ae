//! One quantity, as people and models write it, and numbers as they are shown to them.
//!
//! Owns grouping marks, decimal commas, magnitude words, currency signs and units. Refuses to guess: a range, a fraction, a second number or
//! a word that is no part of the unit gives nothing, so that `30-40` never becomes 30 and three weeks never become three days.

/// The quantity a text consists of, in the given unit (empty: not known). `42 million` is 42,000,000, but 42 where the unit already counts in
/// millions.
pub fn quantity(text: &str, unit: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || "*_`[]\"“”".contains(c)).trim_end_matches(['.', ',', ';', '!']);
    let digit = |c: char| c.is_ascii_digit();
    let mut start = text.find(digit)?;
    if text[..start].ends_with('.') {
        start -= 1;
    }
    let before = text[..start].trim_end();
    let (before, sign) = match before.strip_suffix(['-', '−']) {
        Some(before) => (before, -1.0),
        None => (before.strip_suffix('+').unwrap_or(before), 1.0),
    };
    let end = text[start..].find(|c: char| !(c.is_ascii_digit() || is_mark(c))).map_or(text.len(), |at| start + at);
    let body = text[start..end].trim_end_matches(is_mark);
    let (power, after) = exponent(&text[start + body.len()..])?;
    if !before.split_whitespace().all(|word| may_precede(word, unit)) || after.contains(digit) {
        return None;
    }
    let digits = decimal(body)?;
    let value = sign * format!("{digits}e{power}").parse::<f64>().ok()? * factor(after, unit)?;
    value.is_finite().then_some(value)
}

/// Six significant digits, whole numbers in full: what is small never becomes `0.00`.
pub fn plain(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".into();
    }
    if value.fract() == 0.0 && size < 1e15 {
        return format!("{value:.0}");
    }
    if !(1e-4..1e15).contains(&size) {
        let text = format!("{value:.5e}");
        return match text.split_once('e') {
            Some((digits, power)) => format!("{}e{power}", trimmed(digits)),
            None => text,
        };
    }
    let decimals = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

fn is_mark(c: char) -> bool {
    matches!(c, ',' | '.' | '\'' | '’' | '_' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// `e6`, `E-3`, `× 10^6`, and what follows.
fn exponent(text: &str) -> Option<(i32, &str)> {
    let marker = text.strip_prefix(['e', 'E']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-'));
    let times = || text.trim_start().strip_prefix(['×', 'x', '*']).and_then(|rest| rest.trim_start().strip_prefix("10^"));
    let Some(rest) = marker.or_else(times) else { return Some((0, text)) };
    let unsigned = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let end = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
    let power: i32 = unsigned[..end].parse().ok().filter(|power| *power <= 300)?;
    Some((if rest.starts_with('-') { -power } else { power }, &unsigned[end..]))
}

/// Digits with grouping and decimal marks, as Rust writes them. One comma or dot alone is a decimal mark, unless it is a comma before exactly three digits
/// (`1,250`; but `0,125` is a fraction). Several of the same group thousands.
fn decimal(body: &str) -> Option<String> {
    let commas = body.matches(',').count();
    let dots = body.matches('.').count();
    let spaced = body.chars().any(|c| is_mark(c) && c != ',' && c != '.');
    let last = body.rfind([',', '.']);
    let fraction = match (commas, dots) {
        (0, 0) => None,
        (1, 0) => last.filter(|at| spaced || body.len() - at != 4 || body[..*at].trim_start_matches('0').is_empty()),
        (0, 1) => last,
        // Both kinds: the last one is the decimal mark, and stands alone.
        (1.., 1..) => Some(last.filter(|at| body.matches(&body[*at..*at + 1]).count() == 1)?),
        _ => None,
    };
    let (whole, rest) = fraction.map_or((body, ""), |at| (&body[..at], &body[at + 1..]));
    if !rest.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let groups: Vec<&str> = whole.split(is_mark).collect();
    let one_mark = whole.chars().filter(|c| is_mark(*c)).collect::<std::collections::BTreeSet<char>>().len() <= 1;
    let grouped = groups.len() == 1 || (one_mark && (1..=3).contains(&groups[0].len()) && groups[1..].iter().all(|group| group.len() == 3));
    grouped.then(|| format!("0{}.{rest}0", groups.concat()))
}

/// What may stand before a number without changing it.
fn may_precede(word: &str, unit: &str) -> bool {
    const ABOUT: [&str; 11] = ["about", "around", "approximately", "approx", "roughly", "circa", "ca", "c", "~", "≈", "nearly"];
    let word = word.to_lowercase();
    let bare = word.trim_end_matches(['.', ':']);
    ABOUT.contains(&bare) || currency(bare, unit) || (!unit.is_empty() && in_unit(bare, unit)) || {
        // `~$5`: a sign run together with what follows it.
        let rest = word.trim_start_matches(['~', '≈']);
        rest.len() < word.len() && (rest.is_empty() || currency(rest, unit))
    }
}

fn currency(sign: &str, unit: &str) -> bool {
    let names: &[&str] = match sign {
        "$" | "us$" | "usd" => &["$", "usd", "dollar"],
        "€" | "eur" => &["€", "eur", "euro"],
        "£" | "gbp" => &["£", "gbp", "pound"],
        "¥" | "jpy" | "cny" => &["¥", "jpy", "yen", "cny", "yuan"],
        _ => return false,
    };
    unit.is_empty() || words(unit).any(|word| names.contains(&singular(&word))) || names.iter().any(|name| name.len() < 4 && unit.contains(name))
}

/// What the words after a number multiply it by. `None`: they are no part of the unit.
fn factor(after: &str, unit: &str) -> Option<f64> {
    let joined = !after.starts_with(char::is_whitespace);
    let mut written: Option<f64> = None;
    let mut last = None;
    for (nth, word) in words(after).enumerate() {
        let scale = magnitude(&word, nth == 0 && joined);
        // A letter that is the unit itself multiplies nothing: `42m` in metres.
        if in_unit(&word, unit) && (scale.is_none() || word.len() == 1) {
            continue;
        }
        // `5 hundred million`: magnitudes side by side multiply.
        if let Some(scale) = scale.filter(|_| written.is_none() || last == nth.checked_sub(1)) {
            written = Some(written.unwrap_or(1.0) * scale);
            last = Some(nth);
        } else if word == "%" || word == "percent" {
            (unit.is_empty() || is_percent(unit)).then_some(())?;
        } else if !currency(&word, unit) {
            return None;
        }
    }
    Some(written.map_or(1.0, |scale| scale / unit_magnitude(unit).unwrap_or(1.0)))
}

/// A single letter counts only where it touches the number: `42 m` may be metres.
fn magnitude(word: &str, joined: bool) -> Option<f64> {
    match word {
        "dozen" | "dozens" => Some(12.0),
        "hundred" | "hundreds" => Some(1e2),
        "lakh" | "lakhs" => Some(1e5),
        "crore" | "crores" => Some(1e7),
        "thousand" | "thousands" => Some(1e3),
        "million" | "millions" | "mn" | "mio" => Some(1e6),
        "billion" | "billions" | "bn" => Some(1e9),
        "trillion" | "trillions" | "tn" => Some(1e12),
        "k" if joined => Some(1e3),
        "m" if joined => Some(1e6),
        "b" if joined => Some(1e9),
        _ => None,
    }
}

fn unit_magnitude(unit: &str) -> Option<f64> {
    words(unit).filter_map(|word| magnitude(&word, false)).reduce(|a, b| a * b)
}

fn is_percent(unit: &str) -> bool {
    let unit = unit.to_lowercase();
    unit.contains('%') || unit.contains("percent") || unit.contains("per cent")
}

fn in_unit(word: &str, unit: &str) -> bool {
    words(unit).any(|part| singular(&part) == singular(word))
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|stem| stem.len() > 1).unwrap_or(word)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| c.is_whitespace() || "()*_`[]/,;:.\"".contains(c)).filter(|word| !word.is_empty());
    parts.map(str::to_lowercase).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_are_read_as_they_were_meant_or_not_at_all() {
        // text, unit, value
        let table: &[(&str, &str, Option<f64>)] = &[
            ("42", "", Some(42.0)),
            ("42 million", "", Some(42e6)),
            ("42 million", "users", Some(42e6)),
            ("42 million users", "users", Some(42e6)),
            ("42 million", "million users", Some(42.0)),
            ("42 billion", "million users", Some(42_000.0)),
            ("42", "million users", Some(42.0)),
            ("5 hundred", "", Some(500.0)),
            ("5 hundred million", "", Some(5e8)),
            ("5 hundred million users", "users", Some(5e8)),
            ("5 per hundred thousand", "deaths per hundred thousand", Some(5.0)),
            ("3 dozen", "", Some(36.0)),
            ("2 lakh", "", Some(2e5)),
            ("2 lakh crore", "", Some(2e12)),
            ("3 crores", "rupees", Some(3e7)),
            ("5 million users thousand", "users", None),
            ("3 gross", "", None),
            ("3 weeks", "", None),
            ("5 USD", "", Some(5.0)),
            ("1,250,000", "", Some(1.25e6)),
            ("1,250", "", Some(1250.0)),
            ("2.500.000", "", Some(2.5e6)),
            ("1.250", "", Some(1.25)),
            ("1.250,5", "", Some(1250.5)),
            ("1,250.5", "", Some(1250.5)),
            ("1,250,000.75", "", Some(1_250_000.75)),
            ("0,8", "", Some(0.8)),
            ("0,125", "", Some(0.125)),
            ("12,5", "", Some(12.5)),
            ("1 250 000", "", Some(1.25e6)),
            ("1'250'000", "", Some(1.25e6)),
            ("30-40", "", None),
            ("30–40", "", None),
            ("30 to 40", "", None),
            ("between 30 and 40", "", None),
            ("30 or 40 days", "days", None),
            ("about 7", "", Some(7.0)),
            ("~7 days", "days", Some(7.0)),
            ("3e6", "", Some(3e6)),
            ("1.5E-3", "", Some(0.0015)),
            ("3 × 10^6", "", Some(3e6)),
            ("12%", "", Some(12.0)),
            ("12 %", "% of users", Some(12.0)),
            ("12 percent", "percent", Some(12.0)),
            ("12%", "days", None),
            ("-0.3", "", Some(-0.3)),
            ("−5", "", Some(-5.0)),
            ("+5", "", Some(5.0)),
            (".5", "", Some(0.5)),
            ("**42**", "", Some(42.0)),
            ("[42].", "", Some(42.0)),
            ("$1.2M", "USD", Some(1.2e6)),
            ("$1.2bn", "US dollars", Some(1.2e9)),
            ("$5", "EUR", None),
            ("5k", "", Some(5000.0)),
            ("42m", "", Some(42e6)),
            ("42 m", "m", Some(42.0)),
            ("42m", "m", Some(42.0)),
            ("42 m", "people", None),
            ("3 weeks", "days", None),
            ("3 days", "days", Some(3.0)),
            ("1 day", "days", Some(1.0)),
            ("3 days per week", "days per week", Some(3.0)),
            ("2030", "year", Some(2030.0)),
            ("year 2030", "year", Some(2030.0)),
            ("2030-05", "year", None),
            ("1/2", "", None),
            ("1,25,000", "", None),
            ("1.2.3", "", None),
            ("7 ± 2", "", None),
            ("Well, I think 42", "", None),
            ("In 2024 I saw 3", "", None),
            ("forty-two", "", None),
            ("N/A", "", None),
            ("", "", None),
        ];
        for (text, unit, value) in table {
            let read = quantity(text, unit);
            let same = match (read, value) {
                (Some(read), Some(value)) => (read - value).abs() <= value.abs() * 1e-12,
                (read, value) => read.is_none() && value.is_none(),
            };
            assert!(same, "{text:?} in {unit:?} gave {read:?}, not {value:?}");
        }
    }

    #[test]
    fn numbers_are_shown_in_few_digits_and_never_as_nothing() {
        let table = [
            (0.0, "0"),
            (42.0, "42"),
            (2027.5, "2027.5"),
            (0.0012, "0.0012"),
            (0.000_001_25, "1.25e-6"),
            (1_250_000.0, "1250000"),
            (100.0 / 3.0, "33.3333"),
            (-0.5, "-0.5"),
            (1e30, "1e30"),
        ];
        for (value, text) in table {
            assert_eq!(plain(value), text);
        }
    }

    /// Thousands grouped by a mark.
    fn grouped(value: u64, mark: char) -> String {
        let digits = value.to_string();
        let mut out = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                out.push(mark);
            }
            out.push(digit);
        }
        out
    }

    proptest! {
        #[test]
        fn what_is_written_plainly_is_read_back(value in -1e12_f64..1e12) {
            prop_assert_eq!(quantity(&value.to_string(), ""), Some(value));
            prop_assert_eq!(quantity(&format!("{value:e}"), "days"), Some(value));
            let shown = quantity(&plain(value), "").expect("a plain number");
            prop_assert!((shown - value).abs() <= value.abs() * 1e-5);
        }

        #[test]
        fn grouped_thousands_are_read_back(value in 1_000_000_u64..1_000_000_000_000) {
            for mark in [',', '.', ' ', '\'', '_'] {
                prop_assert_eq!(quantity(&grouped(value, mark), ""), Some(value as f64), "{}", grouped(value, mark));
            }
        }

        #[test]
        fn two_numbers_are_never_one(a in 1_u32..10_000, b in 1_u32..10_000, between in "( to | or |–|-|/| and )") {
            prop_assert_eq!(quantity(&format!("{a}{between}{b}"), ""), None);
        }

        #[test]
        fn no_text_breaks_it(text in ".{0,60}", loose in "[0-9.,e+\\-×^10 kmb%$é_']{0,30}") {
            for unit in ["", "days", "million users", "%"] {
                for text in [&text, &loose] {
                    prop_assert!(quantity(text, unit).is_none_or(f64::is_finite));
                }
            }
        }

        #[test]
        fn showing_never_hides_a_number(value in prop::num::f64::NORMAL) {
            prop_assert!(plain(value).chars().any(|c| ('1'..='9').contains(&c)), "{}", plain(value));
        }
    }
}
