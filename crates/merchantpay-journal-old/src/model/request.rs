//! The parts of a merchant's request that the journal needs.

use merchantpay::{Amount, Error, PaymentRequest, Result};
use ring::hmac;

use crate::model::hexadecimal::hexadecimal;
use crate::model::json::{self, Fields, Reader};

/// The longest reference, in characters.
pub(crate) const LONGEST_REFERENCE: usize = 120;

/// A placeholder with the length of a token. With it a request can be checked before the attempt's token
/// exists.
pub(crate) const ANY_TOKEN: &str = "00000000000000000000000000000000";

/// The request of an attempt. A row that is made from this request contains nothing about the customer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Asked {
    /// The merchant's own order number.
    pub reference: String,
    /// The merchant's account.
    pub account: String,
    /// `true` if the payment is requested by `/new-async`.
    pub asynchronous: bool,
    /// The sum.
    pub sum: Amount,
    /// The payment method.
    pub payment_method: String,
    /// The fields that must be equal in a repeated request, as one text. The text is never stored.
    pub fields: String,
    /// The longest time that the call may take, in milliseconds.
    pub lease: i64,
}

impl Asked {
    /// Checks and reads a merchant's request. The journal sets the webhook URLs itself.
    pub(crate) fn read(
        reference: &str,
        account: &str,
        request: &PaymentRequest,
        asynchronous: bool,
        lease: i64,
    ) -> Result<Asked> {
        let body = request.checked_body(asynchronous)?;
        let body = std::str::from_utf8(&body).ok().and_then(json::read);
        let mut fields = body.ok_or_else(|| {
            Error::internal(merchantpay::Outcome::NotSent, "the body of the request cannot be read")
        })?;
        let given = |fields: &Fields, name: &str| fields.contains_key(name);
        if given(&fields, "statusWebhookUrl") {
            return Err(sets_url("statusWebhookUrl"));
        }
        fields.remove("credentialsWebhookUrl");
        let sum = fields.get("sum").map(String::as_str).unwrap_or_default().parse::<Amount>()?;
        fields.insert("sum".to_owned(), sum.to_decimal().normalize().to_string());
        let text = json::write(&fields);
        let payment_method = Reader(fields).text("paymentMethod").unwrap_or_default();
        let (reference, account) = (reference.to_owned(), account.to_owned());
        Ok(Asked { reference, account, asynchronous, sum, payment_method, fields: text, lease })
    }

    /// The hash that is stored instead of the request.
    pub(crate) fn hash(&self, token: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, token.as_bytes());
        let tag = hmac::sign(&key, self.fields.as_bytes());
        hexadecimal(tag.as_ref())
    }
}

/// The error for a request that sets its own webhook URL.
pub(crate) fn sets_url(field: &str) -> Error {
    Error::invalid_argument(format!(
        "the journal sets {field} itself: set the journal's callback URL instead"
    ))
}

/// The `merchantId` by which an operator names an attempt to the service. A reference must not end like the
/// `merchantId` of a later attempt, so no two attempts have the same `merchantId`.
pub(crate) fn merchant_id(reference: &str, attempt: u32) -> String {
    match attempt {
        1 => reference.to_owned(),
        attempt => format!("{reference}{LATER_ATTEMPT}{attempt}"),
    }
}

/// Separates a reference from the number of a later attempt.
const LATER_ATTEMPT: char = '~';

/// Checks a reference: 1 to 120 printable characters, no space at the beginning or end, and no `~` followed
/// by digits at the end.
///
/// # Errors
///
/// `invalid_argument`.
pub(crate) fn check_reference(reference: &str) -> Result<()> {
    let count = reference.chars().count();
    let is_printable = |c: char| !c.is_control() && !is_invisible(c) && (c == ' ' || !c.is_whitespace());
    if count == 0 || count > LONGEST_REFERENCE || !reference.chars().all(is_printable) {
        return Err(Error::invalid_argument(format!(
            "a reference must have 1 to {LONGEST_REFERENCE} printable characters"
        )));
    }
    if reference.starts_with(' ') || reference.ends_with(' ') {
        return Err(Error::invalid_argument("a reference must not begin or end with a space"));
    }
    let end = reference.trim_end_matches(|c: char| c.is_ascii_digit());
    if end.len() < reference.len() && end.ends_with(LATER_ATTEMPT) {
        return Err(Error::invalid_argument(format!(
            "a reference must not end in {LATER_ATTEMPT} and a number: the second and later attempts have \
             a merchantId of that form"
        )));
    }
    Ok(())
}

/// Invisible characters that change how text is displayed.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use merchantpay::PaymentMethod;

    use super::*;

    #[test]
    fn a_reference_is_printable_and_has_no_space_at_either_end() {
        let long = "я".repeat(LONGEST_REFERENCE);
        for good in ["1", "order-1017", "1017-2", "заказ 7", "a b", "7~", "~7a", long.as_str()] {
            assert!(check_reference(good).is_ok(), "{good}");
        }
        let longer = format!("{long}я");
        for bad in [
            "",
            " ",
            " a",
            "a ",
            "a\n",
            "a\tb",
            "a\0",
            "\u{7f}",
            "a\u{a0}b",
            "a\u{200b}",
            "\u{202e}a",
            "1017~2",
            "~2",
            longer.as_str(),
        ] {
            assert_eq!(
                check_reference(bad).unwrap_err().code(),
                merchantpay::Code::InvalidArgument,
                "{bad:?}"
            );
        }
    }

    #[test]
    fn no_two_attempts_have_one_merchant_id() {
        assert_eq!(merchant_id("1017", 1), "1017");
        assert_eq!(merchant_id("1017", 2), "1017~2");
        assert!(check_reference(&merchant_id("1017", 2)).is_err());
        assert!(check_reference("1017-2").is_ok());
    }

    #[test]
    fn the_hash_is_of_values_not_of_digits_and_keyed_by_the_token() {
        let request = |sum: &str, account: &str| {
            PaymentRequest::new(sum.parse::<Amount>().unwrap(), PaymentMethod::Sbp, account)
        };
        let hash = |request: &PaymentRequest, token: &str| {
            Asked::read("r", "a", request, false, 0).unwrap().hash(token)
        };
        let first = hash(&request("1500.50", "79001234567"), "t");
        assert_eq!(first, hash(&request("1500.5", "79001234567"), "t"));
        for other in [
            hash(&request("1500.51", "79001234567"), "t"),
            hash(&request("1500.50", "79001234568"), "t"),
            hash(&request("1500.50", "79001234567"), "u"),
            hash(&request("1500.50", "79001234567").merchant_id("x"), "t"),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn a_request_with_a_webhook_url_of_its_own_is_refused() {
        let request =
            PaymentRequest::new(1, PaymentMethod::Sbp, "1").status_webhook_url("https://shop.example/x");
        assert_eq!(
            Asked::read("r", "a", &request, false, 0).unwrap_err().code(),
            merchantpay::Code::InvalidArgument
        );
    }
}
