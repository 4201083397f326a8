//! The command line. Request fields are flags in kebab case. The library, not this module, checks every
//! value, so that a wrong value gives the same error as in every other language.

pub(crate) mod control;
pub(crate) mod fields;
pub(crate) mod journal;
mod webhook;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use merchantpay_sandbox::SettingsFormat;

use crate::journal_settings::JournalSettings;
use crate::settings::Settings;
use fields::Fields;

pub(crate) use webhook::{Kind, Listen, Send, Verify, WebhookCommand};

/// Client for the Merchant Payment Acceptance API.
///
/// On a terminal the output is text for people. Elsewhere, and with --json, a reply is one JSON line on
/// stdout, and an error is one JSON line on stderr. Exit status: 0 done, 1 rejected by the service, 2 wrong
/// input and nothing sent, 3 not sent, 4 outcome unknown or result not printed, 5 a webhook that does not
/// verify.
#[derive(Parser)]
#[command(name = "merchantpay", version, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
    /// Print JSON lines also on a terminal
    #[arg(long, global = true)]
    pub json: bool,
    /// Read the variables MERCHANTPAY_… from this file, in the format of systemd's EnvironmentFile. They take
    /// precedence over the environment, and flags take precedence over them (or as a variable:
    /// MERCHANTPAY_ENV_FILE)
    #[arg(long, global = true, value_name = "FILE")]
    pub env_file: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a pair of keys, and print the pair as {"privateKey","publicKey"}
    Keygen,
    /// List the amounts that customers can pay right now
    Available(WithFields<fields::Available>),
    /// Create a payment; the reply has the payment details for the customer (credentials)
    New(WithFields<fields::New>),
    /// Create a payment; a webhook brings the payment details for the customer (credentials)
    NewAsync(WithFields<fields::NewAsync>),
    /// Report that the customer has paid
    Confirm(Order),
    /// Cancel a payment
    Cancel(Order),
    /// Read a payment's status
    Status(Status),
    /// Attach receipts for arbitration
    Receipt {
        #[command(subcommand)]
        command: ReceiptCommand,
    },
    /// Verify, receive and send webhooks
    Webhook {
        #[command(subcommand)]
        command: WebhookCommand,
    },
    /// Make payments under your own order numbers, with at most one payment for each number
    ///
    /// If the output is not a terminal, each command prints one JSON line per entry. Exit status 0 means
    /// success: `pay` has payment details to show, the service accepted `confirm` or `cancel`, or `receive`
    /// says to answer with 200. The other exit statuses are: 1 refused or failed, 2 wrong input, 3 not sent
    /// or the journal cannot be used, 4 any other result, such as an unknown outcome, 5 a webhook that does
    /// not verify.
    #[command(arg_required_else_help = true)]
    Journal {
        #[command(subcommand)]
        command: Box<journal::JournalCommand>,
    },
    /// Check this set-up: settings, keys, network, service, callback URL and journal
    ///
    /// Sends no request that can move money unless --pay is given, and prints no secret. Exits with 1 if there is
    /// a fault.
    Doctor(Doctor),
    /// Run a simulated service on this machine, for development and tests
    Sandbox(Sandbox),
    /// Make a running sandbox run a story: a simulated payment from its beginning to its end, with webhooks
    Story(control::Story),
    /// Make a running sandbox send seven webhooks to a receiver, and compare the receiver's answers with the
    /// expected answers
    CheckReceiver(control::CheckReceiver),
    /// Start a sandbox, and show payments from their creation to the final status
    Demo,
    /// Print the completion script of a shell: bash, zsh, fish, elvish or powershell
    Completions { shell: clap_complete::Shell },
    /// Print the manual's first page, or write every page to a folder
    Man { folder: Option<PathBuf> },
}

/// The arguments of a command: the request fields of an operation, and the settings of the client.
#[derive(clap::Args)]
pub(crate) struct WithFields<T: fields::Taken> {
    #[command(flatten)]
    pub request: Fields<T>,
    #[command(flatten)]
    pub settings: Settings,
}

#[derive(clap::Args)]
pub(crate) struct Order {
    /// The payment's orderId
    #[arg(value_name = "ID")]
    pub order_id: String,
    #[command(flatten)]
    pub settings: Settings,
}

#[derive(clap::Args)]
pub(crate) struct Doctor {
    /// Also compare the service with the API contract and the sandbox's assumptions; this adds a request to
    /// /available, which moves no money
    #[arg(long)]
    pub contract: bool,
    /// The sum in RUB of the request to /available
    #[arg(
        long,
        value_name = "SUM",
        default_value = "1000.00",
        requires = "contract",
        conflicts_with = "pay"
    )]
    pub sum: String,
    /// The payment method: card or sbp
    #[arg(long, value_name = "METHOD", default_value = "sbp")]
    pub payment_method: String,
    /// With --contract, and then make a payment of this sum in RUB through the journal, after you have typed the
    /// sum and the currency; then you pay or cancel the payment
    #[arg(long, value_name = "SUM", requires = "customer_account")]
    pub pay: Option<String>,
    /// The account that you pay from
    #[arg(long, value_name = "ACCOUNT", requires = "pay")]
    pub customer_account: Option<String>,
    /// The code of the bank that you pay from, if your agreement requires it
    #[arg(long, value_name = "CODE", requires = "pay")]
    pub payer_bank: Option<String>,
    #[command(flatten)]
    pub settings: JournalSettings,
}

#[derive(clap::Args)]
pub(crate) struct Status {
    #[command(flatten)]
    pub order: Order,
    /// Ask the service again until the status is final; on a terminal, stderr shows each new status and the
    /// elapsed time
    #[arg(long)]
    pub wait: bool,
    /// The longest time to wait; exits with 4 if the status is not final after this time
    #[arg(long, requires = "wait", value_name = "MS")]
    pub wait_timeout_ms: Option<u64>,
}

#[derive(Subcommand)]
pub(crate) enum ReceiptCommand {
    /// Attach one or more files: PDF, JPEG or PNG
    Attach(Attach),
}

#[derive(clap::Args)]
pub(crate) struct Attach {
    #[command(flatten)]
    pub order: Order,
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Sandbox {
    #[command(subcommand)]
    pub command: Option<SandboxCommand>,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: std::net::IpAddr,
    /// Port to listen on; 0 for any free port
    #[arg(long, default_value_t = 8700)]
    pub port: u16,
    /// The URL by which clients reach the sandbox, for example through a proxy [default: the sandbox's
    /// address]
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
    /// A further host name by which clients reach the sandbox, such as a container's name; the flag can be
    /// repeated
    #[arg(long = "allow-host", value_name = "NAME")]
    pub allowed_hosts: Vec<String>,
    /// Let clients on other machines use the console and the control API, which have no login. Without this
    /// flag they can use only the merchant API. With it no answer has a private key, and webhooks go only to
    /// the hosts of --webhook-host and the sandbox's own receiver
    #[arg(long)]
    pub allow_remote: bool,
    /// A host, such as shop or shop:8080, to which merchants on other machines can have webhooks sent; the flag
    /// can be repeated [default: only the address from which a merchant calls]
    #[arg(long = "webhook-host", value_name = "HOST")]
    pub webhook_hosts: Vec<String>,
    /// The merchant's key id, with --public-key [default: a generated key id]
    #[arg(long, requires = "public_key")]
    pub key_id: Option<String>,
    /// The merchant's public key, with --key-id [default: the sandbox generates a key pair and prints it]
    #[arg(long, requires = "key_id")]
    pub public_key: Option<String>,
    /// Currency of the merchant's balance: rub or usdt
    #[arg(long, default_value = "rub", value_parser = ["rub", "usdt"])]
    pub balance: String,
    /// Keep the service's private key in this file, so that `webhook send` can sign with the key. A missing
    /// file is created (mode 600)
    #[arg(long, value_name = "FILE")]
    pub server_private_key_file: Option<PathBuf>,
    /// Format in which the settings of a client are printed
    #[arg(long, value_parser = settings_format(), default_value = "shell")]
    pub format: SettingsFormat,
    /// The seed of the random numbers. The same seed makes the same ids in each run, and with a manual clock
    /// also the same times and outcomes
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// The clock: real or manual. Only `sandbox control clock advance` moves a manual clock
    #[arg(long, default_value = "real", value_parser = ["real", "manual"])]
    pub clock: String,
    /// Keep payments, webhooks, receipts and keys in this SQLite file, and continue with the content of an
    /// existing file
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Decide no payment automatically: each payment waits for `sandbox control operate`
    #[arg(long)]
    pub hold: bool,
    /// The time that each simulated step takes [default: 300]
    #[arg(long, value_name = "MS")]
    pub pace_ms: Option<u64>,
    /// End when standard input closes, so that the sandbox ends together with the program that started it
    #[arg(long, conflicts_with = "run")]
    pub exit_with_stdin: bool,
    /// Run this command with the sandbox's settings in its environment. The sandbox forwards signals to the
    /// command, ends with the command, and exits with the command's status
    #[arg(last = true, value_name = "COMMAND")]
    pub run: Vec<OsString>,
}

/// The names of the formats. `env` and `dotenv` are former names, which still work.
fn settings_format() -> impl TypedValueParser<Value = SettingsFormat> {
    let values = SettingsFormat::ALL.iter().map(|format| {
        let value = PossibleValue::new(format.name()).help(format.description());
        match format {
            SettingsFormat::Shell => value.alias("env"),
            SettingsFormat::EnvFile => value.alias("dotenv"),
            _ => value,
        }
    });
    PossibleValuesParser::new(values.collect::<Vec<_>>()).map(|name| match name.as_str() {
        "dotenv" => SettingsFormat::EnvFile,
        name => SettingsFormat::named(name).unwrap_or(SettingsFormat::Shell),
    })
}

#[derive(Subcommand)]
pub(crate) enum SandboxCommand {
    /// Inspect and control a running sandbox
    Control(control::Control),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn no_two_arguments_of_a_command_have_the_same_name() {
        super::Args::command().debug_assert();
    }
}
