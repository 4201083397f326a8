//! The program's settings: one table, of which the flags, the variables and `help settings` are made. An empty
//! variable is treated as missing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, TypedValueParser as _};
use clap::{Arg, ArgAction};
use merchantpay::{
    Client, Config, Error, PublicKey, Result, SETTINGS, Setting, SettingKind, WebhookVerifier, check_path,
};
use zeroize::Zeroizing;

use crate::args::flags::{Flags, Table, flag_help};
use crate::dates::milliseconds;
use crate::environment::{self, variable};
use crate::keys::{parse_key, read_private_key, read_private_key_text};
use crate::output::watched;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// What verifies the service's signatures.
    Server,
    Trust,
    /// Everything else that a client needs.
    Client,
    /// Of a journal: where it is and how it is opened.
    Place,
    /// Of a journal, for its calls to the service.
    Calls,
    /// Settings of the program that are no flags of these commands, or have no flag.
    Program,
}

static OWN: [(Setting, Scope); 5] = [
    own(
        "private_key_file",
        SettingKind::SecretFile,
        Scope::Client,
        "A file with the private key, or with the JSON that keygen prints",
    ),
    own("journal_password", SettingKind::Secret, Scope::Program, "The password of the journal's database"),
    own(
        "journal_password_command",
        SettingKind::Text,
        Scope::Place,
        "A shell's command that prints the database's password; it runs once, when the program starts",
    ),
    own("env_file", SettingKind::File, Scope::Program, "A file with these variables"),
    own(
        "sandbox_url",
        SettingKind::Text,
        Scope::Program,
        "The sandbox that its verbs control; as a flag: --sandbox",
    ),
];

const fn own(name: &'static str, kind: SettingKind, scope: Scope, doc: &'static str) -> (Setting, Scope) {
    (Setting { name, kind, needed: false, default: None, doc, since: "0.4.0" }, scope)
}

/// A command's `-h` shows no others.
const FOR_BEGINNERS: [&str; 6] =
    ["base_url", "key_id", "private_key_file", "server_public_key", "place", "callback_url"];

pub(crate) const HEADING: &str = "Settings (`merchantpay help settings` lists all, and their variables)";

#[derive(Clone, Copy)]
pub(crate) struct Row {
    setting: &'static Setting,
    scope: Scope,
}

pub(crate) fn table() -> impl Iterator<Item = Row> {
    let scope_of = |setting: &Setting| match setting.name {
        "server_public_key" | "server_key_id" => Scope::Server,
        "ca_file" | "ca_pem" | "exclusive_ca" => Scope::Trust,
        _ => Scope::Client,
    };
    let of_journal = |setting: &Setting| match setting.name {
        "place" | "password_file" | "durability_vouched" | "connections" => Some(Scope::Place),
        "callback_url" | "pay_wait" => Some(Scope::Calls),
        _ => None,
    };
    let client = SETTINGS.iter().map(move |setting| Row { setting, scope: scope_of(setting) });
    let journal = merchantpay_journal::SETTINGS.iter();
    let journal = journal.filter_map(move |setting| Some(Row { setting, scope: of_journal(setting)? }));
    client.chain(OWN.iter().map(|(setting, scope)| Row { setting, scope: *scope })).chain(journal)
}

impl Row {
    /// As in the variable: with its unit, and with `journal` where the crate's name does not say it.
    fn name(&self) -> String {
        match self.setting.name {
            "place" => "journal".to_owned(),
            "password_file" | "connections" => format!("journal_{}", self.setting.name),
            _ => self.setting.name_with_unit(),
        }
    }

    pub(crate) fn variable(&self) -> String {
        format!("MERCHANTPAY_{}", self.name().to_uppercase())
    }

    fn flag(&self) -> String {
        format!("--{}", self.name().trim_end_matches("_ms").replace('_', "-"))
    }

    /// For clap, with a prefix, because commands have arguments of their own with names such as `key_id`.
    fn id(&self) -> String {
        format!("setting_{}", self.setting.name)
    }

    fn value_name(&self) -> &'static str {
        match self.setting.kind {
            SettingKind::File | SettingKind::SecretFile => "FILE",
            SettingKind::Milliseconds => "TIME",
            SettingKind::Number | SettingKind::Bytes => "N",
            _ if self.setting.name == "place" => "FILE or URL",
            _ if self.setting.name.ends_with("_url") => "URL",
            _ => "TEXT",
        }
    }

    fn default(&self) -> Option<String> {
        let default = self.setting.default.filter(|_| self.setting.kind != SettingKind::Flag)?;
        let unit = if self.setting.kind == SettingKind::Milliseconds { "ms" } else { "" };
        Some(format!("{default}{unit}"))
    }

    fn arg(&self) -> Arg {
        let secret = if self.setting.kind == SettingKind::Secret {
            "; a variable or a file is safer, because other users can see flags"
        } else {
            ""
        };
        let default = self.default().map_or_else(String::new, |value| format!(" [default: {value}]"));
        let arg = Arg::new(self.id())
            .long(self.flag().trim_start_matches('-').to_owned())
            .help(format!("{}{secret}{default}", flag_help(self.setting.doc)))
            .help_heading(HEADING)
            .hide_short_help(!FOR_BEGINNERS.contains(&self.setting.name));
        let arg = match self.setting.name {
            "private_key_file" => arg.conflicts_with("setting_private_key"),
            "journal_password_command" => arg.conflicts_with("setting_password_file"),
            _ => arg,
        };
        match self.setting.kind {
            SettingKind::Flag => arg.action(ArgAction::SetTrue),
            SettingKind::Milliseconds => arg.value_name(self.value_name()).value_parser(
                clap::builder::StringValueParser::new()
                    .try_map(|text| milliseconds(&text).map(|ms| ms.to_string())),
            ),
            _ if self.setting.name == "server_key_id" => arg.value_name(self.value_name()),
            // A script's empty variable must not drop a pin or a proxy without a word.
            _ => arg.value_name(self.value_name()).value_parser(NonEmptyStringValueParser::new()),
        }
    }
}

pub(crate) fn table_text() -> String {
    let mut text = vec![
        "A flag wins over its variable. In a variable, a time is in milliseconds and a flag is 1 or 0."
            .to_owned(),
    ];
    for row in table() {
        let flag = match (row.scope, row.setting.kind) {
            (Scope::Program, _) if row.setting.name == "env_file" => "--env-file FILE".to_owned(),
            (Scope::Program, _) => "(no flag)".to_owned(),
            (_, SettingKind::Flag) => row.flag(),
            _ => format!("{} <{}>", row.flag(), row.value_name()),
        };
        let default = match row.default() {
            _ if row.setting.needed => "  (needed)".to_owned(),
            Some(value) => format!("  [default: {value}]"),
            None => String::new(),
        };
        text.push(format!("\n{flag}  {}{default}\n    {}", row.variable(), flag_help(row.setting.doc)));
    }
    text.join("\n")
}

macro_rules! scopes {
    ($($marker:ident = $settings:ident [$($scope:ident),+];)+) => {$(
        pub(crate) struct $marker;

        impl Table for $marker {
            fn flags() -> Vec<(&'static str, Arg)> {
                let rows = table().filter(|row| [$(Scope::$scope),+].contains(&row.scope));
                rows.map(|row| (row.setting.name, row.arg())).collect()
            }
        }

        pub(crate) type $settings = Flags<$marker>;
    )+};
}

scopes! {
    OfClient = ClientSettings [Server, Trust, Client];
    OfServer = ServerSettings [Server];
    OfReceiver = ReceiverSettings [Server, Trust];
    OfPlace = JournalPlace [Place];
    OfJournal = JournalSettings [Place, Calls, Server, Trust, Client];
}

pub(crate) enum Origin {
    Flag(String),
    Variable(String),
    /// `named_by`: the flag or variable.
    KeyFile {
        path: PathBuf,
        named_by: &'static str,
    },
}

impl<T> Flags<T> {
    pub(crate) fn client(&self) -> Result<Client> {
        Client::new(watched(self.config()?))
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

    /// The flag's text, otherwise the variable's.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        let variable = || variable(&table().find(|row| row.setting.name == name)?.name().to_uppercase());
        self.flag(name).cloned().or_else(variable)
    }

    /// Takes the time of `--timeout`, which limits the whole wait of a command that waits, and not its calls.
    pub(crate) fn take_time_limit(&mut self) -> Option<Duration> {
        self.take("timeout").and_then(|ms| ms.parse().ok()).map(Duration::from_millis)
    }

    /// A flag takes precedence over a variable, and the private key over its file.
    pub(crate) fn origin(&self, setting: &Setting) -> Option<Origin> {
        let is_private_key = setting.name == "private_key";
        if self.flag(setting.name).is_some() {
            return Some(Origin::Flag(format!("--{}", setting.name.replace('_', "-"))));
        }
        if let Some(path) = self.flag("private_key_file").filter(|_| is_private_key) {
            return Some(Origin::KeyFile { path: path.into(), named_by: "--private-key-file" });
        }
        if environment::value(&setting.variable()).is_some_and(|text| !text.is_empty()) {
            return Some(Origin::Variable(setting.variable()));
        }
        let file = variable("PRIVATE_KEY_FILE").filter(|_| is_private_key).map(PathBuf::from);
        file.map(|path| Origin::KeyFile { path, named_by: "MERCHANTPAY_PRIVATE_KEY_FILE" })
    }

    pub(crate) fn text(&self, setting: &Setting, origin: &Origin) -> Result<Zeroizing<String>> {
        match origin {
            Origin::Flag(_) => Ok(Zeroizing::new(self.flag(setting.name).cloned().unwrap_or_default())),
            Origin::Variable(name) => environment::value(name)
                .unwrap_or_default()
                .into_string()
                .map(Zeroizing::new)
                .map_err(|_| Error::invalid_argument(format!("{name} is not UTF-8"))),
            Origin::KeyFile { path, .. } => read_private_key_text(path),
        }
    }

    /// Knows the merchant's own key id and key from the environment, to refuse both where the service's are meant.
    /// An own key that cannot be read is ignored.
    pub(crate) fn verifier(&self) -> Result<WebhookVerifier> {
        let mut config = Config::default();
        let keys = self.value("server_public_key");
        let keys = keys.ok_or_else(|| missing("service's public key", "SERVER_PUBLIC_KEY"))?;
        config.set("server_public_key", keys.as_str())?;
        config.set("server_key_id", self.value("server_key_id").as_deref())?;
        config.set("key_id", variable("KEY_ID").as_deref())?;
        let own = match variable("PRIVATE_KEY") {
            Some(text) => parse_key(&Zeroizing::new(text)).ok(),
            None => variable("PRIVATE_KEY_FILE").and_then(|path| read_private_key(Path::new(&path)).ok()),
        };
        let own = own.map(|key| key.public_key());
        let own = own.or_else(|| PublicKey::from_base64(&variable("PUBLIC_KEY")?).ok());
        config.set("public_key", own.map(|own| own.to_base64()).as_deref())?;
        config.verifier()
    }

    pub(crate) fn server_key_id(&self) -> Option<String> {
        let ids = self.value("server_key_id")?;
        ids.split(',').next().map(|id| id.trim().to_owned())
    }

    /// The trusted CAs of a command that calls a URL of the merchant, as DER.
    pub(crate) fn certificates(&self) -> Result<Vec<Vec<u8>>> {
        let mut ca = vec![("ca_pem", self.value("ca_pem").unwrap_or_default().into_bytes())];
        if let Some(path) = self.value("ca_file") {
            check_path("ca_file", Path::new(&path))?;
            let pem = std::fs::read(&path);
            let pem =
                pem.map_err(|error| Error::about("ca_file", format!("{path} cannot be read: {error}")))?;
            ca.push(("ca_file", pem));
        }
        merchantpay::trusted_certificates(&ca, self.value("exclusive_ca").is_some_and(|flag| flag == "1"))
    }
}

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
