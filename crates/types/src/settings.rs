//! Settings that more than one crate must mean the same by.

plain_words! {
    /// What a committed row survives (SQLite; PostgreSQL has its own setting).
    #[derive(Default)]
    pub enum Durability {
        /// A killed process.
        #[default]
        Process = "process",
        /// A power cut.
        Power = "power",
    }
}
