//! Tests that a signature with ring's SHA-512 has exactly the same bytes as a signature with ed25519-dalek's
//! own SHA-512.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use merchantpay::{PrivateKey, PublicKey, Signature};
use proptest::prelude::*;

fn pair(seed: [u8; 32]) -> (PrivateKey, SigningKey) {
    let theirs = SigningKey::from_bytes(&seed);
    (PrivateKey::from_base64(&BASE64_STANDARD.encode(theirs.to_keypair_bytes())).unwrap(), theirs)
}

fn theirs(key: &SigningKey, message: &[u8]) -> Signature {
    Signature::from_bytes(key.sign(message).to_bytes())
}

#[test]
fn signatures_are_ed25519_dalek_s_at_every_length_around_a_block() {
    // SHA-512 has blocks of 128 bytes. 32 or 64 bytes are hashed before the message, and at least 17 bytes
    // after it. So lengths up to three blocks cover all cases.
    let message: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let (ours, key) = pair([7; 32]);
    let large = [1 << 10, 1 << 14, 1 << 16, 1 << 20]
        .into_iter()
        .flat_map(|power: usize| power - 100..=power.min(message.len()));
    for length in (0..400).chain(large.step_by(33)) {
        let message = &message[..length];
        assert_eq!(ours.sign(message).to_base64(), theirs(&key, message).to_base64(), "{length} bytes");
        assert_eq!(
            ours.clone().sign(message).to_base64(),
            theirs(&key, message).to_base64(),
            "{length} bytes by a clone"
        );
    }
}

proptest! {
    #[test]
    fn signatures_are_ed25519_dalek_s_for_any_key_and_message(seed: [u8; 32], message in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let (ours, key) = pair(seed);
        prop_assert_eq!(ours.sign(&message).to_base64(), theirs(&key, &message).to_base64());
        let public = PublicKey::from_base64(&ours.public_key().to_base64()).unwrap();
        prop_assert!(public.verifies(&message, &ours.sign(&message)));
    }
}
