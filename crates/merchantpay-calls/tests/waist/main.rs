//! The waist, as a language uses it: only numbers and frames.

mod faults;
mod host;
mod life;
mod random;
