//! Reads the URL of a journal's database.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use merchantpay::{Error, Result};
use merchantpay_journal::Dialect;
use url::Url;
use zeroize::Zeroizing;

use super::message::decoded;

/// The protection of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tls {
    Disabled,
    /// Encrypted, but any server is accepted.
    Unverified,
    /// The CA is verified; any host name is accepted.
    VerifiedCa,
    Verified,
}

/// The address of a database and the way to connect to it.
pub(super) struct Address {
    pub dialect: Dialect,
    pub host: String,
    pub port: u16,
    /// The server's socket; for PostgreSQL the folder that contains it.
    pub socket: Option<PathBuf>,
    pub user: String,
    pub password: Option<Zeroizing<String>>,
    pub database: String,
    pub tls: Tls,
    /// A file with the CA certificates in PEM.
    pub ca: Option<PathBuf>,
    pub connect_timeout: Duration,
}

/// Returns `true` if a journal's place is a URL and not a file.
pub(crate) fn is_database(place: &str) -> bool {
    place.contains("://")
}

/// The SQL dialect that a URL's scheme means.
pub(super) fn dialect(url: &str) -> Option<Dialect> {
    let (scheme, _) = url.split_once("://")?;
    match scheme.to_ascii_lowercase().as_str() {
        "postgresql" | "postgres" => Some(Dialect::Postgresql),
        "mysql" | "mariadb" => Some(Dialect::Mysql),
        _ => None,
    }
}

impl Address {
    /// Reads `postgresql://user@host:port/database?name=value`, or the same with `mysql://`.
    ///
    /// # Errors
    ///
    /// `invalid_argument`. The message never repeats the URL, because it may contain a password.
    pub(super) fn read(text: &str) -> Result<Address> {
        let dialect =
            dialect(text).ok_or_else(|| wrong("must begin with postgresql:// or mysql://".to_owned()))?;
        let url = Url::parse(text)
            .map_err(|error| wrong(format!("cannot be read ({error}): write special characters as %XX")))?;
        if url.fragment().is_some() {
            return Err(wrong("has a #: write it as %23".to_owned()));
        }
        let host = host(&url)?;
        let mut address = Address {
            dialect,
            socket: host.starts_with('/').then(|| PathBuf::from(&host)),
            host,
            port: url.port().unwrap_or(if dialect == Dialect::Postgresql { 5432 } else { 3306 }),
            user: part(url.username(), "user")?,
            password: url.password().map(|text| part(text, "password")).transpose()?.map(Zeroizing::new),
            database: part(url.path().trim_start_matches('/'), "database")?,
            tls: Tls::Verified,
            ca: None,
            connect_timeout: Duration::from_secs(10),
        };
        let mut tls = None;
        for (name, value) in url.query_pairs() {
            address.set(&name, &value, &mut tls)?;
        }
        if address.user.is_empty() {
            return Err(wrong("names no user: write postgresql://USER@HOST/DATABASE".to_owned()));
        }
        if address.database.is_empty() || address.database.contains('/') {
            return Err(wrong("must end with the name of one database".to_owned()));
        }
        if address.host.is_empty() && address.socket.is_none() {
            return Err(wrong("names no host".to_owned()));
        }
        let is_local = address.socket.is_some() || is_loopback(&address.host);
        address.tls = tls.unwrap_or(if is_local { Tls::Disabled } else { Tls::Verified });
        if address.socket.is_some() && address.tls != Tls::Disabled {
            return Err(wrong("asks for TLS, which a socket of this machine does not have".to_owned()));
        }
        if address.tls == Tls::Unverified && address.ca.is_some() {
            address.tls = Tls::VerifiedCa;
        }
        if address.dialect == Dialect::Mysql && address.tls == Tls::VerifiedCa {
            return Err(wrong("must have ssl-mode=VERIFY_IDENTITY to verify the server by a CA".to_owned()));
        }
        Ok(address)
    }

    /// Reads one parameter of the URL.
    fn set(&mut self, name: &str, value: &str, tls: &mut Option<Tls>) -> Result<()> {
        match (self.dialect, name) {
            (_, "password") => self.password = Some(Zeroizing::new(value.to_owned())),
            (_, "user") => value.clone_into(&mut self.user),
            (_, "connect_timeout") => {
                let seconds = value.parse().ok().filter(|seconds| (1..=600).contains(seconds));
                let seconds =
                    seconds.ok_or_else(|| wrong("needs a connect_timeout of 1 to 600 seconds".to_owned()))?;
                self.connect_timeout = Duration::from_secs(seconds);
            }
            (Dialect::Postgresql, "host") if value.starts_with('/') => self.socket = Some(value.into()),
            (Dialect::Postgresql, "host") => value.clone_into(&mut self.host),
            (Dialect::Postgresql, "sslmode") => *tls = Some(postgresql_tls(value)?),
            (Dialect::Postgresql, "sslrootcert") => self.ca = Some(value.into()),
            (Dialect::Mysql, "socket") => self.socket = Some(value.into()),
            (Dialect::Mysql, "ssl-mode") => *tls = Some(mysql_tls(value)?),
            (Dialect::Mysql, "ssl-ca") => self.ca = Some(value.into()),
            _ => {
                let known = if self.dialect == Dialect::Postgresql {
                    "host, user, sslmode, sslrootcert, connect_timeout"
                } else {
                    "socket, user, ssl-mode, ssl-ca, connect_timeout"
                };
                return Err(wrong(format!("has the unknown parameter {name:?}: it accepts {known}")));
            }
        }
        Ok(())
    }

    /// The server's name in a message.
    pub(super) fn server(&self) -> String {
        match &self.socket {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", self.host, self.port),
        }
    }

    /// The bytes of the file with the CA certificates.
    pub(super) fn ca_pem(&self) -> Result<Option<Vec<u8>>> {
        let read = |file: &PathBuf| {
            std::fs::read(file).map_err(|error| {
                Error::invalid_argument(format!("the CA's file {} cannot be read: {error}", file.display()))
            })
        };
        self.ca.as_ref().map(read).transpose()
    }
}

fn postgresql_tls(mode: &str) -> Result<Tls> {
    match mode {
        "disable" => Ok(Tls::Disabled),
        "require" => Ok(Tls::Unverified),
        "verify-ca" => Ok(Tls::VerifiedCa),
        "verify-full" => Ok(Tls::Verified),
        "allow" | "prefer" => Err(wrong(format!(
            "has sslmode={mode}, which may send everything unencrypted: it accepts disable, require, verify-ca \
             and verify-full"
        ))),
        _ => Err(wrong(
            "has an unknown sslmode: it accepts disable, require, verify-ca and verify-full".to_owned(),
        )),
    }
}

fn mysql_tls(mode: &str) -> Result<Tls> {
    match mode.to_ascii_uppercase().as_str() {
        "DISABLED" => Ok(Tls::Disabled),
        "REQUIRED" => Ok(Tls::Unverified),
        "VERIFY_CA" => Ok(Tls::VerifiedCa),
        "VERIFY_IDENTITY" => Ok(Tls::Verified),
        "PREFERRED" => Err(wrong(
            "has ssl-mode=PREFERRED, which may send everything unencrypted: it accepts DISABLED, REQUIRED and \
             VERIFY_IDENTITY"
                .to_owned(),
        )),
        _ => Err(wrong(
            "has an unknown ssl-mode: it accepts DISABLED, REQUIRED and VERIFY_IDENTITY".to_owned(),
        )),
    }
}

/// The host without percent encoding and brackets.
fn host(url: &Url) -> Result<String> {
    let host = part(url.host_str().unwrap_or_default(), "host")?;
    if host.contains(',') {
        return Err(wrong("names several hosts: name only the host that accepts writes".to_owned()));
    }
    Ok(host.trim_start_matches('[').trim_end_matches(']').to_owned())
}

fn part(text: &str, name: &str) -> Result<String> {
    decoded(text).map(Cow::into_owned).ok_or_else(|| wrong(format!("has a {name} that is not UTF-8")))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn wrong(why: String) -> Error {
    Error::invalid_argument(format!("the journal's URL {why}"))
}

/// The text of a path. The socket of MySQL, or the folder of PostgreSQL's socket, is a path of this machine.
pub(super) fn text_of(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| wrong("has a socket that is not UTF-8".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Address {
        Address::read(url).unwrap_or_else(|error| panic!("{url}: {error}"))
    }

    #[test]
    fn a_url_names_server_user_database_and_password() {
        let address = read("postgresql://shop%40eu:p%40ss@db.example:5433/pay%20ments");
        assert_eq!(
            (address.server().as_str(), address.user.as_str(), address.database.as_str()),
            ("db.example:5433", "shop@eu", "pay ments")
        );
        assert_eq!(address.password.as_deref().map(String::as_str), Some("p@ss"));
        assert_eq!(read("mysql://shop@[::1]/payments").server(), "::1:3306");
        assert_eq!(read("postgres://shop@localhost/payments").port, 5432);
        for url in [
            "postgresql://shop@%2Frun%2Fpostgresql/payments",
            "postgresql:///payments?host=/run/postgresql&user=shop",
            "mysql:///payments?socket=/run/mysql.sock&user=shop",
            "mariadb://shop@localhost/payments?socket=/run/mysql.sock",
        ] {
            assert!(read(url).socket.is_some_and(|socket| socket.starts_with("/run")), "{url}");
        }
    }

    #[test]
    fn tls_is_verified_unless_the_url_or_a_server_on_this_machine_says_otherwise() {
        for (url, tls) in [
            ("postgresql://u@db.example/d", Tls::Verified),
            ("mysql://u@10.0.0.1/d", Tls::Verified),
            ("postgresql://u@127.0.0.1/d", Tls::Disabled),
            ("mysql://u@localhost/d", Tls::Disabled),
            ("postgresql://u@localhost/d?sslmode=verify-full", Tls::Verified),
            ("postgresql://u@db.example/d?sslmode=disable", Tls::Disabled),
            ("postgresql://u@db.example/d?sslmode=require", Tls::Unverified),
            ("postgresql://u@db.example/d?sslmode=require&sslrootcert=/ca.pem", Tls::VerifiedCa),
            ("postgresql://u@db.example/d?sslmode=verify-ca", Tls::VerifiedCa),
            ("mysql://u@db.example/d?ssl-mode=disabled", Tls::Disabled),
            ("mysql://u@db.example/d?ssl-mode=REQUIRED", Tls::Unverified),
            ("mysql://u@db.example/d?ssl-mode=VERIFY_IDENTITY&ssl-ca=/ca.pem", Tls::Verified),
        ] {
            assert_eq!(read(url).tls, tls, "{url}");
        }
    }

    #[test]
    fn a_wrong_url_is_refused_with_one_sentence_that_repeats_no_password() {
        for (url, why) in [
            ("oracle://u:secret@h/d", "must begin with"),
            ("postgresql://u:secret@h:99999/d", "cannot be read"),
            ("postgresql://:secret@h/d", "names no user"),
            ("postgresql:///d?user=u", "names no host"),
            ("postgresql://u:secret@h", "one database"),
            ("postgresql://u:secret@h/", "one database"),
            ("mysql://u:secret@h/d/e", "one database"),
            ("postgresql://u:secret@a,b/d", "several hosts"),
            ("postgresql://u:secret@h/d#e", "has a #"),
            ("postgresql://u:sec#ret@h/d", "as %XX"),
            ("postgresql://u:secret@h/%ff", "not UTF-8"),
            ("postgresql://u:secret@h/d?sslmode=prefer", "unencrypted"),
            ("postgresql://u:secret@h/d?sslmode=on", "unknown sslmode"),
            ("postgresql://u:secret@h/d?ssl-mode=REQUIRED", "unknown parameter \"ssl-mode\""),
            ("mysql://u:secret@h/d?sslmode=require", "unknown parameter \"sslmode\""),
            ("mysql://u:secret@h/d?ssl-mode=PREFERRED", "unencrypted"),
            ("mysql://u:secret@h/d?ssl-mode=yes", "unknown ssl-mode"),
            ("mysql://u:secret@h/d?ssl-mode=VERIFY_CA", "VERIFY_IDENTITY"),
            ("mysql://u:secret@h/d?ssl-mode=REQUIRED&ssl-ca=/ca.pem", "VERIFY_IDENTITY"),
            ("postgresql://u@%2Frun/d?sslmode=require", "a socket of this machine"),
            ("postgresql://u@h/d?connect_timeout=0", "connect_timeout"),
        ] {
            let Err(error) = Address::read(url) else { panic!("{url} is accepted") };
            let text = error.message();
            assert!(text.starts_with("the journal's URL ") && text.contains(why), "{url}: {text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }
}
