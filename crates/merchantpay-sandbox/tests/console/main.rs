//! The console of a real sandbox, requested without scripts.

use std::time::{Duration, Instant};

use merchantpay::{Client, Config, PaymentMethod, PaymentRequest};
use merchantpay_sandbox::{Options, Sandbox};

const HOSTILE: &str = "\"'><img src=x onerror=alert(1)>";
const ESCAPED: &str = "&lt;img src=x onerror=alert(1)&gt;";

fn sandbox() -> (Sandbox, Client) {
    let sandbox = Sandbox::start(Options { pace: Duration::from_millis(5), ..Options::default() }).unwrap();
    let key = sandbox.merchant_private_key().unwrap().clone();
    let config = Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key());
    let client = Client::new(config.server_key_id(sandbox.server_key_id())).unwrap();
    (sandbox, client)
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None).build().new_agent()
}

fn get(sandbox: &Sandbox, path: &str) -> (u16, String) {
    let mut response = agent().get(format!("{}{path}", sandbox.url())).call().unwrap();
    (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
}

/// Sends a form like a page of the same origin. Returns the status and the redirect.
fn send(sandbox: &Sandbox, path: &str, form: &str) -> (u16, String) {
    let request = agent().post(format!("{}{path}", sandbox.url()));
    let request = request
        .header("Sec-Fetch-Site", "same-origin")
        .header("Content-Type", "application/x-www-form-urlencoded");
    let response = request.send(form).unwrap();
    let location = response.headers().get("location").map(|location| location.to_str().unwrap().to_owned());
    (response.status().as_u16(), location.unwrap_or_default())
}

/// Requests a page until it contains this text: automatic steps take time.
fn until(sandbox: &Sandbox, path: &str, text: &str) -> String {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let (_, page) = get(sandbox, path);
        if page.contains(text) {
            return page;
        }
        assert!(Instant::now() < end, "{path} never says {text}: {page}");
        std::thread::yield_now();
    }
}

#[test]
fn a_payment_is_shown_whole_and_what_the_merchant_wrote_is_text() {
    let (sandbox, client) = sandbox();
    let payment = client
        .new_payment(&PaymentRequest::new(100, PaymentMethod::Sbp, HOSTILE).merchant_id(HOSTILE))
        .unwrap();
    let id = payment.order_id();
    for path in ["/payments".to_owned(), format!("/payments/{id}")] {
        let page = until(&sandbox, &path, "waiting for the customer");
        assert!(page.contains(ESCAPED) && !page.contains("<img src=x"), "{path}");
        assert!(page.contains(id) && page.contains("100 RUB"), "{path}");
    }
    let page = until(&sandbox, &format!("/payments/{id}"), "newPayment #");
    assert!(page.contains(payment.payee_account().unwrap()));
    let call = page.split("/calls/").nth(1).unwrap().split('"').next().unwrap();
    let (_, call) = get(&sandbox, &format!("/calls/{call}"));
    assert!(
        call.contains("x-signature: ")
            && call.contains("POST /api/v1/merchant/pay/new")
            && call.contains("000000  7b 22")
    );
}

#[test]
fn the_customer_pays_in_the_frame_of_the_deeplink() {
    let (sandbox, client) = sandbox();
    let payment = client.new_payment(&PaymentRequest::new(100, PaymentMethod::Sbp, "79001234567")).unwrap();
    let frame = payment.deeplink().unwrap().strip_prefix(sandbox.url()).unwrap().to_owned();
    let (status, page) = get(&sandbox, &frame);
    assert_eq!(status, 200);
    assert!(page.contains("<svg class=\"qr\"") && page.contains("Pay exactly"));
    assert_eq!(send(&sandbox, &frame, "pays=more"), (303, frame.clone()));
    until(&sandbox, &frame, "Paid: <span class=\"number\">110");
    assert_eq!(send(&sandbox, &frame, "sum=99.50").0, 303);
    until(&sandbox, &frame, "Paid: <span class=\"number\">99.50 RUB");
    assert_eq!(send(&sandbox, &frame, "pays=nothing").0, 303);
    until(&sandbox, &frame, "nothing left to do");
    assert_eq!(send(&sandbox, &frame, "pays=exactly").0, 409);
}

#[test]
fn the_operator_ends_a_payment_and_the_sandbox_says_what_is_impossible() {
    let (sandbox, client) = sandbox();
    let payment = client.new_payment(&PaymentRequest::new(100, PaymentMethod::Sbp, "79001234567")).unwrap();
    let path = format!("/payments/{}", payment.order_id());
    assert_eq!(send(&sandbox, &format!("{path}/operator"), "action=approve"), (303, path.clone()));
    until(&sandbox, &path, "doneSuccess");
    assert_eq!(send(&sandbox, &format!("{path}/operator"), "action=fail").0, 409);
    assert_eq!(send(&sandbox, &format!("{path}/operator"), "action=%3Cb%3E").0, 400);
    assert_eq!(send(&sandbox, "/payments/sb-none/operator", "action=fail").0, 404);
}

#[test]
fn a_fault_is_asked_for_and_cleared_by_forms() {
    let (sandbox, client) = sandbox();
    assert_eq!(
        send(
            &sandbox,
            "/faults",
            "kind=latency&latencyMs=1&operation=confirm&times=2&probability=&seed=&bytes="
        ),
        (303, "/faults".to_owned())
    );
    let page = until(&sandbox, "/faults", "the next 2");
    assert!(page.contains("<strong>latency</strong> 1 ms"));
    assert_eq!(send(&sandbox, "/faults/clear", "").0, 303);
    until(&sandbox, "/faults", "None: every call");
    assert_eq!(send(&sandbox, "/faults", "kind=wrongKey").0, 303);
    assert!(client.confirm("sb-none").is_err());
    until(&sandbox, "/calls", "fault: wrongKey");
}

#[test]
fn what_becomes_of_the_next_webhooks_is_planned_and_forgotten() {
    let (sandbox, client) = sandbox();
    let payment = client.new_payment(&PaymentRequest::new(100, PaymentMethod::Sbp, "79001234567")).unwrap();
    let path = format!("/payments/{}", payment.order_id());
    assert_eq!(
        send(&sandbox, &format!("{path}/webhooks"), "action=delay&delayMs=500&times=2"),
        (303, path.clone())
    );
    assert_eq!(
        send(&sandbox, &format!("{path}/webhooks"), "action=reorder&delayMs=&times=1"),
        (303, path.clone())
    );
    let page = until(&sandbox, &path, "<strong>delay</strong> by 500 ms, 2 times");
    assert!(page.contains("<strong>reorder</strong>"));
    assert_eq!(send(&sandbox, &format!("{path}/webhooks"), "action=delay").0, 400);
    assert_eq!(send(&sandbox, &format!("{path}/webhooks/clear"), "").0, 303);
    assert!(!get(&sandbox, &path).1.contains("<strong>delay</strong>"));
}

#[test]
fn what_does_not_exist_is_said_on_a_page_of_its_own() {
    let (sandbox, _) = sandbox();
    for path in ["/payments/sb-none", "/calls/999", "/webhooks/999", "/pay/sb-none"] {
        let (status, page) = get(&sandbox, path);
        assert_eq!(status, 404, "{path}");
        assert!(page.contains("Sandbox: no money moves here"), "{path}");
    }
}

#[test]
fn a_call_about_an_unknown_order_is_shown_without_a_link() {
    let (sandbox, client) = sandbox();
    assert!(client.confirm("sb-nobody").is_err());
    let page = until(&sandbox, "/calls?refused=true", "sb-nobody");
    assert!(page.contains("(not here)") && !page.contains("/payments/sb-nobody"));
    assert_eq!(send(&sandbox, "/calls/clear", ""), (303, "/calls".to_owned()));
    assert!(get(&sandbox, "/calls").1.contains("None yet."));
}

#[test]
fn a_page_of_a_list_is_short_and_leads_to_the_next() {
    let (sandbox, client) = sandbox();
    for _ in 0..30 {
        client.new_payment(&PaymentRequest::new(100, PaymentMethod::Sbp, "79001234567")).unwrap();
    }
    let (_, first) = get(&sandbox, "/payments");
    let rows = |page: &str| page.matches("<tr id=\"payment-").count();
    assert_eq!(rows(&first), 25);
    let older = first.split("href=\"?before=").nth(1).unwrap().split('"').next().unwrap();
    let (_, second) = get(&sandbox, &format!("/payments?before={older}"));
    assert_eq!(rows(&second), 5);
    assert!(second.contains("rel=\"prev\"") && !second.contains("rel=\"next\""));
}

#[test]
fn a_payment_without_webhooks_says_why() {
    let (sandbox, client) = sandbox();
    let request = PaymentRequest::new(100, PaymentMethod::Sbp, "79001234567");
    let without = client.new_payment(&request).unwrap();
    let with = client.new_payment(&request.clone().status_webhook_url("http://127.0.0.1:1/hook")).unwrap();
    let page = |payment: &merchantpay::Payment| get(&sandbox, &format!("/payments/{}", payment.order_id())).1;
    assert!(page(&without).contains("the payment has no webhook URL"));
    assert!(page(&with).contains("nothing has happened that is reported"));
}
