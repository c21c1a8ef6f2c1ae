//! Calendar dates as they are written, `2026-03-01`, in UTC.

use crate::Millis;

const DAY: Millis = 86_400_000;

/// The date of a moment.
pub fn date(at: Millis) -> String {
    // Civil date from a day number, counted in 400-year eras that begin on 1 March.
    let shifted = at.div_euclid(DAY) + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Whether a text is a date that exists, in this form and no other.
pub fn is_date(text: &str) -> bool {
    let digits =
        |part: &str, n: usize| (part.len() == n && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse::<u32>().ok()).flatten();
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2)) else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_civil_dates() {
        for (at, want) in [(0, "1970-01-01"), (951_782_400_000, "2000-02-29"), (1_772_373_729_000, "2026-03-01"), (-1, "1969-12-31")] {
            assert_eq!(date(at), want);
        }
    }

    #[test]
    fn every_day_is_a_date_and_nothing_else_is() {
        assert!((0..40_000).all(|day| is_date(&date(day * DAY))));
        for wrong in [
            "",
            "today",
            "2026-3-1",
            "2026-02-29",
            "2026-13-01",
            "2026-04-31",
            "2026-00-10",
            "2026-01-00",
            "26-01-01",
            "2026-01-01T00:00",
            "+026-01-01",
        ] {
            assert!(!is_date(wrong), "{wrong}");
        }
    }
}
