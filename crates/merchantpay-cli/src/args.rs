//! The command line. Request fields are flags in kebab case. The library, not this module, checks every
//! value, so that a wrong value gives the same error as in every other language.

pub(crate) mod fields;
pub(crate) mod journal;
pub(crate) mod sandbox;
mod webhook;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::journal_settings::JournalSettings;
use crate::settings::{HEADING, Settings};
use fields::Fields;

pub(crate) use webhook::{Kind, Listen, Send, Verify, WebhookCommand};

/// Client for the Merchant Payment Acceptance API.
#[derive(Parser)]
#[command(name = "merchantpay", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
    /// Print JSON lines also on a terminal
    #[arg(long, global = true)]
    pub json: bool,
    /// Show the signed bytes, the headers and the raw reply of each call on stderr; never a key
    #[arg(long, global = true)]
    pub verbose: bool,
    /// Read the variables MERCHANTPAY_… from this file, in the format of systemd's EnvironmentFile. They take
    /// precedence over the environment, and flags take precedence over them (or as a variable:
    /// MERCHANTPAY_ENV_FILE)
    #[arg(long, global = true, value_name = "FILE", help_heading = HEADING)]
    pub env_file: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a pair of keys
    Keygen(Keygen),
    /// List the amounts that customers can pay right now
    Available(WithFields<fields::Available>),
    /// Create a payment; the reply has the payment details (credentials)
    New(WithFields<fields::New>),
    /// Create a payment; a webhook brings the payment details (credentials)
    NewAsync(WithFields<fields::NewAsync>),
    /// Report that the customer has paid
    Confirm(Order),
    /// Cancel a payment
    Cancel(Order),
    /// Read a payment's status
    Status(Status),
    /// Attach receipts for arbitration: PDF, JPEG or PNG
    AttachReceipt(Attach),
    /// Verify, receive and send webhooks
    Webhook {
        #[command(subcommand)]
        command: WebhookCommand,
    },
    /// Make payments under your own order numbers, with at most one payment each
    ///
    /// Exit status 0 means success: `pay` has payment details to show, the service accepted `confirm` or
    /// `cancel`, or `receive` says to answer with 200.
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
    Sandbox(Box<sandbox::Sandbox>),
    /// Run a story in a running sandbox: a simulated payment with its webhooks
    Story(sandbox::Story),
    /// Send a receiver seven webhooks of a running sandbox, and judge its answers
    CheckReceiver(sandbox::CheckReceiver),
    /// Print the completion script of a shell: bash, zsh, fish, elvish or powershell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual's first page, or write every page to a folder
    Man {
        /// Write every page to this folder
        folder: Option<PathBuf>,
    },
    /// Print the help of a command, `settings` or `exit-codes`
    Help {
        /// A command, such as `sandbox pay`, or the name of a table
        words: Vec<String>,
    },
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
pub(crate) struct Keygen {
    /// Write the pair into this file, which must not exist yet, with the mode 600, and print the public key only
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
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
    /// Ask the service again until the status is final, at most for the time of --timeout; on a terminal, stderr
    /// shows each new status and the elapsed time. Exits with 4 if the time is over
    #[arg(long)]
    pub wait: bool,
}

#[derive(clap::Args)]
pub(crate) struct Attach {
    #[command(flatten)]
    pub order: Order,
    /// The receipts: PDF, JPEG or PNG
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_two_arguments_of_a_command_have_the_same_name() {
        crate::help::command().debug_assert();
    }
}
