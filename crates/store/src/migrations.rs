//! The one list of schema steps, inside the binary. A step that has shipped is never edited.

use sqlx::SqlSafeStr;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, Row as _};

const STEPS: &[(i64, &str, &str)] = &[
    (1, "journal", include_str!("../migrations/0001_journal.sql")),
    (2, "projections", include_str!("../migrations/0002_projections.sql")),
    (3, "experiences", include_str!("../migrations/0003_experiences.sql")),
    (4, "thinking", include_str!("../migrations/0004_thinking.sql")),
    (5, "access", include_str!("../migrations/0005_access.sql")),
    (6, "conversations and numbers", include_str!("../migrations/0006_conversations_and_numbers.sql")),
    (7, "claims", include_str!("../migrations/0007_claims.sql")),
    (8, "less with every row", include_str!("../migrations/0008_less_with_every_row.sql")),
    (9, "one record of a run", include_str!("../migrations/0009_one_record_of_a_run.sql")),
];

/// The last step there is.
pub(crate) const LATEST: i64 = STEPS[STEPS.len() - 1].0;

/// The last step that a database has taken.
pub(crate) async fn version(conn: &mut AnyConnection) -> sqlx::Result<i64> {
    let row = sqlx::query("SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations").fetch_one(conn).await?;
    row.try_get(0)
}

/// Brings the schema up to date. On SQLite the caller keeps other processes out: sqlx takes no lock there.
pub(crate) async fn run(conn: &mut AnyConnection) -> Result<(), MigrateError> {
    let step = |(version, name, sql): &(i64, &'static str, &'static str)| {
        Migration::new(*version, (*name).into(), MigrationType::Simple, (*sql).into_sql_str(), false)
    };
    Migrator::with_migrations(STEPS.iter().map(step).collect()).run_direct(None, conn, false).await
}
