//! Tests of reading the body of a verified reply: numbers are exact, duplicate names are refused, and unknown
//! fields are kept.

use crate::common::reply::signed;
use crate::common::{ORDER, amounts_request, payment_request, protocol, summary};
use merchantpay::{
    AvailableAmounts, Code, Confirm, Error, GetAvailableAmounts, NewPayment, Outcome, Payment, Status,
};

/// Reads the body as the response to `/confirm`. Of such a response only the order id is required.
fn opened(body: impl AsRef<[u8]>) -> Result<Payment, Error> {
    signed(body).open(protocol().prepare(&Confirm(ORDER)).unwrap())
}

fn amounts(body: &str) -> Result<AvailableAmounts, Error> {
    signed(body).open(protocol().prepare(&GetAvailableAmounts(&amounts_request())).unwrap())
}

/// Opens a reply with this additional field.
fn opened_with(field: &str) -> Result<Payment, Error> {
    opened(format!(r#"{{"success":true,"orderId":"{ORDER}",{field}}}"#))
}

#[track_caller]
fn assert_malformed<T>(result: Result<T, Error>, what: &str) {
    let error = result.err().unwrap_or_else(|| panic!("it was read: {what:.200}"));
    assert_eq!(summary(&error), (Code::Malformed, Outcome::Unknown, Some(200)), "{what:.200}: {error}");
    assert!(
        error.body().is_some() && error.description().is_none() && error.excerpt().is_none(),
        "{what:.200}"
    );
    assert!(error.message().len() < 400, "the text of an error is short: {}", error.message().len());
}

#[test]
fn every_field_of_the_contract_is_read() {
    let body = r#"{"success":true,"orderId":"order-1","sum":1500.50,"currency":"RUB","payeeAccount":"2200 0000","payeeAccountBank":"bank",
        "payeeName":"И. Иванов","dealSum":16.231000,"dealCurrency":"USDT","dealRate":92.451700000000000001,"deeplink":"https://x.example/?a=1",
        "status":"receiptRequired"}"#;
    let payment = opened(body).unwrap();
    let shown = |amount: Option<merchantpay::Amount>| amount.unwrap().to_string();
    assert_eq!(payment.order_id(), ORDER);
    assert_eq!(
        [shown(payment.sum()), shown(payment.deal_sum()), shown(payment.deal_rate())],
        ["1500.50", "16.231000", "92.451700000000000001"]
    );
    assert_eq!(
        [payment.currency(), payment.payee_account(), payment.payee_account_bank(), payment.payee_name()],
        [Some("RUB"), Some("2200 0000"), Some("bank"), Some("И. Иванов")]
    );
    assert_eq!((payment.deal_currency(), payment.deeplink()), (Some("USDT"), Some("https://x.example/?a=1")));
    assert_eq!((payment.status(), payment.is_final()), (Some(&Status::ReceiptRequired), false));
    assert_eq!((payment.json(), payment.unknown_fields()), (body, vec![]));
}

#[test]
fn every_field_but_the_order_id_may_be_absent_or_null() {
    let absent = opened(r#"{"success":true,"orderId":"order-1"}"#).unwrap();
    let null = opened(
        r#"{"success":true,"orderId":"order-1","sum":null,"currency":null,"payeeAccount":null,"payeeAccountBank":null,"payeeName":null,
           "dealSum":null,"dealCurrency":null,"dealRate":null,"deeplink":null,"status":null}"#,
    )
    .unwrap();
    for payment in [absent, null] {
        assert_eq!((payment.sum(), payment.deal_sum(), payment.deal_rate()), (None, None, None));
        assert_eq!(
            (payment.currency(), payment.payee_account(), payment.payee_account_bank()),
            (None, None, None)
        );
        assert_eq!((payment.payee_name(), payment.deal_currency(), payment.deeplink()), (None, None, None));
        assert_eq!((payment.status(), payment.is_final()), (None, false));
    }
}

#[test]
fn a_payment_without_an_order_id_is_malformed() {
    for body in
        [r#"{"success":true}"#, r#"{"success":true,"orderId":null}"#, r#"{"success":true,"orderId":""}"#]
    {
        assert_malformed(
            signed(body).open(protocol().prepare(&NewPayment(&payment_request())).unwrap()),
            body,
        );
    }
}

#[test]
fn a_name_that_stands_twice_is_malformed_wherever_it_is() {
    for field in [
        r#""orderId":"order-1""#,
        r#""success":true"#,
        r#""success":false"#,
        r#""sum":1,"sum":2"#,
        r#""sum":1,"sum":1"#,
        r#""extra":1,"extra":1"#,
        r#""order\u0049d":"order-2""#,
        r#""\u0073uccess":false"#,
        r#""sum":1,"s\u0075m":2"#,
        r#""extra":{"a":1,"a":2}"#,
        r#""extra":[0,{"b":{"a":1,"c":[],"\u0061":2}}]"#,
        r#""a\/b":1,"a/b":2"#,
        r#""":1,"":2"#,
    ] {
        assert_malformed(opened_with(field), field);
    }
    assert!(opened_with(r#""a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}],"Sum":1,"sum":2"#).is_ok());
}

#[test]
fn a_number_is_read_exactly_or_not_at_all() {
    for (number, read) in [
        ("0.1", "0.1"),
        ("1500.50", "1500.50"),
        ("-3.10", "-3.10"),
        ("0", "0"),
        ("1e3", "1000"),
        ("150.5E-1", "15.05"),
        ("9999999999999999999999999999", "9999999999999999999999999999"),
        ("9007199254740993", "9007199254740993"),
    ] {
        let payment = opened_with(&format!(r#""sum":{number},"dealRate":{number}"#)).unwrap();
        assert_eq!(
            [payment.sum().unwrap().to_string(), payment.deal_rate().unwrap().to_string()],
            [read, read]
        );
        assert_eq!(payment.field("sum").as_deref(), Some(number), "its own digits stay reachable");
    }
    for number in [
        "12345678901234567890123456789",
        "0.12345678901234567890123456789",
        "1e400",
        "1e-400",
        "1e28",
        r#""1500.50""#,
        r#""""#,
        "true",
        "[1]",
        "{}",
        "01",
        "+1",
        ".5",
        "1.",
        "NaN",
        "Infinity",
        "0x10",
        "1_000",
    ] {
        for name in ["sum", "dealSum", "dealRate"] {
            assert_malformed(opened_with(&format!(r#""{name}":{number}"#)), number);
        }
    }
}

#[test]
fn a_text_with_nul_is_malformed_because_some_languages_would_cut_it_there() {
    for name in
        ["payeeAccount", "payeeAccountBank", "payeeName", "currency", "dealCurrency", "deeplink", "status"]
    {
        assert_malformed(opened_with(&format!(r#""{name}":"2200\u0000 0000""#)), name);
    }
    assert!(opened_with(r#""extra":"2200\u0000 0000""#).is_ok());
}

#[test]
fn a_value_of_another_type_is_malformed() {
    for field in [
        r#""status":1"#,
        r#""status":["doneSuccess"]"#,
        r#""payeeAccount":2200000000"#,
        r#""payeeAccountBank":{}"#,
        r#""payeeName":false"#,
        r#""currency":643"#,
        r#""dealCurrency":[]"#,
        r#""deeplink":{"url":"x"}"#,
        r#""payeeName":"\ud800""#,
    ] {
        assert_malformed(opened_with(field), field);
    }
    for body in [
        r#"{"success":"true","orderId":"order-1"}"#,
        r#"{"success":1,"orderId":"order-1"}"#,
        r#"{"orderId":"order-1"}"#,
        r#"{"success":null,"orderId":"order-1"}"#,
        r#"{"success":false,"orderId":"order-1","errorDescription":7}"#,
        r#"{"success":false,"error":{}}"#,
        r#"{"error":1}"#,
        "{}",
    ] {
        assert_malformed(opened(body), body);
    }
}

#[test]
fn unknown_fields_are_kept() {
    let payment =
        opened_with(r#""новое":{"a":[1, 2.50]},"fee":0.10,"big":1e400,"none":null,"text":"a\"b""#).unwrap();
    assert_eq!(payment.unknown_fields(), ["новое", "fee", "big", "none", "text"]);
    for (name, value) in [
        ("новое", Some(r#"{"a":[1, 2.50]}"#)),
        ("fee", Some("0.10")),
        ("big", Some("1e400")),
        ("none", Some("null")),
        ("text", Some(r#""a\"b""#)),
        ("orderId", Some(r#""order-1""#)),
        ("absent", None),
    ] {
        assert_eq!(payment.field(name).as_deref(), value, "{name}");
    }
}

#[test]
fn a_success_that_cannot_be_read_still_names_its_order() {
    let body = r#"{"success":true,"orderId":"o-77","dealRate":0.0123456789012345678901234567890}"#;
    let error = signed(body).open(protocol().prepare(&NewPayment(&payment_request())).unwrap()).unwrap_err();
    assert_eq!(
        (error.code(), error.outcome(), error.order_id()),
        (Code::Malformed, Outcome::Unknown, Some("o-77"))
    );
}

#[test]
fn an_unknown_field_is_kept_whatever_number_is_in_it() {
    for number in ["1e400", "123456789012345678901234567890.5", "-0", "1E-400"] {
        let payment = opened_with(&format!(r#""extra":{{"n":[{number}]}}"#))
            .unwrap_or_else(|error| panic!("{number}: {error}"));
        assert_eq!(payment.field("extra"), Some(format!(r#"{{"n":[{number}]}}"#)));
    }
}

#[test]
fn an_unknown_status_is_kept_and_never_final() {
    for text in ["onHold", "DoneSuccess", "doneSuccess ", "", "doneRefunded"] {
        let payment = opened_with(&format!(r#""status":"{text}""#)).unwrap();
        assert_eq!(payment.status(), Some(&Status::Unknown(text.to_owned())));
        assert!(!payment.is_final(), "{text}");
    }
    for status in Status::ALL {
        let payment = opened_with(&format!(r#""status":"{status}""#)).unwrap();
        assert_eq!((payment.status(), payment.is_final()), (Some(status), status.is_final()));
    }
    let last: Vec<_> = Status::ALL.iter().filter(|status| status.is_final()).map(Status::as_str).collect();
    assert_eq!(last, ["doneSuccess", "doneFail", "arbitrageCancelledByMerchant"]);
}

#[test]
fn what_is_not_one_json_object_is_malformed() {
    let good = format!(r#"{{"success":true,"orderId":"{ORDER}"}}"#);
    assert!(opened(format!(" \r\n\t{good}\n ")).is_ok());
    for body in [
        String::new(),
        " ".to_owned(),
        "null".to_owned(),
        "true".to_owned(),
        format!("[{good}]"),
        format!("{good}{good}"),
        format!("{good},"),
        format!("{good}\0"),
        format!("\u{feff}{good}"),
        format!("//\n{good}"),
        good.replace('"', "'"),
        good.replace('}', ",}"),
        good[..good.len() - 1].to_owned(),
        "<html></html>".to_owned(),
    ] {
        assert_malformed(opened(&body), &body);
    }
}

#[test]
fn what_is_not_utf_8_is_malformed() {
    let mut body = br#"{"success":true,"orderId":"order-1","payeeName":"x"}"#.to_vec();
    let name = body.iter().rposition(|byte| *byte == b'x').unwrap();
    for byte in [0xff, 0xc3, 0x80, 0xf5] {
        body[name] = byte;
        assert_malformed(opened(&body), "invalid UTF-8");
    }
    let utf_16: Vec<u8> =
        r#"{"success":true,"orderId":"order-1"}"#.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_malformed(opened(utf_16), "UTF-16");
}

#[test]
fn a_depth_that_would_overflow_the_stack_is_malformed() {
    let depth = 200_000;
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        for (start, end) in [(depth, depth), (depth, 0)] {
            let body = format!(
                r#"{{"success":true,"orderId":"{ORDER}","extra":{}1{}}}"#,
                open.repeat(start),
                close.repeat(end)
            );
            assert_malformed(opened(&body), &body);
        }
        assert_malformed(opened(open.repeat(depth)), "nothing but depth");
    }
}

#[test]
fn available_amounts_are_read_exactly() {
    let body =
        r#"{"success":true,"availableAmounts":[1500.50, 1e3,0.1],"otherAmountsPossible":true,"extra":1}"#;
    let reply = amounts(body).unwrap();
    let texts: Vec<_> = reply.available_amounts().iter().map(ToString::to_string).collect();
    assert_eq!(
        (texts, reply.other_amounts_possible()),
        (vec!["1500.50".to_owned(), "1000".to_owned(), "0.1".to_owned()], true)
    );
    assert_eq!(reply.json(), body);
    for list in ["[]", "null"] {
        let reply =
            amounts(&format!(r#"{{"success":true,"availableAmounts":{list},"otherAmountsPossible":false}}"#))
                .unwrap();
        assert_eq!((reply.available_amounts().len(), reply.other_amounts_possible()), (0, false));
    }
}

#[test]
fn available_amounts_that_the_contract_does_not_show_are_malformed() {
    for body in [
        r#"{"success":true,"otherAmountsPossible":true}"#,
        r#"{"success":true,"availableAmounts":[1]}"#,
        r#"{"success":true,"availableAmounts":[1],"otherAmountsPossible":null}"#,
        r#"{"success":true,"availableAmounts":[1],"otherAmountsPossible":"true"}"#,
        r#"{"success":true,"availableAmounts":["1"],"otherAmountsPossible":true}"#,
        r#"{"success":true,"availableAmounts":[null],"otherAmountsPossible":true}"#,
        r#"{"success":true,"availableAmounts":[[1]],"otherAmountsPossible":true}"#,
        r#"{"success":true,"availableAmounts":[1e400],"otherAmountsPossible":true}"#,
        r#"{"success":true,"availableAmounts":[12345678901234567890123456789],"otherAmountsPossible":true}"#,
        r#"{"success":true,"availableAmounts":{"0":1},"otherAmountsPossible":true}"#,
        r#"{"success":true,"availableAmounts":1500,"otherAmountsPossible":true}"#,
    ] {
        assert_malformed(amounts(body), body);
    }
}

#[test]
fn an_error_about_a_body_does_not_quote_it() {
    for field in [
        r#""payeeAccount":2200123412341234"#,
        r#""sum":"2200123412341234""#,
        r#""2200123412341234":1,"2200123412341234":2"#,
        r#""payeeName":"2200123412341234" "x""#,
        r#""status":{"2200123412341234":2200123412341234}"#,
    ] {
        let error = opened_with(field).expect_err(field);
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("2200123412341234"), "{shown}");
    }
}
