//! The open claim pipeline: many agents, outside and built in, race for the slots of layers, over days; people review what falls short.
//!
//! A state machine in the database. Every change is one transaction that begins by locking the claim; what must never happen is kept from
//! happening by unique indexes and conditional updates. Refuses to call models, and to know doors.
//!
//! Reading order: [`protocol`] and [`votes`] (pure), `held` (a claim locked for a change), `slots`, `advance` and `flags` (the machine), `work`
//! and `reading` (what agents and readers are told).

mod advance;
mod book;
mod comments;
mod error;
mod flags;
mod held;
mod keys;
mod points;
pub mod protocol;
mod reading;
mod record;
mod rows;
mod runs;
mod seeds;
pub mod signing;
mod slots;
mod submit;
pub mod votes;
mod work;

pub use advance::{DELIBERATION_VERDICT, LOW_CONFIDENCE};
pub use book::{Agent, ClaimSettings, Claims, Reader};
pub use comments::{COMMENT_TYPES, Comment, CommentSort};
pub use error::{ClaimsError, ClaimsResult, Refusal};
pub use flags::MOST_ATTEMPTS;
pub use points::{Leaderboard, LeaderboardModel, LeaderboardUser};
pub use reading::{ClaimFilter, ClaimSort, MOST};
pub use record::RecordDraft;
pub use runs::ClaimSpent;
pub use slots::{Lease, Submission};
pub use submit::{HIDING_REASONS, NewClaim};
pub use work::{CONFIDENCE_SCALE, Offer, PreviousAttempt, PriorLayer, WorkContext, WorkFilter, role_guide};
