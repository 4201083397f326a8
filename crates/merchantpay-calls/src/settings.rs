//! Settings as names and values, and the environment as the host's own variables.

use std::path::Path;
use std::sync::Arc;

use merchantpay::{
    Config, Error, Result, SETTINGS, Setting, SettingKind, WebhookVerifier, check_missing, key_text,
    private_key_file,
};
use zeroize::Zeroizing;

use crate::arguments::Pair;
use crate::frame::LARGEST_BODY;
use crate::host::{Host, HostSigner};
use crate::names::{Style, VARIABLE, variable};
use crate::object::ObjectKind;
use crate::put::Pairs;
use crate::value::Item;

const KEY: &str = "private_key";

/// What a host has set. Its own settings take precedence over the environment.
pub(crate) struct Settings<'a> {
    table: &'static [Setting],
    style: Style,
    own: Vec<Pair<'a>>,
    environment: Option<Vec<Pair<'a>>>,
}

/// Sets a setting of a configuration from a text, or remembers that its value is no text.
type Set<'s> = &'s mut dyn FnMut(&str, Result<&str>) -> Result<()>;

impl<'a> Settings<'a> {
    /// A name that is not in the table is refused. An unknown variable is ignored: it may be for another version, or
    /// for the program.
    pub(crate) fn new(
        table: &'static [Setting],
        style: Style,
        own: Vec<Pair<'a>>,
        environment: Option<Vec<Pair<'a>>>,
    ) -> Result<Settings<'a>> {
        for (name, _) in &own {
            let name = name.and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default();
            Setting::among(table, name)?;
        }
        Ok(Settings { table, style, own, environment })
    }

    /// The name of a setting as its author wrote it: a variable, or an argument of the host.
    pub(crate) fn spell(&self, name: &str) -> String {
        match self.environment {
            _ if name.starts_with(VARIABLE) => name.to_owned(),
            Some(_) if find(&self.own, name).is_none() => {
                let row = self.table.iter().find(|row| row.name_with_unit() == name);
                row.map_or_else(
                    || variable(name),
                    |row| row.variable_in_use(|name| self.variable(name).is_some()),
                )
            }
            _ => self.style.spell_setting(name),
        }
    }

    fn is_set(&self, row: &Setting) -> bool {
        let is_in_environment = |variable: &str| self.variable(variable).is_some();
        find(&self.own, &row.name_with_unit()).is_some()
            || is_in_environment(&row.variable())
            || row.file_variable().is_some_and(is_in_environment)
    }

    /// A variable without a value counts as one that is not there.
    fn variable(&self, name: &str) -> Option<&'a [u8]> {
        find(self.environment.as_ref()?, name)?.bytes().filter(|value| !value.is_empty())
    }

    /// Names everything that must be set and is not, in the order of the table, which is that of the guide.
    fn check_present(&self, is_needed: impl Fn(&Setting) -> bool) -> Result<()> {
        let missing = self.table.iter().filter(|row| is_needed(row) && !self.is_set(row));
        check_missing(&missing.collect::<Vec<_>>(), |row| self.spell(&row.name_with_unit()))
    }

    /// Sets everything that is set. A configuration remembers what it refuses, so that only an object which needs
    /// the setting fails.
    fn set_all(&self, set: Set<'_>) {
        for row in self.table {
            let _ = self.set_one(row, set);
        }
    }

    fn set_one(&self, row: &Setting, set: Set<'_>) -> Result<()> {
        let name = &row.name_with_unit();
        match (find(&self.own, name), self.variable(&row.variable())) {
            (Some(value), _) if row.kind == SettingKind::Texts => match value.values() {
                // The core knows which list may be empty.
                Some(list) if list.len() == 0 => set(name, Ok("")),
                Some(list) => list.iter().try_for_each(|text| {
                    let text = text.and_then(Item::bytes).unwrap_or_default();
                    set(name, text_of(name, text))
                }),
                None => set(name, Err(Error::about(name, "is not a frame"))),
            },
            (Some(value), _) => set(name, text_of(name, value.bytes().unwrap_or_default())),
            (None, Some(value)) => set(name, text_of(name, value)),
            (None, None) => {
                let file = row.file_variable().and_then(|file| Some((file, self.variable(file)?)));
                let Some((file, path)) = file else { return Ok(()) };
                let text = text_of(file, path).and_then(|path| private_key_file(Path::new(path)));
                set(name, text.as_ref().map(|text| text.as_str()).map_err(Error::clone))
            }
        }
    }

    /// Checks only that nothing is missing. What a value has wrong is found when something is made of the
    /// configuration.
    pub(crate) fn config(&self, signer: Option<Arc<dyn Host>>) -> Result<Config> {
        if signer.is_some() && find(&self.own, KEY).is_some() {
            return Err(Error::about(KEY, "and a signer exclude each other"));
        }
        self.check_present(|row| match (row.name, &signer) {
            (KEY, Some(_)) => false,
            ("public_key", Some(_)) => true,
            _ => row.needed,
        })?;
        let config = self.unchecked();
        let Some(host) = signer else { return Ok(config) };
        match config.own_public_key()? {
            Some(public_key) => Ok(config.signer(HostSigner { host, public_key })),
            None => Err(Error::about("public_key", "is missing")),
        }
    }

    fn unchecked(&self) -> Config {
        let mut config = Config::default();
        self.set_all(&mut |name, text| match text {
            Ok(text) => config.set(name, text),
            Err(error) => config.refuse(name, error),
        });
        config.reply_bytes_at_most(LARGEST_BODY)
    }

    pub(crate) fn verifier(&self) -> Result<WebhookVerifier> {
        self.unchecked().verifier()
    }

    #[cfg(feature = "journal")]
    pub(crate) fn journal(&self) -> Result<merchantpay_journal::JournalConfig> {
        self.check_present(|row| row.needed)?;
        let mut config = merchantpay_journal::JournalConfig::new("");
        self.set_all(&mut |name, text| match text {
            Ok(text) => config.set(name, text),
            Err(error) => config.refuse(name, error),
        });
        Ok(config)
    }
}

/// The settings with which an object can be opened.
pub fn table(kind: ObjectKind) -> &'static [Setting] {
    match kind {
        ObjectKind::Client | ObjectKind::Protocol | ObjectKind::Verifier => SETTINGS,
        #[cfg(feature = "journal")]
        ObjectKind::Journal => merchantpay_journal::SETTINGS,
        _ => &[],
    }
}

pub(crate) fn environment(variables: Vec<Pair<'_>>) -> Result<Pairs> {
    let settings = Settings::new(SETTINGS, Style::Snake, Vec::new(), Some(variables))?;
    let (mut config, mut texts) = (Config::default(), Vec::new());
    let mut refused = Ok(());
    settings.set_all(&mut |name, text| {
        let read = text.and_then(|text| {
            config.set(name, text)?;
            let row = Setting::among(SETTINGS, name)?;
            // A host splits a list at its commas, and the JSON of a key has some.
            let is_json = text.contains('{');
            let text = match row.kind {
                SettingKind::Texts if !is_json => Zeroizing::new(text.to_owned()),
                _ if name.ends_with("_key") => key_text(name, text)?,
                _ => Zeroizing::new(row.clean(text)?.to_owned()),
            };
            texts.push((name.to_owned(), text));
            Ok(())
        });
        if refused.is_ok() {
            refused = read.clone();
        }
        read
    });
    refused.map(|()| Pairs(texts)).map_err(|error| error.renamed(|name| settings.spell(name)))
}

fn find<'a>(pairs: &[Pair<'a>], name: &str) -> Option<Item<'a>> {
    // The last one counts, as in a list of options.
    pairs.iter().rev().find(|(known, _)| *known == Some(name.as_bytes())).and_then(|(_, value)| *value)
}

fn text_of<'a>(name: &str, value: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(value).map_err(|_| Error::about(name, "is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs<'a>(pairs: &'a [(&'a str, &'a str)]) -> Vec<Pair<'a>> {
        pairs
            .iter()
            .map(|(name, value)| (Some(name.as_bytes()), Some(Item::Bytes(value.as_bytes()))))
            .collect()
    }

    #[test]
    fn with_nothing_set_the_error_names_what_to_set_in_the_order_of_the_guide() {
        for (style, environment, expected) in [
            (
                Style::Camel,
                Some(Vec::new()),
                "MERCHANTPAY_BASE_URL, MERCHANTPAY_KEY_ID, MERCHANTPAY_PRIVATE_KEY (or MERCHANTPAY_PRIVATE_KEY_FILE) and \
                 MERCHANTPAY_SERVER_PUBLIC_KEY are missing: set them",
            ),
            (Style::Camel, None, "baseUrl, keyId, privateKey and serverPublicKey are missing: set them"),
            (Style::Go, None, "BaseURL, KeyID, PrivateKey and ServerPublicKey are missing: set them"),
        ] {
            let settings = Settings::new(SETTINGS, style, Vec::new(), environment).unwrap();
            let error = settings.config(None).expect_err("it is refused");
            assert_eq!(error.renamed(|name| settings.spell(name)).message(), expected);
        }
        let own = pairs(&[("base_url", "x"), ("key_id", "x"), ("server_public_key", "x")]);
        let settings = Settings::new(SETTINGS, Style::Camel, own, Some(Vec::new())).unwrap();
        let error = settings.config(None).expect_err("it is refused").renamed(|name| settings.spell(name));
        assert_eq!(
            error.message(),
            "MERCHANTPAY_PRIVATE_KEY is missing: set it or MERCHANTPAY_PRIVATE_KEY_FILE"
        );
        let unknown = Settings::new(SETTINGS, Style::Camel, pairs(&[("timeout", "1")]), None);
        assert!(unknown.err().expect("it is refused").message().contains("timeout"));
    }

    #[test]
    fn reply_limit_is_clamped_so_that_every_reply_can_be_encoded() {
        for (text, expected) in
            [("1073741824", LARGEST_BODY), ("18446744073709551615", LARGEST_BODY), ("1048576", 1_048_576)]
        {
            let own = [("max_reply_bytes", text)];
            let settings = Settings::new(SETTINGS, Style::Camel, pairs(&own), None).unwrap();
            let shown = format!("{:?}", settings.unchecked());
            assert!(shown.contains(&format!("max_reply_bytes: {expected}")), "{shown}");
        }
        assert!(2 * LARGEST_BODY < i32::MAX as u64);
    }
}
