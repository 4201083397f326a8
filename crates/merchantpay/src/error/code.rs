//! The kinds of errors, and what an error says about the request. The lists are append-only: numbers and names
//! never change, because other languages and the logs of merchants contain them.

use crate::words;

words! {
    /// The kind of an error.
    #[non_exhaustive]
    pub enum Code {
        /// A value is wrong, for example a sum that is not greater than 0, or a file that cannot be read.
        /// Nothing was sent.
        InvalidArgument = "invalid_argument", 10;
        /// A key that is not base64, has a wrong length, has halves that do not match, or is not a point of
        /// the curve.
        InvalidKey = "invalid_key", 11;
        /// The host's own signer failed, for example an HSM that does not answer or a callback that failed.
        /// Nothing was sent.
        Signer = "signer", 12, since "0.2.0";
        /// A failure of DNS, connecting or TLS, a broken connection, a redirect, or a reply that is too
        /// large.
        Transport = "transport", 20;
        /// The deadline passed before the call ended.
        Timeout = "timeout", 21;
        /// The caller interrupted the call.
        Cancelled = "cancelled", 22, since "0.2.0";
        /// It is not proven that the reply or webhook comes from the service.
        Unverified = "unverified", 30;
        /// The service signed the reply or webhook, but the message violates the contract or is about another
        /// order.
        Malformed = "malformed", 31;
        /// The service refused the request in a verified reply.
        Rejected = "rejected", 40;
        /// The journal could not be read or written.
        Storage = "storage", 50, since "0.2.0";
        /// Another worker was first. Version 0.3.0 returned this code; later versions do not.
        Conflict = "conflict", 51, since "0.3.0";
        /// A bug of this library.
        Internal = "internal", 90;
    }
}

words! {
    /// Shows whether the request may have taken effect.
    #[non_exhaustive]
    pub enum Outcome {
        /// No byte of the request was written, so after a retry the request cannot take effect twice. A retry
        /// can succeed only if the error is transient: a wrong argument stays wrong.
        NotSent = "not_sent", 1;
        /// The service refused the request in a verified reply: the request did not take effect.
        Rejected = "rejected", 2;
        /// The request may have taken effect: call `getStatus`, or ask support, before you send the request
        /// again.
        Unknown = "unknown", 3;
    }
}

words! {
    /// The reason of a refusal, if the contract lists the text of the refusal (section 7, rule 5).
    #[non_exhaustive]
    pub enum Reason {
        /// `invalid currency`
        InvalidCurrency = "invalid_currency", 1;
        /// `invalid orderId`
        InvalidOrderId = "invalid_order_id", 2;
        /// `order not found`
        OrderNotFound = "order_not_found", 3;
        /// `invalid file format`
        InvalidFileFormat = "invalid_file_format", 4;
        /// `payment could not be canceled`
        PaymentCouldNotBeCanceled = "payment_could_not_be_canceled", 5;
    }
}

impl Outcome {
    pub(crate) fn when(self) -> &'static str {
        if self == Outcome::NotSent { "before anything was sent" } else { "after the request was sent" }
    }
}

impl Reason {
    /// The service's own text for this reason.
    pub const fn text(self) -> &'static str {
        match self {
            Reason::InvalidCurrency => "invalid currency",
            Reason::InvalidOrderId => "invalid orderId",
            Reason::OrderNotFound => "order not found",
            Reason::InvalidFileFormat => "invalid file format",
            Reason::PaymentCouldNotBeCanceled => "payment could not be canceled",
        }
    }

    /// The reason that belongs to the service's text, if the contract lists this text.
    pub fn from_text(text: &str) -> Option<Reason> {
        Reason::ALL.iter().copied().find(|reason| reason.text() == text)
    }
}

/// Advice for the HTTP status of a reply that nothing proves to be the service's: somebody else may have sent it.
pub(crate) fn unsigned_advice(http_status: u16) -> Option<&'static str> {
    match http_status {
        403 => Some(
            "a firewall or a proxy may have refused the request before the service saw it: ask whoever runs it; \
             otherwise check the key id and the private key",
        ),
        407 => Some("a proxy asks for a password: check the setting proxy"),
        status => advice(status),
    }
}

/// Advice for an HTTP status that a wrong configuration can cause.
pub(super) fn advice(http_status: u16) -> Option<&'static str> {
    match http_status {
        401 => Some(
            "the signature or the key id is not accepted; check the key id, the private key, \
             and that the service has your public key",
        ),
        403 => Some("the key id is not allowed to do this; check the key id and the private key"),
        404 => Some("nothing is at this URL; check the base URL, which must end before /api/v1/merchant/pay"),
        _ => None,
    }
}
