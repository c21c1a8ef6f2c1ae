//! A second door in a few lines: asks a council and prints its verdict.
//!
//!     cargo run -p synod-app --example council -- "Should a team of four keep one repository or many?"
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "an example prints")]

use synod_app::{App, AppError, FileAccess, Notes, RunRequest, Sources};
use synod_engine::Ending;
use synod_report::{Style, terminal};
use synod_types::{Problem, Question};

#[tokio::main]
async fn main() {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    match ask(text).await {
        Ok(page) => println!("{page}"),
        Err(AppError::Usage(problems)) => eprintln!("{problems}"),
        Err(AppError::Broken { field, detail, .. }) => eprintln!("{field}: {detail}"),
    }
}

async fn ask(text: String) -> Result<String, AppError> {
    let sources = Sources::of_process(None).map_err(|error| AppError::usage(Problem::new("directory", error.to_string(), "one that is there")))?;
    // This door reads no files: its users may be anybody.
    let app = App::open(sources, None, FileAccess::None).await?;
    let request = RunRequest { question: Question { text, ..Question::default() }, ..RunRequest::default() };
    let mut notes = Notes::default();
    let prepared = app.prepare(request, Vec::new(), &mut notes).await;
    notes.lines.iter().for_each(|note| eprintln!("{note}"));
    let (_, mut handle) = prepared?.start(&app).await?;
    let page = match handle.ending().await {
        Ending::Verdict(_) => terminal(&app.view(&handle.run).await?, Style::default()),
        Ending::Stopped(stopped) => format!("Stopped ({}): {}", stopped.reason.as_str(), stopped.detail),
    };
    app.close().await;
    Ok(page)
}
