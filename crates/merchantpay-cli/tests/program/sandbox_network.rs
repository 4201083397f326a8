//! What a sandbox answers clients on other machines. The machine's own address of a network stands for them,
//! because a connection to it does not come from loopback.

use std::net::{IpAddr, Ipv4Addr, TcpListener, UdpSocket};
use std::sync::mpsc;

use merchantpay_services::{message, serve_on};
use serde_json::{Value, json};

use crate::*;

/// This machine's address of a network. Connecting a UDP socket sends nothing.
fn network_address() -> IpAddr {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    socket.connect("203.0.113.1:9").expect("these tests need an address that is not loopback");
    socket.local_addr().unwrap().ip()
}

struct Remote {
    running: Running,
    settings: Value,
    port: u16,
}

impl Remote {
    fn start(args: &[&str]) -> Remote {
        let (running, settings) = sandbox_with_json(&[&["--pace", "0"], args].concat());
        let url = settings["environment"]["MERCHANTPAY_SANDBOX_URL"].as_str().unwrap();
        let port = url.rsplit(':').next().unwrap().parse().unwrap();
        Remote { running, settings, port }
    }

    fn url(&self, address: impl Into<IpAddr>) -> String {
        format!("http://{}", std::net::SocketAddr::new(address.into(), self.port))
    }

    fn private_key(&self) -> &str {
        self.settings["privateKey"].as_str().unwrap()
    }

    /// A merchant's call to this base URL.
    fn new_payment(&self, base_url: &str, webhook_url: Option<&str>) -> Ran {
        let mut command = with_settings(&self.settings, &new(ACCOUNT));
        command.args(webhook_url.into_iter().flat_map(|url| ["--status-webhook-url", url]));
        command.env("MERCHANTPAY_BASE_URL", base_url).env("MERCHANTPAY_ALLOW_HTTP", "1");
        run(command)
    }
}

fn send(method: &str, url: &str, body: Option<&Value>) -> (u16, String) {
    let agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None);
    let agent = agent.timeout_global(Some(PATIENCE)).build().new_agent();
    let mut request = ureq::http::Request::builder().method(method).uri(url);
    if body.is_some() {
        request = request.header("Content-Type", "application/json");
    }
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut answer = agent.run(request.body(body).unwrap()).unwrap();
    let status = answer.status().as_u16();
    if answer.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream") {
        let mut begin = [0; 4096];
        let size = answer.body_mut().as_reader().read(&mut begin).unwrap();
        return (status, String::from_utf8_lossy(&begin[..size]).into_owned());
    }
    (status, answer.body_mut().read_to_string().unwrap())
}

/// A service of this machine that counts its requests.
fn internal_service(address: IpAddr) -> (String, mpsc::Receiver<()>) {
    let (sender, requests) = mpsc::channel();
    let listener = TcpListener::bind((address, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    serve_on(listener, move |mut stream| {
        let _ = message(&mut stream);
        let _ = sender.send(());
        let _ =
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nINTERNAL");
    });
    (format!("http://{address}/admin"), requests)
}

const READ: [&str; 12] = [
    "/sandbox",
    "/sandbox/settings",
    "/sandbox/payments",
    "/sandbox/exchanges",
    "/sandbox/webhooks",
    "/sandbox/faults",
    "/sandbox/clock",
    "/sandbox/events",
    "/",
    "/payments",
    "/calls",
    "/receiver",
];

#[test]
fn other_machines_reach_only_the_merchant_api() {
    let network = network_address();
    let address = network.to_string();
    for host in ["0.0.0.0", "::", &address] {
        let sandbox = Remote::start(&["--host", host]);
        let (remote, local) = (sandbox.url(network), sandbox.url(Ipv4Addr::LOCALHOST));
        for path in READ {
            let (status, text) = send("GET", &format!("{remote}{path}"), None);
            assert_eq!(status, 403, "{host} {path}");
            assert!(!text.contains(sandbox.private_key()), "{host} {path}");
            assert_eq!(send("GET", &format!("{local}{path}"), None).0, 200, "{host} {path}");
        }
        let (internal, requests) = internal_service(Ipv4Addr::LOCALHOST.into());
        for (path, body) in [
            ("/sandbox/receiver-checks", json!({"url": internal})),
            ("/sandbox/stories/paid", json!({"webhookUrl": internal})),
            ("/sandbox/keys", json!({})),
            ("/sandbox/faults", json!({"kind": "unsigned"})),
            ("/sandbox/nothing", json!({})),
        ] {
            assert_eq!(send("POST", &format!("{remote}{path}"), Some(&body)).0, 403, "{host} {path}");
        }
        assert_eq!(send("DELETE", &format!("{remote}/sandbox/payments"), None).0, 403);
        assert_eq!(sandbox.new_payment(&remote, None).reply()["success"], true, "{host}");

        for url in [&*internal, "http://localhost:9/", "http://169.254.169.254/latest"] {
            let refused = sandbox.new_payment(&remote, Some(url));
            let error = refused.error();
            assert_eq!((refused.status, &error["httpStatus"]), (1, &json!(400)), "{host} {url}: {error}");
            assert!(error["description"].to_string().contains("--webhook-host"), "{error}");
        }
        assert!(requests.try_recv().is_err(), "{host}");
        assert_eq!(sandbox.new_payment(&local, Some(&internal)).reply()["success"], true, "{host}");
        let own = format!("http://{network}:9/hook");
        assert_eq!(sandbox.new_payment(&remote, Some(&own)).reply()["success"], true, "{host}");
    }
}

#[test]
fn webhook_host_opens_a_host_to_merchants_of_the_network() {
    let network = network_address();
    let (internal, requests) = internal_service(Ipv4Addr::LOCALHOST.into());
    let sandbox = Remote::start(&["--host", "0.0.0.0", "--webhook-host", "127.0.0.1"]);
    let remote = sandbox.url(network);
    let order_id = sandbox.new_payment(&remote, Some(&internal)).reply()["orderId"].clone();
    let path = format!("/sandbox/payments/{}/operator", order_id.as_str().unwrap());
    let approved =
        send("POST", &(sandbox.url(Ipv4Addr::LOCALHOST) + &path), Some(&json!({"action": "approve"})));
    assert_eq!(approved.0, 200, "{}", approved.1);
    requests.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn remote_control_shows_no_key_and_asks_no_internal_service() {
    let network = network_address();
    let (internal, requests) = internal_service(Ipv4Addr::LOCALHOST.into());
    let (shop, shop_requests) = internal_service(network);
    let mut sandbox =
        Remote::start(&["--host", "0.0.0.0", "--allow-remote", "--webhook-host", &network.to_string()]);
    let key = sandbox.private_key().to_owned();
    let remote = sandbox.url(network);
    let order_id = sandbox.new_payment(&remote, Some(&shop)).reply()["orderId"].as_str().unwrap().to_owned();
    let (status, _) = send("POST", &format!("{remote}/sandbox/stories/paid"), Some(&json!({})));
    assert_eq!(status, 200);
    let more = ["/sandbox/exchanges/1", "/webhooks/1", "/sandbox/webhooks/1", "/calls/1"];
    let of_payment = [format!("/sandbox/payments/{order_id}"), format!("/payments/{order_id}")];
    for path in READ.into_iter().chain(more).chain(of_payment.iter().map(String::as_str)) {
        for url in [&remote, &sandbox.url(Ipv4Addr::LOCALHOST)] {
            let (status, text) = send("GET", &format!("{url}{path}"), None);
            assert_eq!(status, 200, "{url}{path}");
            assert!(!text.contains(&key), "{url}{path}");
        }
    }

    for (path, body) in [
        ("/sandbox/receiver-checks", json!({"url": internal})),
        ("/sandbox/stories/paid", json!({"webhookUrl": internal})),
        (
            "/sandbox/payments",
            json!({"sum": "1", "paymentMethod": "sbp", "customerAccount": "1", "statusWebhookUrl": internal}),
        ),
    ] {
        let (status, text) = send("POST", &format!("{remote}{path}"), Some(&body));
        assert_eq!((status, text.contains("--webhook-host")), (403, true), "{path}: {text}");
    }
    assert_eq!(sandbox.new_payment(&remote, Some(&internal)).status, 1);
    assert!(requests.try_recv().is_err());
    let (status, text) =
        send("POST", &format!("{remote}/sandbox/receiver-checks"), Some(&json!({"url": shop})));
    assert_eq!((status, text.contains("\"httpStatus\":200")), (200, true), "{text}");
    shop_requests.recv_timeout(PATIENCE).unwrap();
    sandbox.running.child.kill().unwrap();
    let warning = sandbox.running.errors();
    assert!(warning.contains("warning") && warning.contains("--allow-remote"), "{warning}");
}

#[test]
fn remote_control_resends_no_webhook_of_an_earlier_run() {
    let network = network_address();
    let (internal, requests) = internal_service(Ipv4Addr::LOCALHOST.into());
    let folder = Folder::new();
    let file = folder.join("sandbox.db");
    let file = file.to_str().unwrap();
    {
        let sandbox = Remote::start(&["--db", file]);
        let local = sandbox.url(Ipv4Addr::LOCALHOST);
        let story =
            send("POST", &format!("{local}/sandbox/stories/paid"), Some(&json!({"webhookUrl": internal})));
        assert_eq!(story.0, 200);
        requests.recv_timeout(PATIENCE).unwrap();
    }
    while requests.try_recv().is_ok() {}
    let sandbox = Remote::start(&["--db", file, "--host", "0.0.0.0", "--allow-remote"]);
    let webhooks = format!("{}/sandbox/webhooks", sandbox.url(network));
    assert_eq!(send("POST", &format!("{webhooks}/1"), Some(&json!({"action": "resend"}))).0, 200);
    until(|| send("GET", &format!("{webhooks}/2"), None).1.contains("not sent").then_some(()));
    assert!(requests.try_recv().is_err());
}
