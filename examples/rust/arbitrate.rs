//! Takes a payment through arbitration: arbitrate FILE, where FILE is a receipt (PDF, JPEG or PNG).
mod example;

use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use example::{Ended, show};
use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest, Receipt, Status};

fn main() -> ExitCode {
    example::run(arbitrate)
}

fn arbitrate() -> Ended {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file] = &arguments[..] else { example::usage("arbitrate FILE") };
    let client = Client::new(Config::from_env()?)?;

    // This is a test account of the sandbox: its payments go to arbitration.
    let request = PaymentRequest::new("1500.55".parse::<Amount>()?, PaymentMethod::Card, "arbitration");
    let order_id = client.new_payment(&request)?.order_id().to_owned();
    println!("order {order_id}");

    // Reads the file before the customer pays, so that a wrong file is found in time.
    let mut receipt = Receipt::new(order_id.as_str());
    receipt.add_file(file)?;

    client.confirm(&order_id)?;
    println!("confirmed");

    let mut payment = client.get_status(&order_id)?;
    while !payment.is_final() && payment.status() != Some(&Status::ReceiptRequired) {
        sleep(Duration::from_millis(200));
        payment = client.get_status(&order_id)?;
    }
    show("status", payment.status());
    if payment.is_final() {
        return Ok(());
    }

    client.attach_receipt(&receipt)?;
    println!("receipt attached");

    show("status", client.wait(&order_id, Duration::from_secs(60))?.status());
    Ok(())
}
