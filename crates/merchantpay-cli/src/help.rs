//! `help`, `completions` and `man`, which are made from the program's command line.

use std::fmt::Write as _;
use std::path::Path;

use anstyle::Style;
use clap::CommandFactory as _;
use merchantpay::{Error, Outcome};

use crate::args::Args;
use crate::output::{Failure, print_help};
use crate::settings;

const HEADING: Style = Style::new().bold();

const GROUPS: [(&str, &[&str]); 5] = [
    ("Payments", &["available", "new", "new-async", "confirm", "cancel", "status", "attach-receipt"]),
    ("Webhooks", &["webhook"]),
    ("Journal", &["journal"]),
    ("Set-up", &["keygen", "doctor", "completions", "man", "help"]),
    ("Sandbox", &["sandbox", "story", "check-receiver"]),
];

const SETTINGS: &str = "settings";
const EXIT_CODES: &str = "exit-codes";

const EXIT_STATUSES: &str = "\
0  done
1  refused by the service, which its signature proves; also a payment that failed, a fault that
   doctor found, or a receiver of webhooks that answered wrongly
2  wrong input; nothing was sent
3  not sent, or the journal cannot be used
4  the outcome is unknown, the result could not be printed, the payment was not final in time, or
   it was paid with another sum
5  a webhook does not verify";

/// clap cannot group commands, so their list is written here.
pub(crate) fn command() -> clap::Command {
    let command = Args::command();
    let mut text = String::new();
    let width = command.get_subcommands().map(|one| one.get_name().len()).max().unwrap_or_default();
    for (group, names) in GROUPS {
        let _ = writeln!(text, "{HEADING}{group}{HEADING:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:width$}  {about}");
        }
        text.push('\n');
    }
    text.push_str("`merchantpay help settings` and `merchantpay help exit-codes` are tables.");
    command
        .help_template("{about}\n\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}")
        .after_help(text)
}

pub(crate) fn run(words: &[String]) -> Result<(), Failure> {
    match words {
        [word] if word == SETTINGS => print_help(&wrapped(settings::table_text())),
        [word] if word == EXIT_CODES => print_help(&wrapped(EXIT_STATUSES.to_owned())),
        _ => {
            let mut command = command();
            command.build();
            let mut found = &mut command;
            for word in words {
                let suggestion = suggestion(found, word);
                found = found.find_subcommand_mut(word).ok_or_else(|| {
                    let question = suggestion.map(|likely| format!("did you mean `{likely}`?"));
                    let advice = question.as_deref().unwrap_or("`merchantpay --help` lists the commands");
                    Error::invalid_argument(format!("no such command: {advice}"))
                })?;
            }
            print_help(&found.render_long_help().ansi().to_string())
        }
    }
}

fn suggestion(command: &clap::Command, word: &str) -> Option<String> {
    let names = command.get_subcommands().map(clap::Command::get_name).chain([SETTINGS, EXIT_CODES]);
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(name, word);
    let best = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    best.filter(|name| likeness(name) > 0.6).map(str::to_owned)
}

/// Wraps to the terminal by clap, which exports no wrapping of its own.
fn wrapped(text: String) -> String {
    let help = clap::Command::new("help").help_template("{after-help}").after_help(text).render_help();
    help.to_string().trim_start().to_owned()
}

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "merchantpay", &mut text);
    print_help(&String::from_utf8_lossy(&text))
}

pub(crate) fn manual(folder: Option<&Path>) -> Result<(), Failure> {
    match folder {
        Some(folder) => clap_mangen::generate_to(command(), folder).map_err(|error| {
            let text = format!("the manual cannot be written to {}: {error}", folder.display());
            Failure::Error(Error::invalid_argument(text))
        }),
        None => {
            let mut text = Vec::new();
            let rendered = clap_mangen::Man::new(command()).render(&mut text);
            rendered.map_err(|error| Error::internal(Outcome::NotSent, error.to_string()))?;
            print_help(&String::from_utf8_lossy(&text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = Args::command();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}
