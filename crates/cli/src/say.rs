//! Words on standard output and standard error that cannot break a run: a reader that went away is no failure, a full disk is told once.

use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

/// The first thing that went wrong with standard output.
static BROKEN: OnceLock<String> = OnceLock::new();

pub fn out(text: std::fmt::Arguments<'_>) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = BROKEN.set(error.to_string());
    }
}

/// Progress and remarks. Nobody to read them is no reason to stop.
pub fn err(text: std::fmt::Arguments<'_>) {
    let _ = std::io::stderr().lock().write_fmt(text);
}

/// Why what was printed is not whole, if it is not.
pub fn broken() -> Option<&'static str> {
    BROKEN.get().map(String::as_str)
}

/// A line on standard output.
macro_rules! say {
    ($($text:tt)*) => { $crate::say::out(format_args!("{}\n", format_args!($($text)*))) };
}

/// A line on standard error.
macro_rules! note {
    ($($text:tt)*) => { $crate::say::err(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {note, say};
