//! Compares the core, which verifies with tables, with ed25519-dalek alone. Prints the shortest time of many short
//! turns for both, and the ratio. `cargo run --release --package merchantpay-bench --bin signatures`

use std::hint::black_box;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use merchantpay::{PrivateKey, WebhookVerifier};

/// A webhook's body, as the service sends it.
const BODY: &[u8] = include_bytes!("../../../webhook.json");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    let theirs = SigningKey::from_bytes(&seed);
    let ours = PrivateKey::from_base64(&BASE64_STANDARD.encode(theirs.to_keypair_bytes()))?;
    let (their_key, our_key) = (theirs.verifying_key(), ours.public_key());
    println!("{:<34}{:>16}{:>14}{:>8}", "", "ed25519-dalek", "merchantpay", "ratio");

    let (their_signature, our_signature) = (theirs.sign(BODY), ours.sign(BODY));
    let strict = || their_key.verify_strict(black_box(BODY), &their_signature).is_ok();
    compare("verify a webhook's signature", strict, || our_key.verifies(black_box(BODY), &our_signature));
    let verifier = WebhookVerifier::new(our_key);
    let header = our_signature.to_base64();
    compare("the same and read the webhook", strict, || {
        verifier.verify(black_box(BODY), &header, None).is_ok()
    });

    compare("sign it", || theirs.sign(black_box(BODY)), || ours.sign(black_box(BODY)));
    Ok(())
}

/// Measures both functions in many alternate turns. Each turn is short, so that some turns run without other
/// load of the machine.
fn compare<A, B>(name: &str, mut theirs: impl FnMut() -> A, mut ours: impl FnMut() -> B) {
    let (mut their_best, mut our_best) = (f64::MAX, f64::MAX);
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(3) {
        their_best = their_best.min(turn(&mut theirs));
        our_best = our_best.min(turn(&mut ours));
    }
    println!("{name:<34}{their_best:>13.2} µs{our_best:>11.2} µs{:>8.2}", their_best / our_best);
}

/// Returns the microseconds per call in one turn.
fn turn<T>(work: &mut impl FnMut() -> T) -> f64 {
    let started = Instant::now();
    let mut calls = 0;
    while calls == 0 || started.elapsed() < Duration::from_micros(500) {
        black_box(work());
        calls += 1;
    }
    started.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}
