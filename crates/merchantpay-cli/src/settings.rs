//! Settings by flag or environment. An empty variable counts as absent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use merchantpay::{Client, Config, Error, PrivateKey, PublicKey, Result, WebhookVerifier};
use merchantpay_journal::JournalConfig;
use zeroize::Zeroizing;

use crate::webhook::Parties;

/// What a client needs. Each flag has a variable of the same name, `MERCHANTPAY_BASE_URL` and so on.
#[derive(clap::Args)]
#[command(next_help_heading = "Settings (or as variables: MERCHANTPAY_BASE_URL, MERCHANTPAY_KEY_ID …)")]
pub(crate) struct Settings {
    /// What stands before /api/v1/merchant/pay
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Allow plain http to another machine [variable: 1 or 0]
    #[arg(long)]
    allow_http: bool,
    /// The merchant's key id
    #[arg(long, id = "own_key_id", value_name = "KEY_ID")]
    key_id: Option<String>,
    /// The merchant's private key; better in the environment or a file, as flags are visible to others
    #[arg(long, value_name = "BASE64", conflicts_with = "private_key_file")]
    private_key: Option<String>,
    /// A file with the private key, or with what keygen prints
    #[arg(long, value_name = "FILE")]
    private_key_file: Option<PathBuf>,
    #[command(flatten)]
    pub server: ServerSettings,
    /// PEM file of an authority to trust beside the system's
    #[arg(long, value_name = "FILE")]
    ca_file: Option<String>,
    /// Deadline of a call, retries included [default: 30000]
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<String>,
    /// HTTP proxy, as http://host:port
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
}

/// What a journal needs beside its client.
#[derive(clap::Args)]
#[command(next_help_heading = "The journal (or as variables: MERCHANTPAY_JOURNAL …)")]
pub(crate) struct JournalSettings {
    /// The journal's SQLite file; `pay`, `receive`, `settle` and `import` make it if it is not there
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Where webhooks come; each attempt adds a token of its own
    #[arg(long, value_name = "URL")]
    callback_url: Option<String>,
    /// Whose payments these are [default: the base URL]
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// JSON lines on a terminal too
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: Settings,
}

impl JournalSettings {
    pub(crate) fn file(&self) -> Result<PathBuf> {
        let file = self.journal.clone().or_else(|| variable("JOURNAL").map(PathBuf::from));
        file.ok_or_else(|| missing("journal's file", "JOURNAL"))
    }

    /// A payment's deadline is the client's.
    pub(crate) fn config(&self, file: &Path, client: &Client) -> JournalConfig {
        let mut config = JournalConfig::new(file).timeout(client.timeout());
        if let Some(url) = given(&self.callback_url, "CALLBACK_URL") {
            config = config.callback_url(url);
        }
        if let Some(account) = given(&self.account, "ACCOUNT") {
            config = config.account(account);
        }
        config
    }
}

/// Whose signatures are believed.
#[derive(clap::Args)]
#[command(next_help_heading = "Settings (or as variables: MERCHANTPAY_SERVER_PUBLIC_KEY …)")]
pub(crate) struct ServerSettings {
    /// The service's public key; several with commas
    #[arg(long, value_name = "BASE64")]
    server_public_key: Option<String>,
    /// The service's key id, where it is to be checked; several with commas
    #[arg(long, value_name = "KEY_ID")]
    server_key_id: Option<String>,
}

impl Settings {
    pub(crate) fn client(&self) -> Result<Client> {
        let base_url = required(&self.base_url, "base URL", "BASE_URL")?;
        let key_id = required(&self.key_id, "key id", "KEY_ID")?;
        let private_key = self.private_key()?;
        let (first, others) = self.server.keys()?;
        let mut config = Config::new(base_url, key_id, private_key, first).allow_http(self.allow_http()?);
        for key in others {
            config = config.server_public_key(key);
        }
        for id in self.server.key_ids() {
            config = config.server_key_id(id);
        }
        if let Some(path) = given(&self.ca_file, "CA_FILE") {
            config = config.ca_file(path)?;
        }
        if let Some(proxy) = given(&self.proxy, "PROXY") {
            config = config.proxy(proxy);
        }
        if let Some(text) = given(&self.timeout_ms, "TIMEOUT_MS") {
            let ms = text.parse().map_err(|_| Error::invalid_argument("the timeout must be a whole number of milliseconds"))?;
            config = config.timeout(Duration::from_millis(ms));
        }
        Client::new(config)
    }

    fn allow_http(&self) -> Result<bool> {
        match variable("ALLOW_HTTP").as_deref() {
            _ if self.allow_http => Ok(true),
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(_) => Err(Error::invalid_argument("MERCHANTPAY_ALLOW_HTTP must be 1 or 0")),
        }
    }

    /// A flag of either kind wins over a variable of either kind.
    fn private_key(&self) -> Result<PrivateKey> {
        private_key(self.private_key.clone(), self.private_key_file.as_deref())
            .or_else(own_private_key)
            .unwrap_or_else(|| Err(missing("private key", "PRIVATE_KEY or MERCHANTPAY_PRIVATE_KEY_FILE")))
    }
}

impl ServerSettings {
    /// The service's public keys, of which there is at least one.
    fn keys(&self) -> Result<(PublicKey, Vec<PublicKey>)> {
        let text = required(&self.server_public_key, "service's public key", "SERVER_PUBLIC_KEY")?;
        let mut keys = text.split(',').map(|text| PublicKey::from_base64(text.trim()));
        let first = keys.next().unwrap_or_else(|| Err(missing("service's public key", "SERVER_PUBLIC_KEY")))?;
        Ok((first, keys.collect::<Result<_>>()?))
    }

    fn key_ids(&self) -> Vec<String> {
        let text = given(&self.server_key_id, "SERVER_KEY_ID").unwrap_or_default();
        text.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect()
    }

    /// What believes webhooks, and the parties that it knows. The merchant's own key id and key are those of the
    /// environment: what carries the one is refused, and the other must not stand for the service's. A private key that
    /// cannot be read does not matter here.
    pub(crate) fn verifier(&self) -> Result<(WebhookVerifier, Parties)> {
        let (first, others) = self.keys()?;
        let own_key = own_private_key().and_then(Result::ok).map(|key| key.public_key());
        let parties = Parties {
            server_keys: [first].into_iter().chain(others).collect(),
            server_key_ids: self.key_ids(),
            own_key,
            own_key_id: variable("KEY_ID"),
        };
        let verifier = WebhookVerifier::with_keys(&parties.server_keys, &parties.server_key_ids, parties.own_key_id.as_deref())?;
        let verifier = own_key.map_or(Ok(verifier.clone()), |own| verifier.refuse_key(own))?;
        Ok((verifier, parties))
    }
}

/// The merchant's private key of the environment, if there is one.
fn own_private_key() -> Option<Result<PrivateKey>> {
    private_key(variable("PRIVATE_KEY"), variable("PRIVATE_KEY_FILE").as_deref().map(Path::new))
}

/// The first key id of the service in the environment, if there is one.
pub(crate) fn server_key_id() -> Option<String> {
    variable("SERVER_KEY_ID").and_then(|ids| ids.split(',').next().map(|id| id.trim().to_owned()))
}

/// A key that is given as its text, or else in a file.
pub(crate) fn private_key(text: Option<String>, file: Option<&Path>) -> Option<Result<PrivateKey>> {
    match (text, file) {
        (Some(text), _) => Some(PrivateKey::from_base64(Zeroizing::new(text).trim())),
        (None, file) => file.map(read_private_key),
    }
}

/// The variable's value. One that is empty counts as absent.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(format!("MERCHANTPAY_{name}")).ok().filter(|value| !value.is_empty())
}

fn given(flag: &Option<String>, name: &str) -> Option<String> {
    flag.clone().or_else(|| variable(name))
}

fn required(flag: &Option<String>, what: &str, name: &str) -> Result<String> {
    given(flag, name).ok_or_else(|| missing(what, name))
}

fn missing(what: &str, name: &str) -> Error {
    Error::invalid_argument(format!("the {what} is missing: give its flag or set MERCHANTPAY_{name}"))
}

/// The base64 alone, or the JSON that `keygen` prints.
pub(crate) fn read_private_key(path: &Path) -> Result<PrivateKey> {
    let unreadable =
        |why: &dyn std::fmt::Display| Error::invalid_argument(format!("the private key file {} cannot be read: {why}", path.display()));
    let text = Zeroizing::new(std::fs::read_to_string(path).map_err(|error| unreadable(&error))?);
    let text = text.trim();
    if !text.starts_with('{') {
        return PrivateKey::from_base64(text);
    }
    let mut pair: BTreeMap<String, String> =
        serde_json::from_str(text).map_err(|_| unreadable(&"it is neither base64 nor what keygen prints"))?;
    let key = Zeroizing::new(pair.remove("privateKey").ok_or_else(|| unreadable(&"it has no privateKey"))?);
    PrivateKey::from_base64(&key)
}
