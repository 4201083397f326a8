//! The seven operations: each takes flags and prints one reply.

use merchantpay::Receipt;

use crate::args::{self, fields};
use crate::output::Failure;
use crate::terminal::progress::Progress;
use crate::terminal::reply;
use crate::wait;

pub(crate) fn available(arguments: &args::WithFields<fields::Available>) -> Result<(), Failure> {
    let request = arguments.request.fields.amounts_request()?;
    let amounts = arguments.settings.client()?.get_available_amounts(&request).map_err(Failure::OfRead)?;
    reply::print(amounts.json())
}

pub(crate) fn new(arguments: &args::WithFields<fields::New>) -> Result<(), Failure> {
    let request = arguments.request.fields.payment_request()?;
    let client = arguments.settings.client()?;
    let waiting = Progress::start("waiting for the credentials");
    let payment = client.new_payment(&request);
    drop(waiting);
    let payment = payment?;
    reply::print(payment.json())
}

pub(crate) fn new_async(arguments: &args::WithFields<fields::NewAsync>) -> Result<(), Failure> {
    let request = arguments.request.fields.payment_request()?;
    let payment = arguments.settings.client()?.new_payment_async(&request)?;
    reply::print(payment.json())
}

pub(crate) fn confirm(arguments: &args::Order) -> Result<(), Failure> {
    let payment = arguments.settings.client()?.confirm(&arguments.order_id)?;
    reply::print(payment.json())
}

pub(crate) fn cancel(arguments: &args::Order) -> Result<(), Failure> {
    let payment = arguments.settings.client()?.cancel(&arguments.order_id)?;
    reply::print(payment.json())
}

pub(crate) fn status(arguments: &mut args::Status) -> Result<(), Failure> {
    let settings = &mut arguments.order.settings;
    let limit = if arguments.wait { settings.take_time_limit() } else { None };
    let client = settings.client()?;
    let order_id = &arguments.order.order_id;
    if !arguments.wait {
        return reply::print(client.get_status(order_id).map_err(Failure::OfRead)?.json());
    }
    let payment = wait::until_final(&client, order_id, limit).map_err(Failure::OfRead)?;
    reply::print(payment.json())?;
    // If the time to wait is over, the status may not be final. The printed line has the status.
    if payment.is_final() { Ok(()) } else { Err(Failure::AlreadyReported(4)) }
}

pub(crate) fn attach(arguments: &args::Attach) -> Result<(), Failure> {
    let mut receipt = Receipt::new(&arguments.order.order_id);
    for file in &arguments.files {
        receipt.add_file(file)?;
    }
    let payment = arguments.order.settings.client()?.attach_receipt(&receipt)?;
    reply::print(payment.json())
}
