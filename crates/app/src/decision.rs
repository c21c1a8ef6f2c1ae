//! A decision file as a request: position cards and what they are judged by, read with every mistake told at once.

use crate::document;
use crate::files::FileAccess;
use crate::request::RunRequest;
use serde_json::Value;
use std::path::Path;
use synod_engine::OptionValue;
use synod_modes::collapse::{self, file};
use synod_types::{Json, Problems};

/// The request a decision file stands for. Who sits and what it may cost is the door's to add.
pub fn decision_request(files: &FileAccess, path: &Path) -> Result<RunRequest, Problems> {
    let (decision, folder, mut problems) = document::assemble(files, path).map_err(|problem| Problems(vec![problem]))?;
    let unread: Vec<String> = problems.iter().map(|problem| problem.field.clone()).collect();
    match file::read(decision) {
        Ok((objective, options)) if problems.is_empty() => {
            let request = RunRequest { evidence_folder: folder, ..request_of(objective, options) };
            return Ok(request);
        }
        Ok(_) => {}
        // A part that could not be read is not missing, and what names its entries cannot be judged.
        Err(found) => {
            let without_cards = unread.iter().any(|part| part == "cards");
            problems.extend(found.into_iter().filter(|problem| !(unread.contains(&problem.field) || without_cards && names_a_card(&problem.field))));
        }
    }
    Err(Problems(problems))
}

/// The same for a decision whose parts are all in place: no part of it is a path.
pub fn decision_from(decision: Value) -> Result<RunRequest, Problems> {
    let (objective, options) = file::read(decision).map_err(Problems)?;
    Ok(request_of(objective, options))
}

fn request_of(objective: String, options: collapse::Options) -> RunRequest {
    let learns = collapse::MODE.abilities.learns;
    let mut request = RunRequest { mode: Some(collapse::MODE.id.into()), ..RunRequest::default() };
    let options = OptionValue::each(&Json::of(&options), OptionValue::Checked).into_iter().filter(|(name, _)| learns != Some(name.as_str()));
    request.options = options.collect();
    request.question.text = objective;
    request
}

fn names_a_card(field: &str) -> bool {
    field.ends_with("].position_id") || field.contains("].position_scores")
}
