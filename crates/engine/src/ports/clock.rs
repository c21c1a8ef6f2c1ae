//! The one clock. Modes never see it; the engine reads it for rows, deadlines and the receipt.

use synod_types::Millis;

pub trait Clock: Send + Sync {
    fn now(&self) -> Millis;
}

pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        since.as_millis() as Millis
    }
}
