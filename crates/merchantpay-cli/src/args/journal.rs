//! `journal …`: commands for payments by the merchant's own order numbers.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Subcommand};

use super::flags::{self, Flags};
use crate::settings::{JournalPlace, JournalSettings};

/// Each command prints one JSON line per entry; on a terminal it prints text for people.
#[derive(Subcommand)]
pub(crate) enum JournalCommand {
    /// Create the journal's file or tables once, before the first payment; a repetition changes nothing
    Init(JournalPlace),
    /// Create a payment, or print the existing payment of the reference; exits with 0 if there are payment
    /// details for the customer (credentials)
    Pay(Pay),
    /// Create a payment in place of an attempt that nobody will pay any more, if it is unknown, refused,
    /// cancelled or failed; exits like `pay`
    Replace(Replace),
    /// Report that the customer has paid an attempt; exits with 0 if the service accepted the report
    Confirm(OneAttempt),
    /// Cancel an attempt; exits with 0 if the service accepted the cancellation
    Cancel(OneAttempt),
    /// Process a webhook with its body on stdin, and print the HTTP status to answer with; exits with 5 if
    /// the webhook does not verify
    Receive(Receive),
    /// Ask the service about open attempts whose next status query is due, and retry unanswered confirms and
    /// cancels
    Settle(Settle),
    /// Ask the service about one reference until its status is final; exits with 0 only if exactly the
    /// requested sum was paid
    Wait {
        /// The merchant's own order number
        reference: String,
        /// Wait for the final status, or for payment details that the customer needs (credentials). With
        /// `credentials`, exits with 0 only if there are credentials to show. --timeout limits the wait
        #[arg(long, default_value = "final", value_parser = ["final", "credentials"])]
        until: String,
        #[command(flatten)]
        settings: JournalSettings,
    },
    /// Print one reference with all its attempts, the latest attempt first
    Show(Reference),
    /// List the entries, newest first
    List(List),
    /// List unacknowledged changes, and lease them: for a minute no other caller gets them
    News {
        /// The largest number of entries to print
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        #[command(flatten)]
        settings: JournalSettings,
    },
    /// Acknowledge the news of an attempt after acting on them; exits with 1 if they were acknowledged before,
    /// or if there are newer ones
    Acknowledge {
        /// The merchant's own order number
        reference: String,
        /// The number of the attempt, as `news` printed it
        #[arg(long, value_name = "N")]
        attempt: u32,
        /// The number of the news on which you acted, as `news` printed it; later news stay unacknowledged
        #[arg(long, value_name = "N")]
        news: i64,
        #[command(flatten)]
        settings: JournalSettings,
    },
    /// List the items about which an operator must decide, each with the commands that decide it
    Attention {
        /// The largest number of entries to print
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        #[command(flatten)]
        place: JournalPlace,
    },
    /// Store an operator's decision about an attempt or an orphan
    Resolve(Resolve),
    /// Print the SQL statements that create the tables, for migration tools
    Schema {
        /// The kind of database
        #[arg(value_parser = ["sqlite", "postgresql", "mysql"])]
        dialect: String,
    },
    /// Print the number of attempts that are not over, the delay of the most overdue attempt, and the number
    /// of items that need attention
    Stats {
        /// Exit with 1 if more than this many items need attention
        #[arg(long, value_name = "COUNT")]
        max_attention: Option<u64>,
        /// Print nothing unless more items than --max-attention need attention, so that cron mails only then
        #[arg(long, requires = "max_attention")]
        quiet: bool,
        /// The output format: `prometheus` is the text format that Prometheus reads
        #[arg(long, value_name = "FORMAT", value_parser = ["prometheus"])]
        format: Option<String>,
        #[command(flatten)]
        place: JournalPlace,
    },
    /// Copy a journal's file while it is in use; the copy is paused, and its attempts are marked as restored
    Backup {
        /// The absolute path of the copy; the path must not exist yet
        file: PathBuf,
        #[command(flatten)]
        place: JournalPlace,
    },
    /// Mark all attempts as restored and pause the journal, after a database was restored by its own tools
    Restored(JournalPlace),
    /// Stop `pay`, `replace` and `news` in every process until `resume`; returns when no payment is being made,
    /// which over a database can take half a minute
    Pause(Noted),
    /// End a pause
    Resume(Noted),
    /// Delete the personal data of one reference. A paid reference stays paid; one that was refused can be paid
    /// again
    Forget(Reference),
    /// Print the whole journal as JSON lines; run `pause` first
    Export(JournalPlace),
    /// Store the lines of `export` from stdin; existing attempts stay as they are. The journal is paused then,
    /// and its attempts are marked as restored
    Import {
        /// The lines are an export of version 0.3.0. This journal is not paused, and its attempts are not marked as
        /// restored
        #[arg(long = "from-0.3")]
        from_0_3: bool,
        /// The journal of version 0.3.0 was paused before its export, and nobody will ever resume it: it could go on
        /// paying from its own tables
        #[arg(long, requires = "from_0_3")]
        paused_for_ever: bool,
        #[command(flatten)]
        place: JournalPlace,
    },
    /// Delete the details of finished attempts that were created before a date
    #[command(group = ArgGroup::new("age").required(true).args(["before", "older_than"]))]
    Purge {
        /// Only attempts that were created before this date: 2026-01-31, or 2026-01-31T12:00:00Z
        #[arg(long, value_name = "DATE")]
        before: Option<String>,
        /// Only attempts that were created longer ago than this time, such as 90d
        #[arg(long, value_name = "TIME")]
        older_than: Option<String>,
        #[command(flatten)]
        place: JournalPlace,
    },
    /// Allow clients with a further key id, before the key changes
    AllowKey {
        /// The new key id
        key_id: String,
        #[command(flatten)]
        place: JournalPlace,
    },
    /// Allow clients with a further base URL, before the service's address changes
    AllowUrl {
        /// The new base URL
        base_url: String,
        #[command(flatten)]
        place: JournalPlace,
    },
}

#[derive(clap::Args)]
pub(crate) struct Pay {
    /// The merchant's own order number
    #[arg(long, allow_hyphen_values = true)]
    pub reference: String,
    #[command(flatten)]
    pub request: Flags<flags::JournalPay>,
    /// Use /new-async: a webhook brings the credentials
    #[arg(long = "async")]
    pub asynchronous: bool,
    #[command(flatten)]
    pub settings: JournalSettings,
}

#[derive(clap::Args)]
pub(crate) struct Replace {
    /// The merchant's own order number
    pub reference: String,
    /// The number of the attempt that is given up
    #[arg(long, value_name = "N")]
    pub attempt: u32,
    #[command(flatten)]
    pub request: Flags<flags::JournalPay>,
    #[command(flatten)]
    pub settings: JournalSettings,
}

#[derive(clap::Args)]
pub(crate) struct Reference {
    /// The merchant's own order number
    pub reference: String,
    #[command(flatten)]
    pub place: JournalPlace,
}

#[derive(clap::Args)]
pub(crate) struct OneAttempt {
    /// The merchant's own order number
    pub reference: String,
    /// The number of the attempt; required if the reference has more than one attempt
    #[arg(long, value_name = "N")]
    pub attempt: Option<u32>,
    #[command(flatten)]
    pub settings: JournalSettings,
}

#[derive(clap::Args)]
#[command(mut_arg("setting_key_id", |own| own.long("own-key-id")))]
pub(crate) struct Receive {
    /// The path or URL that the webhook was sent to
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    pub path: String,
    /// The value of the header X-Signature
    #[arg(long, allow_hyphen_values = true)]
    pub signature: String,
    /// The value of the header X-KeyId, if the webhook has one
    #[arg(long = "webhook-key-id", alias = "key-id", value_name = "KEY_ID", allow_hyphen_values = true)]
    pub key_id: Option<String>,
    #[command(flatten)]
    pub settings: JournalSettings,
}

#[derive(clap::Args)]
pub(crate) struct Settle {
    /// Run as a service until SIGTERM or SIGINT, with a pause such as 10s between the runs
    #[arg(long, value_name = "PAUSE")]
    pub every: Option<String>,
    /// Serve /healthz, /metrics and the operator's page at this address, such as 127.0.0.1:9464
    #[arg(long, value_name = "ADDRESS", requires = "every")]
    pub listen: Option<SocketAddr>,
    /// A further host name under which the metrics are served, such as a container's name; the flag can be
    /// repeated
    #[arg(long = "allow-host", value_name = "NAME", requires = "listen", value_parser = NonEmptyStringValueParser::new())]
    pub allowed_hosts: Vec<String>,
    /// The largest number of attempts in one run
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    #[command(flatten)]
    pub settings: JournalSettings,
}

#[derive(clap::Args)]
pub(crate) struct List {
    /// Only attempts of this standing: sending, unknown, refused, open, final or superseded
    #[arg(long)]
    pub standing: Option<String>,
    /// Only attempts that were stored at this date or later: 2026-01-31, or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only attempts that were stored before this date
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// The largest number of entries to print [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub place: JournalPlace,
}

#[derive(clap::Args)]
#[command(group = ArgGroup::new("decision").required(true).args(["order_id", "no_payment", "seen", "trusted"]))]
pub(crate) struct Resolve {
    /// The merchant's own order number
    #[arg(required_unless_present = "orphan", conflicts_with = "orphan")]
    pub reference: Option<String>,
    /// The number of the attempt; required if the reference has more than one attempt
    #[arg(long, value_name = "N", conflicts_with = "orphan")]
    pub attempt: Option<u32>,
    /// In place of a reference: the order id of an orphan (a message that matches no attempt), with --seen
    #[arg(long, value_name = "ID", requires = "seen")]
    pub orphan: Option<String>,
    /// The order id that the service's support named for this attempt; the status of that order is read first
    #[arg(long, value_name = "ID")]
    pub order_id: Option<String>,
    /// The sum of that order, if it is not the requested sum
    #[arg(long, value_name = "SUM")]
    pub sum: Option<String>,
    /// Decide that the service has no payment for this attempt
    #[arg(long)]
    pub no_payment: bool,
    /// Take the reasons that you have read off the attention list; one that came meanwhile stays. For an
    /// orphan: its status, or none
    #[arg(long, value_name = "REASON,…", value_delimiter = ',')]
    pub seen: Vec<String>,
    /// Decide that a restored attempt, which is refused or final, is as new as the truth: support was asked
    /// about every merchantId of the reference
    #[arg(long)]
    pub trusted: bool,
    /// The person who decided, and the reason
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: String,
    #[command(flatten)]
    pub settings: JournalSettings,
}

#[derive(clap::Args)]
pub(crate) struct Noted {
    /// The person who decided, and the reason
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: String,
    #[command(flatten)]
    pub place: JournalPlace,
}
