//! Errors. [`Code`] is the kind of error, and [`Outcome`] shows whether the request may have taken effect.

use std::fmt;
use std::time::Duration;

use crate::text::{LONGEST_DESCRIPTION, printable};

mod code;

use code::advice;
pub(crate) use code::unsigned_advice;
pub use code::{Code, Outcome, Reason};

/// The text of a refusal begins like this if the request's signature is wrong.
const BAD_SIGNATURE: &str = "invalid signature";

/// The error of a call or a verification. The error's outcome shows whether the request may have taken
/// effect.
///
/// The error's text and `Debug` output contain no key, signature, account or holder name. The texts of the
/// service may contain such data. Only [`Error::description`] and [`Error::body`] return the service's texts.
///
/// ```
/// use merchantpay::{Amount, Code, Outcome};
/// let error = "1e400".parse::<Amount>().unwrap_err();
/// assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
/// ```
#[derive(Clone, thiserror::Error)]
#[error("{}: {}", .0.code, .0.message)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    outcome: Outcome,
    message: String,
    /// The length of the argument's name, with which the message begins; 0 if the error is about no argument.
    argument: usize,
    /// The other names that the message has.
    names: Vec<&'static str>,
    description: Option<String>,
    http_status: Option<u16>,
    order_id: Option<String>,
    content_type: Option<String>,
    excerpt: Option<String>,
    body: Option<Vec<u8>>,
    retry_after: Option<Duration>,
    permanent: bool,
}

/// `Result` with this library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The public constructors are for code that uses this crate: a [`Signer`](crate::Signer), the journal, a program.
impl Error {
    pub(crate) fn new(code: Code, outcome: Outcome, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            code,
            outcome,
            message: message.into(),
            argument: 0,
            names: Vec::new(),
            description: None,
            http_status: None,
            order_id: None,
            content_type: None,
            excerpt: None,
            body: None,
            retry_after: None,
            permanent: false,
        }))
    }

    /// The error for an argument that was refused before anything was sent.
    pub fn invalid_argument(message: impl Into<String>) -> Error {
        Error::new(Code::InvalidArgument, Outcome::NotSent, message)
    }

    /// The error about one argument, field or setting. `name` is its name in the tables of this library;
    /// `fault` follows the name in the message, as in `must not be empty`.
    pub fn about(name: &str, fault: impl fmt::Display) -> Error {
        Error::invalid_argument(format!("{name} {fault}")).with_argument(name)
    }

    /// The message begins with the name.
    fn with_argument(mut self, name: &str) -> Error {
        self.0.argument = name.len();
        self
    }

    /// The error of a value, with the name of the argument, field or setting that has the value. A name that it
    /// has already stays.
    #[must_use]
    pub fn in_argument(mut self, name: &str) -> Error {
        if self.argument().is_some() {
            return self;
        }
        self.0.message = format!("{name}: {}", self.0.message);
        self.with_argument(name)
    }

    pub(crate) fn into_invalid_key(mut self) -> Error {
        self.0.code = Code::InvalidKey;
        self
    }

    /// The error for a key that cannot be used.
    pub fn invalid_key(message: impl Into<String>) -> Error {
        Error::new(Code::InvalidKey, Outcome::NotSent, message)
    }

    /// The error for a signer that could not sign, for example an HSM that does not answer. Nothing was sent.
    pub fn signer_failed(message: impl Into<String>) -> Error {
        Error::new(Code::Signer, Outcome::NotSent, message)
    }

    /// The error for a connection that could not be opened. Nothing was sent.
    pub fn transport(message: impl Into<String>) -> Error {
        Error::new(Code::Transport, Outcome::NotSent, message)
    }

    /// The error for a call whose deadline passed before it began. Nothing was sent.
    pub fn timed_out(message: impl Into<String>) -> Error {
        Error::new(Code::Timeout, Outcome::NotSent, message)
    }

    /// The error for a journal that could not be read or written. `outcome` is `NotSent` if no byte of a
    /// request was written, and otherwise `Unknown`.
    pub fn storage(outcome: Outcome, message: impl Into<String>) -> Error {
        Error::new(Code::Storage, outcome, message)
    }

    /// The error for a bug of the library, such as a panic that the library has caught. `outcome` is
    /// `Unknown` unless it is certain that nothing was sent.
    pub fn internal(outcome: Outcome, message: impl Into<String>) -> Error {
        Error::new(Code::Internal, outcome, message)
    }

    pub(crate) fn cancelled(outcome: Outcome) -> Error {
        Error::new(Code::Cancelled, outcome, format!("the call was interrupted {}", outcome.when()))
    }

    pub(crate) fn unverified(message: impl Into<String>) -> Error {
        Error::new(Code::Unverified, Outcome::Unknown, message)
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Error {
        Error::new(Code::Malformed, Outcome::Unknown, message)
    }

    /// The service's own text may name an account or a person, so the message repeats it only if the contract lists
    /// it, or if it is about the signature. The description always has it.
    pub(crate) fn rejected(description: Option<String>, http_status: u16) -> Error {
        let description =
            description.map(|text| printable(&text, LONGEST_DESCRIPTION)).filter(|text| !text.is_empty());
        let reason = description.as_deref().and_then(Reason::from_text);
        let shown = description.as_deref().filter(|text| reason.is_some() || text.starts_with(BAD_SIGNATURE));
        let mut message = match (shown, &description) {
            (Some(text), _) => format!("the service refused: {text}"),
            (None, Some(_)) => {
                "the service refused the request; the description has the service's own text".to_owned()
            }
            (None, None) => "the service refused the request and gave no reason".to_owned(),
        };
        if let Some(advice) = advice(http_status).filter(|_| reason.is_none()) {
            message = format!("{message} (HTTP {http_status}: {advice})");
        }
        let mut error = Error::new(Code::Rejected, Outcome::Rejected, message);
        error.0.description = description;
        error
    }

    /// The error with another outcome, for code that knows more. For example, if a wrong argument is found
    /// after the request was sent, the outcome is not `not_sent`.
    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome) -> Error {
        self.0.outcome = outcome;
        self
    }

    /// Marks the error as permanent: a retry would fail too.
    #[must_use]
    pub fn permanent(mut self) -> Error {
        self.0.permanent = true;
        self
    }

    /// Returns `true` if the error is transient: the same call may succeed later. True for `transport` and
    /// `storage` (unless permanent, like an untrusted certificate or a missing file), `timeout`, `cancelled`,
    /// `signer`, and for an `unverified` reply with HTTP status 429 or 5xx; false for everything else. This
    /// does not show whether the failed call may have taken effect: see [`outcome`](Error::outcome).
    pub fn is_transient(&self) -> bool {
        match self.code() {
            Code::Transport | Code::Timeout | Code::Cancelled | Code::Storage | Code::Signer => {
                !self.0.permanent
            }
            Code::Unverified => self.http_status().is_some_and(|status| status >= 500 || status == 429),
            _ => false,
        }
    }

    /// Tells which other arguments, settings, fields or operations the message names.
    #[doc(hidden)]
    #[must_use]
    pub fn naming(mut self, names: impl IntoIterator<Item = &'static str>) -> Error {
        self.0.names.extend(names);
        self
    }

    /// The error with the names as a host spells them.
    #[must_use]
    pub fn renamed(mut self, spell: impl Fn(&str) -> String) -> Error {
        let argument = self.argument().map(&spell).unwrap_or_default();
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let spelled = |word: &str| match word.split_once(|c| !is_of_name(c)) {
            Some((name, _)) if self.0.names.contains(&name) => word.replacen(name, &spell(name), 1),
            None if self.0.names.contains(&word) => spell(word),
            _ => word.to_owned(),
        };
        let fault = self.0.message.get(self.0.argument..).unwrap_or_default();
        let fault: String = fault.split_inclusive(|c| !is_of_name(c)).map(spelled).collect();
        self.0.argument = argument.len();
        self.0.message = argument + &fault;
        self
    }

    pub(crate) fn with_http_status(mut self, status: u16) -> Error {
        self.0.http_status = Some(status);
        self
    }

    pub(crate) fn with_retry_after(mut self, retry_after: Option<Duration>) -> Error {
        self.0.retry_after = retry_after;
        self
    }

    /// The error with this order id. An empty id changes nothing.
    #[must_use]
    pub fn with_order_id(mut self, order_id: Option<&str>) -> Error {
        // An empty id cannot be used in `getStatus`.
        if let Some(order_id) = order_id.filter(|order_id| !order_id.is_empty()) {
            self.0.order_id = Some(order_id.to_owned());
        }
        self
    }

    pub(crate) fn with_body(mut self, body: &[u8]) -> Error {
        self.0.body = Some(body.to_vec());
        self
    }

    /// Adds the content type and excerpt of a reply that could not be verified. The reply may be a page that
    /// names a person, so the error's text contains nothing of the reply.
    pub(crate) fn with_page(mut self, content_type: Option<String>, excerpt: Option<String>) -> Error {
        if excerpt.is_some() {
            self.0.message.push_str("; the excerpt has the first words of the reply");
        }
        self.0.content_type = content_type;
        self.0.excerpt = excerpt;
        self
    }

    /// The kind of the error.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Shows whether the request may have taken effect.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    /// A description for people, without the code. The wording can change between releases.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The name of the argument, field or setting that the error is about. The message begins with it.
    pub fn argument(&self) -> Option<&str> {
        self.0.message.get(..self.0.argument).filter(|name| !name.is_empty())
    }

    /// The service's own text of a refusal (`errorDescription` or `error`). Control characters are removed,
    /// and at most 500 characters are kept.
    pub fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// The reason of a refusal, if the contract lists its text (section 7).
    pub fn reason(&self) -> Option<Reason> {
        self.0.description.as_deref().and_then(Reason::from_text)
    }

    /// The HTTP status, if a reply arrived. The status is not signed, so it proves nothing about the payment.
    pub fn http_status(&self) -> Option<u16> {
        self.0.http_status
    }

    /// How long the sender of a reply with the HTTP status 429 or 503 asks to wait (`Retry-After`). It is not
    /// signed, so a proxy may have asked. The calls that the library repeats have already respected it: they end
    /// at once if it is longer than the time that they have left. Since 0.4.0.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The order id of the request or of a verified reply.
    pub fn order_id(&self) -> Option<&str> {
        self.0.order_id.as_deref()
    }

    /// The content type of a reply that could not be verified.
    pub fn content_type(&self) -> Option<&str> {
        self.0.content_type.as_deref()
    }

    /// The printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page.
    pub fn excerpt(&self) -> Option<&str> {
        self.0.excerpt.as_deref()
    }

    /// The unchanged, verified body of a reply or webhook, if the code is `rejected` or `malformed`;
    /// otherwise `None`. The body may contain personal data.
    pub fn body(&self) -> Option<&[u8]> {
        self.0.body.as_deref()
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.0.code)
            .field("outcome", &self.0.outcome)
            .field("message", &self.0.message)
            .field("http_status", &self.0.http_status)
            .field("order_id", &self.0.order_id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
