//! `[claims]`: how claims are examined, and how many a key may submit.

use crate::origin::Origin;
use crate::section::Section;
use crate::trust::Trust;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimsConfig {
    /// The protocol of claims that name none.
    pub default_protocol: Option<String>,
    /// A deliberation whose verdict is `flag` raises one; else it only warns.
    pub enforce_l6_flag: Option<bool>,
    /// Submissions to layers that pass earn points.
    pub points: Option<bool>,
    /// Claims a minute of one key over HTTP.
    pub claims_per_minute: Option<u32>,
    /// Comments a minute of one key.
    pub comments_per_minute: Option<u32>,
}

impl ClaimsConfig {
    pub fn claims_per_minute(&self) -> u32 {
        self.claims_per_minute.unwrap_or(1)
    }
    pub fn comments_per_minute(&self) -> u32 {
        self.comments_per_minute.unwrap_or(30)
    }
}

/// Whoever sets this says how the claims of a server are judged, so it is the user's alone to set.
pub(crate) fn claims_of(mut section: Section<'_, '_>, origin: Option<&Origin>, trust: &Trust) -> ClaimsConfig {
    if let Some(origin) = origin
        && let Some(line) = trust.refuses(origin)
    {
        section.problem("default_protocol", format!("a [claims] table in {origin}, in a directory you have not listed as trusted"), line);
        return ClaimsConfig::default();
    }
    let claims = ClaimsConfig {
        default_protocol: section.text("default_protocol", "a protocol's name: \"prism-v1\""),
        enforce_l6_flag: section.flag("enforce_l6_flag"),
        points: section.flag("points"),
        claims_per_minute: section.number("claims_per_minute", 1.0..=1e6, true).map(|n| n as u32),
        comments_per_minute: section.number("comments_per_minute", 1.0..=1e6, true).map(|n| n as u32),
    };
    section.finish();
    claims
}
