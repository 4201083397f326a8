//! The password of a database, read for each connection, so that it can be changed while processes run.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use merchantpay::read_key_file;
use zeroize::Zeroizing;

use super::address::{Address, Server};
use crate::store::failure::Failure;

pub(super) struct Password {
    in_url: Option<Zeroizing<String>>,
    file: Option<PathBuf>,
}

impl Password {
    pub(super) fn new(in_url: Option<Zeroizing<String>>, file: Option<&Path>) -> Password {
        Password { in_url, file: file.map(Path::to_owned) }
    }

    /// The file's first line, or the URL's password.
    pub(super) fn read(&self) -> Result<Option<Zeroizing<String>>, Failure> {
        let Some(file) = &self.file else { return Ok(self.in_url.clone()) };
        let text = read_key_file(file).map_err(|error| {
            // What is no file may be the password itself.
            let named = if file.exists() || file.is_absolute() {
                format!(" {}", file.display())
            } else {
                String::new()
            };
            Failure::lasting(format!("the password's file{named} cannot be read: {error}"))
        })?;
        match text.trim_start_matches('\u{feff}').lines().next().filter(|line| !line.is_empty()) {
            Some(line) => Ok(Some(Zeroizing::new(line.to_owned()))),
            None => Err(Failure::lasting(format!("the password's file {} is empty", file.display()))),
        }
    }

    /// Like [`read`](Password::read); without a password, that of libpq's password file for this server.
    pub(super) fn read_for(
        &self,
        address: &Address,
        server: &Server,
    ) -> Result<Option<Zeroizing<String>>, Failure> {
        match self.read()? {
            Some(password) => Ok(Some(password)),
            None => in_pgpass(address, server),
        }
    }
}

/// The password in `$PGPASSFILE` or `~/.pgpass`.
fn in_pgpass(address: &Address, server: &Server) -> Result<Option<Zeroizing<String>>, Failure> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".pgpass"));
    let Some(file) = std::env::var_os("PGPASSFILE").map(PathBuf::from).or_else(home) else { return Ok(None) };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => Zeroizing::new(text),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            return Ok(None);
        }
        Err(error) => {
            return Err(Failure::lasting(format!("the file {} cannot be read: {error}", file.display())));
        }
    };
    if is_readable_by_others(&file) {
        return Err(Failure::lasting(format!(
            "the file {} can be read by others: change its mode to 0600",
            file.display()
        )));
    }
    // libpq looks for `localhost` if the server is a socket.
    let (host, port) = match server {
        Server::Tcp(host, port) => (host.as_str(), port),
        Server::Socket(_, port) => ("localhost", port),
    };
    let wanted = [host, &port.to_string(), &address.database, &address.user];
    Ok(text.lines().find_map(|line| password_of(line, wanted)))
}

/// The password of a line `host:port:database:user:password`. `\` escapes `:` and `\`, and `*` is anything.
fn password_of(line: &str, wanted: [&str; 4]) -> Option<Zeroizing<String>> {
    if line.starts_with('#') {
        return None;
    }
    let (mut fields, mut rest) = (vec![Zeroizing::new(String::new())], line.chars());
    while let Some(c) = rest.next() {
        match c {
            ':' if fields.len() < 5 => fields.push(Zeroizing::default()),
            '\\' => fields.last_mut()?.extend(rest.next()),
            c => fields.last_mut()?.push(c),
        }
    }
    let matches = |(field, wanted): (&Zeroizing<String>, &&str)| [*wanted, "*"].contains(&field.as_str());
    (fields.len() == 5 && fields.iter().zip(&wanted).all(matches)).then(|| fields.pop()).flatten()
}

#[cfg(unix)]
fn is_readable_by_others(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(file).is_ok_and(|found| found.mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_readable_by_others(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_of_a_password_file_matches_all_four_fields() {
        let wanted = ["db.example", "5432", "shop", "u:ser"];
        for (line, password) in [
            ("db.example:5432:shop:u\\:ser:secret", Some("secret")),
            ("*:*:*:*:s:e\\\\c", Some("s:e\\c")),
            ("*:5432:*:u\\:ser:", Some("")),
            ("#*:*:*:*:secret", None),
            ("db.example:5433:shop:u\\:ser:secret", None),
            ("db.example:5432:shop:user:secret", None),
            ("db.example:5432:shop", None),
            ("", None),
        ] {
            assert_eq!(password_of(line, wanted).as_deref().map(String::as_str), password, "{line}");
        }
    }

    #[test]
    fn password_file_is_read_as_editors_and_shells_write_it() {
        let file = std::env::temp_dir().join(format!("merchantpay-password-{}", std::process::id()));
        let utf16 = "\u{feff}secret \r\nx".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [b"secret \nx".to_vec(), "\u{feff}secret \r\n".into(), utf16] {
            std::fs::write(&file, &bytes).unwrap();
            let password = Password::new(None, Some(&file)).read().ok().flatten();
            assert_eq!(password.as_deref().map(String::as_str), Some("secret "), "{bytes:?}");
        }
        std::fs::remove_file(file).unwrap();
    }
}
