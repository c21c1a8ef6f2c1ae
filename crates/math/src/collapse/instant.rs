//! Instants as cards state them, in ISO 8601, as numbers that can be compared. Without an offset a time counts as UTC.

use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZone;

static PARSER: DateTimeParser = DateTimeParser::new();

/// Microseconds since 1970, or `None` for what is no date: `2026-02-03`, `2026-02-03T09:00`, `2026-02-03T09:00:00.5+01:00`, …
pub fn instant(text: &str) -> Option<i64> {
    let stated = PARSER.parse_timestamp(text).or_else(|_| TimeZone::UTC.to_timestamp(PARSER.parse_datetime(text)?));
    stated.ok().map(|instant| instant.as_microsecond())
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
