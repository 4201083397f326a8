//! Settings by flag or environment. An empty variable counts as absent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use merchantpay::{Client, Config, Error, PrivateKey, PublicKey, Result, WebhookVerifier};
use zeroize::Zeroizing;

/// What a client needs.
#[derive(clap::Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct Settings {
    /// What stands before /api/v1/merchant/pay
    #[arg(long, env = "MERCHANTPAY_BASE_URL", value_name = "URL")]
    pub base_url: Option<String>,
    /// The merchant's key id
    #[arg(long, env = "MERCHANTPAY_KEY_ID")]
    pub key_id: Option<String>,
    /// The merchant's private key; better in the environment or a file, as flags are visible to others
    #[arg(long, env = "MERCHANTPAY_PRIVATE_KEY", hide_env_values = true, value_name = "BASE64")]
    pub private_key: Option<String>,
    /// A file with the private key, or with what keygen prints
    #[arg(long, env = "MERCHANTPAY_PRIVATE_KEY_FILE", value_name = "FILE")]
    pub private_key_file: Option<PathBuf>,
    #[command(flatten)]
    pub server: ServerSettings,
    /// PEM file of an authority to trust beside the system's
    #[arg(long, env = "MERCHANTPAY_CA_FILE", value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Deadline of a call, retries included [default: 30000]
    #[arg(long, env = "MERCHANTPAY_TIMEOUT_MS", value_name = "MS")]
    pub timeout_ms: Option<String>,
    /// HTTP proxy, as http://host:port
    #[arg(long, env = "MERCHANTPAY_PROXY", value_name = "URL")]
    pub proxy: Option<String>,
}

/// Whose signatures are believed.
#[derive(clap::Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct ServerSettings {
    /// The service's public key; several with commas
    #[arg(long, env = "MERCHANTPAY_SERVER_PUBLIC_KEY", value_name = "BASE64", value_delimiter = ',')]
    pub server_public_key: Vec<String>,
    /// The service's key id, where it is to be checked; several with commas
    #[arg(long, env = "MERCHANTPAY_SERVER_KEY_ID", value_name = "KEY_ID", value_delimiter = ',')]
    pub server_key_id: Vec<String>,
}

impl Settings {
    pub(crate) fn client(&self) -> Result<Client> {
        let base_url = given(&self.base_url).ok_or_else(|| missing("base URL", "--base-url", "MERCHANTPAY_BASE_URL"))?;
        let key_id = given(&self.key_id).ok_or_else(|| missing("key id", "--key-id", "MERCHANTPAY_KEY_ID"))?;
        let private_key = self.private_key()?;
        let mut keys = self.server.keys()?.into_iter();
        let first = keys.next().ok_or_else(|| missing("service's public key", "--server-public-key", "MERCHANTPAY_SERVER_PUBLIC_KEY"))?;
        let mut config = Config::new(base_url, key_id, private_key, first);
        for key in keys {
            config = config.server_public_key(key);
        }
        for id in self.server.key_ids() {
            config = config.server_key_id(id);
        }
        if let Some(path) = self.ca_file.as_deref().filter(|path| !path.as_os_str().is_empty()) {
            config = config.ca_file(path)?;
        }
        if let Some(proxy) = given(&self.proxy) {
            config = config.proxy(proxy);
        }
        if let Some(text) = given(&self.timeout_ms) {
            let ms = text.parse().map_err(|_| Error::invalid_argument("the timeout must be a whole number of milliseconds"))?;
            config = config.timeout(Duration::from_millis(ms));
        }
        Client::new(config)
    }

    fn private_key(&self) -> Result<PrivateKey> {
        let file = self.private_key_file.as_deref().filter(|path| !path.as_os_str().is_empty());
        match (given(&self.private_key), file) {
            (Some(text), _) => PrivateKey::from_base64(text.trim()),
            (None, Some(path)) => read_private_key(path),
            (None, None) => Err(missing("private key", "--private-key-file", "MERCHANTPAY_PRIVATE_KEY or MERCHANTPAY_PRIVATE_KEY_FILE")),
        }
    }
}

impl ServerSettings {
    fn keys(&self) -> Result<Vec<PublicKey>> {
        let texts = self.server_public_key.iter().map(|text| text.trim());
        texts.filter(|text| !text.is_empty()).map(PublicKey::from_base64).collect()
    }

    fn key_ids(&self) -> Vec<String> {
        self.server_key_id.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
    }

    /// `own_key_id` is the merchant's: what carries it is refused.
    pub(crate) fn verifier(&self, own_key_id: Option<&str>) -> Result<WebhookVerifier> {
        let keys = self.keys()?;
        if keys.is_empty() {
            return Err(missing("service's public key", "--server-public-key", "MERCHANTPAY_SERVER_PUBLIC_KEY"));
        }
        WebhookVerifier::with_keys(&keys, &self.key_ids(), own_key_id)
    }
}

fn given(value: &Option<String>) -> Option<&str> {
    value.as_deref().filter(|value| !value.is_empty())
}

fn missing(what: &str, flag: &str, variable: &str) -> Error {
    Error::invalid_argument(format!("the {what} is missing: give {flag} or set {variable}"))
}

/// The base64 alone, or the JSON that `keygen` prints.
fn read_private_key(path: &Path) -> Result<PrivateKey> {
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
