//! `sandbox`, and the verbs that control a running one.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use clap::ValueEnum as _;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use merchantpay::OPERATIONS;
use merchantpay_sandbox::{ClockMode, Fault, OperatorAction, Pays, STORIES, SettingsFormat, WebhookAction};

use crate::dates::{milliseconds, time};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Sandbox {
    #[command(subcommand)]
    pub verb: Option<Verb>,
    #[command(flatten)]
    pub start: Start,
}

#[derive(clap::Args)]
pub(crate) struct Start {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1", hide_short_help = true)]
    pub host: IpAddr,
    /// Port to listen on; 0 for any free port
    #[arg(long, default_value_t = 8700)]
    pub port: u16,
    /// The URL by which clients reach the sandbox, for example through a proxy [default: the sandbox's
    /// address]
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub public_url: Option<String>,
    /// A further host name by which clients reach the sandbox, such as a container's name; the flag can be
    /// repeated
    #[arg(long = "allow-host", value_name = "NAME", value_parser = NonEmptyStringValueParser::new(), hide_short_help = true)]
    pub allowed_hosts: Vec<String>,
    /// Let clients on other machines use the console and the control API, which have no login. Without this
    /// flag they can use only the merchant API. With it no answer has a private key, and webhooks go only to
    /// the hosts of --webhook-host and the sandbox's own receiver
    #[arg(long, hide_short_help = true)]
    pub allow_remote: bool,
    /// A host, such as shop or shop:8080, to which merchants on other machines can have webhooks sent; the flag
    /// can be repeated [default: only the address from which a merchant calls]
    #[arg(long = "webhook-host", value_name = "HOST", value_parser = NonEmptyStringValueParser::new(), hide_short_help = true)]
    pub webhook_hosts: Vec<String>,
    /// A file with the PEM certificates of a CA to trust for https receivers, in addition to the operating
    /// system's CAs [default: MERCHANTPAY_CA_FILE]
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub ca_file: Option<PathBuf>,
    /// The merchant's key id, with --public-key [default: a generated key id]
    #[arg(long, requires = "public_key", hide_short_help = true)]
    pub key_id: Option<String>,
    /// The merchant's public key, with --key-id [default: the sandbox generates a key pair and prints it]
    #[arg(long, requires = "key_id", hide_short_help = true)]
    pub public_key: Option<String>,
    /// Currency of the merchant's balance
    #[arg(long, default_value = "rub", value_parser = ["rub", "usdt"], hide_short_help = true)]
    pub balance: String,
    /// Keep the service's private key in this file, so that `webhook send` can sign with the key. A missing
    /// file is created (mode 600)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub server_private_key_file: Option<PathBuf>,
    /// Format in which the settings of a client are printed
    #[arg(long, default_value = "shell")]
    pub format: SettingsFormat,
    /// The seed of the random numbers. The same seed makes the same ids in each run, and with a manual clock
    /// also the same times and outcomes
    #[arg(long, value_name = "NUMBER", hide_short_help = true)]
    pub seed: Option<u64>,
    /// The clock; only `sandbox clock` moves a manual one
    #[arg(long, default_value = "real")]
    pub clock: ClockMode,
    /// Keep payments, webhooks, receipts and keys in this SQLite file, and continue with the content of an
    /// existing file
    #[arg(long, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Decide no payment automatically: each payment waits for `sandbox operate`
    #[arg(long)]
    pub hold: bool,
    /// The time that each simulated step takes [default: 300ms]
    #[arg(long, value_name = "TIME", value_parser = time, hide_short_help = true)]
    pub pace: Option<Duration>,
    /// End when standard input closes, so that the sandbox ends together with the program that started it
    #[arg(long, conflicts_with = "run", hide_short_help = true)]
    pub exit_with_stdin: bool,
    /// Run this command with the sandbox's settings in its environment. The sandbox forwards signals to the
    /// command, ends with the command, and exits with the command's status
    #[arg(last = true, value_name = "COMMAND")]
    pub run: Vec<OsString>,
}

/// The sandbox that a command controls. `MERCHANTPAY_BASE_URL` may name the real service, so it never counts.
#[derive(clap::Args)]
pub(crate) struct SandboxUrl {
    /// The URL of the sandbox [default: MERCHANTPAY_SANDBOX_URL, or http://127.0.0.1:8700]
    #[arg(long = "sandbox", value_name = "URL", global = true)]
    pub url: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Ask the control API: its path below /sandbox, and for a POST the fields of its body
    ///
    /// For example: `sandbox api 'payments?limit=1'`, or `sandbox api payments sum=10 paymentMethod=sbp
    /// customerAccount=arbitration`. The file CONTROL.md of the sandbox describes every path. A reply that is not
    /// JSON, such as a receipt, is written as it is.
    Api(Api),
    /// Act as the customer: pay the exact sum, less, more, nothing, or a sum of your choice
    Pay {
        /// The payment's orderId
        #[arg(value_name = "ID")]
        order_id: String,
        /// The paid amount, compared with the sum
        #[arg(default_value = "exactly", conflicts_with = "sum")]
        pays: Pays,
        /// The sum that the customer pays, such as 1400.00
        #[arg(long)]
        sum: Option<String>,
        #[command(flatten)]
        at: SandboxUrl,
    },
    /// Act as the service's operator, who decides about a payment
    Operate {
        /// The payment's orderId
        #[arg(value_name = "ID")]
        order_id: String,
        /// The decision
        action: OperatorAction,
        #[command(flatten)]
        at: SandboxUrl,
    },
    /// Make the next requests fail, and list or clear what makes them fail
    Faults {
        #[command(subcommand)]
        command: Option<FaultsCommand>,
        #[command(flatten)]
        at: SandboxUrl,
    },
    /// Send an earlier webhook again, unchanged or altered
    Resend {
        /// The number of the webhook
        number: u64,
        /// The way in which the webhook is sent
        #[arg(default_value = "resend", value_parser = actions_without(WebhookAction::Reorder))]
        action: WebhookAction,
        /// How much later it is sent, with the action `delay`
        #[arg(long, value_name = "TIME", value_parser = milliseconds)]
        delay: Option<u64>,
        #[command(flatten)]
        at: SandboxUrl,
    },
    /// Alter a payment's next webhooks
    NextWebhook {
        /// The payment's orderId
        #[arg(value_name = "ID")]
        order_id: String,
        /// What is wrong with them
        #[arg(required_unless_present = "clear", conflicts_with = "clear", value_parser = actions_without(WebhookAction::Resend))]
        action: Option<WebhookAction>,
        /// How much later they are sent, with the action `delay`
        #[arg(long, value_name = "TIME", value_parser = milliseconds)]
        delay: Option<u64>,
        /// The number of webhooks to alter [default: 1]
        #[arg(long)]
        times: Option<u32>,
        /// End the alterations
        #[arg(long)]
        clear: bool,
        #[command(flatten)]
        at: SandboxUrl,
    },
    /// Show the sandbox's clock, or advance a manual clock
    Clock {
        /// Advance a manual clock by this time, such as 10s
        #[arg(value_name = "TIME", value_parser = milliseconds)]
        advance: Option<u64>,
        #[command(flatten)]
        at: SandboxUrl,
    },
    /// Print each event as one line when it happens, until you stop the command
    Events {
        /// Only events with this name
        #[arg(long, value_name = "NAME", value_parser = ["hello", "payment", "exchange", "webhook", "faults", "clock", "cleared", "missed"])]
        only: Option<String>,
        #[command(flatten)]
        at: SandboxUrl,
    },
    /// The settings that a client of this sandbox needs
    Settings {
        /// Format in which the settings are printed
        #[arg(long, default_value = "shell")]
        format: SettingsFormat,
        #[command(flatten)]
        at: SandboxUrl,
    },
}

#[derive(clap::Args)]
pub(crate) struct Api {
    /// A path of the control API, such as payments/ID or exchanges?refused=true
    pub path: String,
    /// The fields of the body, such as action=approve
    #[arg(value_name = "FIELD=VALUE")]
    pub fields: Vec<String>,
    /// The method [default: POST if there are fields, otherwise GET]
    #[arg(long, short = 'X', value_parser = ["GET", "POST", "DELETE"])]
    pub method: Option<String>,
    #[command(flatten)]
    pub at: SandboxUrl,
}

/// The actions but one that is impossible here.
fn actions_without(other: WebhookAction) -> impl TypedValueParser<Value = WebhookAction> {
    let actions = WebhookAction::value_variants().iter().filter(|action| **action != other);
    let parser = PossibleValuesParser::new(actions.filter_map(WebhookAction::to_possible_value));
    parser.try_map(|name| WebhookAction::from_str(&name, false))
}

#[derive(Subcommand)]
pub(crate) enum FaultsCommand {
    /// Make the next requests fail, for example: faults add drop-after-commit --operation newPayment
    Add(AddFault),
    /// The faults that can still happen
    List,
    /// Remove one fault, or all faults
    Clear {
        /// The fault's number, which `faults list` shows
        number: Option<u64>,
    },
}

#[derive(clap::Args, serde::Serialize)]
pub(crate) struct AddFault {
    /// What goes wrong
    pub kind: Fault,
    /// Only this operation's requests [default: any]
    #[arg(long, value_parser = operations())]
    pub operation: Option<String>,
    /// The number of requests that fail [default: 1; with --probability, any number]
    #[arg(long)]
    pub times: Option<u32>,
    /// The delay of the reply by the fault `latency`
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    #[serde(rename = "latencyMs")]
    pub latency: Option<u64>,
    /// The size of the reply of the fault `oversized`, in bytes
    #[arg(long)]
    pub bytes: Option<u64>,
    /// The probability that a request fails, above 0 and at most 1
    #[arg(long)]
    pub probability: Option<f64>,
    /// The seed of the random numbers [default: a seed of the sandbox]
    #[arg(long, requires = "probability")]
    pub seed: Option<u64>,
}

fn operations() -> PossibleValuesParser {
    PossibleValuesParser::new(OPERATIONS.iter().map(|operation| operation.name))
}

#[derive(clap::Args)]
pub(crate) struct Story {
    /// The story's name
    #[arg(value_parser = stories())]
    pub name: String,
    /// The URL that the payment's webhooks are sent to [default: the sandbox's own receiver]
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,
    #[command(flatten)]
    pub at: SandboxUrl,
}

fn stories() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(STORIES.iter().map(|story| PossibleValue::new(story.name).help(story.title)))
}

#[derive(clap::Args)]
pub(crate) struct CheckReceiver {
    /// The URL of the receiver
    #[arg(value_name = "URL")]
    pub receiver: String,
    /// The order id of the payment that the webhooks report; the payment must be final [default: a new
    /// payment]
    #[arg(long, value_name = "ID")]
    pub order_id: Option<String>,
    #[command(flatten)]
    pub at: SandboxUrl,
}
