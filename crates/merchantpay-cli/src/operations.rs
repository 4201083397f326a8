//! The seven operations: flags in, one JSON line out.

use merchantpay::{AmountsRequest, Currency, PaymentMethod, PaymentRequest, Receipt, Result};

use crate::args;
use crate::output::{Failure, one_line, print_line};
use crate::wait;

pub(crate) fn available(arguments: &args::Available) -> Result<(), Failure> {
    let method: PaymentMethod = arguments.payment_method.parse()?;
    let currency: Currency = arguments.currency.parse()?;
    let mut request = AmountsRequest::new(arguments.sum.parse::<merchantpay::Amount>()?, method).currency(currency);
    if let Some(account) = &arguments.customer_account {
        request = request.customer_account(account);
    }
    if let Some(drift) = &arguments.sum_drift_up {
        request = request.sum_drift_up(drift.parse::<merchantpay::Amount>()?);
    }
    if let Some(drift) = &arguments.sum_drift_down {
        request = request.sum_drift_down(drift.parse::<merchantpay::Amount>()?);
    }
    let amounts = arguments.settings.client()?.get_available_amounts(&request)?;
    print_line(&one_line(amounts.json()))
}

pub(crate) fn new(arguments: &args::New) -> Result<(), Failure> {
    let request = payment_request(&arguments.payment)?;
    let payment = arguments.settings.client()?.new_payment(&request)?;
    print_line(&one_line(payment.json()))
}

pub(crate) fn new_async(arguments: &args::NewAsync) -> Result<(), Failure> {
    let request = payment_request(&arguments.payment)?.credentials_webhook_url(&arguments.credentials_webhook_url);
    let payment = arguments.settings.client()?.new_payment_async(&request)?;
    print_line(&one_line(payment.json()))
}

fn payment_request(fields: &args::Payment) -> Result<PaymentRequest> {
    let method: PaymentMethod = fields.payment_method.parse()?;
    let sum: merchantpay::Amount = fields.sum.parse()?;
    let mut request = PaymentRequest::new(sum, method, &fields.customer_account).currency(fields.currency.parse()?);
    if let Some(code) = &fields.payer_bank {
        request = request.payer_bank(code);
    }
    if let Some(id) = &fields.merchant_id {
        request = request.merchant_id(id);
    }
    if let Some(url) = &fields.status_webhook_url {
        request = request.status_webhook_url(url);
    }
    Ok(request)
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
    let payment =
        if arguments.wait { wait::until_final(&client, order_id, arguments.wait_timeout_ms)? } else { client.get_status(order_id)? };
    print_line(&one_line(payment.json()))
}

pub(crate) fn attach(arguments: &args::Attach) -> Result<(), Failure> {
    let mut receipt = Receipt::new(&arguments.order.order_id)?;
    for file in &arguments.files {
        receipt.add_file(file)?;
    }
    let payment = arguments.order.settings.client()?.attach_receipt(&receipt)?;
    print_line(&one_line(payment.json()))
}
