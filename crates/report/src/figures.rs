//! Numbers as people write them. What is unknown is said to be unknown.

use synod_types::{Millis, Usage, date};

pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 call`, `3 calls`.
pub fn several(n: u64, one: &str, more: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { more })
}

pub fn usd(amount: f64) -> String {
    if amount == 0.0 {
        "$0".to_owned()
    } else if amount < 0.0001 {
        "under $0.0001".to_owned()
    } else if amount < 1.0 {
        format!("${amount:.4}")
    } else {
        format!("${amount:.2}")
    }
}

pub fn usd_or_unknown(amount: Option<f64>) -> String {
    amount.map_or_else(|| "unknown".to_owned(), usd)
}

pub fn span(ms: Millis) -> String {
    let seconds = ms / 1000;
    match ms {
        ..1000 => format!("{} ms", ms.max(0)),
        1000..60_000 => format!("{}.{} s", seconds, ms % 1000 / 100),
        60_000..3_600_000 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3_600_000.. => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Said where arithmetic has gone astray: it must not look like a result.
const NO_NUMBER: &str = "no number";

/// Two places, and no more: these are shares and scores of a handful of ballots.
pub fn score(value: f64) -> String {
    // Minus zero is zero to a reader.
    let value = value + 0.0;
    match value.abs() {
        size if !size.is_finite() => NO_NUMBER.to_owned(),
        1e12.. => format!("{value:.2e}"),
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}

pub fn score_or_none(value: Option<f64>) -> String {
    value.map_or_else(|| "not scored".to_owned(), score)
}

/// A measured or estimated number of any size: grouped, with as many places as it takes to tell it from nothing.
pub fn quantity(value: f64) -> String {
    let size = value.abs();
    if !size.is_finite() {
        return NO_NUMBER.to_owned();
    }
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e15).contains(&size) {
        return format!("{value:.2e}");
    }
    let places = if size >= 1.0 { 2 } else { (1.0 - size.log10().floor()) as usize };
    let fixed = format!("{size:.places$}");
    let (whole, rest) = fixed.split_once('.').unwrap_or((&fixed, ""));
    let rest = rest.trim_end_matches('0');
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}{}{rest}", whole.parse().map_or_else(|_| whole.to_owned(), count), if rest.is_empty() { "" } else { "." })
}

/// The smallest and the largest of those that are numbers.
pub fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|value| value.is_finite()).fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, most)) => Some((value.min(least), value.max(most))),
    })
}

/// Where a value lies on the way from one number to another, 0 to 1. `None` where there is no telling.
pub fn place(value: f64, from: f64, to: f64) -> Option<f64> {
    // Halved, so that the span between the largest numbers is still one.
    let span = to / 2.0 - from / 2.0;
    let share = (value / 2.0 - from / 2.0) / span;
    (span.is_finite() && share.is_finite()).then(|| share.clamp(0.0, 1.0))
}

/// Scores of one list, all with places or all without.
pub fn scores(values: &[Option<f64>]) -> Vec<String> {
    let whole = values.iter().flatten().all(|value| value.fract() == 0.0);
    let each = |value: f64| if whole || !value.is_finite() || value.abs() >= 1e12 { score(value) } else { format!("{value:.2}") };
    values.iter().map(|value| value.map_or_else(|| "not ranked".to_owned(), each)).collect()
}

pub fn tokens(usage: Usage) -> String {
    let cached = if usage.cached > 0 { format!(" ({} cached)", count(usage.cached)) } else { String::new() };
    let thinking = usage.thinking.filter(|thinking| *thinking > 0).map(|thinking| format!(", of which {} thinking", count(thinking)));
    format!("{} in{cached}, {} out{}", count(usage.input), count(usage.output), thinking.unwrap_or_default())
}

/// A moment as `2026-03-01 14:02:09 UTC`.
pub fn moment(at: Millis) -> String {
    let of_day = at.div_euclid(1000).rem_euclid(86_400);
    format!("{} {:02}:{:02}:{:02} UTC", date(at), of_day / 3600, of_day % 3600 / 60, of_day % 60)
}

/// How much of the longest bar each score fills, 0 to 1. `None` where bars would mislead: fewer points are better, or there are negative ones.
pub fn shares(scores: &[Option<f64>]) -> Option<Vec<f64>> {
    let known: Vec<f64> = scores.iter().flatten().copied().collect();
    let most = known.iter().copied().fold(0.0, f64::max);
    let falling = known.windows(2).all(|pair| pair[0] >= pair[1]);
    if !falling || most <= 0.0 || !most.is_finite() || known.iter().any(|score| *score < 0.0) {
        return None;
    }
    Some(scores.iter().map(|score| score.unwrap_or(0.0) / most).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_civil_dates() {
        assert_eq!(moment(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(moment(951_782_400_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(moment(1_772_373_729_000), "2026-03-01 14:02:09 UTC");
        assert_eq!(moment(-1), "1969-12-31 23:59:59 UTC");
    }

    #[test]
    fn money_is_never_rounded_to_nothing_and_never_guessed() {
        assert_eq!(usd(0.0), "$0");
        assert_eq!(usd(0.000_02), "under $0.0001");
        assert_eq!(usd(0.0421), "$0.0421");
        assert_eq!(usd(12.346), "$12.35");
        assert_eq!(usd_or_unknown(None), "unknown");
    }

    #[test]
    fn thinking_is_told_as_part_of_what_was_written() {
        let usage = Usage { input: 812, output: 640, cached: 0, thinking: Some(410) };
        assert_eq!(tokens(usage), "812 in, 640 out, of which 410 thinking");
        assert_eq!(tokens(Usage { thinking: Some(0), ..usage }), "812 in, 640 out");
        assert_eq!(tokens(Usage { thinking: None, cached: 12, ..usage }), "812 in (12 cached), 640 out");
    }

    #[test]
    fn spans_and_counts_read_at_a_glance() {
        assert_eq!(span(840), "840 ms");
        assert_eq!(span(41_260), "41.2 s");
        assert_eq!(span(185_000), "3 min 05 s");
        assert_eq!(span(7_500_000), "2 h 05 min");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(several(1, "call", "calls"), "1 call");
    }

    #[test]
    fn numbers_of_any_size_are_told_at_a_glance() {
        let told = [0.0, -0.0, 12.0, 1_234_567.5, 0.67, 0.012_34, -3.999, 0.999, 4.2e-7, 7.0e20].map(quantity);
        assert_eq!(told, ["0", "0", "12", "1,234,567.5", "0.67", "0.012", "-4", "1", "4.20e-7", "7.00e20"]);
        assert_eq!([f64::NAN, f64::INFINITY].map(quantity), ["no number", "no number"]);
        assert_eq!([-0.0, 7.5, 8.0, f64::MAX, f64::NAN].map(score), ["0", "7.50", "8", "1.80e308", "no number"]);
        assert_eq!(score_or_none(None), "not scored");
    }

    #[test]
    fn a_place_is_between_its_ends_or_unknown() {
        assert_eq!(place(5.0, 0.0, 10.0), Some(0.5));
        assert_eq!(place(2.0, 5.0, 1.0), Some(0.75), "the best may be the smaller number");
        assert_eq!(place(99.0, 0.0, 10.0), Some(1.0));
        assert_eq!(place(0.0, f64::MIN, f64::MAX), Some(0.5));
        assert_eq!((place(1.0, 3.0, 3.0), place(f64::NAN, 0.0, 1.0), place(1.0, 0.0, f64::INFINITY)), (None, None, None));
        assert_eq!((range([3.0, f64::NAN, 1.0]), range([])), (Some((1.0, 3.0)), None));
    }

    #[test]
    fn bars_are_drawn_only_where_more_is_better() {
        assert_eq!(shares(&[Some(4.0), Some(2.0), None]), Some(vec![1.0, 0.5, 0.0]));
        assert_eq!(shares(&[Some(1.3), Some(2.6)]), None);
        assert_eq!(shares(&[Some(0.0), Some(-1.0)]), None);
        assert_eq!(shares(&[]), None);
    }
}
