//! The adapter in Rust as a program.

fn main() -> std::io::Result<()> {
    merchantpay_contract::run(merchantpay_journal::JournalConfig::new)
}
