//! Random texts for tokens, writers and claims.

use merchantpay::{Error, Outcome, Result};

use crate::model::driver::RandomTexts;
use crate::model::hexadecimal::hexadecimal;

impl RandomTexts {
    pub(super) fn new(outcome: Outcome) -> Result<RandomTexts> {
        let [token, writer] = random(outcome)?;
        Ok(RandomTexts { token, writer })
    }
}

/// Makes random texts of 128 bits. If that fails, the error has the given outcome.
pub(crate) fn random<const COUNT: usize>(outcome: Outcome) -> Result<[String; COUNT]> {
    let mut bytes = [[0; 16]; COUNT];
    getrandom::fill(bytes.as_flattened_mut())
        .map_err(|_| Error::storage(outcome, "the operating system returned no random numbers"))?;
    Ok(bytes.map(|bytes| hexadecimal(&bytes)))
}
