//! `synod show`: the whole of a run.

use crate::args::{Global, Show};
use crate::door::Door;
use crate::exit::{CliResult, DECIDED};
use synod_app::ExportFormat;
use synod_report::{Extent, Painted};

pub async fn run(global: &Global, args: &Show) -> CliResult {
    let door = Door::open(global, true).await?;
    let run = door.find_run(&args.run).await?;
    if door.json {
        crate::say::document(&door.export(&run, ExportFormat::Json).await?);
    } else {
        let mut view = door.view(&run).await?;
        // Rows cannot tell that a process is gone.
        view.state = door.run(&run).await?.state;
        let painted = match args.brief {
            true => Painted::run(&view, door.style(), Extent::Brief),
            false => Painted::turns(&view, door.style(), args.full),
        };
        crate::say::show(&painted);
    }
    Ok(DECIDED)
}
