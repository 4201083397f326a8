//! The settings of the sandbox's client, for a program, a shell or a programmer.

use std::collections::BTreeMap;

use merchantpay::{PrivateKey, PublicKey};
use serde_json::json;

use crate::model::state::TEST_ACCOUNTS;

/// A format in which the settings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum SettingsFormat {
    /// Lines with export, for a shell.
    #[cfg_attr(feature = "clap", value(alias = "env"))]
    Shell,
    /// An environment file: for --env-file, for systemd, and as .env.
    #[cfg_attr(feature = "clap", value(alias = "dotenv"))]
    EnvFile,
    /// One object, which also has the environment variables.
    Json,
}

impl SettingsFormat {
    /// Every format.
    pub const ALL: &[SettingsFormat] =
        &[SettingsFormat::Shell, SettingsFormat::EnvFile, SettingsFormat::Json];

    /// The name, such as `env-file`.
    pub fn name(self) -> &'static str {
        match self {
            SettingsFormat::Shell => "shell",
            SettingsFormat::EnvFile => "env-file",
            SettingsFormat::Json => "json",
        }
    }

    /// A short description of the content.
    pub fn description(self) -> &'static str {
        match self {
            SettingsFormat::Shell => "Lines with export, for a shell",
            SettingsFormat::EnvFile => "An environment file: for --env-file, for systemd, and as .env",
            SettingsFormat::Json => "One object, which also has the environment variables",
        }
    }
}

/// The settings with which the merchant's client reaches the sandbox.
#[derive(Clone)]
pub struct ClientSettings {
    pub(crate) base_url: String,
    /// The URL of the control API and the console, which can differ from `base_url`.
    pub(crate) control_url: String,
    pub(crate) key_id: String,
    pub(crate) public_key: PublicKey,
    pub(crate) private_key: Option<PrivateKey>,
    pub(crate) server_public_key: String,
    pub(crate) server_key_id: String,
}

impl ClientSettings {
    /// The merchant's key id.
    pub fn key_id(&self) -> &str {
        &self.key_id
    }

    /// Returns `true` if the settings contain the private key: the sandbox does not have this key if the
    /// merchant gave only a public key.
    pub fn has_private_key(&self) -> bool {
        self.private_key.is_some()
    }

    /// The settings as environment variables.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let settings = [
            ("MERCHANTPAY_BASE_URL", Some(self.base_url.clone())),
            ("MERCHANTPAY_KEY_ID", Some(self.key_id.clone())),
            ("MERCHANTPAY_PRIVATE_KEY", self.private_key_text()),
            ("MERCHANTPAY_SERVER_PUBLIC_KEY", Some(self.server_public_key.clone())),
            ("MERCHANTPAY_SERVER_KEY_ID", Some(self.server_key_id.clone())),
            ("MERCHANTPAY_SANDBOX_URL", Some(self.control_url.clone())),
        ];
        settings.into_iter().filter_map(|(variable, value)| Some((variable, value?))).collect()
    }

    /// The settings in a format, without a final line break.
    pub fn text(&self, format: SettingsFormat) -> String {
        match format {
            SettingsFormat::Shell => self.shell(),
            SettingsFormat::EnvFile => self.env_file(),
            SettingsFormat::Json => self.json(),
        }
    }

    /// The last line begins with `# Stop it`.
    fn shell(&self) -> String {
        let mut lines =
            vec![format!("# merchantpay sandbox at {} - a simulator: no money moves here", self.base_url)];
        let export = |(name, value): &(&str, String)| format!("export {name}={}", shell_word(value));
        lines.extend(self.environment().iter().map(export));
        // The variables of an environment file would take precedence over the lines above.
        lines.push("export MERCHANTPAY_ENV_FILE=".to_owned());
        lines.push(
            "# A customerAccount decides what happens to a payment; any other pays exactly:".to_owned(),
        );
        lines.extend(TEST_ACCOUNTS.iter().map(|one| format!("#   {:24} {}", one.account, one.effect)));
        lines.push("# Stop it with Ctrl-C.".to_owned());
        lines.join("\n")
    }

    /// The syntax that `--env-file`, systemd's `EnvironmentFile=` and all readers of `.env` files share: a
    /// plain value has no quotes, and a value in single quotes is literal.
    fn env_file(&self) -> String {
        let value = |value: &str| match value {
            value if is_plain(value) => value.to_owned(),
            value if !value.contains('\'') => format!("'{value}'"),
            value => {
                let escape = |one| if "\"\\$`".contains(one) { vec!['\\', one] } else { vec![one] };
                format!("\"{}\"", value.chars().flat_map(escape).collect::<String>())
            }
        };
        let mut lines = vec!["# merchantpay sandbox: a simulator, no money moves here".to_owned()];
        lines.extend(self.environment().iter().map(|(name, text)| format!("{name}={}", value(text))));
        lines.join("\n")
    }

    /// `privateKey` is `null` if only the merchant has the key.
    fn json(&self) -> String {
        let object = json!({
            "baseUrl": self.base_url,
            "keyId": self.key_id,
            "privateKey": self.private_key_text(),
            "serverPublicKey": self.server_public_key,
            "serverKeyId": self.server_key_id,
            "environment": self.environment().into_iter().collect::<BTreeMap<_, _>>(),
        });
        object.to_string()
    }

    fn private_key_text(&self) -> Option<String> {
        self.private_key.as_ref().map(|key| key.to_base64().as_str().to_owned())
    }
}

/// Quotes a word for a shell where that is necessary.
pub fn shell_word(word: &str) -> String {
    match is_plain(word) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn is_plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(&byte))
}
