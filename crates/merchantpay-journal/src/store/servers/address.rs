//! Reads the URL of a database.

use std::path::PathBuf;
use std::time::Duration;

use merchantpay::{Error, Result};
use url::Url;
use zeroize::Zeroizing;

use crate::store::dialect::Dialect;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tls {
    Disabled,
    /// Encrypted, but with whom is not known: no password is sent.
    Unverified,
    /// The certificate's chain is verified, for any name.
    VerifiedChain,
    Verified,
}

/// A server of the URL: a host and a port, or a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Server {
    Tcp(String, u16),
    /// The socket; for PostgreSQL the folder that contains it, and the port that is part of its name.
    Socket(PathBuf, u16),
}

impl std::fmt::Display for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Server::Tcp(host, port) => write!(f, "{host}:{port}"),
            Server::Socket(path, _) => write!(f, "{}", path.display()),
        }
    }
}

pub(super) struct Address {
    pub dialect: Dialect,
    /// In the order in which they are tried.
    pub servers: Vec<Server>,
    pub user: String,
    pub password: Option<Zeroizing<String>>,
    pub database: String,
    pub tls: Tls,
    /// A file with the CA certificates in PEM.
    pub ca_file: Option<PathBuf>,
    /// The client's certificate and key, in PEM.
    pub identity: Option<(PathBuf, PathBuf)>,
    pub connect_timeout: Duration,
    /// Only a server that accepts writes is used.
    pub needs_primary: bool,
}

/// What the URL's parameters say.
#[derive(Default)]
struct Parameters {
    tls: Option<Tls>,
    socket: Option<PathBuf>,
    host: Option<String>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

impl Address {
    /// Reads `postgresql://user@host:port/database?name=value`, or the same with `mysql://`. PostgreSQL may
    /// have several hosts, separated by commas.
    ///
    /// # Errors
    ///
    /// `invalid_argument`. The message never repeats the URL: it may contain a password.
    pub(super) fn read(dialect: Dialect, text: &str) -> Result<Address> {
        let (text, hosts) = split_hosts(text);
        let url = Url::parse(&text)
            .map_err(|error| wrong(format!("cannot be read ({error}): write special characters as %XX")))?;
        if url.fragment().is_some() {
            return Err(wrong("has a #: write it as %23".to_owned()));
        }
        let mut address = Address {
            dialect,
            servers: Vec::new(),
            user: part(url.username(), "user")?,
            password: url.password().map(|text| part(text, "password")).transpose()?.map(Zeroizing::new),
            database: part(url.path().trim_start_matches('/'), "database")?,
            tls: Tls::Verified,
            ca_file: None,
            identity: None,
            connect_timeout: Duration::from_secs(10),
            needs_primary: false,
        };
        let mut parameters = Parameters::default();
        for (name, value) in url.query_pairs() {
            address.set(&name, &value, &mut parameters)?;
        }
        address.servers = servers(dialect, &hosts, &parameters)?;
        if address.user.is_empty() {
            let scheme = url.scheme();
            return Err(wrong(format!("names no user: write {scheme}://USER@HOST/DATABASE")));
        }
        if address.database.is_empty() || address.database.contains('/') {
            return Err(wrong("must end with the name of one database".to_owned()));
        }
        address.identity = match (parameters.certificate, parameters.key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => {
                return Err(wrong("must name both files of the client's certificate and its key".to_owned()));
            }
        };
        address.tls = address.protection(parameters.tls)?;
        Ok(address)
    }

    fn protection(&self, asked: Option<Tls>) -> Result<Tls> {
        let is_local = |server: &Server| match server {
            Server::Socket(..) => true,
            Server::Tcp(host, _) => is_loopback(host),
        };
        let by_default = if self.servers.iter().all(is_local) { Tls::Disabled } else { Tls::Verified };
        let has_socket = self.servers.iter().any(|server| matches!(server, Server::Socket(..)));
        match asked.unwrap_or(by_default) {
            Tls::Disabled if self.ca_file.is_some() || self.identity.is_some() => {
                Err(wrong("names certificates, but asks for no TLS".to_owned()))
            }
            Tls::Disabled => Ok(Tls::Disabled),
            _ if has_socket => {
                Err(wrong("asks for TLS, which a socket of this machine does not have".to_owned()))
            }
            // The driver would also accept a certificate of any public CA, for any name.
            Tls::Unverified if self.ca_file.is_some() && self.dialect == Dialect::Mysql => {
                Err(wrong("must have ssl-mode=verify-full to verify the server by ca_file".to_owned()))
            }
            Tls::Unverified if self.ca_file.is_some() => Ok(Tls::VerifiedChain),
            tls => Ok(tls),
        }
    }

    /// Reads one parameter. The names of libpq and of the mysql client are known beside the library's own.
    fn set(&mut self, name: &str, value: &str, parameters: &mut Parameters) -> Result<()> {
        match (self.dialect, name) {
            (_, "password") => self.password = Some(Zeroizing::new(value.to_owned())),
            (_, "user") => value.clone_into(&mut self.user),
            (_, "ca_file") => self.ca_file = Some(value.into()),
            (_, "client_cert") => parameters.certificate = Some(value.into()),
            (_, "client_key") => parameters.key = Some(value.into()),
            (_, "connect_timeout") => {
                let seconds = value.parse().ok().filter(|seconds| (1..=600).contains(seconds));
                let seconds =
                    seconds.ok_or_else(|| wrong("needs a connect_timeout of 1 to 600 seconds".to_owned()))?;
                self.connect_timeout = Duration::from_secs(seconds);
            }
            (Dialect::Postgresql, "host") => parameters.host = Some(value.to_owned()),
            (Dialect::Postgresql, "sslmode") => parameters.tls = Some(tls(name, value)?),
            (Dialect::Postgresql, "sslrootcert") => self.ca_file = Some(value.into()),
            (Dialect::Postgresql, "sslcert") => parameters.certificate = Some(value.into()),
            (Dialect::Postgresql, "sslkey") => parameters.key = Some(value.into()),
            (Dialect::Postgresql, "target_session_attrs") if ["read-write", "primary"].contains(&value) => {
                self.needs_primary = true;
            }
            (Dialect::Postgresql, "target_session_attrs") => {
                return Err(wrong("needs target_session_attrs=read-write: the journal writes".to_owned()));
            }
            (Dialect::Mysql, "socket") => parameters.socket = Some(value.into()),
            (Dialect::Mysql, "ssl-mode") => parameters.tls = Some(tls(name, value)?),
            (Dialect::Mysql, "ssl-ca") => self.ca_file = Some(value.into()),
            (Dialect::Mysql, "ssl-cert") => parameters.certificate = Some(value.into()),
            (Dialect::Mysql, "ssl-key") => parameters.key = Some(value.into()),
            _ => {
                let known = match self.dialect {
                    Dialect::Postgresql => "host, user, sslmode, target_session_attrs",
                    _ => "socket, user, ssl-mode",
                };
                // The name is not repeated: it may be the part of a password behind its `&` or `?`.
                return Err(wrong(format!(
                    "has an unknown parameter: it accepts {known}, ca_file, client_cert, client_key, \
                     connect_timeout; in a password, write & ? # as %26 %3F %23"
                )));
            }
        }
        Ok(())
    }

    /// The place in messages, without user, password and parameters.
    pub(super) fn place(&self) -> String {
        let scheme = if self.dialect == Dialect::Postgresql { "postgresql" } else { "mysql" };
        let servers: Vec<String> = self.servers.iter().map(ToString::to_string).collect();
        format!("{scheme}://{}/{}", servers.join(","), self.database)
    }
}

/// Takes the hosts out of a URL, because a URL has only one.
fn split_hosts(text: &str) -> (String, String) {
    let Some((scheme, rest)) = text.split_once("://") else { return (text.to_owned(), String::new()) };
    let (authority, end) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, hosts)) => (format!("{user}@"), hosts),
        None => (String::new(), authority),
    };
    // `Url` accepts no user before an empty host.
    (format!("{scheme}://{user}host{end}"), hosts.to_owned())
}

fn servers(dialect: Dialect, hosts: &str, parameters: &Parameters) -> Result<Vec<Server>> {
    let (default, most) = if dialect == Dialect::Postgresql { (5432, 8) } else { (3306, 1) };
    let server = |text: &str, default: u16| {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, Some(port)),
            _ => (text, None),
        };
        let port = port.map_or(Ok(default), str::parse).ok().filter(|port| *port != 0);
        let port = port.ok_or_else(|| wrong("has a port that is no number from 1 to 65535".to_owned()))?;
        let host = part(host.trim_start_matches('[').trim_end_matches(']'), "host")?;
        match host.as_str() {
            "" => Err(wrong("names no host".to_owned())),
            path if path.starts_with('/') => Ok(Server::Socket(path.into(), port)),
            _ => Ok(Server::Tcp(host, port)),
        }
    };
    let port_alone = hosts.strip_prefix(':').and_then(|port| port.parse().ok()).unwrap_or(default);
    let all: Vec<Server> = match (&parameters.socket, &parameters.host) {
        (Some(socket), _) => vec![Server::Socket(socket.clone(), 0)],
        (None, Some(host)) => host.split(',').map(|host| server(host, port_alone)).collect::<Result<_>>()?,
        (None, None) => hosts.split(',').map(|host| server(host, default)).collect::<Result<_>>()?,
    };
    match all.len() <= most {
        true => Ok(all),
        false => Err(wrong(format!("names {} hosts: at most {most} are tried", all.len()))),
    }
}

fn tls(name: &str, mode: &str) -> Result<Tls> {
    match mode.to_ascii_lowercase().replace('_', "-").as_str() {
        "disable" | "disabled" => Ok(Tls::Disabled),
        "require" | "required" => Ok(Tls::Unverified),
        "verify-full" | "verify-identity" => Ok(Tls::Verified),
        "allow" | "prefer" | "preferred" => Err(wrong(format!(
            "has {name}={mode}, which sends everything unencrypted if somebody between asks for it: it accepts \
             disable, require and verify-full"
        ))),
        "verify-ca" => {
            Err(wrong(format!("has {name}={mode}: write {name}=require with ca_file, or verify-full")))
        }
        _ => Err(wrong(format!("has an unknown {name}: it accepts disable, require and verify-full"))),
    }
}

/// A part of a URL without percent encoding.
fn part(text: &str, name: &str) -> Result<String> {
    // The parser reads a form's value, in which a + would mean a space.
    let form = format!("v={}", text.replace('+', "%2B").replace('&', "%26"));
    let (_, value) = url::form_urlencoded::parse(form.as_bytes()).next().unwrap_or_default();
    match value.contains('\u{fffd}') {
        true => Err(wrong(format!("has a {name} that is not UTF-8"))),
        false => Ok(value.into_owned()),
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn wrong(why: String) -> Error {
    Error::invalid_argument(format!("the journal's URL {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_read(url: &str) -> Result<Address> {
        let dialect = if url.starts_with("postgres") { Dialect::Postgresql } else { Dialect::Mysql };
        Address::read(dialect, url)
    }

    fn read(url: &str) -> Address {
        try_read(url).unwrap_or_else(|error| panic!("{url}: {error}"))
    }

    #[test]
    fn url_names_servers_user_database_and_password() {
        let address = read("postgresql://shop%40eu:p%40+ss@db.example:5433/pay%20ments");
        assert_eq!((address.user.as_str(), address.database.as_str()), ("shop@eu", "pay ments"));
        assert_eq!(address.password.as_deref().map(String::as_str), Some("p@+ss"));
        for (url, place) in [
            ("postgresql://shop:secret@db.example:5433/p", "postgresql://db.example:5433/p"),
            ("mysql://shop@[::1]/p?connect_timeout=3", "mysql://::1:3306/p"),
            ("postgres://shop@localhost/p", "postgresql://localhost:5432/p"),
            (
                "postgresql://s:secret@a,b:6432/p?target_session_attrs=read-write",
                "postgresql://a:5432,b:6432/p",
            ),
            ("postgresql://shop@%2Frun%2Fpostgresql/p", "postgresql:///run/postgresql/p"),
            ("postgresql:///p?host=/run/postgresql&user=shop", "postgresql:///run/postgresql/p"),
            ("postgresql:///p?host=a,b&user=shop", "postgresql://a:5432,b:5432/p"),
            ("mysql:///p?socket=/run/mysql.sock&user=shop", "mysql:///run/mysql.sock/p"),
            ("mariadb://shop@localhost/p?socket=/run/mysql.sock", "mysql:///run/mysql.sock/p"),
        ] {
            assert_eq!(read(url).place(), place, "{url}");
        }
        let socket = read("postgresql://u@:6000/d?host=/run").servers;
        assert_eq!(socket, [Server::Socket("/run".into(), 6000)]);
    }

    #[test]
    fn tls_is_verified_unless_the_url_or_a_local_server_says_otherwise() {
        for (url, tls) in [
            ("postgresql://u@db.example/d", Tls::Verified),
            ("mysql://u@10.0.0.1/d", Tls::Verified),
            ("postgresql://u@127.0.0.1/d", Tls::Disabled),
            ("postgresql://u@127.0.0.1,db.example/d", Tls::Verified),
            ("mysql://u@localhost/d", Tls::Disabled),
            ("postgresql://u@localhost/d?sslmode=verify-full", Tls::Verified),
            ("postgresql://u@db.example/d?sslmode=disable", Tls::Disabled),
            ("postgresql://u@db.example/d?sslmode=require", Tls::Unverified),
            ("postgresql://u@db.example/d?sslmode=require&ca_file=/ca.pem", Tls::VerifiedChain),
            ("postgresql://u@db.example/d?sslmode=require&sslrootcert=/ca.pem", Tls::VerifiedChain),
            ("mysql://u@db.example/d?ssl-mode=disabled", Tls::Disabled),
            ("mysql://u@db.example/d?ssl-mode=REQUIRED", Tls::Unverified),
            ("mysql://u@db.example/d?ssl-mode=require", Tls::Unverified),
            ("mysql://u@db.example/d?ssl-mode=VERIFY_IDENTITY&ssl-ca=/ca.pem", Tls::Verified),
        ] {
            assert_eq!(read(url).tls, tls, "{url}");
        }
    }

    #[test]
    fn wrong_url_is_refused_without_its_password() {
        for (url, why) in [
            ("postgresql://u:secret@h:99999/d", "port"),
            ("postgresql://:secret@h/d", "write postgresql://USER@HOST/DATABASE"),
            ("MYSQL://x", "write mysql://USER@HOST/DATABASE"),
            ("postgresql:///d?user=u", "names no host"),
            ("postgresql://u:secret@h", "one database"),
            ("postgresql://u:secret@h/", "one database"),
            ("mysql://u:secret@h/d/e", "one database"),
            ("mysql://u:secret@a,b/d", "names 2 hosts"),
            ("postgresql://u:secret@h/d#e", "has a #"),
            ("postgresql://u:secret@h/%ff", "not UTF-8"),
            ("postgresql://u:secret@h/d?sslmode=prefer", "unencrypted"),
            ("postgresql://u:secret@h/d?sslmode=verify-ca", "require with ca_file"),
            ("postgresql://u:secret@h/d?sslmode=on", "unknown sslmode"),
            ("postgresql://u:secret@h/d?ssl-mode=REQUIRED", "unknown parameter"),
            ("postgresql://u:secret@h/d?target_session_attrs=any", "read-write"),
            ("mysql://u:secret@h/d?sslmode=require", "unknown parameter"),
            ("postgresql://h/d?user=u&password=ab&secret", "unknown parameter"),
            ("mysql://u:secret@h/d?ssl-mode=PREFERRED", "unencrypted"),
            ("mysql://u:secret@h/d?ssl-mode=REQUIRED&ssl-ca=/ca.pem", "verify-full"),
            ("postgresql://u@%2Frun/d?sslmode=require", "a socket of this machine"),
            ("postgresql://u@h/d?client_cert=/c", "both files"),
            ("postgresql://u@h/d?sslmode=disable&ca_file=/c", "no TLS"),
            ("postgresql://u@h/d?connect_timeout=0", "connect_timeout"),
        ] {
            let Err(error) = try_read(url) else { panic!("{url} is accepted") };
            let text = error.message();
            assert!(text.starts_with("the journal's URL ") && text.contains(why), "{url}: {text}");
            assert!(!text.contains("secret"), "{text}");
        }
    }
}
