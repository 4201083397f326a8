//! What a failure that has no outcome of its own says about the request.

use std::panic::{AssertUnwindSafe, catch_unwind};

use merchantpay::{Error, Outcome, Result, words};

words! {
    /// What a call does when it fails. It decides the outcome of a panic.
    pub enum Phase {
        /// It sends nothing.
        Setup = "setup", 1, since "0.4.0";
        /// It sends a request. A wrong argument is found before, but a panic can come afterwards.
        Call = "call", 2, since "0.4.0";
        /// It reads the answer to an earlier request, which may have taken effect whatever fails.
        Reply = "reply", 3, since "0.4.0";
    }
}

impl Phase {
    /// Runs a call. Its panic is the error `internal`.
    pub fn run<T>(self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
            // The payload of a panic may panic when it is dropped.
            std::mem::forget(payload);
            let outcome = if self == Phase::Setup { Outcome::NotSent } else { Outcome::Unknown };
            Err(Error::internal(outcome, "internal error: please report it"))
        });
        result.map_err(|error| match (self, error.outcome()) {
            (Phase::Reply, Outcome::NotSent) => error.with_outcome(Outcome::Unknown),
            _ => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phase_decides_the_outcome_of_a_panic_and_of_a_wrong_argument() {
        for (phase, of_panic, of_error) in [
            (Phase::Setup, Outcome::NotSent, Outcome::NotSent),
            (Phase::Call, Outcome::Unknown, Outcome::NotSent),
            (Phase::Reply, Outcome::Unknown, Outcome::Unknown),
        ] {
            let panicked = phase.run::<()>(|| panic!("a test")).unwrap_err();
            assert_eq!((panicked.code(), panicked.outcome()), (merchantpay::Code::Internal, of_panic));
            let failed = phase.run::<()>(|| Err(Error::about("sum", "is missing"))).unwrap_err();
            assert_eq!(failed.outcome(), of_error);
        }
    }
}
