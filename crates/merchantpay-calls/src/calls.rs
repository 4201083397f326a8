//! The calls. A number, the order of a call's arguments and the fields of its result never change; new
//! arguments and fields come at the end.

use std::borrow::Cow;
use std::sync::Arc;

use merchantpay::{
    Amount, AvailableAmounts, Balance, Error, Event, Explanation, Keypair, OperationInfo, Paid, Payment,
    Result, Rounding, Setting, StatusWait, Takes, operation as unsigned, to_balance,
};

use crate::arguments::{Argument, Arguments};
use crate::kinds::Kind;
use crate::object::{Answer, Held, Object, ObjectKind, PreparedRequest, ReceiptCell};
use crate::phase::Phase;
use crate::put::{NewClient, NewPrepared, NewReceipt, Pairs, Put, Returned};
use crate::records::{Prepared, REQUEST};
use crate::settings::{environment, table};
use crate::writer::Out;

/// A call.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Its number.
    pub number: u32,
    /// Its name in snake case. It is unique among the calls on one kind of object.
    pub name: &'static str,
    /// On which object it is made; `Library` for any.
    pub on: ObjectKind,
    /// What a failure says about the request.
    pub phase: Phase,
    /// Arguments or result have a key or a signature: the host wipes its buffers.
    pub is_secret: bool,
    pub(crate) row: Row,
    pub(crate) run: Run,
}

pub(crate) type Run = fn(&Object, &mut Arguments<'_>) -> Result<Returned>;

/// Where the arguments, the result and the documentation of a call are declared.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Row {
    Own { arguments: &'static [Argument], result: Kind, doc: &'static str, since: &'static str },
    Operation { operation: &'static OperationInfo, is_prepared: bool, result: Kind },
    Listed { arguments: fn() -> Vec<Argument>, result: Kind, doc: &'static str },
}

impl Call {
    /// The arguments in their order.
    pub fn arguments(&self) -> Cow<'static, [Argument]> {
        match self.row {
            Row::Own { arguments, .. } => arguments.into(),
            Row::Operation { operation, .. } => vec![match operation.takes {
                Takes::Fields => Argument { name: "request", kind: REQUEST.kind(), default: None },
                Takes::OrderId => Argument { name: "order_id", kind: Kind::Text, default: None },
                Takes::Receipt => {
                    Argument { name: "receipt", kind: Kind::Handle(ObjectKind::Receipt), default: None }
                }
            }]
            .into(),
            Row::Listed { arguments, .. } => arguments().into(),
        }
    }

    /// What it returns.
    pub fn result(&self) -> Kind {
        match self.row {
            Row::Own { result, .. } | Row::Operation { result, .. } | Row::Listed { result, .. } => result,
        }
    }

    /// Its meaning in one line. Operations and fields have their contract names, in backticks.
    pub fn doc(&self) -> &'static str {
        match self.row {
            Row::Own { doc, .. } | Row::Listed { doc, .. } => doc,
            Row::Operation { is_prepared: true, .. } => {
                "Prepares the signed request of the operation. Nothing is sent."
            }
            Row::Operation { operation, .. } => operation.doc,
        }
    }

    /// The version that introduced it.
    pub fn since(&self) -> &'static str {
        match self.row {
            Row::Own { since, .. } => since,
            _ => "0.4.0",
        }
    }
}

pub(crate) fn wrong_object(object: &Object) -> Error {
    Error::invalid_argument(format!("the {} has no such call", object.kind()))
}

/// What an object of a kind holds; `Library` is any object.
macro_rules! held {
    (Library $object:ident) => {
        $object
    };
    ($kind:ident $object:ident) => {
        match $object.held() {
            Held::$kind(held) => held,
            _ => return Err(wrong_object($object)),
        }
    };
}
pub(crate) use held;

macro_rules! calls {
    ($(
        $( #[doc = $doc:literal] )+
        $number:literal $name:ident on $kind:ident, $phase:ident $($secret:ident)?
            ($( $argument:ident: $argument_kind:expr $(, unless set $default:literal)? );*) -> $result:ty
            = |$held:pat_param, $args:pat_param| $body:expr;
    )+) => {
        pub(crate) const OWN: &[Call] = &[ $( Call {
            number: $number,
            name: stringify!($name),
            on: ObjectKind::$kind,
            phase: Phase::$phase,
            is_secret: calls!(@secret $($secret)?),
            row: Row::Own {
                arguments: &[ $( Argument {
                    name: stringify!($argument), kind: $argument_kind, default: calls!(@default $($default)?),
                } ),* ],
                result: <$result as Put>::KIND,
                doc: concat!($($doc),+).trim_ascii(),
                since: "0.4.0",
            },
            run: |object, args| {
                let $held = held!($kind object);
                let $args = args;
                let result: Result<$result> = $body;
                result.map(Returned::new)
            },
        } ),+ ];
    };
    (@secret) => { false };
    (@secret secret) => { true };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
}

calls! {
    /// Makes a new pair of keys.
    1 keypair on Library, Setup secret () -> Keypair
        = |_, _| Keypair::generate();
    /// Converts a paid sum to the currency of the merchant's balance, rounded once to `scale` digits.
    2 to_balance on Library, Setup
        (sum: Kind::Amount; rate: Kind::Amount; balance: Kind::Word("Balance"); scale: Kind::Number;
            rounding: Kind::Word("Rounding")) -> Amount
        = |_, args| to_balance(
            args.amount()?, args.amount()?, args.word::<Balance>()?, args.number()?, args.word::<Rounding>()?,
        );
    /// Compares the paid sum with the requested sum, as numbers.
    3 paid on Library, Setup (sum: Kind::Amount; asked: Kind::Amount) -> Paid
        = |_, args| Ok(Paid::of(args.amount()?, args.amount()?));
    /// Makes a receipt without files.
    4 receipt on Library, Setup (order_id: Kind::Text) -> NewReceipt
        = |_, args| {
            let receipt = ReceiptCell::new(args.text()?);
            Ok(NewReceipt(args.object(Held::Receipt(receipt))))
        };
    /// The settings with which an object of a kind can be opened.
    5 settings on Library, Setup (kind: Kind::Word("ObjectKind")) -> Vec<&'static Setting>
        = |_, args| Ok(table(args.word::<ObjectKind>()?).iter().collect());

    /// Reads the host's variables: the settings that they set, with their texts. It lets a host show and change them.
    6 environment on Library, Setup secret (variables: Kind::Pairs) -> Pairs
        = |_, args| environment(args.pairs()?);

    /// Asks about a payment until its status is final.
    17 wait on Client, Call (order_id: Kind::Text; timeout_ms: Kind::Milliseconds) -> Payment
        = |client, args| {
            let (order_id, timeout) = (args.text()?, args.milliseconds()?);
            match args.pause() {
                Some(pause) => {
                    client.wait_with(StatusWait::resumed(order_id, timeout, pause.waited), pause.sleep)
                }
                None => client.wait(order_id, timeout),
            }
        };
    /// Opens a connection before it is needed, so that the next call takes one round trip.
    18 connect on Client, Setup () -> ()
        = |client, _| client.connect();
    /// Another client with the same connections, whose calls can be interrupted apart. 0 keeps the timeout.
    19 derive on Client, Setup (timeout_ms: Kind::Milliseconds, unless set "0") -> NewClient
        = |client, args| {
            let derived = client.derive(args.milliseconds()?);
            Ok(NewClient(args.object(Held::Client(derived))))
        };

    /// The body of the prepared request.
    40 prepared_body on Prepared, Setup () -> Body
        = |prepared, _| Ok(Body(Arc::clone(prepared)));
    /// Verifies and reads the reply to the prepared request. All headers are given, also repeated ones. With the
    /// contract's name of an operation, only its reply is read.
    41 open on Prepared, Reply
        (status: Kind::Number; headers: Kind::Pairs; body: Kind::Bytes; operation: Kind::Text, unless set "") -> Answer
        = |prepared, args| open_reply(prepared, args);

    /// Verifies a webhook, and reads it.
    50 verify on Verifier, Reply (body: Kind::Bytes; signature: Kind::Header; key_id: Kind::Header, unless set "") -> Event
        = |verifier, args| {
            let (body, signature, key_id) = (args.bytes(), args.header(), args.header());
            verifier.verify(body, &signature.unwrap_or_default(), key_id.as_deref())
        };
    /// Why a webhook does not verify; absent if its signature and its key id are accepted.
    51 explain on Verifier, Reply (body: Kind::Bytes; signature: Kind::Header; key_id: Kind::Header, unless set "")
        -> Option<Explanation>
        = |verifier, args| {
            let (body, signature, key_id) = (args.bytes(), args.header(), args.header());
            Ok(verifier.explain(body, &signature.unwrap_or_default(), key_id.as_deref()))
        };

    /// Adds a file from disk.
    60 add_file on Receipt, Setup (path: Kind::Text) -> ()
        = |receipt, args| receipt.with(|receipt| receipt.add_file(args.text()?).map(drop));
    /// Adds a file from memory. Give large data as bulk.
    61 add_bytes on Receipt, Setup (name: Kind::Text; content_type: Kind::Text; data: Kind::Bytes) -> ()
        = |receipt, args| {
            let (name, content_type, data) = (args.text()?, args.text()?, args.bytes());
            receipt.with(|receipt| receipt.add_bytes(name, content_type, data).map(drop))
        };
}

/// The seven operations: the number of the call on a client, that of the call on a protocol, the core's row, and its
/// method.
macro_rules! operations {
    ($( $call:literal $prepare:literal $operation:ident $name:ident $prepared_name:ident($read:ident) -> $reply:ty; )+) => {
        pub(crate) const OF_OPERATIONS: &[Call] = &[ $(
            Call {
                number: $call,
                name: stringify!($name),
                on: ObjectKind::Client,
                phase: Phase::Call,
                is_secret: false,
                row: Row::Operation {
                    operation: unsigned::$operation, is_prepared: false, result: <$reply as Put>::KIND,
                },
                run: |object, args| {
                    held!(Client object).$name(&args.$read()?).map(Returned::new)
                },
            },
            Call {
                number: $prepare,
                name: stringify!($prepared_name),
                on: ObjectKind::Protocol,
                phase: Phase::Setup,
                is_secret: true,
                row: Row::Operation {
                    operation: unsigned::$operation, is_prepared: true, result: <Prepared as Put>::KIND,
                },
                run: |object, args| {
                    let prepared = held!(Protocol object).prepare(unsigned::$name(&args.$read()?))?;
                    let prepared: PreparedRequest = Arc::new(prepared);
                    let handle = NewPrepared(args.object(Held::Prepared(Arc::clone(&prepared))));
                    Ok(Returned::new(Prepared { handle, prepared }))
                },
            },
        )+ ];
    };
}

operations! {
    10 30 GET_AVAILABLE_AMOUNTS get_available_amounts prepare_get_available_amounts(amounts_request) -> AvailableAmounts;
    11 31 NEW_PAYMENT new_payment prepare_new_payment(payment_request) -> Payment;
    12 32 NEW_PAYMENT_ASYNC new_payment_async prepare_new_payment_async(payment_request) -> Payment;
    13 33 CONFIRM confirm prepare_confirm(text) -> Payment;
    14 34 CANCEL cancel prepare_cancel(text) -> Payment;
    15 35 GET_STATUS get_status prepare_get_status(text) -> Payment;
    16 36 ATTACH_RECEIPT attach_receipt prepare_attach_receipt(receipt) -> Payment;
}

/// A body that is handed over without a copy in between.
struct Body(PreparedRequest);

impl Put for Body {
    const KIND: Kind = Kind::Bytes;

    fn put(&self, out: &mut dyn Out) {
        out.body(self.0.request());
    }
}

fn open_reply(prepared: &PreparedRequest, args: &mut Arguments<'_>) -> Result<Answer> {
    let status = args.number()?;
    let status = u16::try_from(status).ok().filter(|status| (100..1000).contains(status));
    let status = status.ok_or_else(|| Error::about("status", "must be an HTTP status, from 100 to 999"))?;
    let headers = args.headers()?;
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (&**name, &**value)).collect();
    let body = args.bytes();
    match args.optional_text()? {
        Some(operation) if operation != prepared.operation() => {
            Err(Error::invalid_argument(format!("the request was prepared for {}", prepared.operation()))
                .naming([prepared.operation()]))
        }
        _ => prepared.open(status, &headers, body),
    }
}
