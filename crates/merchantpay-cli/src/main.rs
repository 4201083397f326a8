//! The program `merchantpay`: every operation of the service, webhooks, keys, the sandbox and a demonstration.

mod args;
mod demo;
mod operations;
mod output;
mod receiver;
mod sandbox;
mod settings;
mod wait;
mod webhook;

use std::process::ExitCode;

use clap::Parser;
use merchantpay::Keypair;

use args::{Args, Command, WebhookCommand};
use output::{Failure, print_line, quoted};

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return output::usage(&error),
    };
    match run(args.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Keygen => keygen(),
        Command::Available(arguments) => operations::available(&arguments),
        Command::New(arguments) => operations::new(&arguments),
        Command::NewAsync(arguments) => operations::new_async(&arguments),
        Command::Confirm(arguments) => operations::confirm(&arguments),
        Command::Cancel(arguments) => operations::cancel(&arguments),
        Command::Status(arguments) => operations::status(&arguments),
        Command::Receipt { command: args::ReceiptCommand::Attach(arguments) } => operations::attach(&arguments),
        Command::Webhook { command: WebhookCommand::Verify(arguments) } => webhook::verify(&arguments),
        Command::Sandbox(arguments) => sandbox::run(&arguments),
        Command::Demo => demo::run(),
    }
}

fn keygen() -> Result<(), Failure> {
    let pair = Keypair::generate()?;
    let private_key = pair.private_key().to_base64();
    print_line(&format!("{{\"privateKey\":{},\"publicKey\":{}}}", quoted(&private_key), quoted(&pair.public_key().to_base64())))
}
