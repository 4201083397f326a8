//! `sandbox control …`: commands that watch and control a running sandbox.

use std::path::PathBuf;

use clap::Subcommand;
use merchantpay_sandbox::SettingsFormat;

#[derive(clap::Args)]
pub(crate) struct Control {
    #[command(subcommand)]
    pub command: ControlCommand,
    #[command(flatten)]
    pub at: SandboxUrl,
}

/// The sandbox that a command controls. `MERCHANTPAY_BASE_URL` may name the real service, so it never counts.
#[derive(clap::Args)]
pub(crate) struct SandboxUrl {
    /// The URL of the sandbox [default: MERCHANTPAY_SANDBOX_URL, or http://127.0.0.1:8700]
    #[arg(long = "sandbox", value_name = "URL", global = true)]
    pub url: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct Story {
    /// The story's name: paid, paid-less (the customer pays too little), no-credentials, arbitration,
    /// lost-response, late-webhook, forged-webhook or repeated-webhook
    pub name: String,
    /// The URL that the payment's webhooks are sent to [default: the sandbox's own receiver]
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,
    #[command(flatten)]
    pub at: SandboxUrl,
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

/// Each command sends one request to the control API and prints the reply.
#[derive(Subcommand)]
pub(crate) enum ControlCommand {
    /// The sandbox's version, features and assumptions
    Info,
    /// The settings that a client of this sandbox needs
    Settings {
        /// Format in which the settings are printed
        #[arg(long, value_parser = super::settings_format(), default_value = "shell")]
        format: SettingsFormat,
    },
    /// The payments, newest first
    Payments {
        /// Only payments with this status
        #[arg(long)]
        status: Option<String>,
        /// Only payments with this merchantId
        #[arg(long, allow_hyphen_values = true)]
        merchant_id: Option<String>,
        #[command(flatten)]
        page: Page,
    },
    /// One payment: credentials, timeline, exchanges, webhooks, receipts
    Payment {
        #[arg(value_name = "ID")]
        order_id: String,
    },
    /// Act as the customer: pay the exact sum, less, more, nothing, or a sum of your choice
    Pay {
        #[arg(value_name = "ID")]
        order_id: String,
        /// The paid amount, compared with the sum: exactly, less, more or nothing
        #[arg(default_value = "exactly", conflicts_with = "sum")]
        pays: String,
        /// The sum that the customer pays, such as 1400.00
        #[arg(long)]
        sum: Option<String>,
    },
    /// Act as the service's operator: approve, fail, arbitration, require-receipt, hold or release
    Operate {
        #[arg(value_name = "ID")]
        order_id: String,
        action: String,
    },
    /// Write an attached receipt into a file
    Receipt {
        #[arg(value_name = "ID")]
        order_id: String,
        number: u64,
        /// The file, which must not exist yet
        #[arg(long, value_name = "FILE")]
        output: PathBuf,
    },
    /// The signed requests and replies, newest first
    Exchanges {
        /// Only requests and replies about this payment
        #[arg(long, value_name = "ID")]
        order_id: Option<String>,
        /// Only requests and replies of this operation, such as getStatus
        #[arg(long)]
        operation: Option<String>,
        #[command(flatten)]
        page: Page,
    },
    /// One request and its reply, byte by byte
    Exchange { number: u64 },
    /// The webhooks, newest first; of one payment or of all payments
    Webhooks {
        #[arg(value_name = "ID")]
        order_id: Option<String>,
        /// Only webhooks of payments with this merchantId
        #[arg(long, allow_hyphen_values = true)]
        merchant_id: Option<String>,
        /// Only webhooks whose URL ends with this token
        #[arg(long)]
        token: Option<String>,
        #[command(flatten)]
        page: Page,
    },
    /// One webhook with every attempt to deliver it
    Webhook { number: u64 },
    /// Send an earlier webhook again, unchanged or altered
    Resend {
        number: u64,
        /// The way in which the webhook is sent: resend (unchanged), duplicate, delay, tamper, wrong-key or unsigned
        #[arg(long = "as", value_name = "ACTION", default_value = "resend")]
        action: String,
        #[arg(long, value_name = "MS")]
        delay_ms: Option<u64>,
    },
    /// Alter a payment's next webhooks: duplicate, delay, reorder, tamper, wrong-key or unsigned; clear ends
    /// the alterations
    NextWebhook {
        #[arg(value_name = "ID")]
        order_id: String,
        action: String,
        #[arg(long, value_name = "MS")]
        delay_ms: Option<u64>,
        /// The number of webhooks to alter [default: 1]
        #[arg(long)]
        times: Option<u64>,
    },
    /// Make the next requests fail, for example: fault drop-after-commit --operation newPayment
    Fault(Fault),
    /// The faults that can still happen
    Faults,
    /// Remove one fault, or all faults
    Clear { number: Option<u64> },
    /// Print each event as one line when it happens, until you stop the command
    Events {
        /// Only events with this name: payment, exchange, webhook, faults or clock
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
    },
    /// Show the sandbox's clock, or advance a manual clock
    Clock {
        #[command(subcommand)]
        command: Option<ClockCommand>,
    },
}

#[derive(clap::Args)]
pub(crate) struct Page {
    /// The number of entries to print, at most 500 [default: 100]
    #[arg(long)]
    pub limit: Option<u64>,
    /// Continue after the previous page: the value `next` of that page
    #[arg(long)]
    pub before: Option<u64>,
}

#[derive(clap::Args)]
pub(crate) struct Fault {
    /// The fault: unsigned, malformed-signature, wrong-key, tampered, reflected, html-bad-gateway,
    /// wrong-order, duplicate-keys, redirect, oversized, latency, drop-before-commit, drop-after-commit,
    /// stall-before-commit or stall-after-commit
    pub kind: String,
    /// Only this operation's requests, such as getStatus [default: any]
    #[arg(long)]
    pub operation: Option<String>,
    /// The number of requests that fail [default: 1; with --probability, any number]
    #[arg(long)]
    pub times: Option<u64>,
    /// The delay of the reply by the fault `latency`
    #[arg(long, value_name = "MS")]
    pub latency_ms: Option<u64>,
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

#[derive(Subcommand)]
pub(crate) enum ClockCommand {
    /// Advance a manual clock by this time
    Advance {
        #[arg(value_name = "MS")]
        ms: u64,
    },
}
