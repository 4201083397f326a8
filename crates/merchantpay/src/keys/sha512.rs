//! SHA-512 by ring, a dependency of rustls, as the digest for ed25519-dalek. When a large receipt is signed,
//! nearly all of the time is spent here.

use curve25519_dalek::digest::consts::U64;
use curve25519_dalek::digest::{FixedOutput, HashMarker, Output, OutputSizeUser, Update};
use ring::digest::{Context, SHA512};

/// SHA-512 by ring. The result is the same as with every other SHA-512.
pub(crate) struct Sha512(Context);

impl Default for Sha512 {
    fn default() -> Sha512 {
        Sha512(Context::new(&SHA512))
    }
}

impl HashMarker for Sha512 {}

impl OutputSizeUser for Sha512 {
    type OutputSize = U64;
}

impl Update for Sha512 {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl FixedOutput for Sha512 {
    fn finalize_into(self, out: &mut Output<Sha512>) {
        out.copy_from_slice(self.0.finish().as_ref());
    }
}
