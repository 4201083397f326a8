//! Random texts and digests.

use merchantpay::{Error, Outcome, Result};
use ring::digest;

pub(crate) fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes)
        .map_err(|_| Error::internal(Outcome::NotSent, "the system gives no random numbers"))
}

/// 128 random bits as text.
pub(crate) fn random() -> Result<String> {
    let mut bytes = [0; 16];
    fill(&mut bytes)?;
    Ok(hexadecimal(&bytes))
}

/// The SHA-256 of bytes as text.
pub(crate) fn text_digest(bytes: impl AsRef<[u8]>) -> String {
    hexadecimal(digest::digest(&digest::SHA256, bytes.as_ref()).as_ref())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
