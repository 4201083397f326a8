//! Invalid arguments are refused before anything is sent, with the outcome `not_sent`.

use std::sync::Arc;
use std::time::Duration;

use crate::common::reply::success;
use crate::common::server::Server;
use crate::common::{ACCOUNT, KEY_ID, ORDER, client, config, merchant, payment_request, service, summary};
use merchantpay::{
    Amount, AmountsRequest, Client, Code, Config, Currency, Error, Outcome, PaymentMethod, PaymentRequest,
    PrivateKey, Protocol, PublicKey,
};

#[track_caller]
fn assert_invalid<T>(result: Result<T, Error>, code: Code, what: &str) -> Error {
    let error = result.err().unwrap_or_else(|| panic!("{what:?} was taken"));
    assert_eq!(summary(&error), (code, Outcome::NotSent, None), "{what:?}: {error}");
    error
}

/// Checks that each of the calls is refused as an invalid argument, and that nothing reaches the server.
fn assert_refused<T>(
    cases: impl IntoIterator<Item = (String, T)>,
    call: impl Fn(&Client, &T) -> Result<(), Error>,
) {
    let server = Server::replying(success());
    let client = client(&server.url());
    for (what, case) in cases {
        assert_invalid(call(&client, &case), Code::InvalidArgument, &what);
    }
    assert_eq!(server.finish().connections, 0);
}

fn sum(text: &str) -> Amount {
    text.parse().unwrap()
}

#[test]
fn a_sum_that_is_not_greater_than_zero_is_refused() {
    let sums = || {
        ["0", "0.00", "-0", "0e5", "-1", "-0.01", "-9999999999999999999999999999"]
            .map(|text| (text.to_owned(), sum(text)))
    };
    assert_refused(sums(), |client, sum| {
        client.get_available_amounts(&AmountsRequest::new(*sum, PaymentMethod::Card)).map(drop)
    });
    assert_refused(sums(), |client, sum| {
        client.new_payment(&PaymentRequest::new(*sum, PaymentMethod::Sbp, ACCOUNT)).map(drop)
    });
    assert_refused(sums(), |client, sum| {
        let request = PaymentRequest::new(*sum, PaymentMethod::Sbp, ACCOUNT)
            .credentials_webhook_url("https://shop.example/");
        client.new_payment_async(&request).map(drop)
    });
    assert_refused([("integer".to_owned(), -1i64), ("zero".to_owned(), 0)], |client, sum| {
        client.new_payment(&PaymentRequest::new(*sum, PaymentMethod::Sbp, ACCOUNT)).map(drop)
    });
}

#[test]
fn text_that_is_not_an_exact_number_is_no_sum() {
    for text in [
        "",
        "1500,50",
        "1 500",
        "+1",
        ".5",
        "1.",
        "0x1",
        "NaN",
        "inf",
        "1e400",
        "12345678901234567890123456789",
        "1\n",
        "\"1\"",
    ] {
        assert_invalid(text.parse::<Amount>(), Code::InvalidArgument, text);
    }
}

#[test]
fn a_drift_must_not_be_negative() {
    let request = |up: &str, down: &str| {
        AmountsRequest::new(1, PaymentMethod::Card).sum_drift_up(sum(up)).sum_drift_down(sum(down))
    };
    let cases = [("-0.01", "0"), ("0", "-1")].map(|(up, down)| (format!("{up} {down}"), request(up, down)));
    assert_refused(cases, |client, request| client.get_available_amounts(request).map(drop));
    let server = Server::replying(success());
    client(&server.url()).get_available_amounts(&request("0", "0")).unwrap();
    assert_eq!(server.finish().requests.len(), 1);
}

#[test]
fn only_the_contracts_currency_and_methods_are_read() {
    assert_eq!(("RUB".parse::<Currency>().unwrap(), Currency::default()), (Currency::Rub, Currency::Rub));
    for text in ["", "rub", "USD", "RUB ", "643", "РУБ"] {
        assert_invalid(text.parse::<Currency>(), Code::InvalidArgument, text);
    }
    for method in PaymentMethod::ALL {
        assert_eq!(method.as_str().parse::<PaymentMethod>().unwrap(), *method);
    }
    assert_eq!(PaymentMethod::ALL.iter().map(|method| method.as_str()).collect::<Vec<_>>(), ["card", "sbp"]);
    for text in ["", "Card", "SBP", "cash", "card ", "sbp\n"] {
        assert_invalid(text.parse::<PaymentMethod>(), Code::InvalidArgument, text);
    }
}

#[test]
fn a_text_that_must_be_there_is_not_empty_and_has_no_nul() {
    let empty =
        || ["", " ", "\t\r\n", "\u{a0}", "\0", "a\0b"].map(|text| (format!("{text:?}"), text.to_owned()));
    assert_refused(empty(), |client, id| client.confirm(id).map(drop));
    assert_refused(empty(), |client, id| client.cancel(id).map(drop));
    assert_refused(empty(), |client, id| client.get_status(id).map(drop));
    assert_refused(empty(), |client, text| {
        client.new_payment(&PaymentRequest::new(1, PaymentMethod::Card, text)).map(drop)
    });
    assert_refused(empty(), |client, text| client.new_payment(&payment_request().payer_bank(text)).map(drop));
    assert_refused(empty(), |client, text| {
        client.new_payment(&payment_request().merchant_id(text)).map(drop)
    });
    assert_refused(empty(), |client, text| {
        client
            .get_available_amounts(&AmountsRequest::new(1, PaymentMethod::Card).customer_account(text))
            .map(drop)
    });
}

#[test]
fn a_webhooks_url_is_absolute() {
    let urls = || {
        [
            "",
            "shop.example/hook",
            "/hook",
            "//shop.example/hook",
            "ftp://shop.example/hook",
            "javascript:alert(1)",
            "http://",
            "http:///hook",
            "http://shop example/hook",
            "https://shop.example/ho ok",
            "https://shop.example/hook\r\nX: y",
            "https://user:password@shop.example/hook",
            "https://магазин.рф/hook",
            "https://shop.example:99999/hook",
            "https://shop.example:port/hook",
            "https://:443/hook",
        ]
        .map(|url| (url.to_owned(), url))
    };
    assert_refused(urls(), |client, url| {
        client.new_payment(&payment_request().status_webhook_url(*url)).map(drop)
    });
    assert_refused(urls(), |client, url| {
        client.new_payment_async(&payment_request().credentials_webhook_url(*url)).map(drop)
    });
    let server = Server::replying(success());
    let urls = [
        "http://h",
        "https://shop.example:8443/a/b?c=d&e=%20",
        "http://127.0.0.1/",
        "http://[::1]:8080/x",
        "HTTPS://Shop.Example/",
    ];
    for url in urls {
        client(&server.url())
            .new_payment(&payment_request().status_webhook_url(url))
            .unwrap_or_else(|error| panic!("{url}: {error}"));
    }
    assert_eq!(server.finish().requests.len(), urls.len());
}

#[test]
fn the_credentials_url_belongs_to_the_asynchronous_call_alone() {
    let with = payment_request().credentials_webhook_url("https://shop.example/");
    assert_refused([("forbidden".to_owned(), with)], |client, request| client.new_payment(request).map(drop));
    assert_refused([("missing".to_owned(), payment_request())], |client, request| {
        client.new_payment_async(request).map(drop)
    });
}

#[test]
fn a_base_url_is_https_and_has_nothing_behind_its_path() {
    for url in [
        "",
        "pay.example",
        "//pay.example",
        "/api",
        "ftp://pay.example",
        "file:///etc/passwd",
        "https://",
        "https:///x",
        "https://pay example",
        "https://pay.example?x=1",
        "https://pay.example/?",
        "https://pay.example#x",
        "https://user@pay.example",
        "https://user:s3cr3t@pay.example",
        "https://pay.example\r\nX: 1",
        "\"https://pay.example\"",
        "https://:80",
        "https://pay.example:99999",
        "https://pay.example:port",
        "https://[::1",
        "https://pay.example/api/v1/merchant/pay",
        "http://pay.example",
        "http://10.0.0.1:8080",
    ] {
        assert!(!format!("{:?}", config(url)).contains("s3cr3t"), "{url}");
        let error = assert_invalid(Client::new(config(url)), Code::InvalidArgument, url);
        assert!(!format!("{error} {error:?}").contains("s3cr3t"));
    }
    for url in [
        "https://pay.example",
        "https://pay.example:8443/",
        "https://pay.example/gate/",
        "http://[::1]:8080",
        "HTTPS://PAY.example",
        " https://pay.example\r\n",
    ] {
        assert!(Client::new(config(url)).is_ok(), "{url}");
    }
}

#[test]
fn plain_http_to_another_machine_needs_a_setting_of_its_own() {
    let url = "http://pay.example";
    let error = assert_invalid(Client::new(config(url)), Code::InvalidArgument, url);
    assert!(error.message().contains("allow_http"), "{error}");
    let signer = Arc::new(merchant().private_key().clone());
    assert_invalid(
        Protocol::new(url, KEY_ID, signer, &[service().public_key()], &[]),
        Code::InvalidArgument,
        "a protocol",
    );
    let allowed = config(url).allow_http(true);
    let prepared = allowed.protocol().unwrap().prepare(merchantpay::operation::get_status(ORDER)).unwrap();
    assert_eq!(prepared.request().url(), "http://pay.example/api/v1/merchant/pay/status");
    assert!(Client::new(allowed).is_ok());
}

#[test]
fn a_url_with_a_password_says_what_is_wrong_with_it() {
    let with_password = "https://user:s3cr3t@shop.example/";
    let request = payment_request().status_webhook_url(with_password);
    for error in [
        Client::new(config(with_password)).map(drop).unwrap_err(),
        client("https://pay.example").new_payment(&request).unwrap_err(),
    ] {
        assert!(error.message().contains("user name or password"), "{error}");
        assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error}");
    }
}

#[test]
fn a_key_id_is_visible_ascii() {
    let make = |id: &str| {
        Client::new(Config::new(
            "https://pay.example",
            id,
            merchant().private_key().clone(),
            service().public_key(),
        ))
    };
    for id in ["", " ", "a b", "a\r\nX-Signature: x", "\"a\"", "'a'", "a\0", "\u{7f}", "ключ", "a\tb"] {
        assert_invalid(make(id), Code::InvalidArgument, id);
    }
    assert!(make("0b0e6a3c-41a5-4c33/key+1=:").is_ok() && make(" a\r\n").is_ok());
    assert!(Client::new(config("https://pay.example").server_key_id("")).is_ok(), "it is absent");
    for id in ["“service”", "sand box", "сервис", "a\tb"] {
        assert_invalid(
            Client::new(config("https://pay.example").server_key_id(id)),
            Code::InvalidArgument,
            id,
        );
    }
    assert_invalid(
        Client::new(config("https://pay.example").server_key_id(KEY_ID)),
        Code::InvalidArgument,
        "own key id",
    );
}

#[test]
fn the_services_key_is_not_the_merchants_own() {
    let signer = || merchant().private_key().clone();
    let own = Client::new(Config::new("https://pay.example", KEY_ID, signer(), merchant().public_key()));
    assert_invalid(own, Code::InvalidKey, "own key");
    assert_invalid(
        Client::new(config("https://pay.example").server_public_key(merchant().public_key())),
        Code::InvalidKey,
        "own key second",
    );
    let none = Protocol::new("https://pay.example", KEY_ID, Arc::new(signer()), &[], &[]);
    assert_invalid(none, Code::InvalidArgument, "no key");
}

#[test]
fn a_setting_that_cannot_work_is_refused_when_the_client_is_made() {
    let config = || config("https://pay.example");
    for (what, config) in [
        ("timeout", config().timeout(Duration::ZERO)),
        ("connect timeout", config().connect_timeout(Duration::ZERO)),
        ("user agent", config().user_agent("a\r\nX-KeyId: x")),
        ("user agent with a zero byte", config().user_agent("a\0")),
        ("proxy", config().proxy("nonsense")),
        ("authority", config().ca_pem("nonsense")),
    ] {
        assert_invalid(Client::new(config), Code::InvalidArgument, what);
    }
}

#[test]
fn a_key_in_another_form_is_refused() {
    let private = merchant().private_key().to_base64();
    let public = merchant().public_key().to_base64();
    let private_cases = [
        "",
        "x",
        &private[..44],
        &public,
        private.trim_end_matches('='),
        &format!("\"{}\"", *private),
        &format!("{}\t", *private),
    ]
    .map(str::to_owned);
    for text in private_cases {
        let error = assert_invalid(PrivateKey::from_base64(&text), Code::InvalidKey, &text);
        assert!(
            text.len() < 8 || !format!("{error} {error:?}").contains(&text[..8]),
            "the error does not quote the key"
        );
    }
    let public_cases = [
        "",
        "x",
        &private,
        &public[..40],
        public.trim_end_matches('='),
        &format!("'{public}'"),
        "-----BEGIN PUBLIC KEY-----",
    ]
    .map(str::to_owned);
    for text in public_cases {
        assert_invalid(PublicKey::from_base64(&text), Code::InvalidKey, &text);
    }
}
