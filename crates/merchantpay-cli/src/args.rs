//! The command line. Request fields are flags in kebab case. The library, not this module, checks every
//! value, so that a wrong value gives the same error as in every other language.

pub(crate) mod flags;
pub(crate) mod journal;
pub(crate) mod sandbox;

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::settings::{ClientSettings, HEADING, JournalSettings, ReceiverSettings, ServerSettings};
use flags::{Flags, Table};

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
    Keygen {
        /// Write the pair into this file, which must not exist yet, with the mode 600, and print the public key
        /// only
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// List the amounts that customers can pay right now
    Available(WithFields<flags::Available>),
    /// Create a payment; the reply has the payment details (credentials)
    New(WithFields<flags::New>),
    /// Create a payment; a webhook brings the payment details (credentials)
    NewAsync(WithFields<flags::NewAsync>),
    /// Report that the customer has paid
    Confirm(Order),
    /// Cancel a payment
    Cancel(Order),
    /// Read a payment's status
    Status {
        #[command(flatten)]
        order: Order,
        /// Ask the service again until the status is final, at most for the time of --timeout; on a terminal,
        /// stderr shows each new status and the elapsed time. Exits with 4 if the time is over
        #[arg(long)]
        wait: bool,
    },
    /// Attach receipts for arbitration: PDF, JPEG or PNG
    AttachReceipt {
        #[command(flatten)]
        order: Order,
        /// The receipts: PDF, JPEG or PNG
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
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

#[derive(clap::Args)]
pub(crate) struct WithFields<T: Table> {
    #[command(flatten)]
    pub request: Flags<T>,
    #[command(flatten)]
    pub settings: ClientSettings,
}

#[derive(clap::Args)]
pub(crate) struct Order {
    /// The payment's orderId
    #[arg(value_name = "ID")]
    pub order_id: String,
    #[command(flatten)]
    pub settings: ClientSettings,
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

#[derive(Subcommand)]
pub(crate) enum WebhookCommand {
    /// Verify the webhook body on stdin and print its event
    Verify(Verify),
    /// Receive webhooks: verify each webhook, and print its event or the reason why it does not verify.
    ///
    /// Answers 200 to a webhook that verifies and 400 to any other, at every path. In a pipe the first line is
    /// {"listening":URL}, then stdout has the same lines as `webhook verify`, and stderr {"error":{…,"cause",
    /// "hint"}} for each webhook that does not verify. Ctrl-C ends it with 0. After --count webhooks it exits
    /// with 0 if all of them have verified, and with 5 if not.
    Listen(Listen),
    /// Sign a webhook with the sandbox's key and send it, to test a receiver.
    ///
    /// Exits with 0 if the answer is a 2xx, and with 1 for any other answer.
    Send(Box<Send>),
}

#[derive(clap::Args)]
pub(crate) struct Verify {
    /// The value of the header X-Signature
    #[arg(long, allow_hyphen_values = true)]
    pub signature: String,
    /// The value of the header X-KeyId, if the webhook has one
    #[arg(long = "webhook-key-id", alias = "key-id", value_name = "KEY_ID")]
    pub key_id: Option<String>,
    #[command(flatten)]
    pub settings: ServerSettings,
}

#[derive(clap::Args)]
pub(crate) struct Listen {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1", hide_short_help = true)]
    pub host: IpAddr,
    /// Port to listen on; 0 for any free port
    #[arg(long, default_value_t = 8701)]
    pub port: u16,
    /// Forward each webhook that verifies to this URL, with the same bytes and headers. The answer from this
    /// URL becomes the answer to the sender. If the URL has no path, the path of the webhook is added
    #[arg(long, alias = "forward", value_name = "URL")]
    pub forward_to: Option<String>,
    /// Also forward webhooks that do not verify
    #[arg(long, requires = "forward_to")]
    pub forward_unverified: bool,
    /// End after this many webhooks, verified or not
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// The name of the header with the signature
    #[arg(long, default_value = "X-Signature", value_name = "NAME", hide_short_help = true)]
    pub signature_header: String,
    /// The name of the header with the key id
    #[arg(long, default_value = "X-KeyId", value_name = "NAME", hide_short_help = true)]
    pub key_id_header: String,
    #[command(flatten)]
    pub settings: ReceiverSettings,
}

#[derive(clap::Args)]
pub(crate) struct Send {
    /// The URL of the merchant's receiver
    #[arg(long)]
    pub url: String,
    /// The file with the service's private key, which `sandbox --server-private-key-file` wrote
    #[arg(long, alias = "private-key-file", value_name = "FILE")]
    pub server_private_key_file: PathBuf,
    /// Send an example of this kind
    #[arg(conflicts_with = "body")]
    pub kind: Option<Kind>,
    /// Send the bytes of this file as they are; - for stdin [default: stdin, unless a kind is given]
    #[arg(long, value_name = "FILE")]
    pub body: Option<PathBuf>,
    /// Change a character of the signed body
    #[arg(long)]
    pub tamper: bool,
    /// Sign with a wrong key
    #[arg(long)]
    pub wrong_key: bool,
    /// Leave out the header with the signature
    #[arg(long)]
    pub no_signature: bool,
    #[command(flatten)]
    pub settings: ReceiverSettings,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    /// The service found payment details for the customer (credentials)
    Credentials,
    /// The service found no payment details for the customer
    CredentialsFailed,
    /// The payment has a new status
    Status,
}
