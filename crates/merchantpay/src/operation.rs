//! The seven operations (contract, section 4): the table, and a function for each that makes its unsigned request.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::json::{Fault, Object};
use crate::payment::{AvailableAmounts, Payment};
use crate::receipt::Receipt;
use crate::request::{AmountsRequest, PaymentRequest, order_body};

/// The request of an operation before it is signed. Its reply is read as a value of type `R`.
///
/// An invalid request is reported when it is signed: by [`Protocol::prepare`](crate::Protocol::prepare) or a call.
#[must_use]
pub struct UnsignedRequest<R> {
    pub(crate) operation: &'static OperationInfo,
    pub(crate) body: Result<Arc<Vec<u8>>>,
    pub(crate) content_type: Cow<'static, str>,
    /// The reply must have the same order id.
    pub(crate) order_id: Option<String>,
    pub(crate) read: Read<R>,
}

/// Reads a verified, successful reply, and checks that it has what the operation promises. The same key also signs
/// the replies to other operations, and such a reply must not be accepted.
pub(crate) type Read<R> = fn(&Object<'_>) -> std::result::Result<R, Fault>;

/// An operation of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationInfo {
    /// The contract's name, such as `newPayment`.
    pub name: &'static str,
    /// The name in C#, Java and JavaScript. In these languages `Async` at the end of a name means that the
    /// method returns a task.
    pub task_name: &'static str,
    /// The end of the path of the operation's endpoint, such as `/new`.
    pub path: &'static str,
    /// The contract's section, such as `4.2`.
    pub section: &'static str,
    /// `true` if the library may repeat the operation.
    pub is_repeatable: bool,
    /// The kind of the operation's argument.
    pub takes: Takes,
    /// The kind of the operation's result.
    pub gives: Gives,
    /// A description in one line.
    pub doc: &'static str,
}

/// The kinds of arguments of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Each request field whose [`operations`](crate::RequestField::operations) contain this operation.
    Fields,
    /// An order id.
    OrderId,
    /// An order id and files.
    Receipt,
}

/// The kinds of results of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// Amounts with a counter-offer.
    Amounts,
    /// A payment with more fields than its order id.
    Payment,
    /// A payment with only its order id.
    OrderId,
    /// Only the fact that the call succeeded.
    Nothing,
}

macro_rules! operations {
    ($(
        $( #[doc = $doc:literal] )+
        $index:ident = $name:literal $(as $task_name:literal)? $path:literal, section $section:literal, repeatable $repeatable:literal,
            takes $takes:ident, gives $gives:ident;
    )+) => {
        $(
            #[doc(hidden)]
            pub const $index: &OperationInfo = &OperationInfo {
                name: $name,
                task_name: operations!(@task_name $name $($task_name)?),
                path: $path,
                section: $section,
                is_repeatable: $repeatable,
                takes: Takes::$takes,
                gives: Gives::$gives,
                doc: concat!($($doc),+).trim_ascii(),
            };
        )+

        /// Every operation, in the contract's order.
        pub const OPERATIONS: &[OperationInfo] = &[ $( *$index, )+ ];
    };
    (@task_name $name:literal) => { $name };
    (@task_name $name:literal $task_name:literal) => { $task_name };
}

operations! {
    /// Returns the amounts for which the service has a counter-offer at this moment. No amount is reserved.
    GET_AVAILABLE_AMOUNTS = "getAvailableAmounts" "/available", section "4.1", repeatable true,
        takes Fields, gives Amounts;
    /// Makes a payment. Returns the credentials with which the customer pays, after up to 10 seconds.
    NEW_PAYMENT = "newPayment" as "createPayment" "/new", section "4.2", repeatable false,
        takes Fields, gives Payment;
    /// Makes a payment. Returns only its order id: the credentials arrive by webhook.
    NEW_PAYMENT_ASYNC = "newPaymentAsync" as "requestPayment" "/new-async", section "4.3", repeatable false,
        takes Fields, gives OrderId;
    /// Reports that the customer has paid. The service then starts to check the payment.
    CONFIRM = "confirm" "/confirm", section "4.4", repeatable false,
        takes OrderId, gives Nothing;
    /// Cancels a payment. The service refuses the cancellation if the payment can no longer be cancelled.
    CANCEL = "cancel" "/cancel", section "4.5", repeatable false,
        takes OrderId, gives Nothing;
    /// Returns the payment with its present status.
    GET_STATUS = "getStatus" "/status", section "4.6", repeatable true,
        takes OrderId, gives Payment;
    /// Attaches receipts (PDF, JPEG or PNG) to a payment in arbitration.
    ATTACH_RECEIPT = "attachReceipt" "/receipt/attach", section "4.7", repeatable false,
        takes Receipt, gives Nothing;
}

/// `POST /available`: the amounts for which the service has a counter-offer at this moment.
pub fn get_available_amounts(request: &AmountsRequest) -> UnsignedRequest<AvailableAmounts> {
    json(GET_AVAILABLE_AMOUNTS, request.body(), AvailableAmounts::read)
}

/// `POST /new`: makes a payment. The reply contains the credentials.
pub fn new_payment(request: &PaymentRequest) -> UnsignedRequest<Payment> {
    json(NEW_PAYMENT, request.checked_body(false), read_credentials)
}

/// `POST /new-async`: makes a payment. The credentials arrive by webhook.
pub fn new_payment_async(request: &PaymentRequest) -> UnsignedRequest<Payment> {
    json(NEW_PAYMENT_ASYNC, request.checked_body(true), Payment::read)
}

/// `POST /confirm`: reports that the customer has paid.
pub fn confirm(order_id: &str) -> UnsignedRequest<Payment> {
    of_order(CONFIRM, order_id, Payment::read)
}

/// `POST /cancel`: cancels the payment.
pub fn cancel(order_id: &str) -> UnsignedRequest<Payment> {
    of_order(CANCEL, order_id, Payment::read)
}

/// `POST /status`: the status of a payment.
pub fn get_status(order_id: &str) -> UnsignedRequest<Payment> {
    of_order(GET_STATUS, order_id, read_status)
}

/// `POST /receipt/attach`: attaches receipts to a payment in arbitration.
pub fn attach_receipt(receipt: &Receipt) -> UnsignedRequest<Payment> {
    UnsignedRequest {
        operation: ATTACH_RECEIPT,
        body: receipt.body(),
        content_type: receipt.content_type().into(),
        order_id: Some(receipt.order_id().to_owned()),
        read: Payment::read,
    }
}

fn json<R>(operation: &'static OperationInfo, body: Result<Vec<u8>>, read: Read<R>) -> UnsignedRequest<R> {
    UnsignedRequest {
        operation,
        body: body.map(Arc::new),
        content_type: "application/json".into(),
        order_id: None,
        read,
    }
}

fn of_order(
    operation: &'static OperationInfo,
    order_id: &str,
    read: Read<Payment>,
) -> UnsignedRequest<Payment> {
    UnsignedRequest { order_id: Some(order_id.to_owned()), ..json(operation, order_body(order_id), read) }
}

/// The customer cannot pay without credentials.
fn read_credentials(object: &Object<'_>) -> std::result::Result<Payment, Fault> {
    let payment = Payment::read(object)?;
    match payment.has_credentials() {
        true => Ok(payment),
        false => Err("it has neither a payeeAccount nor a deeplink".into()),
    }
}

fn read_status(object: &Object<'_>) -> std::result::Result<Payment, Fault> {
    let payment = Payment::read(object)?;
    match payment.status() {
        Some(status) if !status.as_str().is_empty() => Ok(payment),
        _ => Err("it has no status".into()),
    }
}

pub(crate) trait Reply {
    fn order_id(&self) -> Option<&str>;
}

impl Reply for AvailableAmounts {
    fn order_id(&self) -> Option<&str> {
        None
    }
}

impl Reply for Payment {
    fn order_id(&self) -> Option<&str> {
        Some(self.order_id())
    }
}

impl<R> fmt::Debug for UnsignedRequest<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsignedRequest").field("operation", &self.operation.name).finish_non_exhaustive()
    }
}

impl<R> UnsignedRequest<R> {
    pub(crate) fn about(&self, error: Error) -> Error {
        error.with_order_id(self.order_id.as_deref())
    }
}
