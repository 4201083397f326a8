//! The generated files that are committed are those that the definition gives.

#[test]
fn every_generated_file_is_current() {
    let stale = merchantpay_generate::stale(&merchantpay_generate::root()).unwrap();
    assert!(stale.is_empty(), "run `make generate`: {}", stale.join(", "));
}
