//! The program `merchantpay`: every operation of the service, webhooks, keys, the journal, `doctor` and the sandbox. It
//! is a library so that a fuzz target can call it.

mod args;
mod dates;
mod doctor;
mod document;
mod environment;
mod help;
mod journal;
mod journal_settings;
mod keys;
mod operations;
mod operator;
mod output;
mod sandbox;
mod server;
mod settings;
mod signals;
mod webhook;

use std::ffi::OsString;

use clap::FromArgMatches as _;

use args::{Args, Command, WebhookCommand};
use output::Failure;

#[doc(hidden)]
pub use webhook::webhook_listen;

/// Runs the program and returns its exit status. The first argument is the program's own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = dates::with_units(arguments);
    // The words after `--` belong to the command of `sandbox --`.
    let own = arguments.split(|word| word == "--").next().unwrap_or_default();
    // Before clap parses, so that its errors and the next refusal are JSON too.
    output::set_json(own.iter().any(|word| word == "--json"));
    // Looks for a password in the arguments first, because any other message could repeat the password.
    if let Err(error) = journal_settings::refuse_passwords(own) {
        return Failure::Error(error).report();
    }
    let mut command = help::command();
    let matches = command.try_get_matches_from_mut(arguments);
    let args = match matches.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(error) => return output::usage(&error.format(&mut command)),
    };
    output::set_json(args.json);
    output::set_verbose(args.verbose);
    let run = || {
        environment::load(args.env_file.as_deref())?;
        dispatch(args.command)
    };
    match run() {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Keygen { out } => keys::keygen(out.as_deref()),
        Command::Available(arguments) => operations::available(&arguments),
        Command::New(arguments) => operations::new(&arguments),
        Command::NewAsync(arguments) => operations::new_async(&arguments),
        Command::Confirm(arguments) => operations::confirm(&arguments),
        Command::Cancel(arguments) => operations::cancel(&arguments),
        Command::Status { mut order, wait } => operations::status(&mut order, wait),
        Command::AttachReceipt { order, files } => operations::attach(&order, &files),
        Command::Webhook { command: WebhookCommand::Verify(arguments) } => webhook::verify(&arguments),
        Command::Webhook { command: WebhookCommand::Listen(arguments) } => webhook::listen(&arguments),
        Command::Webhook { command: WebhookCommand::Send(arguments) } => webhook::send(&arguments),
        Command::Journal { mut command } => journal::run(&mut command),
        Command::Sandbox(arguments) => match &arguments.verb {
            Some(verb) => sandbox::control(verb),
            None => sandbox::run(&arguments.start),
        },
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Story(arguments) => sandbox::story(&arguments),
        Command::CheckReceiver(arguments) => sandbox::check_receiver(&arguments),
        Command::Completions { shell } => help::completions(shell),
        Command::Man { folder } => help::manual(folder.as_deref()),
        Command::Help { words } => help::run(&words),
    }
}
