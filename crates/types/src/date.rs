//! Calendar dates as they are written, `2026-03-01`, in UTC.

use crate::Millis;
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};

/// The date of a moment; of one beyond the calendar, the calendar's first or last.
pub fn date(at: Millis) -> String {
    let beyond = if at < 0 { Timestamp::MIN } else { Timestamp::MAX };
    TimeZone::UTC.to_datetime(Timestamp::from_millisecond(at).unwrap_or(beyond)).date().to_string()
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
    fn every_day_is_a_date_and_nothing_else_is() {
        assert!((0..40_000).all(|day| is_date(&date(day * 86_400_000))));
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
