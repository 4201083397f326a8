//! Tests that explanations of random messages are true and stay within the limits.
//!
//! `make stress` explains a million mutated messages, `make test` 20 000.

mod json;
mod message;
mod oracle;
mod random;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::{Budget, Explained, LARGEST_BODY, Message, explain};
use crate::cause::Cause;
use message::{Parties, Sent};
use oracle::check;
use random::Random;

/// Counts of the explanations. They detect a run that never reached the limit of verifications, or in which a
/// cause is missing.
#[derive(Debug, Default)]
struct Tally {
    causes: BTreeMap<&'static str, u64>,
    most_verified: u32,
}

impl Parties {
    /// The explanation, and the number of verified signatures.
    ///
    /// # Panics
    ///
    /// If the explanation is not true.
    fn explained(&self, number: u64, sent: &Sent) -> (Option<Explained>, u32) {
        let explainer = &self.explainers[sent.explainer];
        let mut budget = Budget::new(&sent.body);
        let message =
            Message { body: &sent.body, signature: &sent.signature, key_id: sent.key_id.as_deref() };
        let explained = catch_unwind(AssertUnwindSafe(|| {
            explain(&explainer.trust, &explainer.others, explainer.direction, &message, &mut budget)
        }));
        let explained = explained.unwrap_or_else(|_| panic!("message {number}: panic"));
        check(number, self, sent, explained.as_ref());
        (explained, budget.verified)
    }

    fn tally(&self, numbers: impl Iterator<Item = u64>) -> Tally {
        let mut tally = Tally::default();
        for number in numbers {
            let mut random = Random::of(number);
            let mut sent = self.mistaken(&mut random);
            for _ in 0..random.below(3) {
                sent.corrupt(&mut random);
            }
            let (explained, verified) = self.explained(number, &sent);
            assert!(verified <= 40, "message {number}: {verified} verifications");
            // For a body that is too large, only the body itself is tried, with two trusted keys and up to
            // three meanings of the signature.
            assert!(sent.body.len() <= LARGEST_BODY || verified <= 6, "message {number}: it is too large");
            tally.most_verified = tally.most_verified.max(verified);
            let cause = explained.map_or("none", |(finding, _)| finding.cause().name());
            *tally.causes.entry(cause).or_default() += 1;
        }
        tally
    }
}

/// `MERCHANTPAY_MUTATIONS` is the number of messages.
#[test]
fn a_cause_beyond_the_headers_is_named_only_if_undoing_it_verifies_and_no_limit_is_exceeded() {
    let count = std::env::var("MERCHANTPAY_MUTATIONS").map_or(20_000, |count| count.parse().unwrap());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let parties = &Parties::new();
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let part = |first| (first as u64..count).step_by(threads);
        let parts: Vec<_> =
            (0..threads).map(|first| scope.spawn(move || parties.tally(part(first)))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let mut all = Tally::default();
    for tally in tallies {
        all.most_verified = all.most_verified.max(tally.most_verified);
        tally.causes.into_iter().for_each(|(cause, count)| *all.causes.entry(cause).or_default() += count);
    }
    println!("{all:?}");
    assert_eq!(all.most_verified, 40, "the limit was not reached");
    assert_eq!(all.causes.len(), Cause::ALL.len() + 1, "each cause and none: {all:?}");
}

#[test]
fn no_cause_of_10_000_random_corruptions_is_wrong() {
    let parties = Parties::new();
    let mut not_explained = 0;
    for number in 0..10_000 {
        let mut random = Random::of(number);
        let good = parties.good(&mut random);
        assert!(parties.explained(number, &good).0.is_none(), "message {number} is correct");
        let mut sent = good.clone();
        sent.corrupt(&mut random);
        let (explained, _) = parties.explained(number, &sent);
        let Some((finding, signed)) = explained else {
            // The change did not matter, for example spaces around the value of a header.
            assert_eq!(sent.body, good.body, "message {number}");
            continue;
        };
        let changed = match finding.cause() {
            Cause::BodyChanged => signed == Some(good.body),
            Cause::MissingSignature | Cause::RepeatedSignature | Cause::SignatureEncoding => {
                sent.signature != good.signature
            }
            Cause::KeyId => sent.key_id != good.key_id,
            Cause::NotExplained => {
                not_explained += 1;
                true
            }
            // These causes would be wrong: the right key signed the body itself.
            Cause::DigestSigned | Cause::OwnKey | Cause::WrongKey => false,
        };
        assert!(changed, "message {number}: {finding:?} of {sent:?}");
    }
    assert!((5_000..9_000).contains(&not_explained), "{not_explained}");
}
