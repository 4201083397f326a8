//! The settings of a journal: its place, how it is opened, and its database's password.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use merchantpay::{Client, Error, Result, check_path};
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Journal, JournalConfig};
use url::{Url, form_urlencoded};
use zeroize::Zeroizing;

use crate::args::flags::Flags;
use crate::environment::variable;
use crate::settings::missing;

impl<T> Flags<T> {
    pub(crate) fn journal_place(&self) -> Option<String> {
        let text = self.value("place")?;
        Some(if is_url(&text) { text.trim().to_owned() } else { text })
    }

    pub(crate) fn journal_file(&self) -> Option<String> {
        self.journal_place().filter(|place| !is_url(place))
    }

    fn journal_config(&self) -> Result<JournalConfig> {
        let place = self.journal_place().ok_or_else(|| missing("journal's file or database", "JOURNAL"))?;
        check_path("journal", Path::new(&place))?;
        let (password, password_file) = match is_url(&place) {
            true => self.journal_password()?,
            false => (None, None),
        };
        let mut config = JournalConfig::new(with_password(&place, password));
        config.set("password_file", password_file.as_deref())?;
        for name in ["durability_vouched", "connections"] {
            config.set(name, self.value(name).as_deref())?;
        }
        Ok(config)
    }

    /// The password as text, or its file. The environment only counts without a flag.
    fn journal_password(&self) -> Result<(Option<Zeroizing<String>>, Option<String>)> {
        let file =
            |path: String| check_path("journal_password_file", Path::new(&path)).map(|()| (None, Some(path)));
        let run = |command: String| output(&command).map(|password| (Some(password), None));
        match (self.flag("password_file"), self.flag("journal_password_command")) {
            (Some(path), _) => return file(path.clone()),
            (None, Some(command)) => return run(command.clone()),
            (None, None) => {}
        }
        match (variable("JOURNAL_PASSWORD"), variable("JOURNAL_PASSWORD_FILE")) {
            (Some(password), _) if password.contains(char::is_control) => {
                let fault = "contains a control character, such as a CR or a line end behind it; remove it";
                Err(Error::about("MERCHANTPAY_JOURNAL_PASSWORD", fault))
            }
            (Some(password), _) => Ok((Some(Zeroizing::new(password)), None)),
            (None, Some(path)) => file(path),
            (None, None) => variable("JOURNAL_PASSWORD_COMMAND").map_or(Ok((None, None)), run),
        }
    }

    /// Without a client, so without keys. `create` makes the file or the tables, unless they exist.
    fn open_for_operator(&self, create: bool) -> Result<Operator> {
        let mut config = self.journal_config()?;
        // A call may run for as long as the client of the processes that pay lets it.
        config.set("timeout_ms", variable("TIMEOUT_MS").as_deref())?;
        Operator::open(if create { config.create(true) } else { config }).map_err(without_name_of_place)
    }

    pub(crate) fn operator(&self) -> Result<Operator> {
        self.open_for_operator(false)
    }

    pub(crate) fn create_journal(&self) -> Result<()> {
        self.open_for_operator(true).map(drop)
    }

    /// A call of the journal may last as long as one of the client.
    pub(crate) fn open(&self) -> Result<(Client, Journal)> {
        let client = self.client()?;
        let mut config = self.journal_config()?.timeout(client.timeout());
        config.set("callback_url", self.value("callback_url").as_deref())?;
        config.set("pay_wait_ms", self.value("pay_wait").as_deref())?;
        let journal = Journal::open(&client, config).map_err(without_name_of_place)?;
        Ok((client, journal))
    }
}

/// The program's setting is called `journal`, so the crate's name would only confuse.
fn without_name_of_place(error: Error) -> Error {
    match error.message().strip_prefix("place: ") {
        Some(message) => Error::invalid_argument(message),
        None => error,
    }
}

fn is_url(place: &str) -> bool {
    place.contains("://")
}

fn with_password(url: &str, password: Option<Zeroizing<String>>) -> String {
    let Some(password) = password else { return url.to_owned() };
    let password: String = form_urlencoded::byte_serialize(password.as_bytes()).collect();
    format!("{url}{}password={password}", if url.contains('?') { '&' } else { '?' })
}

/// The first line of the command's output, which no message repeats.
fn output(command: &str) -> Result<Zeroizing<String>> {
    let failed =
        |why: String| Error::invalid_argument(format!("the command for the database's password {why}"));
    let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    let shell = shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(command);
    let ran = shell.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let ran = ran.map_err(|error| failed(format!("cannot be run: {error}")))?;
    if !ran.status.success() {
        return Err(failed(format!("has failed: {}", ran.status)));
    }
    let text = String::from_utf8(ran.stdout)
        .map(Zeroizing::new)
        .map_err(|_| failed("prints no UTF-8".to_owned()))?;
    match text.lines().next().filter(|line| !line.is_empty()) {
        Some(line) => Ok(Zeroizing::new(line.to_owned())),
        None => Err(failed("prints nothing".to_owned())),
    }
}

/// Refuses an argument with a database's password, which other users of the machine can see.
pub(crate) fn refuse_passwords(arguments: &[OsString]) -> Result<()> {
    match arguments.iter().any(|argument| has_password(&argument.to_string_lossy())) {
        false => Ok(()),
        true => Err(Error::invalid_argument(
            "an argument contains a database's password, which other users of this machine can see: use the \
             variable MERCHANTPAY_JOURNAL_PASSWORD, or a file with --journal-password-file",
        )),
    }
}

fn has_password(argument: &str) -> bool {
    // The URL can also be part of a flag, as in `--journal=URL`.
    let url = match argument.split_once('=') {
        Some((flag, value)) if flag.starts_with("--") => value,
        _ => argument,
    };
    let url = url.trim();
    let lower = url.to_ascii_lowercase();
    let is_database = ["postgres", "mysql", "mariadb"].iter().any(|scheme| lower.starts_with(scheme));
    // A URL that is misspelt, or parameters of another library.
    if lower.contains("password=") && (is_database || lower.contains("host=")) {
        return true;
    }
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if is_database && scheme.is_none() {
        return url.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
    }
    if !scheme.is_some_and(|scheme| ["postgresql", "postgres", "mysql", "mariadb"].contains(&&*scheme)) {
        return false;
    }
    match Url::parse(url) {
        Ok(url) => url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password"),
        // Several hosts, or no URL at all.
        Err(_) => {
            let user = url.rsplit_once('@').map_or("", |(user, _)| user);
            user.matches(':').count() > 1 || url.contains("password=")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_password_in_an_argument() {
        for argument in [
            "postgresql://shop:secret@db.example/payments",
            "postgresql://shop:secret@a.example,b.example:5433/payments",
            "--journal=mysql://shop:secret@db.example/payments",
            "POSTGRES://shop:secret@db.example/payments",
            "postgresql://shop@db.example/payments?sslmode=require&password=secret",
            "mariadb://shop:secret@db.example:port/payments",
            " postgresql://shop:secret@db.example/payments",
            "postgres:/shop:secret@db.example/payments",
            "postgres//shop:secret@db.example",
            "host=db.example user=shop password=secret",
        ] {
            assert!(has_password(argument), "{argument}");
        }
        for argument in [
            "postgresql://shop@db.example/payments?sslmode=require",
            "postgresql://shop@a.example:5432,b.example:5433/payments",
            "--journal=mysql://shop@db.example/payments",
            "postgresql://shop@db.example:port/payments",
            "https://user:secret@pay.example",
            "/var/lib/shop/payments.db",
            "--note=a=b",
        ] {
            assert!(!has_password(argument), "{argument}");
        }
    }

    #[test]
    fn password_stays_as_it_is_in_a_url() {
        for (url, expected) in [
            ("postgresql://u@h/d", "postgresql://u@h/d?password=a%26b+%25+%23%2B"),
            ("mysql:///d?user=u&socket=/s", "mysql:///d?user=u&socket=/s&password=a%26b+%25+%23%2B"),
        ] {
            assert_eq!(with_password(url, Some(Zeroizing::new("a&b % #+".to_owned()))), expected);
        }
    }
}
