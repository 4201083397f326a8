//! Compares two verifications of signatures, case by case, on all processors: the library's own verification
//! with precomputed tables, and `verify_strict` of ed25519-dalek. The example ends with an error at the first
//! difference. `cargo run --release --example differential -- [CASES] [SEED]` starts it.

#[path = "../src/keys/key_table.rs"]
mod key_table;
#[path = "../src/keys/sha512.rs"]
mod sha512;
#[path = "../src/keys/trial.rs"]
mod trial;

#[path = "../tests/protocol/differential.rs"]
mod differential;

use std::error::Error;
use std::thread;
use std::time::Instant;

use differential::{KEY_KINDS, SIGNATURE_KINDS, Tally};

/// The number of cases that a thread compares between two progress reports.
const ROUND: u64 = 250_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let cases: u64 = arguments.next().map_or(Ok(10_000_000), |text| text.parse())?;
    let seed = match arguments.next() {
        Some(text) => text.parse()?,
        None => getrandom::u64()?,
    };
    println!("seed {seed}");
    let started = Instant::now();
    let threads = thread::available_parallelism()?.get() as u64;
    let rounds = cases.div_ceil(ROUND);
    let parts: Vec<_> = (0..threads)
        .map(|first| thread::spawn(move || part(seed, cases, (first..rounds).step_by(threads as usize))))
        .collect();
    let mut tally = Tally::default();
    for part in parts {
        tally.add(&part.join().map_err(|_| "they differ")?);
    }
    println!(
        "{} cases, no difference, {} of them accepted, {:?}",
        tally.cases,
        tally.accepted,
        started.elapsed()
    );
    println!("{} of the keys were weak", tally.weak_keys);
    for (kind, (count, accepted)) in KEY_KINDS.iter().zip(tally.keys.iter().zip(tally.accepted_of_key)) {
        println!("{count:>10} keys: {kind}; {accepted} signatures accepted");
    }
    for (kind, (count, accepted)) in
        SIGNATURE_KINDS.iter().zip(tally.signatures.iter().zip(tally.accepted_of_signature))
    {
        println!("{count:>10} signatures: {kind}; {accepted} accepted");
    }
    Ok(())
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.cases += other.cases;
        self.accepted += other.accepted;
        self.weak_keys += other.weak_keys;
        for (sum, more) in [
            (&mut self.keys[..], &other.keys[..]),
            (&mut self.accepted_of_key, &other.accepted_of_key),
            (&mut self.signatures, &other.signatures),
            (&mut self.accepted_of_signature, &other.accepted_of_signature),
        ] {
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }
}

fn part(seed: u64, cases: u64, rounds: impl Iterator<Item = u64>) -> Tally {
    let mut tally = Tally::default();
    for round in rounds {
        tally.add(&differential::run(seed.wrapping_add(round << 40), ROUND.min(cases - round * ROUND)));
        eprintln!("round {round} done");
    }
    tally
}
