//! Behaviour that the contract leaves open. Everything here is an assumption of the sandbox, not a fact:
//! programs should not depend on these assumptions.
//!
//! | the contract leaves open | the sandbox assumes |
//! |---|---|
//! | HTTP statuses other than 403 | the constants below; all replies except the two pages for browsers have a signed body |
//! | texts other than those of section 7 | the constants below, and `invalid <field>` for a field that is missing or wrong |
//! | a missing or wrong signature, an unknown `X-KeyId` | 401, signed `invalid signature (CAUSE): HINT`; the causes are those of `explain` |
//! | a foreign `Host` or `Origin` | 403, signed, and not recorded; no fault happens to it, nor to a request that does not verify |
//! | another path, another method | 404, signed `no such endpoint`, with a hint for a path that ends like an endpoint's; 405 |
//! | the `Content-Type` of JSON requests | ignored |
//! | a field that is `null` | is treated as absent |
//! | a field name twice | `invalid request body` |
//! | `/available` with a sum that is not a number or has more than 28 digits | the simplified body, as for a parse error |
//! | the signed part of a multipart request | the whole body, byte for byte |
//! | names of the signature's headers on webhooks | `X-KeyId` and `X-Signature`, as on replies |
//! | a webhook's timeout, retries and accepted answer | 5 s; after 0.2, 1 and 5 s (`Options`); any 2xx |
//! | the order of webhooks | a payment's webhooks are sent in order: each waits until the delivery of the earlier webhook has ended |
//! | the number of webhooks that are sent at the same time | 256 |
//! | format of `orderId` | `sb-` and 24 hexadecimal digits; an `orderId` in a request may have up to 64 letters, digits, `-` and `_` |
//! | `customerAccount`, `payerBank`, `merchantId` | any text that is not empty |
//! | a status after cancelling before the customer has paid | `doneFail` |
//! | cancelling while credentials are looked for, or while a confirmed payment is checked | refused (403) |
//! | the error of `/cancel` for an unknown order | names the order too; an `orderId` that cannot be read is not repeated |
//! | the paid sum, if a customer pays less or more | a tenth less or more, rounded up to a kopeck |
//! | the status of a payment without credentials | `free` while the sandbox looks for credentials, `doneFail` if it finds none |
//! | the status while a receipt is checked | `pending`; the payment is still in arbitration, so it can be cancelled |
//! | the operator's actions | approve, refuse or dispute a payment with credentials, confirmed or not, until the payment is final |
//! | a customer who pays before `/confirm` | `sum` changes at once, and the status stays `pending` |
//! | `/confirm` if no payment is awaited | 409 `payment could not be confirmed` |
//! | `/receipt/attach` if no receipt is required | 409 `receipt is not required` |
//! | `/status` before there are credentials | only `sum` and `status` |
//! | `payeeName` in status webhooks | as issued, in Cyrillic; only `/status` transliterates |
//! | smallest and largest sum | greater than 0; every sum with a `dealSum` that can be computed |
//! | size and number of receipts | 32 MiB a request; 10 files; more files, no file or an empty file are `invalid file format` |
//! | a part of the form that is neither `orderId` nor `file` | `invalid request body` |
//! | a part's content type with parameters | `invalid file format` |
//! | how names are transliterated | letter by letter, by the table in `model/body.rs` |
//! | `dealRate` | unless set, 1 for a ruble balance, and 92.45 for a USDT balance |
//! | commission | 3 % unless set |
//! | how commission is taken | `dealSum` = converted sum × (1 − commission), rounded half to even to 2 digits (RUB) or 6 |

use std::time::Duration;

use merchantpay::{Amount, BASE_PATH, Balance, OPERATIONS, OperationInfo, Rounding, to_balance};
use rust_decimal::Decimal;

pub(crate) const BAD_REQUEST: u16 = 400;
/// A request that a page of another site may have sent.
pub(crate) const FORBIDDEN: u16 = 403;
pub(crate) const UNAUTHORIZED: u16 = 401;
/// The status for an order that does not exist, and for an unknown path.
pub const NOT_FOUND: u16 = 404;
pub(crate) const METHOD_NOT_ALLOWED: u16 = 405;
/// The payment's state does not allow the request. `/cancel` uses the contract's 403 instead.
pub(crate) const CONFLICT: u16 = 409;
pub(crate) const TOO_LARGE: u16 = 413;
/// Credentials were not found in time, but the request itself was valid.
pub(crate) const NO_CREDENTIALS: u16 = 200;

pub(crate) const LARGEST_REQUEST: usize = 32 * 1024 * 1024;
pub(crate) const MOST_DISCARDED: usize = 256 * 1024 * 1024;
pub(crate) const MOST_FILES: usize = 10;

pub(crate) const UNREADABLE_TEXT: &str = "invalid request body";
pub(crate) const TOO_LARGE_TEXT: &str = "the request is too large";
pub(crate) const FOREIGN_WEBHOOK_TEXT: &str = "webhooks go only to hosts that --webhook-host names";
pub(crate) const SIGNATURE_TEXT: &str = "invalid signature";
pub(crate) const NO_ENDPOINT_TEXT: &str = "no such endpoint";
pub(crate) const ONLY_POST_TEXT: &str = "only POST is allowed";
pub(crate) const NO_CREDENTIALS_TEXT: &str = "credentials not found";
pub(crate) const WEBHOOK_RETRIES: [Duration; 3] =
    [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(5)];
pub(crate) const WEBHOOKS_AT_ONCE: usize = 256;
pub(crate) const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a postponed webhook waits for the payment's next one.
pub(crate) const REORDER_PATIENCE: Duration = Duration::from_secs(10);

/// Every client shows this text, so it contains nothing of the request.
pub(crate) fn signature_text(explanation: Option<(&str, &str)>) -> String {
    match explanation {
        Some((cause, hint)) => format!("{SIGNATURE_TEXT} ({cause}): {hint}"),
        None => SIGNATURE_TEXT.to_owned(),
    }
}

pub(crate) fn no_endpoint_text(path: &str) -> String {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let resembles = |known: &&OperationInfo| {
        known.name == last
            || known.path.trim_start_matches('/') == last
            || path.trim_end_matches('/').ends_with(known.path)
    };
    match OPERATIONS.iter().find(resembles) {
        Some(known) => format!(
            "{NO_ENDPOINT_TEXT}: {} is at {BASE_PATH}{}; the base URL is the part before it",
            known.name, known.path
        ),
        None => format!("{NO_ENDPOINT_TEXT}: the endpoints are below {BASE_PATH}"),
    }
}

/// Returns `true` if a text can be an `orderId`.
pub fn is_order_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

pub(crate) fn is_webhook_url(text: &str) -> bool {
    text.parse::<axum::http::Uri>()
        .is_ok_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some())
}

pub(crate) fn rate(balance: Balance) -> Amount {
    match balance {
        Balance::Rub => Amount::from(1u32),
        Balance::Usdt => Amount::from_minor(9245),
    }
}

/// As a fraction of the converted sum.
pub(crate) fn commission() -> Amount {
    Amount::from_minor(3)
}

/// `dealCurrency`, and the number of digits of `dealSum` after the decimal point.
pub(crate) fn deal_currency(balance: Balance) -> (&'static str, u32) {
    match balance {
        Balance::Rub => ("RUB", 2),
        Balance::Usdt => ("USDT", 6),
    }
}

/// Fixed when credentials are issued (contract, section 2). `None` if it cannot be computed.
pub(crate) fn deal_sum(sum: Amount, rate: Amount, balance: Balance, commission: Amount) -> Option<Amount> {
    let kept = Amount::try_from(Decimal::ONE - commission.to_decimal()).ok()?;
    let (_, scale) = deal_currency(balance);
    let converted = to_balance(sum, rate, balance, 12, Rounding::HalfEven).ok()?;
    to_balance(converted, kept, Balance::Rub, scale, Rounding::HalfEven).ok()
}

/// The offered amounts of `/available`, and whether others are possible. The contract gives the account no effect
/// here, so the kopecks of the sum decide: with `.01` nothing is offered but other amounts are possible, with `.02`
/// none are.
pub(crate) fn offers(sum: Amount, up: Option<Amount>, down: Option<Amount>) -> (Vec<Amount>, bool) {
    match sum.minor().map(|minor| minor % 100) {
        Some(1) => return (Vec::new(), true),
        Some(2) => return (Vec::new(), false),
        _ => {}
    }
    let (sum, zero) = (sum.to_decimal(), Decimal::ZERO);
    let lower = down
        .and_then(|drift| sum.checked_sub(drift.to_decimal()))
        .filter(|amount| *amount > zero && *amount < sum);
    let upper = up.and_then(|drift| sum.checked_add(drift.to_decimal())).filter(|amount| *amount > sum);
    let amounts =
        lower.into_iter().chain([sum]).chain(upper).filter_map(|amount| Amount::try_from(amount).ok());
    (amounts.collect(), true)
}
