//! The settings of a sandbox's client, for a program, a shell or a programmer.

mod code;
mod environment;
mod format;
mod json;

pub use format::SettingsFormat;

use crate::model::merchant_keys::MerchantKeys;

/// The settings with which the clients of a sandbox reach it.
pub struct SandboxSettings {
    pub(crate) base_url: String,
    /// The URL of the control API and the console, which can differ from `base_url`.
    pub(crate) control_url: String,
    pub(crate) server_public_key: String,
    pub(crate) server_key_id: String,
    pub(crate) merchants: Vec<MerchantKeys>,
}

/// The settings of one merchant's client.
#[derive(Clone, Copy)]
pub struct ClientSettings<'a> {
    sandbox: &'a SandboxSettings,
    merchant: &'a MerchantKeys,
}

impl SandboxSettings {
    /// The settings of each merchant's client, in the order of the merchants. There is at least one client.
    pub fn clients(&self) -> impl Iterator<Item = ClientSettings<'_>> {
        self.merchants.iter().map(|merchant| ClientSettings { sandbox: self, merchant })
    }
}

impl ClientSettings<'_> {
    /// The merchant's key id.
    pub fn key_id(&self) -> &str {
        &self.merchant.key_id
    }

    /// The merchant's public key.
    pub fn public_key(&self) -> String {
        self.merchant.public_key.to_base64()
    }

    /// Returns `true` if the settings contain the private key: the sandbox does not have this key if the
    /// merchant gave only a public key.
    pub fn has_private_key(&self) -> bool {
        self.merchant.private_key.is_some()
    }

    /// The settings as environment variables.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let settings = [
            ("MERCHANTPAY_BASE_URL", Some(self.sandbox.base_url.clone())),
            ("MERCHANTPAY_KEY_ID", Some(self.merchant.key_id.clone())),
            ("MERCHANTPAY_PRIVATE_KEY", self.private_key()),
            ("MERCHANTPAY_SERVER_PUBLIC_KEY", Some(self.sandbox.server_public_key.clone())),
            ("MERCHANTPAY_SERVER_KEY_ID", Some(self.sandbox.server_key_id.clone())),
            ("MERCHANTPAY_SANDBOX_URL", Some(self.sandbox.control_url.clone())),
        ];
        settings.into_iter().filter_map(|(variable, value)| Some((variable, value?))).collect()
    }

    /// The settings in a format, without a final line break.
    pub fn text(&self, format: SettingsFormat) -> String {
        match format {
            SettingsFormat::Shell => environment::shell(self),
            SettingsFormat::Dotenv => environment::dotenv(self),
            SettingsFormat::Systemd => environment::systemd(self),
            SettingsFormat::PhpFpm => environment::php_fpm(self),
            SettingsFormat::Json => json::json(self),
            SettingsFormat::C => code::c(self),
            SettingsFormat::Cpp => code::cpp(self),
            SettingsFormat::Python => code::python(self),
            SettingsFormat::Php => code::php(self),
            SettingsFormat::Go => code::go(self),
        }
    }

    fn private_key(&self) -> Option<String> {
        self.merchant.private_key.as_ref().map(|key| key.to_base64().as_str().to_owned())
    }
}
