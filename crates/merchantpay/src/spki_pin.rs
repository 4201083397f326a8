//! A pin of a server's public key: the hash that the key of the server's certificate must have. It does not
//! matter which trusted CA signed the certificate.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::digest;

use crate::error::{Error, Result};

/// The SHA-256 of the DER of a `SubjectPublicKeyInfo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpkiPin([u8; 32]);

impl SpkiPin {
    /// Reads `sha256/` and the standard base64 of 32 bytes. The form of curl, with two slashes, has the same
    /// meaning.
    pub(crate) fn parse(text: &str) -> Result<SpkiPin> {
        // The base64 itself can begin with a slash. The length of the base64 decides whether the second slash
        // belongs to the base64 or to the form of curl.
        let hash = |prefix| text.strip_prefix(prefix).and_then(decoded);
        hash("sha256/").or_else(|| hash("sha256//")).map(SpkiPin).ok_or_else(|| {
            Error::invalid_argument(
                "a pin must be sha256/ followed by the base64 of the SHA-256 of the \
                 server certificate's public key (its SPKI)",
            )
        })
    }

    /// `spki` is the DER of a `SubjectPublicKeyInfo`.
    pub(crate) fn matches(&self, spki: &[u8]) -> bool {
        digest::digest(&digest::SHA256, spki).as_ref() == self.0
    }
}

fn decoded(hash: &str) -> Option<[u8; 32]> {
    BASE64_STANDARD.decode(hash).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The output of `printf abc | openssl dgst -sha256 -binary | base64`.
    const OF_ABC: &str = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";

    #[test]
    fn a_pin_is_the_sha_256_of_the_key() {
        for text in [format!("sha256/{OF_ABC}"), format!("sha256//{OF_ABC}")] {
            let pin = SpkiPin::parse(&text).unwrap();
            assert!(pin.matches(b"abc") && !pin.matches(b"abd") && !pin.matches(b""), "{text}");
        }
    }

    #[test]
    fn a_hash_may_begin_with_slashes_of_its_own() {
        for first in [[0xff, 0xff, 0xff], [0xff, 0xf0, 0], [0xfc, 0, 0]] {
            let mut hash = [0; 32];
            hash[..3].copy_from_slice(&first);
            let text = BASE64_STANDARD.encode(hash);
            assert!(text.starts_with('/'), "{text}");
            for prefix in ["sha256/", "sha256//"] {
                assert!(
                    SpkiPin::parse(&format!("{prefix}{text}")).is_ok_and(|pin| pin == SpkiPin(hash)),
                    "{prefix}{text}"
                );
            }
        }
    }

    #[test]
    fn an_invalid_pin_is_refused() {
        let short = BASE64_STANDARD.encode([0; 31]);
        let (sha1, short, spaced) =
            (format!("sha1/{OF_ABC}"), format!("sha256/{short}"), format!("sha256/{OF_ABC} "));
        for text in ["", "sha256/", "sha256///", OF_ABC, &sha1, &short, &spaced] {
            assert!(SpkiPin::parse(text).is_err(), "{text}");
        }
    }
}
