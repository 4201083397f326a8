//! What a host can do wrong, and what can happen while a call runs.

use std::io::Read;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use merchantpay::Keypair;
use merchantpay_calls::{Kind, ObjectKind, call, close, interrupt};
use merchantpay_services::serve;

use crate::host::{Arg, Got, Open, client, fields, frame, library, open, reply};

/// The settings of a merchant whose service is at this address.
pub fn settings(base_url: &str) -> Vec<(String, String)> {
    let (own, service) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
    let (private, public) = (own.private_key().to_base64(), service.public_key().to_base64());
    [("base_url", base_url), ("key_id", "key-1"), ("private_key", &private), ("server_public_key", &public)]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

/// Nobody listens there.
fn nowhere() -> Vec<(String, String)> {
    settings("http://127.0.0.1:9")
}

fn error(handle: u64, number: u32, args: &[u8]) -> Got {
    reply(Kind::Nothing, &call(handle, number, args, &[]), "an error").unwrap_err()
}

#[test]
fn call_kind_and_arguments_must_be_known() {
    let client = client(&nowhere());
    for handle in [0, client.handle] {
        let message = error(handle, 9999, &[]).field("message").to_owned();
        assert_eq!(message, "this version of the library has no call 9999: update it");
    }
    assert_eq!(error(0, 3, &[1]).field("message"), "the arguments are not a frame");
    let made = merchantpay_calls::open(99, 0, &[], None);
    let message = reply(Kind::Nothing, &made, "").unwrap_err().field("message").to_owned();
    assert_eq!(message, "this version of the library has no kind 99 of object: update it");
}

#[test]
fn missing_values_are_absent_and_further_ones_are_ignored() {
    let library = library();
    let exact: [Arg; 2] = ["1".into(), "1".into()];
    let longer = [exact.to_vec(), vec![Arg::Absent, "of a later version".into()]].concat();
    assert_eq!(library.ok("paid", &longer), library.ok("paid", &exact));
    let error = library.ask("paid", &exact[..1]).unwrap_err();
    assert_eq!((error.field("message"), error.field("argument")), ("asked is missing", "asked"));
    assert_eq!((error.field("outcome"), error.field("is_transient")), ("not_sent", "0"));
}

#[test]
fn texts_are_utf8_without_nul_and_errors_name_the_argument_as_the_host_does() {
    let client = client(&nowhere());
    for (name, args, message) in [
        ("get_status", vec![b"\xff".as_slice().into()], "orderId is not UTF-8"),
        ("get_status", vec!["a\0b".into()], "orderId must not contain a NUL"),
        ("get_status", vec!["".into()], "orderId must not be empty"),
        ("get_status", vec![], "orderId is missing"),
        (
            "wait",
            vec!["o-1".into(), "1.5".into()],
            "timeoutMs must be a whole number of milliseconds from 0 to 4294967295",
        ),
        (
            "wait",
            vec!["o-1".into(), "4294967296".into()],
            "timeoutMs must be a whole number of milliseconds from 0 to 4294967295",
        ),
        (
            "new_payment",
            vec![fields(&[("sum", "1"), ("paymentMethod", "sbp"), ("customerAccount", "a\0")])],
            "customerAccount must not contain a NUL",
        ),
        (
            "new_payment",
            vec![fields(&[("sum", "1"), ("paymentMethod", "sbp")])],
            "customerAccount is missing",
        ),
        ("new_payment", vec!["x".into()], "request is not a frame"),
        ("attach_receipt", vec![7u64.into()], "receipt is closed or no handle"),
    ] {
        let error = client.ask(name, &args).unwrap_err();
        assert_eq!(error.field("message"), message, "{name}");
        assert!(message.starts_with(error.field("argument")), "{name}");
    }
    for (name, message) in [
        ("balance", "balance must be one of RUB, USDT"),
        ("scale", "scale must be a whole number from 0 to 4294967295"),
    ] {
        let args = ["1", "1", if name == "balance" { "EUR" } else { "RUB" }, "-1", "down"].map(Arg::from);
        assert_eq!(library().ask("to_balance", &args).unwrap_err().field("message"), message);
    }
}

#[test]
fn object_has_only_the_calls_of_its_kind() {
    let client = client(&nowhere());
    let message = error(client.handle, 50, &[]).field("message").to_owned();
    assert_eq!(message, "the client has no such call");
    let journal = open(ObjectKind::Journal, 0, &["go".into(), Arg::Absent, Arg::Absent], None).err().unwrap();
    assert!(
        journal.field("message").contains("Place is missing") || journal.field("message").contains("client")
    );
    let prepared = open(ObjectKind::Prepared, 0, &[], None).err().unwrap();
    assert_eq!(prepared.field("message"), "a prepared is made by a call");
}

#[test]
fn closed_handle_is_an_error_and_closing_twice_does_nothing() {
    let client = client(&nowhere());
    close(client.handle);
    close(client.handle);
    assert!(!interrupt(client.handle));
    let error = client.ask("get_status", &["o-1".into()]).unwrap_err();
    assert_eq!((error.field("message"), error.field("outcome")), ("the object is closed", "not_sent"));
    // It reads the answer to a request that may have taken effect.
    let prepared = Open::of(ObjectKind::Prepared, client.handle);
    assert_eq!(prepared.ask("open", &[]).unwrap_err().field("outcome"), "unknown");
}

/// A service that accepts connections and never answers. It tells of each request that has begun.
fn silent() -> (String, mpsc::Receiver<()>) {
    let (tell, begun) = mpsc::channel();
    let address = serve(move |mut stream| {
        let _ = stream.read(&mut [0; 1]);
        let _ = tell.send(());
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    (format!("http://{address}"), begun)
}

#[test]
fn interrupt_and_close_are_safe_during_a_call() {
    let (url, begun) = silent();
    let client = client(&settings(&url));
    let handle = client.handle;
    let calling = std::thread::spawn(move || error(handle, 13, &frame(&["o-1".into()])));
    begun.recv().unwrap();
    let start = Instant::now();
    assert!(interrupt(handle));
    close(handle);
    // Late ones, on a handle that is closed.
    assert!(!interrupt(handle));
    close(handle);
    let error = calling.join().unwrap();
    assert_eq!((error.field("code"), error.field("outcome")), ("cancelled", "unknown"));
    assert_eq!(error.field("order_id"), "o-1");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn call_outlasts_the_closing_of_its_object() {
    let (url, begun) = silent();
    let mut settings = settings(&url);
    settings.push(("timeout_ms".to_owned(), "300".to_owned()));
    let client = client(&settings);
    let handle = client.handle;
    let calling = std::thread::spawn(move || error(handle, 13, &frame(&["o-1".into()])));
    begun.recv().unwrap();
    close(handle);
    assert_eq!(calling.join().unwrap().field("code"), "timeout");
}
