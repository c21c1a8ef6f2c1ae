//! What models were seen to need and to refuse: kept for the next process, evidence for nothing.

use crate::StoreError;
use crate::store::Store;
use sqlx::Row as _;

/// Address, model id, and what was learned as JSON.
pub type LearnedRow = (String, String, String);

impl Store {
    pub async fn learned(&self) -> Result<Vec<LearnedRow>, StoreError> {
        let mut conn = self.reader().await?;
        let rows = sqlx::query("SELECT address, model, habits FROM learned ORDER BY address, model").fetch_all(&mut *conn).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))).collect()
    }

    /// Adds these rows, or puts them in place of those for the same model.
    pub async fn learn(&self, rows: Vec<LearnedRow>) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.write(move |desk| {
            Box::pin(async move {
                for (address, model, habits) in &rows {
                    let sql = concat!(
                        "INSERT INTO learned (address, model, habits) VALUES ($1, $2, $3)",
                        " ON CONFLICT (address, model) DO UPDATE SET habits = excluded.habits"
                    );
                    let values = [address, model, habits].map(|text| crate::sql::storable(text));
                    let [address, model, habits] = &values;
                    sqlx::query(sql).bind(address).bind(model).bind(habits).execute(desk.connection().await?).await?;
                }
                Ok(())
            })
        })
        .await
    }
}
