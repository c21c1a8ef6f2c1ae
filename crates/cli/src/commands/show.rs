//! `synod show`: the whole of a run.

use crate::args::{Global, Show};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED};
use crate::say::say;
use synod_app::ExportFormat;
use synod_report::{Extent, Painted};
use synod_types::RunState;

pub async fn run(global: &Global, args: &Show) -> CliResult {
    let door = Door::open(global, true).await?;
    let run = door.find_run(&args.run).await?;
    if door.json {
        crate::say::document(&door.export(&run, ExportFormat::Json).await?);
    } else {
        let view = door.view(&run).await?;
        let painted = match args.brief {
            true => Painted::run(&view, door.style(), Extent::Brief),
            false => Painted::turns(&view, door.style(), args.full),
        };
        crate::say::show(&painted);
        if door.run(&run).await?.state == RunState::Interrupted {
            say!("Its process is gone, and the run has not ended: synod resume {run} goes on with it.");
        }
    }
    Ok(DECIDED)
}
