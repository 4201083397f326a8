//! Reads settings from flags or the [environment](crate::environment). An empty variable is treated as missing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use merchantpay::{
    Client, Config, Error, PrivateKey, PublicKey, Result, SETTINGS, Setting, SettingKind, WebhookVerifier,
    check_path, key_text, read_key_file,
};
use zeroize::Zeroizing;

use crate::environment;
use crate::flag_help::flag_help;

/// The settings of a client: each setting of the library's table as a flag or a variable, and the file of the
/// private key.
pub(crate) struct Settings {
    /// The flags that were given, by the setting's name.
    flags: BTreeMap<&'static str, String>,
    private_key_file: Option<PathBuf>,
    pub server: ServerSettings,
}

/// Returns every setting of the library's table except the settings of [`ServerSettings`].
fn flags() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| !matches!(setting.name, "server_public_key" | "server_key_id"))
}

fn flag(setting: &Setting) -> Arg {
    let secret = if setting.kind == SettingKind::Secret {
        "; a variable or a file is safer, because other users can see flags"
    } else {
        ""
    };
    let default = setting
        .default
        .filter(|_| setting.kind != SettingKind::Flag)
        .map_or_else(String::new, |value| format!(" [default: {value}]"));
    let flag = Arg::new(id(setting))
        .long(setting.name_with_unit().replace('_', "-"))
        .help(format!("{}{secret}{default}", flag_help(setting.doc)))
        .help_heading(HEADING);
    match setting.kind {
        SettingKind::Flag => flag.action(ArgAction::SetTrue),
        SettingKind::File | SettingKind::SecretFile => flag.value_name("FILE"),
        SettingKind::Milliseconds => flag.value_name("MS"),
        SettingKind::Number | SettingKind::Bytes => flag.value_name("N"),
        _ => flag.value_name("TEXT"),
    }
}

/// The id of a flag in clap. It has a prefix, because commands have arguments of their own with names such as
/// `key_id`.
fn id(setting: &Setting) -> String {
    format!("setting_{}", setting.name)
}

const HEADING: &str = "Settings (or as variables: MERCHANTPAY_BASE_URL, MERCHANTPAY_KEY_ID …)";

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        let command = flags().fold(command, |command, setting| command.arg(flag(setting)));
        let file = Arg::new("private_key_file")
            .long("private-key-file")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .conflicts_with("setting_private_key")
            .help("A file with the private key, or with the JSON that keygen prints")
            .help_heading(HEADING);
        ServerSettings::augment_args(command.arg(file))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Settings::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Settings, clap::Error> {
        let mut given = BTreeMap::new();
        for setting in flags() {
            let text = match setting.kind {
                SettingKind::Flag => matches.get_flag(&id(setting)).then(|| "1".to_owned()),
                _ => matches.get_one::<String>(&id(setting)).cloned(),
            };
            given.extend(text.map(|text| (setting.name, text)));
        }
        Ok(Settings {
            flags: given,
            private_key_file: matches.get_one::<PathBuf>("private_key_file").cloned(),
            server: ServerSettings::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Settings::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The service's keys, which verify signatures.
#[derive(clap::Args)]
#[command(next_help_heading = "Settings (or as variables: MERCHANTPAY_SERVER_PUBLIC_KEY …)")]
pub(crate) struct ServerSettings {
    /// The service's public key; separate several keys by commas
    #[arg(long, value_name = "BASE64")]
    server_public_key: Option<String>,
    /// The service's key id, if you want to check it; separate several ids by commas
    #[arg(long, value_name = "KEY_ID")]
    server_key_id: Option<String>,
}

/// The place where the text of a setting was found.
pub(crate) enum Origin {
    Flag(String),
    Variable(String),
    /// The file of the private key, and the flag or variable that names the file.
    KeyFile {
        path: PathBuf,
        named_by: &'static str,
    },
}

impl Settings {
    pub(crate) fn client(&self) -> Result<Client> {
        Client::new(self.config()?)
    }

    pub(crate) fn config(&self) -> Result<Config> {
        let mut texts = Vec::with_capacity(SETTINGS.len());
        for setting in SETTINGS {
            texts.push(self.origin(setting).map(|origin| self.text(setting, &origin)).transpose()?);
        }
        let mut texts = texts.into_iter();
        let next = |_: &Setting| texts.next().flatten().map(|mut text| std::mem::take(&mut *text));
        Config::from_texts(next).map_err(with_variable)
    }

    /// Returns the place where the setting was found, if it is set. A flag takes precedence over a variable,
    /// and the private key takes precedence over its file.
    pub(crate) fn origin(&self, setting: &Setting) -> Option<Origin> {
        let flag = format!("--{}", setting.name_with_unit().replace('_', "-"));
        let is_private_key = setting.name == "private_key";
        if self.flag_text(setting).is_some() {
            return Some(Origin::Flag(flag));
        }
        if let Some(path) = self.private_key_file.as_ref().filter(|_| is_private_key) {
            return Some(Origin::KeyFile { path: path.clone(), named_by: "--private-key-file" });
        }
        if environment::value(&setting.variable()).is_some_and(|text| !text.is_empty()) {
            return Some(Origin::Variable(setting.variable()));
        }
        let file = variable("PRIVATE_KEY_FILE").filter(|_| is_private_key).map(PathBuf::from);
        file.map(|path| Origin::KeyFile { path, named_by: "MERCHANTPAY_PRIVATE_KEY_FILE" })
    }

    /// The text of the setting at this origin.
    pub(crate) fn text(&self, setting: &Setting, origin: &Origin) -> Result<Zeroizing<String>> {
        match origin {
            Origin::Flag(_) => Ok(Zeroizing::new(self.flag_text(setting).cloned().unwrap_or_default())),
            Origin::Variable(name) => environment::value(name)
                .unwrap_or_default()
                .into_string()
                .map(Zeroizing::new)
                .map_err(|_| Error::invalid_argument(format!("{name} is not UTF-8"))),
            Origin::KeyFile { path, .. } => read_private_key_text(path),
        }
    }

    fn flag_text(&self, setting: &Setting) -> Option<&String> {
        match setting.name {
            "server_public_key" => self.server.server_public_key.as_ref(),
            "server_key_id" => self.server.server_key_id.as_ref(),
            name => self.flags.get(name),
        }
    }
}

impl ServerSettings {
    /// Makes the verifier of webhooks, with the merchant's own key id and key from the environment. The
    /// verifier refuses a webhook with the merchant's key id. If the merchant's key was given as the
    /// service's key, the function fails. If the merchant's key cannot be read, the key is ignored.
    pub(crate) fn verifier(&self) -> Result<WebhookVerifier> {
        let mut config = Config::default();
        let keys = given(&self.server_public_key, "SERVER_PUBLIC_KEY");
        config.set(
            "server_public_key",
            keys.ok_or_else(|| missing("service's public key", "SERVER_PUBLIC_KEY"))?.as_str(),
        )?;
        config.set("server_key_id", given(&self.server_key_id, "SERVER_KEY_ID").as_deref())?;
        config.set("key_id", variable("KEY_ID").as_deref())?;
        let own = own_private_key().and_then(Result::ok).map(|key| key.public_key());
        let own = own.or_else(|| PublicKey::from_base64(&variable("PUBLIC_KEY")?).ok());
        config.set("public_key", own.map(|own| own.to_base64()).as_deref())?;
        config.verifier()
    }
}

/// The merchant's private key from the environment, if it is set.
fn own_private_key() -> Option<Result<PrivateKey>> {
    private_key(variable("PRIVATE_KEY"), variable("PRIVATE_KEY_FILE").as_deref().map(Path::new))
}

/// The service's first key id from the environment, if it is set.
pub(crate) fn server_key_id() -> Option<String> {
    variable("SERVER_KEY_ID").and_then(|ids| ids.split(',').next().map(|id| id.trim().to_owned()))
}

/// Reads a key from its text. Without a text, reads the key from a file.
pub(crate) fn private_key(text: Option<String>, file: Option<&Path>) -> Option<Result<PrivateKey>> {
    match (text, file) {
        (Some(text), _) => Some(read_key(&Zeroizing::new(text))),
        (None, file) => file.map(read_private_key),
    }
}

/// The value of a variable. An empty variable is treated as missing.
pub(crate) fn variable(name: &str) -> Option<String> {
    let value = environment::value(&format!("MERCHANTPAY_{name}"))?;
    value.into_string().ok().filter(|value| !value.is_empty())
}

fn given(flag: &Option<String>, name: &str) -> Option<String> {
    flag.clone().or_else(|| variable(name))
}

/// If a setting is missing, returns an error that also names the variable of the setting.
fn with_variable(error: Error) -> Error {
    let is_missing = |setting: &&Setting| error.message() == format!("{} is missing", setting.name);
    match SETTINGS.iter().find(is_missing) {
        Some(setting) => missing(&setting.name.replace('_', " "), &setting.name.to_uppercase()),
        None => error,
    }
}

pub(crate) fn missing(what: &str, name: &str) -> Error {
    Error::invalid_argument(format!("the {what} is missing: give its flag or set MERCHANTPAY_{name}"))
}

/// Reads a private key from a file. The file contains the base64 alone, or the JSON that `keygen` prints.
pub(crate) fn read_private_key(path: &Path) -> Result<PrivateKey> {
    read_key(&read_private_key_text(path)?)
}

fn read_key(text: &str) -> Result<PrivateKey> {
    PrivateKey::from_base64(&key_text("private_key", text)?)
}

fn read_private_key_text(path: &Path) -> Result<Zeroizing<String>> {
    check_path("private_key_file", path)?;
    read_key_file(path).map_err(|fault| {
        Error::invalid_argument(format!("the private key file {} cannot be read: {fault}", path.display()))
    })
}
