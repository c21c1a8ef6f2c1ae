//! Settings that more than one crate must mean the same by.

/// What a committed row survives (SQLite; PostgreSQL has its own setting).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A killed process.
    #[default]
    Process,
    /// A power cut.
    Power,
}
