//! Runs the code of a page, which guides.py puts in. examples.py sets the environment.
use std::time::Duration;

use merchantpay::{
    Amount, Balance, Client, Config, Error, Event, Outcome, Paid, Payment, PaymentMethod, PaymentRequest,
    Receipt, Result, Rounding, Status, WebhookVerifier, to_balance,
};
use merchantpay_journal::{Entry, Journal, JournalConfig};

fn setting(name: &str) -> Result<String> {
    std::env::var(name).map_err(|_| Error::invalid_argument(format!("{name} is not set")))
}

// crates/merchantpay/README.md

fn main() -> Result<()> {
    let client = client()?;
    client.connect()?;
    let payment = pay(&client)?;
    money(&payment)?;
    assert!(confirm(&client, payment.order_id())?);
    cancel(&client, payment.order_id())?;
    cancel(&client, pay(&client)?.order_id())?;
    attach(&client, &setting("DISPUTED")?, &setting("RECEIPT")?)?;

    let (body, signature) = (setting("WEBHOOK_BODY")?, setting("WEBHOOK_SIGNATURE")?);
    let verifier = client.verifier();
    assert_eq!(receive(&verifier, body.as_bytes(), &signature, None), 200);
    assert_eq!(receive(&verifier, b"{}", &signature, None), 400);

    let journal = open(&client, &setting("MERCHANTPAY_JOURNAL")?)?;
    let request = PaymentRequest::new("1500.50".parse::<Amount>()?, PaymentMethod::Sbp, "79001234567");
    let shown = std::cell::Cell::new(0);
    for _ in 0..2 {
        sell(&journal, &request, |_| shown.set(shown.get() + 1))?;
    }
    assert_eq!(shown.get(), 2);
    assert_eq!(callback(&journal, "/pay/callback/x", b"{}", &signature, None), 400);
    customer_has_paid(&journal)?;
    let shipped = std::cell::Cell::new(false);
    while !shipped.get() {
        every_few_seconds(&journal, |_| shipped.set(true))?;
        client.pause(Duration::from_millis(100))?;
    }
    println!("the end");
    Ok(())
}
