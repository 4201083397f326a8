//! The table of settings. This module reads the settings from texts, such as environment variables.

use zeroize::Zeroizing;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::keys::{PrivateKey, PublicKey};
use crate::webhook::WebhookVerifier;

/// A setting of a client or of the journal. Code of the other languages and parts of the
/// documentation are generated from the lists of settings. [`SETTINGS`] lists all settings of a client.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The name in snake case, without the unit. The environment variable is `MERCHANTPAY_` and this name in
    /// capitals, with `_MS` at the end for milliseconds.
    pub name: &'static str,
    /// The kind of the setting's value.
    pub kind: SettingKind,
    /// `true` if the setting is required.
    pub needed: bool,
    /// The default value as text.
    pub default: Option<&'static str>,
    /// A description in one line.
    pub doc: &'static str,
    /// The version that introduced the setting.
    pub since: &'static str,
}

/// Applies a setting's text to a configuration.
type Apply = fn(Config, &Setting, &str) -> Result<Config>;

/// The kinds of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// A text.
    Text,
    /// A text that must not be shown: a private key, or a URL that may contain a password.
    Secret,
    /// Several texts. In a variable they are separated by commas.
    Texts,
    /// A file's path.
    File,
    /// The path of a file whose content must not be shown.
    SecretFile,
    /// Milliseconds, 32 bits.
    Milliseconds,
    /// A number, 32 bits.
    Number,
    /// A number of bytes, 64 bits.
    Bytes,
    /// Yes or no: 1 or 0.
    Flag,
}

impl Setting {
    /// The setting of a client with this name, such as `timeout_ms`. The name includes the unit: see
    /// [`name_with_unit`](Setting::name_with_unit).
    ///
    /// # Errors
    ///
    /// `invalid_argument` if there is no such setting.
    pub fn named(name: &str) -> Result<&'static Setting> {
        Setting::among(SETTINGS, name)
    }

    /// The setting with this name in `table`.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if there is no such setting.
    pub fn among<'a>(table: &'a [Setting], name: &str) -> Result<&'a Setting> {
        table
            .iter()
            .find(|row| row.name_with_unit() == name)
            .ok_or_else(|| Error::invalid_argument(format!("there is no setting {name:?}")))
    }

    /// The name with its unit, such as `timeout_ms`.
    pub fn name_with_unit(&self) -> String {
        let unit = if self.kind == SettingKind::Milliseconds { "_ms" } else { "" };
        format!("{}{unit}", self.name)
    }

    /// The name of the setting's environment variable, such as `MERCHANTPAY_TIMEOUT_MS`.
    pub fn variable(&self) -> String {
        format!("MERCHANTPAY_{}", self.name_with_unit().to_uppercase())
    }
}

macro_rules! settings {
    ($(
        $( #[doc = $doc:literal] )+
        $name:literal $kind:ident $(needed $needed:literal)? $(, unless set $default:literal)? $(, since $since:literal)? $(=> $apply:expr)?;
    )+) => {
        /// Every setting of a client that is not a callback.
        pub const SETTINGS: &[Setting] = &[ $( Setting {
            name: $name,
            kind: SettingKind::$kind,
            needed: false $(|| $needed)?,
            default: settings!(@default $($default)?),
            doc: concat!($($doc),+).trim_ascii(),
            since: crate::since!($($since)?),
        }, )+ ];

        /// The functions that apply the settings. The settings that [`Config::new`] takes are read
        /// separately.
        const APPLIED: &[Apply] = &[ $( settings!(@apply $($apply)?), )+ ];
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
    (@apply) => { |config, _, _| Ok(config) };
    (@apply $apply:expr) => { $apply };
}

settings! {
    /// The absolute https URL before /api/v1/merchant/pay. Plain http is allowed to loopback only.
    "base_url" Text needed true;
    /// The merchant's key id, as the service issued it (contract, section 5). It consists of visible ASCII.
    "key_id" Text needed true;
    /// The merchant's private key: base64 of 64 bytes, which are the seed and the public key (contract,
    /// section 5).
    "private_key" Secret needed true;
    /// The merchant's own public key, base64 of 32 bytes. It is required if a callback signs. Otherwise it is
    /// only compared with the private key.
    "public_key" Text
        => check_public_key;
    /// The service's public key, base64 of 32 bytes. Set several keys while the service rotates its keys.
    "server_public_key" Texts needed true;
    /// The key ids of the service. If key ids are set, each reply must have one of these key ids. A webhook
    /// may have no key id; otherwise it must also have one of these key ids.
    "server_key_id" Texts
        => |config, _, ids| Ok(Setting::texts("server_key_id", ids)?.into_iter().fold(config, Config::server_key_id));
    /// A file with the PEM certificates of a CA to trust in addition to the operating system's CAs.
    "ca_file" File
        => |config, _, path| config.ca_file(path);
    /// The text of the PEM certificates of a CA to trust in addition to the operating system's CAs.
    "ca_pem" Text
        => |config, _, pem| Ok(config.ca_pem(pem));
    /// Trusts only the configured CA, and not the operating system's CAs.
    "exclusive_ca" Flag, unless set "0", since "0.2.0"
        => |config, row, text| Ok(config.exclusive_ca(row.flag(text)?));
    /// A pin of the public key of the service's own certificate: `sha256/` and the base64 of the SHA-256 of
    /// the certificate's SubjectPublicKeyInfo. Set several pins while the service changes its key.
    "pin_spki" Texts, since "0.2.0"
        => |config, _, pins| Setting::texts("pin_spki", pins)?.into_iter().try_fold(config, Config::pin_spki);
    /// A PEM file with the client's certificate and its chain, for a service that requires a client
    /// certificate (mTLS).
    "client_cert_file" File, since "0.2.0";
    /// A PEM file with the private key of the client's certificate. It can be the same file as the
    /// certificate's.
    "client_key_file" SecretFile, since "0.2.0";
    /// An HTTP proxy, as http://[user:password@]host:port. Variables such as HTTP_PROXY are not read.
    "proxy" Secret
        => |config, _, url| Ok(config.proxy(url));
    /// Allows plain http to another machine. Anyone on the network path can then read every account and
    /// signature.
    "allow_http" Flag, unless set "0", since "0.2.0"
        => |config, row, text| Ok(config.allow_http(row.flag(text)?));
    /// The `User-Agent` header.
    "user_agent" Text
        => |config, _, text| Ok(config.user_agent(text));
    /// The time limit of a whole call with its retries. The service itself can take 10 s for `newPayment`.
    "timeout" Milliseconds, unless set "30000"
        => |config, row, text| Ok(config.timeout(row.milliseconds(text)?));
    /// The time limit for opening one connection.
    "connect_timeout" Milliseconds, unless set "10000"
        => |config, row, text| Ok(config.connect_timeout(row.milliseconds(text)?));
    /// The time after a response for which the response's connection can be reused for a call that is sent
    /// only once. 0 means never.
    "reuse_idle" Milliseconds, unless set "1000", since "0.2.0"
        => |config, row, text| Ok(config.reuse_idle(row.milliseconds(text)?));
    /// The time for which a connection that was opened early can wait for its first request.
    "connect_idle" Milliseconds, unless set "10000", since "0.2.0"
        => |config, row, text| Ok(config.connect_idle(row.milliseconds(text)?));
    /// The largest number of retries; 0 means no retries. The library retries `getAvailableAmounts` and
    /// `getStatus`, and any other request only if no byte of that request was written.
    "max_retries" Number, unless set "2"
        => |config, row, text| Ok(config.max_retries(row.number(text)?));
    /// The size of the largest reply body that is read.
    "max_reply_bytes" Bytes, unless set "1048576"
        => |config, row, text| Ok(config.max_reply_bytes(row.number(text)?));
}

impl Config {
    /// Makes a configuration from texts, in the format of environment variables: lists with commas, times in
    /// milliseconds, flags as 1 or 0. `text` returns the text of a setting. `None` and an empty text mean
    /// that the setting is not set.
    ///
    /// # Errors
    ///
    /// `invalid_argument` or `invalid_key` if a required setting is missing, or if a setting cannot be read.
    /// The error names the setting and does not show its text.
    pub fn from_texts(mut text: impl FnMut(&Setting) -> Option<String>) -> Result<Config> {
        let mut texts: Vec<Option<Zeroizing<String>>> =
            SETTINGS.iter().map(|row| cleaned(row, &mut text)).collect::<Result<_>>()?;
        let mut take = |name: &str| {
            SETTINGS.iter().position(|row| row.name == name).and_then(|place| texts.get_mut(place)?.take())
        };
        let mut needed =
            |name: &str| take(name).ok_or_else(|| Error::invalid_argument(format!("{name} is missing")));
        let (base_url, key_id) = (needed("base_url")?, needed("key_id")?);
        let private_key = PrivateKey::from_base64(&needed("private_key")?)?;
        let server_keys = needed("server_public_key")?;
        let certificate = (take("client_cert_file"), take("client_key_file"));

        let server_keys = Setting::texts("server_public_key", &server_keys)?;
        let mut keys = server_keys.iter().map(|key| PublicKey::from_base64(key));
        let first =
            keys.next().unwrap_or_else(|| Err(Error::invalid_argument("server_public_key is missing")))?;
        let together =
            || Error::invalid_argument("client_cert_file and client_key_file must be set together");
        let config = Config::new(base_url.as_str(), key_id.as_str(), private_key, first);
        let config = keys.try_fold(config, |config, key| key.map(|key| config.server_public_key(key)))?;
        let mut config = match certificate {
            (Some(certificate), Some(key)) => {
                config.client_certificate_files(certificate.as_str(), key.as_str())?
            }
            (None, None) => config,
            _ => return Err(together()),
        };
        for ((row, text), apply) in SETTINGS.iter().zip(&texts).zip(APPLIED) {
            if let Some(text) = text {
                config = apply(config, row, text)?;
            }
        }
        Ok(config)
    }
}

impl WebhookVerifier {
    /// Makes a verifier from texts in the format of [`Config::from_texts`]. Only `server_public_key` is
    /// required. `server_key_id`, `key_id` and the merchant's own key make the verifier stricter.
    ///
    /// # Errors
    ///
    /// `invalid_argument` or `invalid_key` for a setting that is missing or cannot be read.
    pub fn from_texts(mut text: impl FnMut(&Setting) -> Option<String>) -> Result<WebhookVerifier> {
        let mut take = |name: &str| {
            let row = SETTINGS.iter().find(|row| row.name == name)?;
            cleaned(row, &mut text).transpose()
        };
        let missing = || Error::invalid_argument("server_public_key is missing");
        let keys = Setting::texts("server_public_key", &take("server_public_key").ok_or_else(missing)??)?;
        let ids =
            take("server_key_id").map_or(Ok(Vec::new()), |ids| Setting::texts("server_key_id", &ids?))?;
        let keys = keys.iter().map(|key| PublicKey::from_base64(key)).collect::<Result<Vec<_>>>()?;
        let own_id = take("key_id").transpose()?;
        let verifier = WebhookVerifier::with_keys(&keys, &ids, own_id.as_deref().map(String::as_str))?;
        let own = match take("private_key").transpose()? {
            Some(key) => Some(PrivateKey::from_base64(&key)?.public_key()),
            None => take("public_key").map(|key| PublicKey::from_base64(&key?)).transpose()?,
        };
        match own {
            Some(own) => verifier.refuse_key(own),
            None => Ok(verifier),
        }
    }
}

/// The text of a setting that is set. A list is cleaned when it is split.
fn cleaned(
    row: &Setting,
    text: &mut impl FnMut(&Setting) -> Option<String>,
) -> Result<Option<Zeroizing<String>>> {
    let Some(text) = text(row).filter(|text| !text.is_empty()).map(Zeroizing::new) else { return Ok(None) };
    if row.kind == SettingKind::Texts {
        return Ok(Some(text));
    }
    row.clean(&text).map(|text| Some(Zeroizing::new(text.to_owned())))
}

fn check_public_key(config: Config, _: &Setting, text: &str) -> Result<Config> {
    if config.signer.public_key() == PublicKey::from_base64(text)? {
        Ok(config)
    } else {
        Err(Error::invalid_key("public_key is not the public half of private_key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keypair;

    /// Reads valid texts, but some of them are replaced by the texts in `others`.
    fn read(others: &[(&str, &str)]) -> Result<Config> {
        let (own, service) = (Keypair::generate()?, Keypair::generate()?);
        Config::from_texts(|setting| {
            let other =
                others.iter().find(|(name, _)| *name == setting.name).map(|(_, text)| (*text).to_owned());
            other.or_else(|| match setting.name {
                "base_url" => Some("https://pay.example".to_owned()),
                "key_id" => Some("key-1".to_owned()),
                "private_key" => Some(own.private_key().to_base64().to_string()),
                "server_public_key" => Some(service.public_key().to_base64()),
                _ => None,
            })
        })
    }

    #[test]
    fn every_setting_is_read_from_its_text() {
        let config = read(&[
            ("timeout", "1500"),
            ("connect_timeout", "700"),
            ("reuse_idle", "0"),
            ("connect_idle", "5"),
            ("max_retries", "0"),
            ("max_reply_bytes", "4096"),
            ("allow_http", "1"),
            ("exclusive_ca", "0"),
            ("server_key_id", "a, b"),
            ("user_agent", "till/1"),
            ("proxy", "http://u:p@proxy:3128"),
        ])
        .unwrap();
        assert_eq!(
            [config.timeout, config.connect_timeout, config.reuse_idle, config.connect_idle]
                .map(|time| time.as_millis()),
            [1500, 700, 0, 5]
        );
        assert_eq!(
            (config.max_retries, config.max_reply_bytes, config.allow_http, config.exclusive_ca),
            (0, 4096, true, false)
        );
        assert_eq!(
            (config.server_key_ids, config.user_agent.as_str()),
            (vec!["a".to_owned(), "b".to_owned()], "till/1")
        );
        assert_eq!(config.proxy.as_deref(), Some("http://u:p@proxy:3128"));
    }

    #[test]
    fn a_client_certificate_is_read_from_its_two_files_together() {
        let file = std::env::temp_dir().join(format!("merchantpay-settings-{}.pem", std::process::id()));
        std::fs::write(&file, "pem").unwrap();
        let path = file.to_str().unwrap();
        let both = [("client_cert_file", path), ("client_key_file", path)];
        assert!(read(&both).unwrap().client_certificate.is_some());
        for one in both {
            assert!(read(&[one]).unwrap_err().message().contains("together"), "{}", one.0);
        }
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_settings_variable_is_its_name_with_its_unit() {
        let of = |name: &str| {
            let setting = SETTINGS.iter().find(|setting| setting.name == name).unwrap();
            (setting.name_with_unit(), setting.variable())
        };
        let both = |name: &str, variable: &str| (name.to_owned(), variable.to_owned());
        assert_eq!(of("timeout"), both("timeout_ms", "MERCHANTPAY_TIMEOUT_MS"));
        assert_eq!(of("base_url"), both("base_url", "MERCHANTPAY_BASE_URL"));
    }

    #[test]
    fn a_text_that_cannot_be_read_is_named_and_not_shown() {
        for (name, text, message) in [
            ("timeout", "soon", "timeout_ms must be a whole number of milliseconds"),
            ("max_retries", "-1", "max_retries must be a whole number"),
            ("allow_http", "yes", "allow_http must be 1 or 0"),
            ("base_url", "", "base_url is missing"),
            ("server_public_key", " , ", "server_public_key is empty"),
            ("pin_spki", ",", "pin_spki is empty"),
            ("client_key_file", "/nowhere", "client_cert_file and client_key_file must be set together"),
        ] {
            assert_eq!(read(&[(name, text)]).unwrap_err().message(), message, "{name}");
        }
        let other = Keypair::generate().unwrap().public_key().to_base64();
        assert_eq!(read(&[("public_key", &other)]).unwrap_err().code(), crate::Code::InvalidKey);
    }

    #[test]
    fn a_verifier_needs_the_services_public_key_alone_and_refuses_the_merchants_own() {
        let (own, service) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
        let (own_key, service_key) = (own.public_key().to_base64(), service.public_key().to_base64());
        let private = own.private_key().to_base64();
        let read = |texts: &[(&str, &str)]| {
            let find =
                |name| texts.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned());
            WebhookVerifier::from_texts(|setting| find(setting.name)).map_err(|error| error.code())
        };
        assert!(read(&[("server_public_key", &service_key)]).is_ok());
        let both = format!("{service_key}, {own_key}");
        for (name, text) in [("private_key", private.as_str()), ("public_key", &own_key)] {
            assert!(read(&[("server_public_key", &service_key), (name, text)]).is_ok(), "{name}");
            let refused = read(&[("server_public_key", &both), (name, text)]).err();
            assert_eq!(refused, Some(crate::Code::InvalidKey), "{name}");
        }
        let ids = [("server_public_key", service_key.as_str()), ("server_key_id", "a, b"), ("key_id", "b")];
        assert_eq!(read(&ids).err(), Some(crate::Code::InvalidArgument));
        assert_eq!(read(&[("server_public_key", " , ")]).err(), Some(crate::Code::InvalidArgument));
    }

    #[test]
    fn what_is_not_set_is_what_the_table_says() {
        let config = read(&[]).unwrap();
        let default = |name: &str| {
            SETTINGS.iter().find(|row| row.name == name).and_then(|row| row.default).unwrap().to_owned()
        };
        for (name, value) in [
            ("timeout", config.timeout.as_millis().to_string()),
            ("connect_timeout", config.connect_timeout.as_millis().to_string()),
            ("reuse_idle", config.reuse_idle.as_millis().to_string()),
            ("connect_idle", config.connect_idle.as_millis().to_string()),
            ("max_retries", config.max_retries.to_string()),
            ("max_reply_bytes", config.max_reply_bytes.to_string()),
            ("allow_http", i32::from(config.allow_http).to_string()),
            ("exclusive_ca", i32::from(config.exclusive_ca).to_string()),
        ] {
            assert_eq!(value, default(name), "{name}");
        }
    }
}
