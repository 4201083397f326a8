//! Tests that no `Debug` output, error text or observer entry contains a private key, a signature, an account
//! or a name.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use crate::common::reply::{bad_gateway, bare, refusal, signed};
use crate::common::server::Server;
use crate::common::{ACCOUNT, KEY_ID, ORDER, SERVER_KEY_ID, config, merchant, protocol, service};
use merchantpay::{
    AmountsRequest, Client, PaymentMethod, PaymentRequest, PrivateKey, PublicKey, Receipt, RequestValues,
    WebhookVerifier, operation,
};

const PAYEE_ACCOUNT: &str = "2200123412341234";
const PAYEE_NAME: &str = "Константин";

fn reply_body() -> String {
    format!(
        r#"{{"success":true,"orderId":"{ORDER}","status":"doneSuccess","sum":10,"payeeAccount":"{PAYEE_ACCOUNT}","payeeName":"{PAYEE_NAME}","deeplink":"https://x.example/{PAYEE_ACCOUNT}"}}"#
    )
}

fn request() -> PaymentRequest {
    PaymentRequest::new(10, PaymentMethod::Card, ACCOUNT)
}

/// Checks that a text contains none of the secrets, and no first half of a secret.
#[track_caller]
fn assert_silent(what: &str, shown: &str) {
    let private = merchant().private_key().to_base64();
    let signed: Vec<String> = [reply_body().into_bytes(), br#"{"orderId":"order-1"}"#.to_vec()]
        .iter()
        .flat_map(|body| [merchant().private_key().sign(body), service().private_key().sign(body)])
        .map(|signature| signature.to_base64())
        .collect();
    let prepared = request();
    let own = protocol().prepare(operation::new_payment(&prepared)).unwrap();
    let own = own.request().headers().find(|(name, _)| *name == "X-Signature").unwrap().1.to_owned();
    let secrets = signed.iter().chain([&own]).map(|text| &text[..44]).chain([
        &private[..43],
        ACCOUNT,
        PAYEE_ACCOUNT,
        PAYEE_NAME,
    ]);
    for secret in secrets {
        assert!(!shown.contains(secret), "{what} shows {secret}: {shown}");
        let as_bytes = format!("{:?}", secret.as_bytes());
        assert!(
            !shown.contains(as_bytes.trim_matches(['[', ']'])),
            "{what} shows the bytes of {secret}: {shown}"
        );
    }
    assert!(!shown.trim().is_empty(), "{what} shows nothing at all");
}

fn debug(value: &impl Debug) -> String {
    format!("{value:?} {value:#?}")
}

#[test]
fn debug_of_what_a_merchant_holds_is_silent() {
    let settings = config("https://pay.example")
        .proxy(format!("http://till:{ACCOUNT}@proxy.example"))
        .server_key_id(SERVER_KEY_ID);
    let mut values = RequestValues::default();
    values.set("sum", "1500.50").unwrap();
    values.set("customerAccount", ACCOUNT).unwrap();
    assert!(debug(&values).contains("1500.50"), "{values:?}");
    let request = request().merchant_id("m");
    let prepared = protocol().prepare(operation::new_payment(&request)).unwrap();
    let mut receipt = Receipt::new(ORDER);
    receipt.add_bytes(PAYEE_NAME, "application/pdf", format!("%PDF-{ACCOUNT}").as_bytes()).unwrap();
    let amounts = AmountsRequest::new(1, PaymentMethod::Sbp).customer_account(ACCOUNT);
    for (what, shown) in [
        ("Config", debug(&settings)),
        ("Client", debug(&Client::new(settings).unwrap())),
        ("Protocol", debug(&protocol())),
        ("WebhookVerifier", debug(&WebhookVerifier::new(service().public_key()))),
        ("Keypair", debug(merchant())),
        ("PrivateKey", debug(merchant().private_key())),
        ("Signature", debug(&merchant().private_key().sign(reply_body().as_bytes()))),
        ("PaymentRequest", debug(&request)),
        ("AmountsRequest", debug(&amounts)),
        ("RequestValues", debug(&values)),
        ("UnsignedRequest", debug(&operation::new_payment(&request))),
        ("Prepared", debug(&prepared)),
        ("SignedRequest", debug(prepared.request())),
        ("Receipt", debug(&receipt)),
    ] {
        assert_silent(what, &shown);
    }
}

#[test]
fn debug_of_payments_and_events_is_silent() {
    let payment =
        signed(reply_body()).open(protocol().prepare(operation::get_status(ORDER)).unwrap()).unwrap();
    let signature = service().private_key().sign(reply_body().as_bytes()).to_base64();
    let verifier = WebhookVerifier::new(service().public_key());
    let event = verifier.verify(reply_body().as_bytes(), &signature, None).unwrap();
    assert_eq!(
        (payment.payee_account(), event.payment().payee_name()),
        (Some(PAYEE_ACCOUNT), Some(PAYEE_NAME))
    );
    assert_silent("Payment", &debug(&payment));
    assert_silent("Event", &debug(&event));
}

#[test]
fn error_about_a_reply_is_silent() {
    let another_order = reply_body().replace(ORDER, "order-2");
    let wrong_type = reply_body().replace(r#""sum":10"#, r#""sum":"10""#);
    let twice = reply_body().replace(r#""sum":10"#, &format!(r#""{PAYEE_ACCOUNT}":1,"{PAYEE_ACCOUNT}":2"#));
    let own = merchant().private_key().sign(reply_body().as_bytes()).to_base64();
    for (what, reply) in [
        ("forged", signed(another_order.clone()).body(reply_body())),
        ("unsigned", bare(200, "application/json", reply_body())),
        ("unsigned under another type", bare(200, "text/html", reply_body())),
        ("reflected", signed(reply_body()).with("X-Signature", &own).with("X-KeyId", KEY_ID)),
        ("another order", signed(another_order)),
        ("a wrong type", signed(wrong_type)),
        ("a name twice", signed(twice)),
        (
            "an account that is a number",
            signed(reply_body().replace(&format!("\"{PAYEE_ACCOUNT}\""), PAYEE_ACCOUNT)),
        ),
        ("no JSON behind a name", signed(reply_body().replace(PAYEE_NAME, &format!("{PAYEE_NAME}\" \"x")))),
        ("cut off", signed(&reply_body()[..reply_body().len() - 1])),
        ("a refusal", refusal("order not found")),
    ] {
        let error = reply.open(protocol().prepare(operation::get_status(ORDER)).unwrap()).expect_err(what);
        assert_silent(what, &format!("{error} {} {}", error.message(), debug(&error)));
    }
}

#[test]
fn refusal_hides_the_customers_account() {
    for (account, written) in [
        (ACCOUNT, ACCOUNT),
        ("+7 (900) 123-45-67", "+7 900 123-45-67"),
        ("2200123412341234", "2200 1234 1234 1234"),
        ("ivanov@bank", "ivanov@bank"),
    ] {
        let request = PaymentRequest::new(10, PaymentMethod::Card, account);
        let reply = refusal(&format!("the account {written} is blocked"));
        let error = reply.open(protocol().prepare(operation::new_payment(&request)).unwrap()).unwrap_err();
        let shown = format!("{error} {}", debug(&error));
        assert_silent("the text", &shown);
        for part in written.split(' ').filter(|part| part.len() >= 3) {
            assert!(!shown.contains(part), "{part} of {written}: {shown}");
        }
        assert!(
            error.description().is_some_and(|text| text.contains("is blocked")),
            "and returned by its own method"
        );
        assert!(
            error.body().is_some_and(|body| body == reply.body),
            "the service's own words stay reachable"
        );
    }
}

#[test]
fn error_about_an_argument_is_silent() {
    for error in [
        PrivateKey::from_base64(&merchant().private_key().to_base64()[1..]).unwrap_err(),
        PublicKey::from_base64(&merchant().private_key().to_base64()).unwrap_err(),
        Client::new(config(&format!("https://user:{ACCOUNT}@pay.example"))).unwrap_err(),
        Client::new(config("https://pay.example").proxy(format!("ftp://user:{ACCOUNT}@proxy.example")))
            .unwrap_err(),
        Client::new(config("https://pay.example").user_agent(format!("{ACCOUNT}\n"))).unwrap_err(),
        protocol().prepare(operation::new_payment(&request().status_webhook_url(PAYEE_ACCOUNT))).unwrap_err(),
        protocol()
            .prepare(operation::new_payment(&PaymentRequest::new(0, PaymentMethod::Card, ACCOUNT)))
            .unwrap_err(),
        ACCOUNT.replace('9', ",").parse::<merchantpay::Amount>().unwrap_err(),
        PAYEE_ACCOUNT.parse::<PaymentMethod>().unwrap_err(),
    ] {
        assert_silent("an argument", &format!("{error} {}", debug(&error)));
    }
}

#[test]
fn observer_receives_no_secret() {
    let echo = bare(502, "text/html", format!("<p>{ACCOUNT}</p>"));
    for reply in [signed(reply_body()), bad_gateway(), echo, refusal("order not found")] {
        let server = Server::replying(reply);
        let lines = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&lines);
        let config = config(&server.url())
            .max_retries(0)
            .observer(move |attempt| seen.lock().unwrap().push_str(&debug(attempt)));
        let client = Client::new(config).unwrap();
        let _ = client.new_payment(&request());
        let _ = client.get_status(ORDER);
        let shown = lines.lock().unwrap();
        assert_silent("Attempt", &shown);
        assert!(shown.contains("newPayment") && shown.contains("getStatus"), "{shown}");
        assert_eq!(server.finish().requests.len(), 2);
    }
}
