//! Sets the fields of a request to any texts, for each operation. Each line is one field, in the order of
//! `REQUEST_FIELDS`; an empty line leaves a field unset. Another JSON reader must find the same texts and numbers in the signed body.
#![no_main]

mod common;

use common::{PROTOCOL, check_error, signed};
use libfuzzer_sys::fuzz_target;
use merchantpay::{REQUEST_FIELDS, RequestValues, UnsignedRequest, operation};
use serde_json::{Map, Value};

/// The fields of the signed body, unless the request is refused.
fn fields<R>(request: merchantpay::Result<UnsignedRequest<R>>) -> Option<Map<String, Value>> {
    match request.and_then(|request| PROTOCOL.prepare(request)) {
        Ok(prepared) => match serde_json::from_slice(signed(prepared.request())) {
            Ok(Value::Object(fields)) => Some(fields),
            other => panic!("{other:?}"),
        },
        Err(error) => {
            check_error(&error);
            None
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let lines: Vec<&str> = text.split('\n').collect();
    let names = REQUEST_FIELDS.iter().map(|field| field.name);
    let given: Vec<_> = names.zip(lines.iter().copied()).filter(|(_, line)| !line.is_empty()).collect();
    let mut values = RequestValues::default();
    for (name, line) in &given {
        // A refused text stays, and every request with it fails.
        let _ = values.set(name, *line);
    }
    let of_payment = |make: fn(&_) -> _| fields(values.payment_request().map(|request| make(&request)));
    let all = [
        fields(values.amounts_request().map(|request| operation::get_available_amounts(&request))),
        of_payment(operation::new_payment),
        of_payment(operation::new_payment_async),
    ];
    for fields in all.into_iter().flatten() {
        assert_eq!(fields["currency"], "RUB");
        for (name, value) in fields.iter().filter(|(name, _)| *name != "currency") {
            let line = given.iter().find(|(field, _)| field == name).map(|(_, line)| *line);
            match value {
                Value::String(text) => assert_eq!(Some(text.as_str()), line, "{name}"),
                // This reader would round the number.
                Value::Number(_) => assert!(line.is_some(), "{name}"),
                other => panic!("{name}: {other}"),
            }
        }
    }
    for make in [operation::confirm, operation::cancel, operation::get_status] {
        let Some(fields) = fields(Ok(make(lines[0]))) else { continue };
        assert_eq!((fields.len(), fields["orderId"].as_str()), (1, Some(lines[0])));
    }
});
