//! The code of the crate's README, which shows the lines between two marks. `tests/docs` runs it with a
//! sandbox: guide RECEIPT
use std::time::Duration;

use merchantpay::{
    Amount, Balance, Client, Config, Error, Event, Outcome, Paid, Payment, PaymentMethod, PaymentRequest,
    Receipt, Result, Rounding, Status, WebhookVerifier, to_balance,
};
use merchantpay_journal::{Entry, Journal, JournalConfig};

fn setting(name: &str) -> Result<String> {
    std::env::var(name).map_err(|_| Error::invalid_argument(format!("{name} is not set")))
}

// [client]
fn client() -> Result<Client> {
    Client::new(Config::from_env()?) // or Config::new(url, key_id, private_key, server_public_key)
}
// [/client]

// [pay]
fn pay(client: &Client) -> Result<Payment> {
    let sum: Amount = "1500.50".parse()?;
    let request = PaymentRequest::new(sum, PaymentMethod::Sbp, "79001234567").merchant_id("order-1017");
    let result = client.new_payment(&request);
    match &result {
        Ok(payment) => println!("{}: pay at {:?}", payment.order_id(), payment.deeplink()),
        Err(error) if error.outcome() == Outcome::NotSent => println!("nothing was sent: {error}"),
        Err(error) if error.outcome() == Outcome::Rejected => println!("refused: {:?}", error.description()),
        Err(error) => println!("a payment may exist, do not send again: {error}"),
    }
    result
}
// [/pay]

// [confirm]
fn confirm(client: &Client, order_id: &str) -> Result<bool> {
    client.confirm(order_id)?; // the customer says that the money was sent
    let payment = client.wait(order_id, Duration::from_secs(60))?; // calls getStatus until the status is final
    let asked: Amount = "1500.50".parse()?;
    Ok(payment.status() == Some(&Status::DoneSuccess) && payment.paid(asked) == Some(Paid::Exactly))
}
// [/confirm]

// [cancel]
fn cancel(client: &Client, order_id: &str) -> Result<()> {
    match client.cancel(order_id) {
        Ok(_) => println!("{order_id}: cancelled"),
        Err(error) if error.outcome() == Outcome::Rejected => {
            println!("{order_id}: {:?}", client.get_status(order_id)?.status()); // too late: shows why
        }
        Err(error) => return Err(error),
    }
    Ok(())
}
// [/cancel]

// [receipt]
fn attach(client: &Client, order_id: &str, file: &str) -> Result<()> {
    let mut receipt = Receipt::new(order_id);
    receipt.add_file(file)?; // a PDF, JPEG or PNG by its content; add_bytes for a file in memory
    client.attach_receipt(&receipt).map(|_| ())
}
// [/receipt]

// [money]
fn money(payment: &Payment) -> Result<()> {
    let sum: Amount = "1500.50".parse()?;
    let converted = to_balance(sum, "92.45".parse()?, Balance::Usdt, 6, Rounding::HalfEven)?;
    assert_eq!(converted.to_string(), "16.230395");
    // The payment's dealCurrency names the merchant's balance:
    let balance = payment.deal_currency().and_then(Balance::of_currency);
    println!("paid {:?} of {sum}, balance {balance:?}", payment.paid(sum));
    Ok(())
}
// [/money]

// [webhook]
/// Takes the unchanged body, and the headers X-Signature and X-KeyId. Returns the HTTP status of the answer.
fn receive(verifier: &WebhookVerifier, body: &[u8], signature: &str, key_id: Option<&str>) -> u16 {
    match verifier.verify(body, signature, key_id) {
        Ok(Event::CredentialsIssued(payment)) => println!("show the customer {:?}", payment.deeplink()),
        Ok(Event::CredentialsFailed(payment)) => println!("{}: no payee", payment.order_id()),
        Ok(Event::StatusChanged(payment)) => println!("{}: {:?}", payment.order_id(), payment.status()),
        Ok(_) => {} // a kind that a later version added
        Err(error) => {
            let why = verifier.explain(body, signature, key_id);
            let why = why.map_or_else(|| error.to_string(), |why| why.hint());
            eprintln!("webhook refused: {why}"); // for your log, not for the sender
            return 400;
        }
    }
    200 // only when the event is stored
}
// [/webhook]

// [journal]
fn open(client: &Client, file: &str) -> Result<Journal> {
    Journal::open(client, JournalConfig::new(file).callback_url("https://shop.example/pay/callback"))
}

fn sell(journal: &Journal, request: &PaymentRequest, show: impl Fn(&Payment)) -> Result<()> {
    let entry = journal.pay("order-1017", request)?; // a repeated call returns the same payment
    entry.credentials.iter().for_each(show); // present only if the customer can pay now
    Ok(())
}

fn customer_has_paid(journal: &Journal) -> Result<()> {
    journal.find("order-1017")?.map_or(Ok(()), |entry| journal.confirm(&entry).map(|_| ()))
}

fn callback(journal: &Journal, path: &str, body: &[u8], signature: &str, key_id: Option<&str>) -> u16 {
    journal.receive(path, body, signature, key_id).http_status // the HTTP status of the answer
}

fn every_few_seconds(journal: &Journal, ship: impl Fn(&Entry)) -> Result<()> {
    journal.settle(100)?; // asks the service about open attempts that are due
    for entry in journal.news(100)? {
        // Unacknowledged changes, also from before a crash.
        if entry.succeeded {
            ship(&entry); // doneSuccess, and exactly the requested sum was paid
        }
        journal.acknowledge(&entry)?;
    }
    Ok(())
}
// [/journal]

fn main() -> Result<()> {
    let file = std::env::args().nth(1).ok_or_else(|| Error::invalid_argument("usage: guide RECEIPT"))?;
    let client = client()?;
    client.connect()?;
    let payment = pay(&client)?;
    money(&payment)?;
    assert!(confirm(&client, payment.order_id())?);
    cancel(&client, payment.order_id())?;
    cancel(&client, pay(&client)?.order_id())?;

    let disputed = PaymentRequest::new("1500.50".parse::<Amount>()?, PaymentMethod::Card, "arbitration");
    let disputed = client.new_payment(&disputed)?;
    client.confirm(disputed.order_id())?;
    while client.get_status(disputed.order_id())?.status() != Some(&Status::ReceiptRequired) {
        client.pause(Duration::from_millis(50))?;
    }
    attach(&client, disputed.order_id(), &file)?;

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
