//! `journal settle`: runs once, and as a service that ends when it gets a signal. With `--listen` it serves its health,
//! its metrics and the operator's page.

use std::collections::BTreeSet;
use std::net::TcpStream;

use merchantpay_sandbox::{Fault, PlannedFault};
use serde_json::{Value, json};

use crate::*;

#[test]
fn settle_says_what_is_due_next() {
    let shop = Shop::new();
    let settled = shop.run(&["settle"]).reply();
    assert_eq!(settled, json!({"done": 0, "nextDueMs": null}), "an empty journal");
    shop.paid_for("order-1", ACCOUNT);
    shop.run(&["confirm", "order-1"]).reply();
    until(|| {
        shop.run(&["settle"]).reply();
        (shop.entry("order-1")["succeeded"] == true).then_some(())
    });
    assert!(shop.sandbox.requests("getStatus") > 0);
    for args in [&["--every", "0s"][..], &["--every", "10"], &["--limit", "0"]] {
        let ran = shop.run(&[&["settle"], args].concat());
        assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_argument")), "{args:?}");
    }
}

#[test]
fn settle_service_ends_cleanly() {
    for name in ["TERM", "INT"] {
        let shop = Shop::new();
        shop.paid_for("order-2", ACCOUNT);
        shop.run(&["confirm", "order-2"]).reply();
        let mut service = Running::start(shop.command(&["settle", "--every", "100ms"]));
        assert_eq!(service.json()["done"], 1);
        until(|| (shop.entry("order-2")["succeeded"] == true).then_some(()));
        service.signal(name);
        assert_eq!((service.errors().as_str(), service.status()), ("", Some(0)), "{name}");
    }
}

#[test]
fn settle_survives_silent_service() {
    let shop = Shop::new();
    shop.paid_for("order-5", ACCOUNT);
    let url = "http://127.0.0.1:1";
    shop.run(&["allow-url", url]).reply();
    until(|| (shop.run(&["settle", "--base-url", url]).reply()["done"] == 1).then_some(()));
    let entry = shop.entry("order-5");
    assert_eq!(json!([entry["standing"], entry["error"]["outcome"]]), json!(["open", "not_sent"]), "{entry}");
}

#[test]
fn interrupted_call_stores_outcome() {
    let pay = [&["pay", "--reference", "order-3"], &new(ACCOUNT)[1..]].concat();
    let stalled: PlannedFault = Fault::latency(std::time::Duration::from_secs(60));
    for (reference, args, fault, operation, signal, status, standing) in [
        ("order-3", &pay[..], Fault::StallAfterCommit.into(), "newPayment", "TERM", 4, "unknown"),
        ("order-4", &["settle", "--every", "100ms"], stalled.clone(), "getStatus", "TERM", 0, "open"),
        ("order-6", &["wait", "order-6"], stalled, "getStatus", "INT", 4, "open"),
    ] {
        let shop = Shop::new();
        if operation == "getStatus" {
            shop.paid_for(reference, "stays-pending");
        }
        let before = shop.sandbox.requests(operation);
        shop.sandbox.misbehave(fault, Some(operation), 1);
        let running = Running::start(shop.command(args));
        until(|| (shop.sandbox.requests(operation) > before).then_some(()));
        running.signal(signal);
        let ended = running.status();
        let stored = shop.entry(reference);
        let seen = json!([ended, stored["standing"], stored["error"]["code"]]);
        assert_eq!(seen, json!([status, standing, "cancelled"]), "{args:?}: {stored}");
    }
}

const OPERATION: &str = include_str!("../../../../docs/journal-operation.md");

struct Service {
    address: String,
    _running: Running,
}

impl Service {
    fn start(shop: &Shop, listen: &str) -> Service {
        Service::start_with(shop, &["--listen", listen])
    }

    fn start_with(shop: &Shop, more: &[&str]) -> Service {
        let mut running = Running::start(shop.command(&[&["settle", "--every", "100ms"], more].concat()));
        let line = running.json();
        let url = line["listening"].as_str().unwrap();
        let address = url.strip_prefix("http://").unwrap().strip_suffix('/').unwrap().to_owned();
        Service { address, _running: running }
    }

    fn ask(&self, method: &str, path: &str, host: &str) -> (u16, String, String) {
        let port = self.address.rsplit_once(':').unwrap().1;
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    /// Waits for an answer at a path that is like this.
    fn until(&self, path: &str, is_there: impl Fn(u16, &str) -> bool) -> (u16, String) {
        until(|| {
            let (status, _, body) = self.ask("GET", path, "any.example");
            is_there(status, &body).then_some((status, body))
        })
    }

    fn get(&self, path: &str) -> String {
        let (status, _, body) = self.ask("GET", path, &self.address);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }
}

#[test]
fn serves_health_and_metrics() {
    let shop = Shop::new();
    shop.paid_for("order-1", ACCOUNT);
    shop.run(&["confirm", "order-1"]).reply();
    shop.lose("order-2");
    let service = Service::start(&shop, "127.0.0.1:0");
    service.until("/healthz", |status, _| status == 200);
    let sample = |metrics: &str, line: &str| metrics.lines().any(|found| found == line);
    let metrics = until(|| {
        let metrics = service.get("/metrics");
        sample(&metrics, "merchantpay_journal_attempts{standing=\"open\"} 0").then_some(metrics)
    });
    for line in [
        "merchantpay_journal_attempts{standing=\"unknown\"} 1",
        "merchantpay_journal_attention 1",
        "merchantpay_journal_news 1",
        "merchantpay_journal_paused 0",
        "merchantpay_journal_settle_failures_total 0",
        "# TYPE merchantpay_journal_overdue_seconds gauge",
    ] {
        assert!(sample(&metrics, line), "{line}: {metrics}");
    }
    // `docs/journal-operation.md` lists each metric with its type.
    let begins = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let served: BTreeSet<String> = begins.map(|(name, kind)| format!("| `{name}` | {kind} |")).collect();
    let rows = OPERATION.lines().filter(|line| line.starts_with("| `merchantpay_journal_"));
    let named: BTreeSet<String> = rows.map(|row| row.split_inclusive('|').take(3).collect()).collect();
    assert_eq!(named, served);
    let printed = shop.run(&["stats", "--format", "prometheus"]);
    assert!(
        sample(&printed.stdout, "merchantpay_journal_attempts{standing=\"unknown\"} 1"),
        "{}",
        printed.stdout
    );
}

#[test]
fn unreadable_journal_is_unhealthy() {
    let shop = Shop::new();
    let service = Service::start(&shop, "127.0.0.1:0");
    service.until("/healthz", |status, _| status == 200);
    std::fs::rename(shop.file(), shop.file().with_extension("gone")).unwrap();
    let unread = until(|| Some(service.ask("GET", "/metrics", "localhost")).filter(|answer| answer.0 == 503));
    assert_eq!(unread.2, "failed: journal\n");
    let (status, body) = service.until("/healthz", |_, body| body != "ok\n");
    assert_eq!((status, body.as_str()), (200, "ok, but journal fails\n"), "the database may only restart");
}

#[test]
fn health_names_check_and_no_place() {
    let shop = Shop::new();
    shop.paid_for("order-1", ACCOUNT);
    shop.run(&["confirm", "order-1"]).reply();
    until(|| (shop.lines(&["stats"])[0]["due"] == 1).then_some(()));
    let writer = rusqlite::Connection::open(shop.file()).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let service = Service::start(&shop, "127.0.0.1:0");
    let begins = service.ask("GET", "/healthz", "any.example");
    assert_eq!((begins.0, begins.2.as_str()), (503, "failed: settle\n"), "no run has ended yet");
    let (status, body) = service.until("/healthz", |_, body| body.contains("journal"));
    assert_eq!((status, body.as_str()), (503, "failed: journal\n"));
    drop(writer);
    service.until("/healthz", |_, body| body == "ok\n");
}

#[test]
fn metrics_only_under_own_names() {
    let shop = Shop::new();
    for (listen, own, foreign) in [
        ("127.0.0.1:0", "localhost:9", ["evil.example", "127.0.0.1.evil.example", "192.168.0.7", ""]),
        ("0.0.0.0:0", "192.168.0.7", ["evil.example", "localhost.evil.example", "shop", ""]),
    ] {
        let service = Service::start(&shop, listen);
        for host in foreign {
            let (status, _, body) = service.ask("GET", "/metrics", host);
            assert_eq!(status, 421, "{listen} {host:?}");
            assert!(!body.contains("merchantpay_journal_"), "{body}");
            assert_ne!(service.ask("GET", "/healthz", host).0, 421, "a container's check uses any name");
        }
        for host in [own, &service.address] {
            assert_eq!(service.ask("GET", "/metrics", host).0, 200, "{listen} {host}");
        }
    }
    let service = Service::start_with(&shop, &["--listen", "0.0.0.0:0", "--allow-host", "Shop.test"]);
    assert_eq!(service.ask("GET", "/metrics", "shop.test:9464").0, 200);
}

#[test]
fn page_reads_what_commands_print() {
    let shop = Shop::new();
    shop.lose("<b>order'1");
    let order_id = shop.paid_for("order-2", ACCOUNT);
    assert_eq!(shop.pay("order-3", "no-credentials", &[]).status, 1);
    let service = Service::start(&shop, "127.0.0.1:0");
    let read = |path: &str| serde_json::from_str::<Value>(&service.get(path)).unwrap();
    // `settle` writes the attempts too, so two moments may differ.
    let known = |mut entry: Value| {
        let fields = entry.as_object_mut().unwrap();
        fields.remove("updatedAt");
        // Every user of the machine can read the page.
        fields.insert("credentials".to_owned(), Value::Null);
        if let Some(error) = fields.get_mut("error").and_then(Value::as_object_mut) {
            error.remove("description");
        }
        entry
    };
    let lists = |document: Value| document.as_array().unwrap().iter().cloned().map(known).collect::<Vec<_>>();
    let printed = |args: &[&str]| shop.lines(args).into_iter().map(known).collect::<Vec<_>>();
    until(|| (lists(read("/api/attention")) == printed(&["attention"])).then_some(()));
    until(|| (lists(read("/api/list")) == printed(&["list"])).then_some(()));
    for path in ["/api/list", "/api/find?q=order-3", "/api/attempts?q=order-3"] {
        let document = service.get(path);
        let is_told = ["payeeAccount", "credentials not found"].map(|text| document.contains(text));
        assert_eq!((is_told, document.contains("order-3")), ([false; 2], true), "{document}");
    }
    assert_eq!(read("/api/stats")["attention"], shop.lines(&["stats"])[0]["attention"]);
    let attempts = read("/api/attempts?q=%3Cb%3Eorder%271");
    let command = "merchantpay journal resolve '<b>order'\\''1' --attempt 1 --no-payment --note NOTE";
    assert_eq!(attempts[0]["resolve"][1], command);
    for (query, found) in [("order-2", 1), (&*order_id, 1), ("1500.50", 3), ("absent", 0)] {
        assert_eq!(read(&format!("/api/find?q={query}")).as_array().unwrap().len(), found, "{query}");
    }
    assert_eq!(read("/api/attempts?q=absent"), Value::Array(Vec::new()));
    assert!(read("/api/words")["reason"]["unknown"].is_string());
    assert_eq!(service.ask("GET", "/absent", &service.address).0, 404);
    assert_eq!(service.ask("GET", "/api/absent", &service.address).0, 404);
}

const PATHS: [&str; 5] = ["/", "/search?q=a", "/page.js", "/api/list", "/api/attention"];

#[test]
fn page_is_protected_and_read_only() {
    let shop = Shop::new();
    let service = Service::start(&shop, "127.0.0.1:0");
    for path in PATHS {
        let (status, head, body) = service.ask("GET", path, &service.address);
        assert_eq!(status, 200, "{path}: {body}");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self';",
            "require-trusted-types-for 'script'",
            "x-frame-options: deny",
            "x-content-type-options: nosniff",
            "cross-origin-resource-policy: same-origin",
            "cache-control: no-store",
        ] {
            assert!(head.contains(header), "{path} {header}: {head}");
        }
        assert!(!head.contains("access-control-") && !head.contains("unsafe"), "{head}");
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            assert_eq!(service.ask(method, path, &service.address).0, 405, "{method} {path}");
        }
        // DNS rebinding: a name of another site that leads here, and hosts that only look like ours.
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.0.7", ""] {
            assert_eq!(service.ask("GET", path, host).0, 421, "{path} {host:?}");
        }
        let two = format!("{}\r\nHost: evil.example", service.address);
        assert!(service.ask("GET", path, &two).0 >= 400, "{path}");
        for site in ["cross-site", "same-site", "none\r\nSec-Fetch-Site: cross-site"] {
            let host = format!("{}\r\nSec-Fetch-Site: {site}", service.address);
            let expected = if path.starts_with("/api/") { 403 } else { 200 };
            assert_eq!(service.ask("GET", path, &host).0, expected, "{path} {site}");
        }
    }
}

#[test]
fn reachable_listener_shows_no_page() {
    let shop = Shop::new();
    let service = Service::start(&shop, "0.0.0.0:0");
    for path in PATHS {
        assert_eq!(service.ask("GET", path, "127.0.0.1").0, 403, "{path}");
    }
    service.get("/metrics");
}
