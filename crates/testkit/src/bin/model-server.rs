//! The test model server as a process of its own, for benchmarks and scripts: prints its address on stdout and serves until it is killed.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "a tool of the tests prints what it is told to")]

use std::process::ExitCode;
use std::time::Duration;
use synod_testkit::server::{ANY, Form, ModelServer, Settings, Thinking};

const USAGE: &str = "usage: model-server [--port N] [--latency-ms N] [--tokens N] [--piece BYTES] [--models A,B] [--key KEY] \
    [--thinking TOKENS] [--think-tags TOKENS]";

fn settings(mut args: impl Iterator<Item = String>) -> Result<(Settings, Thinking), String> {
    let mut thinking = Thinking::default();
    let mut settings = Settings { log: false, ..Settings::default() };
    while let Some(flag) = args.next() {
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--models" => {
                settings.models = value.split(',').map(str::to_owned).collect();
                settings.only_listed = true;
                continue;
            }
            "--key" => {
                settings.key = Some(value);
                continue;
            }
            _ => {}
        }
        let number: u64 = value.parse().map_err(|_| format!("{flag}: {value} is not a number"))?;
        match flag.as_str() {
            "--port" => settings.port = u16::try_from(number).map_err(|_| format!("--port: {number} is not a port"))?,
            "--latency-ms" => settings.latency = Duration::from_millis(number),
            "--tokens" => settings.words = usize::try_from(number).map_err(|_| format!("--tokens: {number} is too many"))?,
            "--thinking" => thinking = Thinking::of(number, Form::Hidden),
            "--think-tags" => thinking = Thinking::of(number, Form::Tags),
            "--piece" => settings.piece = usize::try_from(number).map_err(|_| format!("--piece: {number} is too many"))?,
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    Ok((settings, thinking))
}

#[tokio::main]
async fn main() -> ExitCode {
    let (settings, thinking) = match settings(std::env::args().skip(1)) {
        Ok(settings) => settings,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match ModelServer::start_with(settings).await {
        Ok(server) => {
            server.thinks(ANY, thinking);
            println!("{}", server.url());
            server.wait().await;
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cannot listen: {error}");
            ExitCode::FAILURE
        }
    }
}
