//! Reads a database's password from a file or a variable. The password is never an argument, because other
//! users of the machine can see arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use merchantpay::{Error, Result, check_path};
use url::Url;
use zeroize::Zeroizing;

use super::address::dialect;
use crate::settings::variable;

/// Refuses the arguments if one contains a password.
///
/// # Errors
///
/// `invalid_argument`
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
    if dialect(url).is_none() {
        return false;
    }
    match Url::parse(url) {
        Ok(url) => url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password"),
        // This argument is not a URL, so no command can use it. A message must not repeat the argument,
        // because the argument may contain a password.
        Err(_) => {
            let user = url.rsplit_once('@').map_or("", |(user, _)| user);
            user.matches(':').count() > 1 || url.contains("password=")
        }
    }
}

/// Returns the password from the given file. If no file is given, returns the password from the variables.
///
/// # Errors
///
/// `invalid_argument` if the file cannot be read.
pub(super) fn configured(file: Option<&Path>) -> Result<Option<Zeroizing<String>>> {
    let password = variable("JOURNAL_PASSWORD").map(Zeroizing::new);
    let file = match file {
        Some(file) => Some(file.to_owned()),
        None if password.is_none() => variable("JOURNAL_PASSWORD_FILE").map(PathBuf::from),
        None => None,
    };
    file.map_or(Ok(password), |file| read(&file).map(Some))
}

/// The first line of a file.
fn read(file: &Path) -> Result<Zeroizing<String>> {
    check_path("the path of the password's file", file)?;
    let text = std::fs::read_to_string(file).map(Zeroizing::new).map_err(|error| {
        Error::invalid_argument(format!("the password's file {} cannot be read: {error}", file.display()))
    })?;
    match text.lines().next().filter(|line| !line.is_empty()) {
        Some(line) => Ok(Zeroizing::new(line.to_owned())),
        None => Err(Error::invalid_argument(format!("the password's file {} is empty", file.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_with_a_password_is_found_however_it_is_written() {
        for argument in [
            "postgresql://shop:secret@db.example/payments",
            "--journal=mysql://shop:secret@db.example/payments",
            "POSTGRES://shop:secret@db.example/payments",
            "postgresql://shop@db.example/payments?sslmode=require&password=secret",
            "mariadb://shop:secret@db.example:port/payments",
        ] {
            assert!(has_password(argument), "{argument}");
        }
        for argument in [
            "postgresql://shop@db.example/payments?sslmode=require",
            "--journal=mysql://shop@db.example/payments",
            "postgresql://shop@db.example:port/payments",
            "https://user:secret@pay.example",
            "/var/lib/shop/payments.db",
            "--note=a=b",
        ] {
            assert!(!has_password(argument), "{argument}");
        }
    }
}
