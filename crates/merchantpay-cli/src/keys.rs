//! `keygen`, and files with a private key.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use merchantpay::{Error, Keypair};

use crate::args::Keygen;
use crate::json::quoted;
use crate::output::{Failure, print_result};
use crate::terminal::table::aligned;

pub(crate) fn keygen(arguments: &Keygen) -> Result<(), Failure> {
    let pair = Keypair::generate()?;
    let (private_key, public_key) = (pair.private_key().to_base64(), pair.public_key().to_base64());
    let json = format!("{{\"privateKey\":{},\"publicKey\":{}}}", quoted(&private_key), quoted(&public_key));
    let advice = "give this key to the service";
    let Some(path) = &arguments.out else {
        let rows = [
            ["private key", &private_key, "keep it: `merchantpay keygen --out FILE`"],
            ["public key", &public_key, advice],
        ];
        return print_result(&json, &aligned(&rows.map(|row| row.map(str::to_owned).to_vec())));
    };
    let cannot = |error| Error::invalid_argument(format!("{} cannot be written: {error}", path.display()));
    writeln!(new_private_file(path).map_err(cannot)?, "{json}").map_err(cannot)?;
    let file = path.display().to_string();
    let rows = [
        ["private key", &file, "MERCHANTPAY_PRIVATE_KEY_FILE names this file"],
        ["public key", &public_key, advice],
    ];
    print_result(
        &format!("{{\"file\":{},\"publicKey\":{}}}", quoted(&file), quoted(&public_key)),
        &aligned(&rows.map(|row| row.map(str::to_owned).to_vec())),
    )
}

/// Makes a file that only its owner can read. The file must not exist.
pub(crate) fn new_private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
