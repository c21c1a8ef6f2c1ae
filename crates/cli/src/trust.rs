//! Endpoints that only the file of an untrusted directory defines: nothing goes there unless the person at the terminal agrees.

use crate::exit::text_of;
use crate::say::note;
use crate::terminal;
use synod_app::AppError;
use synod_types::ProblemCode;

/// Asks, where that is all that is wrong and somebody is there to answer. `None`: nobody was asked.
pub fn agreed(error: &AppError) -> Option<bool> {
    let AppError::Usage(problems) = error else { return None };
    let all = problems.0.iter().all(|problem| problem.code == ProblemCode::Untrusted);
    if !all || problems.0.is_empty() || !terminal::is_there() {
        return None;
    }
    note!("{}", text_of(error));
    note!("What you ask, your files and the conversation would go there.");
    Some(terminal::yes("Send it, for this once?"))
}
