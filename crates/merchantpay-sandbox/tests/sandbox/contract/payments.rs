//! Amounts, payments, and their states and deals (contract, sections 2 to 4).

use std::time::Instant;

use merchantpay::{AmountsRequest, Balance, Code, PaymentMethod, Rounding, Status, to_balance};
use merchantpay_sandbox::{Options, Sandbox};

use crate::common::{ACCOUNT, amount, awaiting, client, options, request, sandbox, until};

#[test]
fn available_amounts_follow_the_sum() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    for (sum, amounts, others) in [
        ("1500.50", vec!["1500.50"], true),
        ("1500.01", vec![], true),
        ("1500.02", vec![], false),
        ("92.45170000000000000", vec!["92.45170000000000000"], true),
    ] {
        let reply =
            client.get_available_amounts(&AmountsRequest::new(amount(sum), PaymentMethod::Card)).unwrap();
        let listed: Vec<String> = reply.available_amounts().iter().map(ToString::to_string).collect();
        assert_eq!(
            (listed, reply.other_amounts_possible()),
            (amounts.iter().map(ToString::to_string).collect(), others),
            "{sum}"
        );
    }
    let drifting = AmountsRequest::new(amount("1000"), PaymentMethod::Sbp)
        .sum_drift_up(amount("0.50"))
        .sum_drift_down(amount("100"));
    assert_eq!(
        client.get_available_amounts(&drifting).unwrap().available_amounts(),
        [amount("900"), amount("1000"), amount("1000.50")]
    );
}

#[test]
fn new_payment_has_all_credentials() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    let payment =
        client.new_payment(&request(ACCOUNT).payer_bank("100000000111").merchant_id("till 7")).unwrap();
    assert_eq!(
        (payment.sum(), payment.currency(), payment.deal_currency()),
        (Some(amount("1500.50")), Some("RUB"), Some("RUB"))
    );
    assert!(
        payment.payee_account().is_some()
            && payment.payee_account_bank().is_some()
            && payment.payee_name().is_some()
    );
    assert!(payment.deal_rate().is_some() && payment.status().is_none());
    assert!(payment.deeplink().unwrap().starts_with(sandbox.url()));
    assert!(payment.json().contains("\"sum\":1500.50,"), "the digits are the request's: {}", payment.json());
    let status = client.get_status(payment.order_id()).unwrap();
    assert!(!payment.payee_name().unwrap().is_ascii() && status.payee_name().unwrap().is_ascii());
    assert_eq!((status.currency(), status.payee_account()), (None, payment.payee_account()));
}

#[test]
fn test_accounts_reach_every_status() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    for (account, confirm, status) in [
        (ACCOUNT, false, Status::Pending),
        (ACCOUNT, true, Status::DoneSuccess),
        ("slow-credentials", true, Status::DoneSuccess),
        ("bare-credentials", true, Status::DoneSuccess),
        ("pays-less", true, Status::DoneSuccess),
        ("pays-more", true, Status::DoneSuccess),
        ("never-pays", false, Status::DoneFail),
        ("payment-fails", true, Status::DoneFail),
        ("stays-pending", true, Status::Pending),
        ("arbitration", true, Status::ReceiptRequired),
        ("arbitration-fails", true, Status::ReceiptRequired),
        ("arbitration-again", true, Status::ReceiptRequired),
    ] {
        let order_id = awaiting(&client, account);
        if confirm {
            assert_eq!(client.confirm(&order_id).unwrap().order_id(), order_id);
        }
        assert_eq!(until(&client, &order_id, status.clone()).status(), Some(&status), "{account}");
    }
    let free = client
        .new_payment_async(&request("stays-free").credentials_webhook_url("http://127.0.0.1:9/"))
        .unwrap();
    assert_eq!(client.get_status(free.order_id()).unwrap().status(), Some(&Status::Free));
}

#[test]
fn payer_bank_can_be_required() {
    let sandbox = Sandbox::start(Options { payer_bank_required: true, ..options() }).unwrap();
    let client = client(&sandbox);
    let error = client.new_payment(&request(ACCOUNT)).unwrap_err();
    assert_eq!((error.code(), error.description()), (Code::Rejected, Some("invalid payerBank")));
    assert!(client.new_payment(&request(ACCOUNT).payer_bank("100000000111")).is_ok());
}

#[test]
fn new_fails_after_its_wait() {
    let options = options();
    let wait = options.credentials_wait;
    let sandbox = Sandbox::start(options).unwrap();
    let client = client(&sandbox);
    for account in ["no-credentials", "stays-free"] {
        let started = Instant::now();
        let error = client.new_payment(&request(account)).unwrap_err();
        assert_eq!(
            (error.code(), error.description()),
            (Code::Rejected, Some("credentials not found")),
            "{account}"
        );
        assert!(started.elapsed() >= wait, "{account}: the whole wait is waited");
    }
    assert_eq!(sandbox.requests("newPayment"), 2);
}

#[test]
fn sum_follows_payment_and_deal_sum_does_not() {
    for (balance, rate, deal) in [(Balance::Rub, "1", "1455.48"), (Balance::Usdt, "92.45", "15.743483")] {
        let sandbox = Sandbox::start(options().with_balance(balance)).unwrap();
        let client = client(&sandbox);
        for (account, paid) in [("pays-less", "1350.45"), ("pays-more", "1650.55"), (ACCOUNT, "1500.50")] {
            let payment = client.new_payment(&request(account)).unwrap();
            assert_eq!(
                (payment.deal_sum(), payment.deal_rate()),
                (Some(amount(deal)), Some(amount(rate))),
                "{balance:?}"
            );
            client.confirm(payment.order_id()).unwrap();
            let done = until(&client, payment.order_id(), Status::DoneSuccess);
            assert_eq!((done.sum(), done.deal_sum()), (Some(amount(paid)), Some(amount(deal))), "{account}");
        }
        let expected = to_balance(amount("1500.50"), amount(rate), balance, 12, Rounding::HalfEven).unwrap();
        assert!(expected > amount(deal), "commission is taken");
    }
}
