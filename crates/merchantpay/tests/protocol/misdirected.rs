//! Tests which of the service's signed bodies are accepted as the response to which operation. One key signs
//! all bodies, so an attacker on the connection can answer one request with the response to another. The
//! table of results is `tests/contract/vectors/misdirected.json`, and SECURITY.md has the reasons. These
//! tests show that a result depends only on the kind of body and the operation.

use crate::common::reply::{Reply, signed};
use crate::common::{
    ORDER, amounts_request, asynchronous_request, payment_request, protocol, receipt, service,
};
use merchantpay::{
    AttachReceipt, Cancel, Code, Confirm, GetAvailableAmounts, GetStatus, NewPayment, NewPaymentAsync,
    Operation, Outcome, Result, WebhookVerifier,
};

const CREDENTIALS: &str = r#""sum":1500.50,"payeeAccount":"2200000000000001","payeeAccountBank":"Bank","payeeName":"I","dealSum":16.23,"dealCurrency":"USDT","dealRate":92.45,"deeplink":"https://pay.example/o""#;

/// Every kind of body that the service signs (contract, sections 4, 6 and 7), with the name of the kind.
/// Kinds with the same bytes are one item.
fn bodies(order: &str) -> Vec<(&'static str, String)> {
    let about = format!(r#""orderId":"{order}""#);
    vec![
        (
            "/available",
            r#"{"success":true,"availableAmounts":[1500.50],"otherAmountsPossible":true}"#.to_owned(),
        ),
        (
            "/new, credentials webhook",
            format!(r#"{{"success":true,{about},"currency":"RUB",{CREDENTIALS}}}"#),
        ),
        ("/new-async, /confirm, /cancel, /receipt/attach", format!(r#"{{"success":true,{about}}}"#)),
        ("/status pending", format!(r#"{{"success":true,{about},{CREDENTIALS},"status":"pending"}}"#)),
        ("/status free", format!(r#"{{"success":true,{about},"status":"free"}}"#)),
        (
            "/status final, status webhook",
            format!(r#"{{"success":true,{about},{CREDENTIALS},"status":"doneSuccess"}}"#),
        ),
        ("status webhook without credentials", format!(r#"{{"success":true,{about},"status":"doneFail"}}"#)),
        ("credentials failed webhook", format!(r#"{{"success":false,{about}}}"#)),
        ("refusal", r#"{"success":false,"errorDescription":"order not found"}"#.to_owned()),
        (
            "/cancel refusal",
            format!(r#"{{"success":false,{about},"errorDescription":"payment could not be canceled"}}"#),
        ),
        ("/available simplified refusal", r#"{"error":"sum must be greater than 0"}"#.to_owned()),
    ]
}

/// The result: `ok`, `rejected`, or `-` for malformed.
fn cell<T>(result: Result<T>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(error) => match (error.code(), error.outcome()) {
            (Code::Rejected, Outcome::Rejected) => "rejected",
            (Code::Malformed, Outcome::Unknown) => "-",
            other => panic!("{other:?}: {error}"),
        },
    }
}

fn opened<O: Operation>(reply: &Reply, operation: &O) -> &'static str {
    cell(reply.open(protocol().prepare(operation).unwrap()))
}

/// For a body, the results of the seven operations in the contract's order, and then the result of a
/// webhook's receiver.
fn row(body: &str) -> [&'static str; 8] {
    let reply = signed(body);
    let signature = service().private_key().sign(body.as_bytes()).to_base64();
    [
        opened(&reply, &GetAvailableAmounts(&amounts_request())),
        opened(&reply, &NewPayment(&payment_request())),
        opened(&reply, &NewPaymentAsync(&asynchronous_request())),
        opened(&reply, &Confirm(ORDER)),
        opened(&reply, &Cancel(ORDER)),
        opened(&reply, &GetStatus(ORDER)),
        opened(&reply, &AttachReceipt(&receipt())),
        cell(WebhookVerifier::new(service().public_key()).verify(body.as_bytes(), &signature, None)),
    ]
}

#[test]
fn a_field_more_changes_nothing() {
    for order in [ORDER, "order-2"] {
        for (kind, body) in bodies(order) {
            let more = body.replacen('{', r#"{"since":"0.9","more":{"nested":[1,null]},"#, 1);
            assert_eq!(row(&more), row(&body), "{kind} about {order}");
        }
    }
}

/// The response to `/new` must have credentials, and the response to `/status` must have a status. An empty
/// field is not enough.
#[test]
fn an_empty_field_is_not_what_an_operation_needs() {
    for (fields, new, status) in [
        (r#""payeeAccount":"2200""#, "ok", "-"),
        (r#""deeplink":"https://pay.example/o""#, "ok", "-"),
        (r#""payeeAccount":"","deeplink":"https://pay.example/o""#, "ok", "-"),
        (r#""payeeAccount":"","deeplink":"""#, "-", "-"),
        (r#""payeeAccount":null"#, "-", "-"),
        (r#""payeeName":"I","payeeAccountBank":"Bank","sum":1"#, "-", "-"),
        (r#""status":"""#, "-", "-"),
        (r#""status":null"#, "-", "-"),
        (r#""status":"a new one""#, "-", "ok"),
    ] {
        let row = row(&format!(r#"{{"success":true,"orderId":"{ORDER}",{fields}}}"#));
        assert_eq!((row[1], row[5]), (new, status), "{fields}");
    }
}

/// The payment may exist, so the error has the order id of the payment.
#[test]
fn a_success_of_new_without_credentials_names_its_order() {
    let reply = signed(r#"{"success":true,"orderId":"order-7"}"#);
    let error = reply.open(protocol().prepare(&NewPayment(&payment_request())).unwrap()).unwrap_err();
    assert_eq!(
        (error.code(), error.outcome(), error.order_id()),
        (Code::Malformed, Outcome::Unknown, Some("order-7"))
    );
}
