//! Accepts a payment: accept [CUSTOMER_ACCOUNT].
//!
//! Set the variables `MERCHANTPAY_BASE_URL`, `_KEY_ID`, `_PRIVATE_KEY`, `_SERVER_PUBLIC_KEY` and
//! `_SERVER_KEY_ID`; `merchantpay sandbox` prints their values.
mod example;

use std::process::ExitCode;
use std::time::Duration;

use example::{Ended, show, shown};
use merchantpay::{Amount, AmountsRequest, Client, Config, PaymentMethod, PaymentRequest, Status};

fn main() -> ExitCode {
    example::run(accept)
}

fn accept() -> Ended {
    let mut arguments = std::env::args().skip(1);
    let account = arguments.next().unwrap_or_else(|| "79001234567".to_owned());
    if arguments.next().is_some() {
        example::usage("accept [CUSTOMER_ACCOUNT]");
    }
    let client = Client::new(Config::from_env()?)?;

    // Money is decimal text or whole kopecks, never a float.
    let sum: Amount = "1500.55".parse()?;
    let wish = AmountsRequest::new(sum, PaymentMethod::Sbp).customer_account(account.as_str());
    let amounts = client.get_available_amounts(&wish)?;
    for amount in amounts.available_amounts() {
        println!("available {amount} RUB");
    }
    println!("others possible {}", if amounts.other_amounts_possible() { "yes" } else { "no" });

    let payment = client.new_payment(&PaymentRequest::new(sum, PaymentMethod::Sbp, account))?;
    // A shop stores the order id before it does anything else.
    println!("order {}", payment.order_id());
    println!(
        "pay {} {} to {}",
        shown(payment.sum()),
        shown(payment.currency()),
        shown(payment.payee_account())
    );
    show("bank", payment.payee_account_bank());
    show("holder", payment.payee_name());
    show("link", payment.deeplink());

    // The customer has reported the transfer, so the shop reports it to the service.
    client.confirm(payment.order_id())?;
    println!("confirmed");

    // A shop uses webhooks, and waits like this only without webhooks.
    let payment = client.wait(payment.order_id(), Duration::from_secs(60))?;
    show("status", payment.status());
    // A failed payment also has a sum. The paid sum can differ from the requested sum: `payment.paid(sum)`
    // compares them.
    if payment.status() == Some(&Status::DoneSuccess) {
        show("paid", payment.sum());
    }
    Ok(())
}
