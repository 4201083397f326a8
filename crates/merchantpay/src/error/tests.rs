use super::*;

#[test]
fn numbers_and_names_are_the_published_ones() {
    let codes: Vec<_> = Code::ALL.iter().map(|code| format!("{code} {}", code.number())).collect();
    assert_eq!(
        codes.join(", "),
        "invalid_argument 10, invalid_key 11, signer 12, transport 20, timeout 21, cancelled 22, unverified 30, \
         malformed 31, rejected 40, storage 50, conflict 51, internal 90"
    );
    let outcomes: Vec<_> = Outcome::ALL.iter().map(|outcome| (outcome.name(), outcome.number())).collect();
    assert_eq!(outcomes, [("not_sent", 1), ("rejected", 2), ("unknown", 3)]);
}

#[test]
fn keeps_the_name_of_its_argument_apart_from_the_text() {
    let error = Error::about("timeout_ms", "must be a whole number");
    assert_eq!(
        (error.argument(), error.message()),
        (Some("timeout_ms"), "timeout_ms must be a whole number")
    );
    let renamed = error.renamed(|name| format!("MERCHANTPAY_{}", name.to_uppercase()));
    assert_eq!(renamed.argument(), Some("MERCHANTPAY_TIMEOUT_MS"));
    assert_eq!(renamed.message(), "MERCHANTPAY_TIMEOUT_MS must be a whole number");
    let other = Error::invalid_argument("the frame is cut").renamed(|_| "x".to_owned());
    assert_eq!((other.argument(), other.message()), (None, "the frame is cut"));
    let error = Error::about("sum", "is of newPayment only, not newPaymentAsync: set sum, or newPayment")
        .naming(["newPayment", "newPaymentAsync"]);
    let renamed = error.renamed(str::to_uppercase);
    assert_eq!(renamed.message(), "SUM is of NEWPAYMENT only, not NEWPAYMENTASYNC: set sum, or NEWPAYMENT");
    let named = other.in_argument("args").in_argument("late");
    assert_eq!((named.argument(), named.message()), (Some("args"), "args: the frame is cut"));
}

#[test]
fn an_error_is_transient_where_the_same_call_may_succeed_later() {
    let transport = || Error::new(Code::Transport, Outcome::Unknown, "");
    let page = |status| Error::unverified("").with_http_status(status);
    let timeout = Error::new(Code::Timeout, Outcome::NotSent, "");
    let storage = Error::storage(Outcome::Unknown, "");
    for transient in
        [transport(), timeout, storage, Error::signer_failed(""), page(429), page(500), page(502)]
    {
        assert!(transient.is_transient(), "{transient:?}");
    }
    let refused = Error::rejected(None, 502).with_http_status(502);
    for lasting in
        [transport().permanent(), page(200), page(404), Error::unverified(""), Error::malformed(""), refused]
    {
        assert!(!lasting.is_transient(), "{lasting:?}");
    }
}

#[test]
fn debug_names_code_and_outcome() {
    let shown = format!("{:?}", Error::invalid_argument("text"));
    assert!(
        shown.contains("InvalidArgument") && shown.contains("NotSent") && shown.contains("text"),
        "{shown}"
    );
}
