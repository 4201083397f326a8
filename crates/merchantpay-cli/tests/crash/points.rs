//! Kills the service at each point of a request. Checks what the client reports, and how the payment is found
//! again.

use std::thread::{JoinHandle, spawn};

use merchantpay::{Client, Code, Error, Event, Outcome, Payment, PaymentMethod, PaymentRequest, Status};

use crate::merchant::Hooks;
use crate::proxy::{Point, Proxy};
use crate::service::{At, Folder, Service};

fn request(url: &str) -> PaymentRequest {
    let sum = "1500.55".parse::<merchantpay::Amount>().unwrap();
    PaymentRequest::new(sum, PaymentMethod::Sbp, "79001234567").status_webhook_url(url).merchant_id("till-1")
}

type Call = JoinHandle<merchantpay::Result<Payment>>;

fn call(client: &Client, request: PaymentRequest) -> Call {
    let client = client.clone();
    spawn(move || client.new_payment(&request))
}

fn failure(call: Call) -> Error {
    call.join().unwrap().unwrap_err()
}

#[test]
fn a_service_that_is_dead_was_sent_nothing() {
    let folder = Folder::new("dead");
    let mut service = Service::start(&folder);
    let client = service.client();
    service.kill();
    let error = client.new_payment(&request("http://127.0.0.1:1/hooks/x")).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::Transport, Outcome::NotSent), "{error}");
    // Nothing was sent, so it is safe to send the request again.
    service.start_again();
    client.new_payment(&request("http://127.0.0.1:1/hooks/x")).unwrap();
    assert_eq!(service.payments().len(), 1);
}

#[test]
fn a_service_that_dies_before_it_accepts_leaves_the_outcome_unknown_and_no_payment() {
    let folder = Folder::new("accept");
    let mut service = Service::start(&folder);
    let client = service.client();
    service.stand_still();
    // The kernel has accepted the connection and the bytes. So no client can know that the service has not
    // read them.
    let call = call(&client, request("http://127.0.0.1:1/hooks/x"));
    service.wait_for_unread_bytes();
    service.kill();
    let error = failure(call);
    assert_eq!((error.code(), error.outcome()), (Code::Transport, Outcome::Unknown), "{error}");
    service.start_again();
    assert!(service.payments().is_empty(), "which its support can say, by the merchantId");
}

#[test]
fn a_service_that_dies_before_it_commits_leaves_the_outcome_unknown_and_no_payment() {
    for point in [At::Connection(Point::Unread), At::Fault("stallBeforeCommit")] {
        let folder = Folder::new(&format!("{point:?}").replace('"', ""));
        let mut service = Service::start(&folder);
        let (client, stopped) = service.stop_at(point, "newPayment");
        let call = call(&client, request("http://127.0.0.1:1/hooks/x"));
        stopped.wait();
        let proxy = stopped.proxy();
        service.kill();
        proxy.iter().for_each(Proxy::cut);
        let error = failure(call);
        assert_eq!(
            (error.code(), error.outcome()),
            (Code::Transport, Outcome::Unknown),
            "{point:?}: {error}"
        );
        assert_eq!(error.order_id(), None, "{point:?}");
        service.start_again();
        assert!(service.payments().is_empty(), "{point:?}");
        // The same client continues to work.
        client.new_payment(&request("http://127.0.0.1:1/hooks/x")).unwrap();
    }
}

#[test]
fn a_payment_whose_reply_was_lost_is_found_by_the_webhook_at_its_own_url() {
    for point in [At::Fault("stallAfterCommit"), At::Connection(Point::MidReply)] {
        let folder = Folder::new(&format!("{point:?}").replace('"', ""));
        let mut service = Service::start(&folder);
        let hooks = Hooks::new();
        let (client, stopped) = service.stop_at(point, "newPayment");
        let call = call(&client, request(&hooks.url()));
        stopped.wait();
        let proxy = stopped.proxy();
        service.kill();
        proxy.iter().for_each(Proxy::cut);
        let error = failure(call);
        assert_eq!(
            (error.code(), error.outcome()),
            (Code::Transport, Outcome::Unknown),
            "{point:?}: {error}"
        );
        // The client uses nothing of an incomplete reply.
        assert_eq!(error.order_id(), None, "{point:?}");

        service.start_again();
        let made = service.payments();
        assert_eq!((made.len(), made[0]["merchantId"].as_str()), (1, Some("till-1")), "{point:?}");
        let webhooks = hooks.open(service.public_key());
        service.operate(made[0]["orderId"].as_str().unwrap(), "approve");
        let Event::StatusChanged(change) = webhooks.next() else { panic!("another event") };
        let payment = client.get_status(change.order_id()).unwrap();
        assert_eq!(payment.status(), Some(&Status::DoneSuccess), "{point:?}");
        assert_eq!(payment.sum().unwrap().to_string(), "1500.55", "{point:?}");
        assert_eq!(made[0]["orderId"], change.order_id(), "{point:?}");
    }
}

#[test]
fn an_asynchronous_payment_is_found_by_its_credentials_and_goes_on_to_its_end() {
    for point in [At::Fault("stallAfterCommit"), At::Connection(Point::MidReply)] {
        let folder = Folder::new(&format!("async-{point:?}").replace('"', ""));
        let mut service = Service::start(&folder);
        let hooks = Hooks::new();
        let (client, stopped) = service.stop_at(point, "newPaymentAsync");
        let (asking, asked) = (client.clone(), request(&hooks.url()).credentials_webhook_url(hooks.url()));
        let call = spawn(move || asking.new_payment_async(&asked));
        stopped.wait();
        let proxy = stopped.proxy();
        service.kill();
        proxy.iter().for_each(Proxy::cut);
        assert_eq!(failure(call).outcome(), Outcome::Unknown, "{point:?}");

        // The webhooks may have come before the service died. They come again afterwards, because the service
        // cannot know that the merchant received them.
        let webhooks = hooks.open(service.public_key());
        service.start_again();
        let Event::CredentialsIssued(issued) = webhooks.next() else { panic!("no credentials come first") };
        let payment = client.get_status(issued.order_id()).unwrap();
        assert_eq!(
            (payment.status(), payment.payee_account()),
            (Some(&Status::Pending), issued.payee_account()),
            "{point:?}"
        );
        client.confirm(issued.order_id()).unwrap();
        let last = loop {
            match webhooks.next() {
                Event::CredentialsIssued(again) => {
                    assert_eq!(again.order_id(), issued.order_id(), "{point:?}")
                }
                Event::StatusChanged(change) => break change,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            (last.order_id(), last.status()),
            (issued.order_id(), Some(&Status::DoneSuccess)),
            "{point:?}"
        );
        assert_eq!(service.payments().len(), 1, "{point:?}");
    }
}

#[test]
fn a_webhook_that_was_not_taken_before_the_service_died_comes_after_it() {
    let folder = Folder::new("webhook");
    let mut service = Service::start(&folder);
    let (client, hooks) = (service.client(), Hooks::new());
    let order_id = client.new_payment(&request(&hooks.url())).unwrap().order_id().to_owned();
    // No receiver answers the webhook yet.
    service.operate(&order_id, "approve");
    service.kill();
    let webhooks = hooks.open(service.public_key());
    service.start_again();
    assert_eq!(webhooks.next().payment().order_id(), order_id);
}
