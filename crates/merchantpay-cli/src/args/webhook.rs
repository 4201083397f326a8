//! The command line of `webhook`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use crate::settings::ServerSettings;

#[derive(Subcommand)]
pub(crate) enum WebhookCommand {
    /// Verify the webhook body on stdin and print its event
    Verify(Verify),
    /// Receive webhooks: verify each webhook, and print its event or the reason why it does not verify.
    ///
    /// The first line on stdout is {"listening":URL}. For a webhook that verifies, the command prints the
    /// same line as `webhook verify` and answers 200. For a webhook that does not verify, it prints
    /// {"error":{…,"cause","hint"}} to stderr and answers 400. If an output is a terminal, its lines are
    /// written for people. The command accepts every path. Ctrl-C ends it with 0. After --count webhooks the
    /// command exits with 0 if all of them have verified, and with 5 if not.
    Listen(Listen),
    /// Sign a webhook with the sandbox's key and send it, to test a receiver.
    ///
    /// Prints {"httpStatus","durationMs"}. Exit status: 0 if the answer is a 2xx, 1 for any other answer, 2
    /// wrong input, 3 not sent, 4 no answer.
    Send(Box<Send>),
}

#[derive(clap::Args)]
pub(crate) struct Verify {
    /// The value of the header with the signature
    #[arg(long, allow_hyphen_values = true)]
    pub signature: String,
    /// The value of the header with the key id
    #[arg(long, value_name = "KEY_ID")]
    pub key_id: Option<String>,
    #[command(flatten)]
    pub server: ServerSettings,
}

#[derive(clap::Args)]
pub(crate) struct Listen {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// Port to listen on; 0 for any free port
    #[arg(long)]
    pub port: u16,
    /// Forward each webhook that verifies to this http URL, with the same bytes and headers. The answer from
    /// this URL becomes the answer to the sender. If the URL has no path, the path of the webhook is added
    #[arg(long, value_name = "URL")]
    pub forward: Option<String>,
    /// Also forward webhooks that do not verify
    #[arg(long, requires = "forward")]
    pub forward_unverified: bool,
    /// End after this many webhooks, verified or not
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// The name of the header with the signature
    #[arg(long, default_value = "X-Signature", value_name = "NAME")]
    pub signature_header: String,
    /// The name of the header with the key id
    #[arg(long, default_value = "X-KeyId", value_name = "NAME")]
    pub key_id_header: String,
    #[command(flatten)]
    pub server: ServerSettings,
}

#[derive(clap::Args)]
pub(crate) struct Send {
    /// The URL of the merchant's receiver
    #[arg(long)]
    pub url: String,
    /// The service's private key; a file is safer, because other users can see flags
    #[arg(
        long,
        value_name = "BASE64",
        required_unless_present = "private_key_file",
        conflicts_with = "private_key_file"
    )]
    pub private_key: Option<String>,
    /// The file with the service's private key, which `sandbox --server-private-key-file` wrote
    #[arg(long, value_name = "FILE")]
    pub private_key_file: Option<PathBuf>,
    /// The service's key id [default: the first of MERCHANTPAY_SERVER_KEY_ID, or sandbox-server]
    #[arg(long)]
    pub key_id: Option<String>,
    /// The event that the webhook reports
    #[arg(value_enum, required_unless_present = "body")]
    pub kind: Option<Kind>,
    /// Send the bytes of this file as they are; - for stdin
    #[arg(long, value_name = "FILE", conflicts_with = "kind")]
    pub body: Option<PathBuf>,
    #[command(flatten)]
    pub fields: Fields,
    #[command(flatten)]
    pub damage: Damage,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The service found payment details for the customer (credentials)
    Credentials,
    /// The service found no payment details for the customer
    CredentialsFailed,
    /// The payment has a new status
    Status,
}

/// The fields of a webhook. The webhook contains only the fields that were given. Some fields have an example
/// as their default: the order id, the status, and in a credentials webhook the sum, the account and the
/// currency.
#[derive(clap::Args)]
#[command(next_help_heading = "Fields")]
#[group(conflicts_with = "body", multiple = true)]
pub(crate) struct Fields {
    /// The order id of the payment [default: order-1]
    #[arg(long, allow_hyphen_values = true)]
    order_id: Option<String>,
    /// The status in a status webhook [default: doneSuccess]
    #[arg(long)]
    status: Option<String>,
    /// The paid or requested sum, such as 1500.50
    #[arg(long, value_name = "AMOUNT")]
    sum: Option<String>,
    /// The account that the customer pays to
    #[arg(long, allow_hyphen_values = true, value_name = "ACCOUNT")]
    payee_account: Option<String>,
    /// The bank of the account that the customer pays to
    #[arg(long, value_name = "BANK")]
    payee_account_bank: Option<String>,
    /// The holder of the account that the customer pays to
    #[arg(long, value_name = "NAME")]
    payee_name: Option<String>,
    /// The currency in a credentials webhook [default: RUB]
    #[arg(long)]
    currency: Option<String>,
    /// The sum in the currency of the merchant's balance
    #[arg(long, value_name = "AMOUNT")]
    deal_sum: Option<String>,
    /// The currency of the merchant's balance
    #[arg(long, value_name = "CURRENCY")]
    deal_currency: Option<String>,
    /// The exchange rate between the payment's currency and the currency of the merchant's balance
    #[arg(long, value_name = "RATE")]
    deal_rate: Option<String>,
    /// The URL of the page on which the customer pays
    #[arg(long, value_name = "URL")]
    deeplink: Option<String>,
}

/// A field of a webhook: its name, its value if one was given, and whether the value is a number.
pub(crate) struct Field<'a> {
    pub name: &'static str,
    pub given: Option<&'a str>,
    pub is_number: bool,
}

impl Fields {
    /// All fields in the order of the contract (section 6).
    pub(crate) fn all(&self) -> [Field<'_>; 11] {
        fn field<'a>(name: &'static str, given: &'a Option<String>, is_number: bool) -> Field<'a> {
            Field { name, given: given.as_deref(), is_number }
        }
        [
            field("orderId", &self.order_id, false),
            field("status", &self.status, false),
            field("sum", &self.sum, true),
            field("payeeAccount", &self.payee_account, false),
            field("payeeAccountBank", &self.payee_account_bank, false),
            field("payeeName", &self.payee_name, false),
            field("currency", &self.currency, false),
            field("dealSum", &self.deal_sum, true),
            field("dealCurrency", &self.deal_currency, false),
            field("dealRate", &self.deal_rate, true),
            field("deeplink", &self.deeplink, false),
        ]
    }
}

/// The damage that is done to the webhook on purpose, so that a receiver must refuse the webhook.
#[derive(clap::Args)]
#[command(next_help_heading = "Damage on purpose")]
pub(crate) struct Damage {
    /// Change a character of the signed body
    #[arg(long)]
    pub tamper: bool,
    /// Sign with a wrong key
    #[arg(long)]
    pub wrong_key: bool,
    /// Leave out the header with the signature
    #[arg(long)]
    pub no_signature: bool,
    /// Put a byte order mark before the signed body
    #[arg(long)]
    pub bom: bool,
    /// Write the signature in base64url without padding
    #[arg(long)]
    pub base64url: bool,
}
