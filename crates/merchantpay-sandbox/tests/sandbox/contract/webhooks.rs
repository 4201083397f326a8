//! Both webhooks (contract, section 6).

use merchantpay::{Event, Receipt, Status};
use merchantpay_sandbox::{Options, Sandbox};

use crate::common::{ACCOUNT, PATIENCE, amount, client, options, request, sandbox, until};
use crate::receiver::Receiver;

#[test]
fn credentials_and_final_status_arrive_signed() {
    let sandbox = sandbox();
    let (client, receiver) = (client(&sandbox), Receiver::start(&sandbox, &[]));
    let asked = request(ACCOUNT).credentials_webhook_url(&receiver.url).status_webhook_url(&receiver.url);
    let payment = client.new_payment_async(&asked).unwrap();
    assert_eq!((payment.payee_account(), payment.sum()), (None, None), "only the order id is in the reply");

    let Event::CredentialsIssued(credentials) = receiver.next().event.unwrap() else {
        panic!("not credentials")
    };
    assert_eq!((credentials.order_id(), credentials.currency()), (payment.order_id(), Some("RUB")));
    assert!(
        credentials.payee_account().is_some()
            && credentials.deal_sum().is_some()
            && credentials.deeplink().is_some()
    );

    client.confirm(payment.order_id()).unwrap();
    let webhook = receiver.next();
    let Event::StatusChanged(done) = webhook.event.unwrap() else { panic!("not a status") };
    assert_eq!(
        (done.order_id(), done.status(), done.sum()),
        (payment.order_id(), Some(&Status::DoneSuccess), Some(amount("1500.50")))
    );
    assert!(!webhook.body.contains("currency"), "a status webhook has no currency: {}", webhook.body);
    assert_eq!(done.deal_sum(), credentials.deal_sum());
}

#[test]
fn credentials_failed_webhook_has_order_id_only() {
    let sandbox = sandbox();
    let (client, receiver) = (client(&sandbox), Receiver::start(&sandbox, &[]));
    let asked =
        request("no-credentials").credentials_webhook_url(&receiver.url).status_webhook_url(&receiver.url);
    let payment = client.new_payment_async(&asked).unwrap();
    assert_eq!(client.get_status(payment.order_id()).unwrap().status(), Some(&Status::Free));
    let webhook = receiver.next();
    assert_eq!(webhook.body, format!(r#"{{"success":false,"orderId":"{}"}}"#, payment.order_id()));
    assert!(
        matches!(webhook.event, Ok(Event::CredentialsFailed(failed)) if failed.order_id() == payment.order_id())
    );

    // The failed payment has no other data, and empty fields are left out.
    let webhook = receiver.next();
    let body =
        format!(r#"{{"success":true,"orderId":"{}","status":"doneFail","sum":1500.50}}"#, payment.order_id());
    assert_eq!(webhook.body, body);
    assert!(webhook.event.is_ok());
}

#[test]
fn webhooks_omit_empty_fields() {
    let sandbox = sandbox();
    let (client, receiver) = (client(&sandbox), Receiver::start(&sandbox, &[]));
    let payment = client
        .new_payment_async(&request("bare-credentials").credentials_webhook_url(&receiver.url))
        .unwrap();
    let webhook = receiver.next();
    for field in ["payeeAccountBank", "payeeName", "deeplink"] {
        assert!(!webhook.body.contains(field), "{field}: {}", webhook.body);
    }
    assert!(
        matches!(webhook.event, Ok(Event::CredentialsIssued(bare)) if bare.payee_account().is_some() && bare.deeplink().is_none())
    );
    assert_eq!(client.get_status(payment.order_id()).unwrap().payee_name(), Some(""));
}

#[test]
fn status_webhooks_follow_section_6() {
    let sandbox = sandbox();
    let (client, receiver) = (client(&sandbox), Receiver::start(&sandbox, &[]));
    let with_webhook = |account: &str| {
        client.new_payment(&request(account).status_webhook_url(&receiver.url)).unwrap().order_id().to_owned()
    };
    let status_of = |order_id: &str| {
        let event = receiver.next().event.unwrap();
        assert_eq!(event.payment().order_id(), order_id);
        event.payment().status().unwrap().clone()
    };
    let disputed = with_webhook("arbitration");
    client.confirm(&disputed).unwrap();
    assert_eq!(status_of(&disputed), Status::ReceiptRequired);
    let mut receipt = Receipt::new(&disputed);
    receipt.add_bytes("r.png", "image/png", b"\x89PNG\r\n\x1a\n").unwrap();
    client.attach_receipt(&receipt).unwrap();
    assert_eq!(status_of(&disputed), Status::DoneSuccess);

    let cancelled = with_webhook("arbitration");
    client.confirm(&cancelled).unwrap();
    assert_eq!(status_of(&cancelled), Status::ReceiptRequired);
    client.cancel(&cancelled).unwrap();
    assert_eq!(status_of(&cancelled), Status::ArbitrageCancelledByMerchant);

    let failed = with_webhook("payment-fails");
    client.confirm(&failed).unwrap();
    assert_eq!(status_of(&failed), Status::DoneFail);
}

#[test]
fn webhook_is_retried_until_accepted() {
    let sandbox = sandbox();
    let (client, receiver) = (client(&sandbox), Receiver::start(&sandbox, &[500, 302]));
    let asked = request(ACCOUNT).credentials_webhook_url(&receiver.url);
    let payment = client.new_payment_async(&asked).unwrap();
    let bodies: Vec<String> = (0..3).map(|_| receiver.next().body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "the same bytes each time");
    let delivery = sandbox.wait_for_delivery(payment.order_id(), "credentials", PATIENCE).unwrap();
    assert_eq!((delivery.attempts, delivery.http_status, delivery.is_delivered()), (3, Some(200), true));
    assert_eq!(delivery.body, bodies[0].as_bytes());
}

#[test]
fn silent_receiver_delays_no_other() {
    let sandbox = Sandbox::start(Options { webhook_timeout: PATIENCE * 10, ..options() }).unwrap();
    let (client, receiver) = (client(&sandbox), Receiver::start(&sandbox, &[]));
    // The listener accepts connections through its backlog and never answers.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}/", listener.local_addr().unwrap());
    for _ in 0..40 {
        client.new_payment_async(&request(ACCOUNT).credentials_webhook_url(&silent)).unwrap();
    }
    let payment = client.new_payment_async(&request(ACCOUNT).credentials_webhook_url(&receiver.url)).unwrap();
    assert_eq!(receiver.next().event.unwrap().payment().order_id(), payment.order_id());
}

#[test]
fn payment_ends_without_a_listening_receiver() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    let gone = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let asked = request(ACCOUNT).status_webhook_url(format!("http://{gone}/"));
    let payment = client.new_payment(&asked).unwrap();
    client.confirm(payment.order_id()).unwrap();
    until(&client, payment.order_id(), Status::DoneSuccess);
    let delivery = sandbox.wait_for_delivery(payment.order_id(), "status", PATIENCE).unwrap();
    assert_eq!((delivery.attempts, delivery.http_status), (3, None));
    assert_eq!(sandbox.deliveries().len(), 1);
}
