//! The command line of `webhook`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use crate::settings::{ServerSettings, TrustSettings};

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
    pub server: ServerSettings,
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
    pub server: ServerSettings,
    #[command(flatten)]
    pub trust: TrustSettings,
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
    pub server: ServerSettings,
    #[command(flatten)]
    pub trust: TrustSettings,
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
