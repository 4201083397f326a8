//! temporary
mod amount;
mod balance;
mod error;
mod keys;
pub use amount::{Amount, MAX_DIGITS};
pub use balance::{Balance, Rounding, to_balance};
pub use error::{Code, Error, Outcome, Reason, Result};
pub use keys::{Keypair, PrivateKey, PublicKey, Signature, Signer};
