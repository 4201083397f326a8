//! The seven operations (contract, section 4). Each operation has its own small type.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::Result;
use crate::json::{Fault, Object};
use crate::payment::{AvailableAmounts, Payment};
use crate::receipt::Receipt;
use crate::request::{AmountsRequest, PaymentRequest, order_body};

/// An operation of the service. Only the seven types of this module implement this trait.
pub trait Operation: sealed::Body {
    /// The operation's name in the contract, such as `newPayment`.
    const NAME: &'static str;
    /// The end of the path of the operation's endpoint, such as `/new`.
    const PATH: &'static str;
    /// `true` if the library may repeat the operation after bytes were sent. True only if a repeated request
    /// cannot take effect twice.
    const REPEATABLE: bool;
    /// The type of a verified, successful reply.
    type Reply: sealed::Reply;

    /// Reads the verified reply.
    #[doc(hidden)]
    fn read(object: &ReadObject<'_>) -> std::result::Result<Self::Reply, Fault>;
}

/// A verified JSON object and its text.
pub struct ReadObject<'a> {
    pub(crate) object: Object<'a>,
    pub(crate) json: &'a str,
}

pub(crate) mod sealed {
    use super::{Arc, Cow, Result};

    /// The part of an operation that makes the request's bytes. This trait cannot be implemented outside this
    /// crate.
    pub trait Body {
        fn body(&self) -> Result<Arc<Vec<u8>>>;

        fn content_type(&self) -> Cow<'static, str> {
            Cow::Borrowed("application/json")
        }

        /// The order id of the request. The reply must have the same order id.
        fn order_id(&self) -> Option<&str> {
            None
        }

        /// The customer's account. It must not appear in an error.
        fn account(&self) -> Option<&str> {
            None
        }
    }

    /// The result of a successful call.
    pub trait Reply {
        /// The order id in the reply.
        fn order_id(&self) -> Option<&str>;
    }
}

impl sealed::Reply for AvailableAmounts {
    fn order_id(&self) -> Option<&str> {
        None
    }
}

impl sealed::Reply for Payment {
    fn order_id(&self) -> Option<&str> {
        Some(self.order_id())
    }
}

/// `POST /available`: the amounts for which the service has a counter-offer at this moment.
#[derive(Debug, Clone)]
pub struct GetAvailableAmounts<'a>(pub &'a AmountsRequest);

/// `POST /new`: makes a payment. The reply contains the credentials.
#[derive(Debug, Clone)]
pub struct NewPayment<'a>(pub &'a PaymentRequest);

/// `POST /new-async`: makes a payment. The credentials arrive by webhook.
#[derive(Debug, Clone)]
pub struct NewPaymentAsync<'a>(pub &'a PaymentRequest);

/// `POST /confirm`: reports that the customer has paid.
#[derive(Debug, Clone)]
pub struct Confirm<'a>(pub &'a str);

/// `POST /cancel`: cancels the payment.
#[derive(Debug, Clone)]
pub struct Cancel<'a>(pub &'a str);

/// `POST /status`: the status of a payment.
#[derive(Debug, Clone)]
pub struct GetStatus<'a>(pub &'a str);

/// `POST /receipt/attach`: attaches receipts for arbitration.
#[derive(Debug, Clone)]
pub struct AttachReceipt<'a>(pub &'a Receipt);

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

/// Declares the operations. The code that makes the requests' bodies follows below. `needs` checks the fields
/// that a successful reply must have. The same key also signs the replies to other operations, and such a
/// reply must not be accepted.
macro_rules! operations {
    ($(
        $( #[doc = $doc:literal] )+
        $type:ident = $name:literal $(as $task_name:literal)? $path:literal, section $section:literal, repeatable $repeatable:literal,
            takes $takes:ident, gives $gives:ident, reply $reply:ident with $needs:ident;
    )+) => {
        $(
            impl Operation for $type<'_> {
                const NAME: &'static str = $name;
                const PATH: &'static str = $path;
                const REPEATABLE: bool = $repeatable;
                type Reply = $reply;

                fn read(read: &ReadObject<'_>) -> std::result::Result<$reply, Fault> {
                    let reply = $reply::read(&read.object, read.json)?;
                    $needs(&reply)?;
                    Ok(reply)
                }
            }
        )+

        /// Every operation, in the contract's order.
        pub const OPERATIONS: &[OperationInfo] = &[ $( OperationInfo {
            name: $name,
            task_name: operations!(@task_name $name $($task_name)?),
            path: $path,
            section: $section,
            is_repeatable: $repeatable,
            takes: Takes::$takes,
            gives: Gives::$gives,
            doc: concat!($($doc),+).trim_ascii(),
        }, )+ ];
    };
    (@task_name $name:literal) => { $name };
    (@task_name $name:literal $task_name:literal) => { $task_name };
}

operations! {
    /// Returns the amounts for which the service has a counter-offer at this moment. No amount is reserved.
    GetAvailableAmounts = "getAvailableAmounts" "/available", section "4.1", repeatable true,
        takes Fields, gives Amounts, reply AvailableAmounts with its_fields;
    /// Makes a payment. Returns the credentials with which the customer pays, after up to 10 seconds.
    NewPayment = "newPayment" as "createPayment" "/new", section "4.2", repeatable false,
        takes Fields, gives Payment, reply Payment with credentials;
    /// Makes a payment. Returns only its order id: the credentials arrive by webhook.
    NewPaymentAsync = "newPaymentAsync" as "requestPayment" "/new-async", section "4.3", repeatable false,
        takes Fields, gives OrderId, reply Payment with its_fields;
    /// Reports that the customer has paid. The service then starts to check the payment.
    Confirm = "confirm" "/confirm", section "4.4", repeatable false,
        takes OrderId, gives Nothing, reply Payment with its_fields;
    /// Cancels a payment. The service refuses the cancellation if the payment can no longer be cancelled.
    Cancel = "cancel" "/cancel", section "4.5", repeatable false,
        takes OrderId, gives Nothing, reply Payment with its_fields;
    /// Returns the payment with its present status.
    GetStatus = "getStatus" "/status", section "4.6", repeatable true,
        takes OrderId, gives Payment, reply Payment with status;
    /// Attaches receipts (PDF, JPEG or PNG) to a payment in arbitration.
    AttachReceipt = "attachReceipt" "/receipt/attach", section "4.7", repeatable false,
        takes Receipt, gives Nothing, reply Payment with its_fields;
}

/// Requires no other fields than the fields that the reply's type requires.
fn its_fields<R>(_: &R) -> std::result::Result<(), Fault> {
    Ok(())
}

/// Requires credentials, because the customer cannot pay without them.
fn credentials(payment: &Payment) -> std::result::Result<(), Fault> {
    if payment.has_credentials() {
        Ok(())
    } else {
        Err("it has neither a payeeAccount nor a deeplink".into())
    }
}

fn status(payment: &Payment) -> std::result::Result<(), Fault> {
    match payment.status() {
        Some(status) if !status.as_str().is_empty() => Ok(()),
        _ => Err("it has no status".into()),
    }
}

impl sealed::Body for GetAvailableAmounts<'_> {
    fn body(&self) -> Result<Arc<Vec<u8>>> {
        self.0.body().map(Arc::new)
    }

    fn account(&self) -> Option<&str> {
        self.0.account()
    }
}

impl sealed::Body for NewPayment<'_> {
    fn body(&self) -> Result<Arc<Vec<u8>>> {
        self.0.body(false).map(Arc::new)
    }

    fn account(&self) -> Option<&str> {
        self.0.account()
    }
}

impl sealed::Body for NewPaymentAsync<'_> {
    fn body(&self) -> Result<Arc<Vec<u8>>> {
        self.0.body(true).map(Arc::new)
    }

    fn account(&self) -> Option<&str> {
        self.0.account()
    }
}

macro_rules! order_operations {
    ($($type:ident)+) => { $(
        impl sealed::Body for $type<'_> {
            fn body(&self) -> Result<Arc<Vec<u8>>> {
                order_body(self.0).map(Arc::new)
            }

            fn order_id(&self) -> Option<&str> {
                Some(self.0)
            }
        }
    )+ };
}
order_operations!(Confirm Cancel GetStatus);

impl sealed::Body for AttachReceipt<'_> {
    fn body(&self) -> Result<Arc<Vec<u8>>> {
        self.0.body()
    }

    fn content_type(&self) -> Cow<'static, str> {
        self.0.content_type().into()
    }

    fn order_id(&self) -> Option<&str> {
        Some(self.0.order_id())
    }
}
