//! Options of a mode typed as flags.

use super::Cli;
use clap::CommandFactory;

/// The long flags of `ask`.
pub fn flags_of_ask() -> Vec<String> {
    let command = Cli::command();
    let longs = command.find_subcommand("ask").into_iter().flat_map(clap::Command::get_arguments).chain(command.get_arguments());
    longs.filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
}

/// Turns flags that are none of ours into options of the mode: `--style socratic` becomes `--set style=socratic`.
pub fn with_mode_options(argv: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut argv = argv.into_iter().peekable();
    let mut out: Vec<String> = Vec::new();
    let command = Cli::command();
    let globals: Vec<String> = command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
    let mut known: Option<Vec<String>> = None;
    let mut open = true;
    while let Some(arg) = argv.next() {
        if known.is_none()
            && let Some(sub) = command.find_subcommand(&arg)
        {
            let takes_options = matches!(sub.get_name(), "ask" | "resume");
            let mut longs: Vec<String> = sub.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
            longs.extend(globals.iter().cloned().chain(["help".into(), "version".into()]));
            known = Some(longs);
            open = takes_options;
            out.push(arg);
            continue;
        }
        let flag = arg.strip_prefix("--").filter(|name| open && !name.is_empty());
        match (flag, &known) {
            (Some(name), Some(known)) => {
                let (name, given) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value.to_owned())));
                if known.iter().any(|long| long == name) {
                    out.push(arg);
                } else {
                    let value = given.or_else(|| argv.next_if(|next| !next.starts_with("--"))).unwrap_or_else(|| "true".into());
                    out.extend(["--set".into(), format!("{name}={value}")]);
                }
            }
            (None, Some(_)) if arg == "--" => {
                open = false;
                out.push(arg);
            }
            _ => out.push(arg),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::with_mode_options;

    fn rewritten(line: &str) -> String {
        with_mode_options(line.split_whitespace().map(str::to_owned)).join(" ")
    }

    #[test]
    fn an_option_of_a_mode_is_a_flag_of_ask() {
        assert_eq!(rewritten("synod ask Why --style socratic --mode vote"), "synod ask Why --set style=socratic --mode vote");
        assert_eq!(rewritten("synod ask --rounds=3 Why"), "synod ask --set rounds=3 Why");
        assert_eq!(rewritten("synod ask Why --strict --json"), "synod ask Why --set strict=true --json");
        assert_eq!(rewritten("synod --json resume x --fork --rounds -1"), "synod --json resume x --fork --set rounds=-1");
    }

    #[test]
    fn other_commands_and_what_follows_two_dashes_are_left_alone() {
        assert_eq!(rewritten("synod runs --nonsense 3"), "synod runs --nonsense 3");
        assert_eq!(rewritten("synod ask -- --style"), "synod ask -- --style");
    }
}
