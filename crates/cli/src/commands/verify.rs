//! `synod verify`: is the record as it was written?

use crate::args::Global;
use crate::door::Door;
use crate::exit::{BROKEN, CliResult, DECIDED, print_json};
use crate::say::say;
use synod_report::one_line;

pub async fn run(global: &Global, given: &str) -> CliResult {
    let door = Door::open(global, true).await?;
    let run = door.find_run(given).await?;
    let checked = door.verify(&run).await?;
    if door.json {
        print_json(&checked);
    } else if checked.intact() {
        say!("Intact: {} rows, chain head {}", checked.rows, checked.head);
        say!("  raw replies: {} intact, {} expired", checked.raws_intact, checked.raws_expired);
        say!("  receipt: {}", if checked.receipt { "carries the same chain" } else { "none yet" });
    } else {
        say!("Altered: run {run} is not as it was written.");
        for fault in &checked.faults {
            say!("  {}", one_line(&fault.to_string()));
        }
    }
    Ok(if checked.intact() { DECIDED } else { BROKEN })
}
