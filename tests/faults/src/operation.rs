//! The seven operations as the harness calls them, and the content of their replies.

use merchantpay::{
    Amount, AmountsRequest, AvailableAmounts, Client, Error, Payment, PaymentMethod, PaymentRequest, Receipt,
};

/// Calls the operation with this order id or account.
type Call = fn(&Client, &str) -> Result<Terms, Error>;

pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) path: &'static str,
    /// The library may send the request again after bytes were written.
    pub(crate) repeatable: bool,
    pub(crate) call: Call,
}

pub(crate) const SUM: &str = "1500.50";

/// The values in a reply: as the service has signed them, or as the client has read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) order_id: Option<String>,
    pub(crate) sum: Option<Amount>,
    pub(crate) json: String,
}

const fn operation(name: &'static str, path: &'static str, repeatable: bool, call: Call) -> Operation {
    Operation { name, path, repeatable, call }
}

/// The seven operations, and a receipt that needs more than one write.
pub(crate) static OPERATIONS: [Operation; 8] = [
    operation("getAvailableAmounts", "/available", true, get_available_amounts),
    operation("newPayment", "/new", false, new_payment),
    operation("newPaymentAsync", "/new-async", false, new_payment_async),
    operation("confirm", "/confirm", false, |client, order| client.confirm(order).map(Terms::from)),
    operation("cancel", "/cancel", false, |client, order| client.cancel(order).map(Terms::from)),
    operation("getStatus", "/status", true, |client, order| client.get_status(order).map(Terms::from)),
    operation("attachReceipt", "/receipt/attach", false, attach_receipt),
    operation("attachLargeReceipt", "/receipt/attach", false, attach_large_receipt),
];

fn get_available_amounts(client: &Client, account: &str) -> Result<Terms, Error> {
    let request = AmountsRequest::new(SUM.parse::<Amount>()?, PaymentMethod::Sbp).customer_account(account);
    client.get_available_amounts(&request).map(Terms::from)
}

fn payment_request(account: &str) -> Result<PaymentRequest, Error> {
    Ok(PaymentRequest::new(SUM.parse::<Amount>()?, PaymentMethod::Sbp, account))
}

fn new_payment(client: &Client, account: &str) -> Result<Terms, Error> {
    client.new_payment(&payment_request(account)?).map(Terms::from)
}

fn new_payment_async(client: &Client, account: &str) -> Result<Terms, Error> {
    let request = payment_request(account)?.credentials_webhook_url("https://shop.example/credentials");
    client.new_payment_async(&request).map(Terms::from)
}

fn attach_receipt(client: &Client, order: &str) -> Result<Terms, Error> {
    attach(client, order, b"%PDF-1.7 receipt")
}

fn attach_large_receipt(client: &Client, order: &str) -> Result<Terms, Error> {
    attach(client, order, &b"%PDF-1.7".repeat(5 * 1024))
}

fn attach(client: &Client, order: &str, file: &[u8]) -> Result<Terms, Error> {
    let mut receipt = Receipt::new(order);
    receipt.add_bytes("receipt.pdf", "application/pdf", file)?;
    client.attach_receipt(&receipt).map(Terms::from)
}

impl From<Payment> for Terms {
    fn from(payment: Payment) -> Terms {
        Terms {
            order_id: Some(payment.order_id().to_owned()),
            sum: payment.sum(),
            json: payment.json().to_owned(),
        }
    }
}

impl From<AvailableAmounts> for Terms {
    fn from(amounts: AvailableAmounts) -> Terms {
        Terms {
            order_id: None,
            sum: amounts.available_amounts().first().copied(),
            json: amounts.json().to_owned(),
        }
    }
}
