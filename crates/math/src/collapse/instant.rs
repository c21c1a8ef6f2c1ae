//! Instants as cards state them, in ISO 8601, as numbers that can be compared. Without an offset a time counts as UTC.

/// Microseconds since 1970, or `None` for what is no date: `2026-02-03`, `2026-02-03T09:00`, `2026-02-03T09:00:00.5+01:00`, …
pub fn instant(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let [year, month, day] = parts(date, '-', [4, 2, 2])?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let seconds = days(year, month, day) * 86_400;
    let Some(time) = time else { return Some(seconds * 1_000_000) };
    let (clock, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => (&time[..at], minutes(&time[at..])?),
        None => (time, 0),
    };
    let (clock, fraction) = clock.split_once(['.', ',']).map_or((clock, None), |(clock, fraction)| (clock, Some(fraction)));
    let [hour, minute, second] = match clock.len() {
        5 if fraction.is_none() => parts(clock, ':', [2, 2]).map(|[hour, minute]| [hour, minute, 0])?,
        _ => parts(clock, ':', [2, 2, 2])?,
    };
    // 60 is a leap second.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let micros = match fraction {
        None => 0,
        Some(digits) => number(digits).map(|_| format!("{digits:0<6}"))?[..6].parse::<i64>().ok()?,
    };
    Some((seconds + hour * 3600 + minute * 60 + second - offset * 60) * 1_000_000 + micros)
}

/// Digits only: no sign, no blank, at least one.
fn number(digits: &str) -> Option<i64> {
    if digits.is_empty() || digits.len() > 12 || !digits.bytes().all(|byte| byte.is_ascii_digit()) { None } else { digits.parse().ok() }
}

fn parts<const N: usize>(text: &str, between: char, widths: [usize; N]) -> Option<[i64; N]> {
    let found: Vec<i64> = text.split(between).zip(widths).filter(|(part, width)| part.len() == *width).filter_map(|(part, _)| number(part)).collect();
    found.try_into().ok().filter(|_| text.split(between).count() == N)
}

/// `Z`, `+01:00`, `-0530`, `+01` in minutes east of UTC.
fn minutes(offset: &str) -> Option<i64> {
    let (sign, rest) = offset.split_at_checked(1)?;
    let digits = match (sign, rest.len()) {
        ("Z" | "z", 0) => return Some(0),
        ("+" | "-", 5) if rest.as_bytes().get(2) == Some(&b':') => rest.replace(':', ""),
        ("+" | "-", 4) => rest.to_owned(),
        ("+" | "-", 2) => format!("{rest}00"),
        _ => return None,
    };
    let value = number(&digits)?;
    let (hours, minutes) = (value / 100, value % 100);
    (hours <= 23 && minutes <= 59).then_some(if sign == "-" { -1 } else { 1 } * (hours * 60 + minutes))
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar: years are counted from March, so that the odd day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instant_has_many_spellings() {
        assert_eq!(instant("1970-01-01"), Some(0));
        assert_eq!(instant("2000-03-01T00:00:00Z"), Some(951_868_800_000_000));
        for same in
            ["2026-02-03T09:00:00Z", "2026-02-03T10:00+01:00", "2026-02-03T04:30:00.000-0430", "2026-02-03 09:00:00", "2026-02-03T10:00:00+01"]
        {
            assert_eq!(instant(same), Some(1_770_109_200_000_000), "{same}");
        }
        assert_eq!(instant("1970-01-01T00:00:00.25Z"), Some(250_000));
        assert_eq!(instant("1969-12-31T23:59:59Z"), Some(-1_000_000));
    }

    #[test]
    fn what_is_no_date_is_none() {
        let wrong = [
            "",
            "yesterday",
            "2026-13-01",
            "2026-02-30",
            "2026-2-3",
            "03.02.2026",
            "2026-02-03T",
            "2026-02-03T25:00Z",
            "2026-02-03T09:00:00+1",
            "2026-02-03T09:00.5Z",
        ];
        for text in wrong.iter().chain(&["2026-02-03T09:00:00+0é", "2026-02-03T09:00:00.Z", "+026-02-03", "2026-02-03-04"]) {
            assert_eq!(instant(text), None, "{text}");
        }
    }
}
