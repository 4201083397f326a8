//! The first payment.
use std::time::Duration;

use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_env()?)?;
    let sum: Amount = "1500.50".parse()?;
    let payment = client.new_payment(&PaymentRequest::new(sum, PaymentMethod::Sbp, "79001234567"))?;
    println!("pay {sum} to {}", payment.payee_account().unwrap_or("-"));
    client.confirm(payment.order_id())?; // the customer says that the money was sent
    let payment = client.wait(payment.order_id(), Duration::from_secs(60))?; // until the status is final
    println!("{} {sum}", payment.status().map_or("-", |status| status.as_str()));
    Ok(())
}
