//! One HTTP attempt of a call, for a log.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::error::{Code, Outcome};
use crate::exchange::SignedRequest;

/// The result of one HTTP attempt. It contains no key, signature, body, account or name.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Attempt<'a> {
    /// The operation, such as `newPayment`.
    pub operation: &'static str,
    /// The order id of the request or of a verified reply. After `newPayment` it is the order id of the new
    /// payment.
    pub order_id: Option<&'a str>,
    /// The number of this attempt within the call, from 1.
    pub number: u32,
    /// The HTTP status, if a reply arrived.
    pub http_status: Option<u16>,
    /// The time in the reply's header `Date`, if it has one. No signature covers it, but it shows a wrong clock.
    pub date: Option<SystemTime>,
    /// The time from the attempt's start to its end.
    pub elapsed: Duration,
    /// The error code; `None` for a success.
    pub code: Option<Code>,
    /// Shows whether the request may have taken effect; `None` for a success.
    pub outcome: Option<Outcome>,
}

impl fmt::Display for Attempt<'_> {
    /// Writes one line for a log. The wording can change in a later version.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.operation)?;
        if let Some(order_id) = self.order_id {
            // An order id can be any text. Line ends in the id are escaped, so that the text stays one line
            // of the log.
            write!(f, " {}", order_id.escape_debug())?;
        }
        write!(f, ": attempt {}", self.number)?;
        if let Some(status) = self.http_status {
            write!(f, ", HTTP {status}")?;
        }
        write!(f, ", {} ms, ", self.elapsed.as_millis())?;
        match (self.code, self.outcome) {
            (Some(code), Some(outcome)) => write!(f, "{code}, outcome {outcome}"),
            (Some(code), None) => write!(f, "{code}"),
            _ => f.write_str("ok"),
        }
    }
}

/// The bytes of one HTTP attempt, for a person who debugs. Unlike [`Attempt`] it is not for a log: whoever has a
/// body and its signature can send the request again.
#[doc(hidden)]
pub struct Exchanged<'a> {
    pub request: &'a SignedRequest,
    pub reply: Option<RawReply<'a>>,
}

#[doc(hidden)]
pub struct RawReply<'a> {
    pub http_status: u16,
    /// The headers that the library reads.
    pub headers: Vec<(&'a str, &'a str)>,
    pub body: &'a [u8],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_one_line_with_what_is_known_of_it() {
        let success = Attempt {
            operation: "newPayment",
            order_id: None,
            number: 1,
            http_status: Some(200),
            date: None,
            elapsed: Duration::from_millis(1500),
            code: None,
            outcome: None,
        };
        assert_eq!(success.to_string(), "newPayment: attempt 1, HTTP 200, 1500 ms, ok");
        let failure = Attempt {
            operation: "confirm",
            order_id: Some("o-1\nforged"),
            number: 2,
            http_status: None,
            code: Some(Code::Timeout),
            outcome: Some(Outcome::Unknown),
            ..success
        };
        assert_eq!(failure.to_string(), "confirm o-1\\nforged: attempt 2, 1500 ms, timeout, outcome unknown");
        assert!(Attempt { outcome: None, ..failure }.to_string().ends_with(", timeout"));
    }
}
