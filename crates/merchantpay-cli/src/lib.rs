//! The program `merchantpay`: every operation of the service, webhooks, keys, the sandbox and the demo. It is
//! a library, so that another language's package can contain the same program.

mod args;
mod control;
mod dates;
mod demo;
mod doctor;
mod environment;
mod flag_help;
mod interrupts;
mod journal;
mod journal_settings;
mod json;
mod json_members;
mod operations;
mod operator;
mod output;
mod pages;
mod receiver;
mod sandbox;
mod server;
mod settings;
mod terminal;
mod wait;
mod webhook;
mod words;

use std::ffi::OsString;

use clap::Parser;
use merchantpay::Keypair;

use args::{Args, Command, WebhookCommand};
use json::quoted;
use output::{Failure, print_line};

#[doc(hidden)]
pub use webhook::webhook_listen;

/// Runs the program and returns its exit status. The first argument is the program's own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // The words after `--` belong to the command of `sandbox --`.
    let own = arguments.split(|word| word == "--").next().unwrap_or_default();
    terminal::set_json(own.iter().any(|word| word == "--json"));
    // Looks for a password in the arguments first, because any other message could repeat the password.
    if let Err(error) = journal_settings::refuse_passwords(own) {
        return Failure::Error(error).report();
    }
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => return output::usage(&error),
    };
    terminal::set_json(args.json);
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
        Command::Keygen => keygen(),
        Command::Available(arguments) => operations::available(&arguments),
        Command::New(arguments) => operations::new(&arguments),
        Command::NewAsync(arguments) => operations::new_async(&arguments),
        Command::Confirm(arguments) => operations::confirm(&arguments),
        Command::Cancel(arguments) => operations::cancel(&arguments),
        Command::Status(arguments) => operations::status(&arguments),
        Command::Receipt { command: args::ReceiptCommand::Attach(arguments) } => {
            operations::attach(&arguments)
        }
        Command::Webhook { command: WebhookCommand::Verify(arguments) } => webhook::verify(&arguments),
        Command::Webhook { command: WebhookCommand::Listen(arguments) } => webhook::listen(&arguments),
        Command::Webhook { command: WebhookCommand::Send(arguments) } => webhook::send(&arguments),
        Command::Journal { command } => journal::run(&command),
        Command::Sandbox(args::Sandbox {
            command: Some(args::SandboxCommand::Control(arguments)), ..
        }) => control::run(&arguments),
        Command::Sandbox(arguments) => sandbox::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Story(arguments) => control::story(&arguments),
        Command::CheckReceiver(arguments) => control::check_receiver(&arguments),
        Command::Demo => demo::run(),
        Command::Completions { shell } => pages::completions(shell),
        Command::Man { folder } => pages::manual(folder.as_deref()),
    }
}

fn keygen() -> Result<(), Failure> {
    let pair = Keypair::generate()?;
    let private_key = pair.private_key().to_base64();
    if terminal::is_for_people() {
        let rows = [
            ["private key", &private_key, "keep it: `merchantpay keygen > key.json` after `umask 077`"],
            ["public key", &pair.public_key().to_base64(), "give this key to the service"],
        ];
        return print_line(&terminal::table::aligned(&rows.map(|row| row.map(str::to_owned).to_vec())));
    }
    print_line(&format!(
        "{{\"privateKey\":{},\"publicKey\":{}}}",
        quoted(&private_key),
        quoted(&pair.public_key().to_base64())
    ))
}
