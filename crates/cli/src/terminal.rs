//! Questions to a person at this terminal.

use crate::exit::CliResult;
use crate::say::note;
use std::io::{BufRead, IsTerminal};
use synod_app::AppError;

/// Somebody is there to answer.
pub fn is_there() -> bool {
    std::io::stdin().is_terminal()
}

/// What was typed, without its ends. `None`: nothing more will come.
pub fn ask(prompt: &str) -> CliResult<Option<String>> {
    let broken = |error: std::io::Error| AppError::broken("terminal", error, "");
    crate::say::err(format_args!("{prompt}> "));
    let mut line = String::new();
    let bytes = std::io::stdin().lock().read_line(&mut line).map_err(broken)?;
    Ok((bytes > 0).then(|| line.trim().to_owned()))
}

/// Asks until the answer is read. `None`: nothing more will come.
pub fn ask_until<T>(prompt: &str, want: &str, read: impl Fn(&str) -> Option<T>) -> CliResult<Option<T>> {
    while let Some(answer) = ask(prompt)? {
        if let Some(read) = read(&answer) {
            return Ok(Some(read));
        }
        note!("Please: {want}.");
    }
    Ok(None)
}

/// One of these, by its number or its word.
pub fn choice<T: Copy>(answer: &str, choices: &[(T, &str)]) -> Option<T> {
    let by_number = answer.parse::<usize>().ok().and_then(|n| choices.get(n.checked_sub(1)?));
    by_number.or_else(|| choices.iter().find(|(_, word)| word.eq_ignore_ascii_case(answer))).map(|(choice, _)| *choice)
}

/// Yes, said in so many words; anything else is no.
pub fn yes(question: &str) -> bool {
    let answer = ask(&format!("{question} [y/N] "));
    answer.is_ok_and(|answer| answer.is_some_and(|answer| ["y", "yes"].contains(&answer.to_lowercase().as_str())))
}
