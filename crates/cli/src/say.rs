//! Words on standard output and standard error: the only way to either of them.
//!
//! What others wrote reaches a terminal through here, and here everything a terminal would obey is taken out of it; only text that the report
//! has painted goes as it is. A reader that went away is no failure, a full disk is told once.
#![expect(clippy::disallowed_methods, reason = "whoever else wants them comes here")]

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use synod_report::{Painted, clean};

/// The first thing that went wrong with standard output.
static BROKEN: OnceLock<String> = OnceLock::new();

fn write(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = BROKEN.set(error.to_string());
    }
}

pub fn out(text: std::fmt::Arguments<'_>) {
    write(&clean(&text.to_string()));
}

/// What the report has painted.
pub fn show(painted: &Painted) {
    write(painted.as_str());
}

/// A document that was asked for. It goes into a file or a pipe as it is.
pub fn document(text: &str) {
    if out_is_terminal() { write(&clean(text)) } else { write(text) }
}

/// Progress and remarks. Nobody to read them is no reason to stop.
pub fn err(text: std::fmt::Arguments<'_>) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(clean(&text.to_string()).as_bytes()).and_then(|()| stderr.flush());
}

/// Where a log goes, a line at a time.
pub struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        err(format_args!("{}", String::from_utf8_lossy(bytes)));
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn out_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

pub fn err_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// How wide the terminal is.
pub fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
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
