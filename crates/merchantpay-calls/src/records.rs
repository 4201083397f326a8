//! The records: what each has, in which order, and how it is written. New fields come at the end.

use std::time::Duration;

use merchantpay::{
    Amount, Attempt, AvailableAmounts, Cause, Code, Error, Event, EventKind, Explanation, Keypair, Outcome,
    PAYMENT_FIELDS, Payment, REQUEST_FIELDS, Reason, RequestField, RequestFieldKind, Setting, SignedRequest,
};
use zeroize::Zeroizing;

use crate::kinds::Kind;
use crate::object::{Answer, PreparedRequest};
use crate::put::{NewPrepared, Put};
use crate::writer::Out;

/// A record.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// The name in snake case.
    pub name: &'static str,
    /// The meaning in one line.
    pub doc: &'static str,
    /// The version that introduced it.
    pub since: &'static str,
    pub(crate) fields: fn() -> Vec<Field>,
}

impl Record {
    /// A value of this record.
    pub const fn kind(&self) -> Kind {
        Kind::Record(self.name)
    }

    /// The fields in their order.
    pub fn fields(&self) -> Vec<Field> {
        (self.fields)()
    }
}

/// A field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The name in snake case.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// The meaning in one line.
    pub doc: &'static str,
    /// The version that introduced it.
    pub since: &'static str,
}

/// Declares records, each for a type of Rust: its fields, and how the type is written.
macro_rules! declare_records {
    ($table:ident; $(
        $( #[doc = $doc:literal] )+
        $record:ident: $type:ty as $it:pat, since $since:literal {
            $( $( #[doc = $field_doc:literal] )+ $field:ident: $kind:ty = $value:expr; )+
        }
    )+) => {
        $( impl $crate::put::Put for $type {
            const KIND: $crate::kinds::Kind = $crate::kinds::Kind::Record(stringify!($record));

            fn put(&self, out: &mut dyn $crate::writer::Out) {
                let $it = self;
                out.begin(<Self as $crate::put::Put>::KIND, [ $( stringify!($field) ),+ ].len());
                $( {
                    let value: $kind = $value;
                    $crate::put::Put::put(&value, out);
                } )+
                out.end();
            }
        } )+

        pub(crate) const $table: &[$crate::records::Record] = &[ $( $crate::records::Record {
            name: stringify!($record),
            doc: concat!($($doc),+).trim_ascii(),
            since: $since,
            fields: || vec![ $( $crate::records::Field {
                name: stringify!($field),
                kind: <$kind as $crate::put::Put>::KIND,
                doc: concat!($($field_doc),+).trim_ascii(),
                since: $since,
            } ),+ ],
        } ),+ ];
    };
}
pub(crate) use declare_records;

declare_records! { OWN;
    /// Why a call failed. It is the whole reply of that call.
    error: Error as it, since "0.4.0" {
        /// The number of the code. It is never absent.
        number: i32 = it.code().number();
        /// The code.
        code: Code = it.code();
        /// Shows whether the request may have taken effect.
        outcome: Outcome = it.outcome();
        /// The same call may succeed later.
        is_transient: bool = it.is_transient();
        /// The HTTP status, if a reply arrived. It is not signed.
        http_status: Option<u16> = it.http_status();
        /// A description for people, without the code. The wording can change.
        message: &str = it.message();
        /// The argument, field or setting at fault, as the host spells it. The message begins with it.
        argument: Option<&str> = it.argument();
        /// The service's own text of a refusal. It may contain personal data.
        description: Option<&str> = it.description();
        /// The reason of a refusal, if the contract lists it.
        reason: Option<Reason> = it.reason();
        /// The order id of the request or of a verified reply.
        order_id: Option<&str> = it.order_id();
        /// The content type of a reply that could not be verified.
        content_type: Option<&str> = it.content_type();
        /// The printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page.
        excerpt: Option<&str> = it.excerpt();
        /// How long the sender of a reply with status 429 or 503 asks to wait. It is not signed, so a proxy may have
        /// asked.
        retry_after_ms: Option<Duration> = it.retry_after();
        /// The verified body of a refusal, or of a message that violates the contract. It may contain personal data.
        body: Option<&[u8]> = it.body();
    }
    /// The reply of `getAvailableAmounts`.
    amounts: AvailableAmounts as it, since "0.4.0" {
        /// Amounts that are not listed may succeed too: an empty list is then no refusal.
        other_amounts_possible: bool = it.other_amounts_possible();
        /// The verified body, unchanged.
        json: &str = it.json();
        /// The amounts for which the service has a counter-offer at this moment.
        available_amounts: &[Amount] = it.available_amounts();
    }
    /// A verified webhook.
    event: Event as it, since "0.4.0" {
        /// Its kind.
        kind: EventKind = it.event_kind();
        /// The payment that it is about.
        payment: &Payment = it.payment();
    }
    /// Why a webhook does not verify. Write it to the log, and do not return it to the sender.
    explanation: Explanation as it, since "0.4.0" {
        /// The cause.
        cause: Cause = it.cause();
        /// The exact fault and its remedy, for a developer.
        hint: String = it.hint();
    }
    /// A new pair of keys.
    keypair: Keypair as it, since "0.4.0" {
        /// The private key: base64 of 64 bytes.
        private_key: Zeroizing<String> = it.private_key().to_base64();
        /// The public key: base64 of 32 bytes.
        public_key: String = it.public_key().to_base64();
    }
    /// A signed request, for a host with an HTTP stack of its own.
    prepared: Prepared as it, since "0.4.0" {
        /// Opens the reply, and has the body.
        request: &NewPrepared = &it.handle;
        /// Where to send it, by POST.
        url: &str = it.prepared.request().url();
        /// The headers to send.
        headers: Headers<'_> = Headers(it.prepared.request());
        /// The number of bytes of the body, which the call `prepared_body` returns.
        body_length: u64 = it.prepared.request().body().len() as u64;
    }
    /// The end of an HTTP attempt, for a log. It has no key, signature, account or name.
    attempt: Attempt<'_> as it, since "0.4.0" {
        /// The attempt as one line of text. The wording can change.
        line: String = it.to_string();
        /// The operation's name in the contract.
        operation: &str = it.operation;
        /// The order id of the request or of a verified reply.
        order_id: Option<&str> = it.order_id;
        /// The number of the attempt within its call, from 1.
        number: u32 = it.number;
        /// The HTTP status, if a reply arrived.
        http_status: Option<u16> = it.http_status;
        /// How long the attempt took.
        elapsed_ms: Duration = it.elapsed;
        /// The code of a failure.
        code: Option<Code> = it.code;
        /// Shows whether the request of a failure may have taken effect.
        outcome: Option<Outcome> = it.outcome;
    }
    /// A setting that may be set.
    setting: Setting as it, since "0.4.0" {
        /// The name in snake case, with its unit.
        name: String = it.name_with_unit();
        /// The environment variable.
        variable: String = it.variable();
        /// The kind of its value: `Text`, `Secret`, `Texts`, `File`, `SecretFile`, `Milliseconds`, `Number`,
        /// `Bytes` or `Flag`.
        kind: String = format!("{:?}", it.kind);
        /// It must be set.
        is_needed: bool = it.needed;
        /// The value unless set.
        default: Option<&str> = it.default;
        /// The meaning in one line.
        doc: &str = it.doc;
    }
}

pub(crate) struct Prepared {
    pub(crate) handle: NewPrepared,
    pub(crate) prepared: PreparedRequest,
}

struct Headers<'a>(&'a SignedRequest);

impl Put for Headers<'_> {
    const KIND: Kind = Kind::Pairs;

    fn put(&self, out: &mut dyn Out) {
        out.begin(Self::KIND, 2 * self.0.headers().count());
        self.0.headers().flat_map(|(name, value)| [name, value]).for_each(|text| text.put(out));
        out.end();
    }
}

/// What a payment's request has. Every value is a text, which is read when the request is made.
pub(crate) const REQUEST: Record = Record {
    name: "request",
    doc: "The request of an operation that takes fields.",
    since: "0.4.0",
    fields: || {
        let field = |row: &'static RequestField| Field {
            name: row.snake_case,
            kind: match row.kind {
                RequestFieldKind::Sum | RequestFieldKind::Drift => Kind::Optional(&Kind::Amount),
                _ => Kind::Optional(&Kind::Text),
            },
            doc: row.doc,
            since: row.since,
        };
        REQUEST_FIELDS.iter().map(field).collect()
    },
};

/// The fields of the contract come last, because a later version can add some.
pub(crate) const PAYMENT: Record = Record {
    name: "payment",
    doc: "A payment of a verified reply or webhook.",
    since: "0.4.0",
    fields: || {
        let own = [
            ("is_final", <bool as Put>::KIND, "The status is final."),
            ("json", <&str as Put>::KIND, "The verified body, unchanged."),
        ];
        let own = own.map(|(name, kind, doc)| Field { name, kind, doc, since: "0.4.0" });
        let contract = PAYMENT_FIELDS.iter().map(|row| Field {
            name: row.snake_case,
            kind: row.kind.into(),
            doc: row.doc,
            since: row.since,
        });
        own.into_iter().chain(contract).collect()
    },
};

impl Put for Payment {
    const KIND: Kind = PAYMENT.kind();

    fn put(&self, out: &mut dyn Out) {
        let texts = self.texts();
        out.begin(Self::KIND, 2 + texts.len());
        self.is_final().put(out);
        self.json().put(out);
        texts.iter().for_each(|text| text.as_deref().put(out));
        out.end();
    }
}

impl Put for Answer {
    const KIND: Kind = Kind::Answer;

    fn put(&self, out: &mut dyn Out) {
        match self {
            Answer::Amounts(amounts) => amounts.put(out),
            Answer::Payment(payment) => payment.put(out),
        }
    }
}
