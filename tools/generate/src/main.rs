//! Writes every stale generated file.

use merchantpay_generate::{Fault, root, write_all};

fn main() -> Result<(), Fault> {
    write_all(&root())
}
