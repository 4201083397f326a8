//! The seven operations: flags in, one JSON line out.

use merchantpay::Receipt;

use crate::args::{self, fields};
use crate::json::one_line;
use crate::output::{Failure, print_line};
use crate::wait;

pub(crate) fn available(arguments: &args::WithFields<fields::Available>) -> Result<(), Failure> {
    let request = arguments.request.fields.amounts_request()?;
    let amounts = arguments.settings.client()?.get_available_amounts(&request)?;
    print_line(&one_line(amounts.json()))
}

pub(crate) fn new(arguments: &args::WithFields<fields::New>) -> Result<(), Failure> {
    let request = arguments.request.fields.payment_request()?;
    let payment = arguments.settings.client()?.new_payment(&request)?;
    print_line(&one_line(payment.json()))
}

pub(crate) fn new_async(arguments: &args::WithFields<fields::NewAsync>) -> Result<(), Failure> {
    let request = arguments.request.fields.payment_request()?;
    let payment = arguments.settings.client()?.new_payment_async(&request)?;
    print_line(&one_line(payment.json()))
}

pub(crate) fn confirm(arguments: &args::Order) -> Result<(), Failure> {
    let payment = arguments.settings.client()?.confirm(&arguments.order_id)?;
    print_line(&one_line(payment.json()))
}

pub(crate) fn cancel(arguments: &args::Order) -> Result<(), Failure> {
    let payment = arguments.settings.client()?.cancel(&arguments.order_id)?;
    print_line(&one_line(payment.json()))
}

pub(crate) fn status(arguments: &args::Status) -> Result<(), Failure> {
    let client = arguments.order.settings.client()?;
    let order_id = &arguments.order.order_id;
    if !arguments.wait {
        return print_line(&one_line(client.get_status(order_id)?.json()));
    }
    let payment = wait::until_final(&client, order_id, arguments.wait_timeout_ms)?;
    print_line(&one_line(payment.json()))?;
    // What was waited for may not have come: the line says what came instead.
    if payment.is_final() { Ok(()) } else { Err(Failure::AlreadyReported(4)) }
}

pub(crate) fn attach(arguments: &args::Attach) -> Result<(), Failure> {
    let mut receipt = Receipt::new(&arguments.order.order_id);
    for file in &arguments.files {
        receipt.add_file(file)?;
    }
    let payment = arguments.order.settings.client()?.attach_receipt(&receipt)?;
    print_line(&one_line(payment.json()))
}
