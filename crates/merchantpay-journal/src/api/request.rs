//! A merchant's reference and request, as the journal checks, compares and sends them.

use std::collections::BTreeMap;

use merchantpay::{Amount, Error, Outcome, PaymentRequest, Result};
use serde_json::value::RawValue;

use crate::api::config::JournalConfig;
use crate::model::attempt::Attempt;
use crate::model::request::Request;

/// In characters.
const LONGEST_REFERENCE: usize = 120;
/// Separates a reference from the number of a later attempt in its `merchantId`.
const LATER_ATTEMPT: char = '~';
/// Stands for the token of an attempt that does not exist yet.
const ANY_TOKEN: &str = "00000000000000000000000000000000";

/// Checks a request before anything is stored.
pub(crate) fn checked(
    config: &JournalConfig,
    request: &PaymentRequest,
    asynchronous: bool,
) -> Result<Request> {
    if asynchronous && config.callback_url.is_none() {
        let fault = "pay_async needs the setting callback_url: the service sends the credentials there";
        return Err(Error::invalid_argument(fault).naming(["pay_async", "callback_url"]));
    }
    if request.has_credentials_webhook_url() {
        return Err(sets_url("credentialsWebhookUrl"));
    }
    with_urls(config, request, ANY_TOKEN, asynchronous).checked_body(asynchronous)?;
    // `/new-async` needs the URL; the comparison leaves it out.
    let whole = if asynchronous {
        request.clone().credentials_webhook_url("https://callback.invalid/")
    } else {
        request.clone()
    };
    let body = whole.checked_body(asynchronous)?;
    let fields = std::str::from_utf8(&body)
        .ok()
        .and_then(|body| serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(body).ok());
    let mut fields =
        fields.ok_or_else(|| Error::internal(Outcome::NotSent, "the body of the request cannot be read"))?;
    if fields.contains_key("statusWebhookUrl") {
        return Err(sets_url("statusWebhookUrl"));
    }
    fields.remove("credentialsWebhookUrl");
    let sum: Amount = fields.get("sum").map(|sum| sum.get()).unwrap_or_default().parse()?;
    // 1500.5 and 1500.50 are one request.
    let digits = RawValue::from_string(sum.to_decimal().normalize().to_string());
    let text = digits.and_then(|digits| {
        fields.insert("sum".to_owned(), digits);
        serde_json::to_string(&fields)
    });
    let fields =
        text.map_err(|_| Error::internal(Outcome::NotSent, "the fields of the request cannot be written"))?;
    Ok(Request { sum, asynchronous, fields })
}

fn sets_url(field: &'static str) -> Error {
    let fault = format!("the journal sets {field} itself: use the journal's setting callback_url");
    Error::invalid_argument(fault).naming([field, "callback_url"])
}

/// The request that is sent for an attempt.
pub(crate) fn of_attempt(config: &JournalConfig, row: &Attempt, request: &PaymentRequest) -> PaymentRequest {
    let request = with_urls(config, request, &row.token, row.asynchronous);
    if request.has_merchant_id() {
        return request;
    }
    request.merchant_id(merchant_id(&row.reference, row.attempt))
}

fn with_urls(
    config: &JournalConfig,
    request: &PaymentRequest,
    token: &str,
    asynchronous: bool,
) -> PaymentRequest {
    let Some(callback_url) = &config.callback_url else { return request.clone() };
    let url = format!("{callback_url}/{token}");
    let request = request.clone().status_webhook_url(&url);
    if asynchronous { request.credentials_webhook_url(url) } else { request }
}

/// By the `merchantId` support finds an attempt. No two attempts have the same.
fn merchant_id(reference: &str, attempt: u32) -> String {
    match attempt {
        1 => reference.to_owned(),
        attempt => format!("{reference}{LATER_ATTEMPT}{attempt}"),
    }
}

/// Checks a reference: 1 to 120 printable characters, no space at either end, and not the `merchantId` of a
/// later attempt.
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
        let error = Error::invalid_argument(format!(
            "a reference must not end in {LATER_ATTEMPT} and a number: the second and later attempts have a merchantId of that form"
        ));
        return Err(error.naming(["merchantId"]));
    }
    Ok(())
}

/// Characters that change how text looks and cannot be seen.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use merchantpay::PaymentMethod;

    use super::*;

    #[test]
    fn reference_is_printable_without_spaces_at_its_ends() {
        let long = "я".repeat(LONGEST_REFERENCE);
        for good in ["1", "order-1017", "1017-2", "заказ 7", "a b", "7~", "~7a", &long] {
            assert!(check_reference(good).is_ok(), "{good}");
        }
        let longer = format!("{long}я");
        for bad in [
            "",
            " ",
            " a",
            "a ",
            "a\n",
            "a\0",
            "\u{7f}",
            "a\u{a0}b",
            "a\u{200b}",
            "\u{202e}a",
            "1017~2",
            "~2",
            &longer,
        ] {
            assert!(check_reference(bad).is_err(), "{bad:?}");
        }
        assert!(check_reference(&merchant_id("1017", 2)).is_err(), "two attempts would have one merchantId");
    }

    #[test]
    fn requests_are_compared_by_value() {
        let config = JournalConfig::new("/x").callback_url("https://shop.example/x");
        let hash = |sum: &str, account: &str, token: &str| {
            let request = PaymentRequest::new(sum.parse::<Amount>().unwrap(), PaymentMethod::Sbp, account);
            checked(&config, &request, false).unwrap().hash(token)
        };
        let first = hash("1500.50", "79001234567", "t");
        assert_eq!(first, hash("1500.5", "79001234567", "t"));
        assert_ne!(first, hash("1500.51", "79001234567", "t"));
        assert_ne!(first, hash("1500.50", "79001234568", "t"));
        assert_ne!(first, hash("1500.50", "79001234567", "u"));
    }
}
