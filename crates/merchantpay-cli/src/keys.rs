//! `keygen`, and files with a private key.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use merchantpay::{Error, Keypair, PrivateKey, Result, check_path, key_text, read_key_file};
use serde_json::json;
use zeroize::Zeroizing;

use crate::document::aligned;
use crate::output::{Failure, print_result};

pub(crate) fn keygen(out: Option<&Path>) -> std::result::Result<(), Failure> {
    let pair = Keypair::generate()?;
    let (private_key, public_key) = (pair.private_key().to_base64(), pair.public_key().to_base64());
    let json = json!({"privateKey": private_key.as_str(), "publicKey": public_key});
    let show = |json, [shown, hint]: [&str; 2]| {
        let rows = [
            vec!["private key", shown, hint],
            vec!["public key", &public_key, "give this key to the service"],
        ];
        print_result(json, &aligned(&rows))
    };
    let Some(path) = out else {
        return show(json, [&private_key, "keep it: `merchantpay keygen --out FILE`"]);
    };
    let cannot = |error| Error::invalid_argument(format!("{} cannot be written: {error}", path.display()));
    writeln!(new_private_file(path).map_err(cannot)?, "{json}").map_err(cannot)?;
    let file = path.display().to_string();
    show(
        json!({"file": file, "publicKey": public_key}),
        [&file, "MERCHANTPAY_PRIVATE_KEY_FILE names this file"],
    )
}

/// Fails if the file exists. On Unix only its owner can read it; on Windows it has the permissions of its folder.
pub(crate) fn new_private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub(crate) fn read_private_key(path: &Path) -> Result<PrivateKey> {
    parse_key(&read_private_key_text(path)?)
}

pub(crate) fn parse_key(text: &str) -> Result<PrivateKey> {
    PrivateKey::from_base64(&key_text("private_key", text)?)
}

pub(crate) fn read_private_key_text(path: &Path) -> Result<Zeroizing<String>> {
    check_path("private_key_file", path)?;
    read_key_file(path).map_err(|fault| {
        Error::invalid_argument(format!(
            "the private key file{} cannot be read: {fault}",
            path_unless_key(path)
        ))
    })
}

/// A space and the path for a message; nothing if the text may be the key itself, pasted by mistake.
pub(crate) fn path_unless_key(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_base64 = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    // 32 or 64 bytes in base64, which may begin with a slash.
    let is_key = is_base64 && [43, 44, 86, 88].contains(&text.len());
    let is_path = path.exists() || path.is_absolute() && !is_key;
    if is_path { format!(" {text}") } else { String::new() }
}
