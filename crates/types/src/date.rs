//! The calendar, in UTC: dates as they are written, `2026-03-01`, and days as they are counted, from 0 for 1970-01-01.

use crate::Millis;
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use std::ops::Range;

pub const DAY_MS: Millis = 86_400_000;

/// The date of a moment; of one beyond the calendar, the calendar's first or last.
pub fn date(at: Millis) -> String {
    civil(at).to_string()
}

fn civil(at: Millis) -> Date {
    let beyond = if at < 0 { Timestamp::MIN } else { Timestamp::MAX };
    TimeZone::UTC.to_datetime(Timestamp::from_millisecond(at).unwrap_or(beyond)).date()
}

/// The day that a moment is in.
pub fn day_of(at: Millis) -> i64 {
    at.div_euclid(DAY_MS)
}

/// The days of the month that a day is in.
pub fn month_of(day: i64) -> Range<i64> {
    let date = civil(day.saturating_mul(DAY_MS));
    let first = day - i64::from(date.day()) + 1;
    first..first + i64::from(date.days_in_month())
}

/// Whether a text is a date that exists, in this form and no other.
pub fn is_date(text: &str) -> bool {
    text.parse::<Date>().is_ok_and(|date| date.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_civil_dates() {
        for (at, want) in [(0, "1970-01-01"), (951_782_400_000, "2000-02-29"), (1_772_373_729_000, "2026-03-01"), (-1, "1969-12-31")] {
            assert_eq!(date(at), want);
        }
        assert_eq!((date(Millis::MAX).as_str(), date(Millis::MIN).as_str()), ("9999-12-30", "-009999-01-02"));
    }

    #[test]
    fn months_follow_one_another_and_begin_on_the_first() {
        let mut month = month_of(day_of(951_782_400_000));
        assert_eq!((date(month.start * DAY_MS).as_str(), month.end - month.start), ("2000-02-01", 29));
        for _ in 0..1_200 {
            assert!(date(month.start * DAY_MS).ends_with("-01") && month_of(month.start) == month && month_of(month.end - 1) == month, "{month:?}");
            month = month_of(month.end);
        }
        assert_eq!(date(month.start * DAY_MS), "2100-02-01");
    }

    #[test]
    fn every_day_is_a_date_and_nothing_else_is() {
        assert!((0..40_000).all(|day| is_date(&date(day * DAY_MS))));
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
