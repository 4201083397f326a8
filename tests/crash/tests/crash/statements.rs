//! A worker is killed at each statement of an operation, its connection is cut there, or the server is killed. Then
//! another process continues: no payment is doubled or lost, and nothing is acknowledged that was not shipped.

use merchantpay_crash::{Kind, Moment, Servers};
use merchantpay_journal::{Journal, Until};
use serde_json::{Value, json};

use crate::adapter::{Adapter, Answer, Language, Victim};
use crate::shop::{PATIENCE, Shop, asks, request, request_of};
use crate::trap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Kill,
    Cut,
    Restart,
}

const OPERATIONS: [&str; 7] = ["pay", "pay_async", "confirm", "receive", "settle", "replace", "ship"];

pub fn killed(servers: &Servers) {
    OPERATIONS.iter().for_each(|operation| at_each_statement(servers, operation, How::Kill));
}

pub fn cut(servers: &Servers) {
    OPERATIONS.iter().for_each(|operation| at_each_statement(servers, operation, How::Cut));
}

pub fn restarted(servers: &Servers) {
    ["pay", "settle"].iter().for_each(|operation| at_each_statement(servers, operation, How::Restart));
}

fn at_each_statement(servers: &Servers, operation: &'static str, how: How) {
    let mut shop = Shop::new(servers);
    let journal = shop.journal();
    for at in 1..100 {
        let moments = [Moment::Before, Moment::After];
        let fired = moments.map(|moment| trial(servers, &mut shop, &journal, operation, how, at, moment));
        if fired == [false, false] {
            shop.audit(&journal);
            println!("  {operation}: {how:?} at each of {} statements", at - 1);
            assert!(at > 2, "{operation} has more than one statement");
            return;
        }
    }
    panic!("{operation} does not end");
}

/// Whether the operation had this statement.
fn trial(
    servers: &Servers,
    shop: &mut Shop,
    journal: &Journal,
    operation: &str,
    how: How,
    at: u32,
    moment: Moment,
) -> bool {
    let reference = format!("{operation}-{at}-{moment:?}").to_lowercase();
    let command = prepare(shop, journal, operation, &reference);
    let (answer, fired) = run(servers, shop, &command, how, at, moment);

    if how == How::Kill {
        assert_eq!(matches!(answer, Answer::Lost), fired, "{reference}: {answer:?}");
    }
    if let Answer::Error(error) = answer {
        assert!(fired && error["code"] == "storage", "{reference}: {error}");
        let pays = operation.starts_with("pay");
        assert!(!pays || error["outcome"] != "not_sent" || shop.made(&reference).is_empty(), "{reference}");
    }
    shop.let_time_pass();
    shop.finish(journal, &reference);
    fired
}

fn run(
    servers: &Servers,
    shop: &mut Shop,
    command: &Value,
    how: How,
    at: u32,
    moment: Moment,
) -> (Answer, bool) {
    if servers.kind() == Kind::Sqlite {
        let file = shop.place.folder().join("trap");
        let language = Language::rust(&[(trap::FILE, &file)]);
        let mut adapter = shop.adapter(&language, &shop.place.url());
        assert!(matches!(adapter.open().unwrap(), Answer::Ok(_)));
        std::fs::write(&file, trap::text(at, moment)).unwrap();
        let answer = perform(shop, &mut adapter, command);
        std::fs::remove_file(file).unwrap();
        let fired = matches!(answer, Answer::Lost);
        return (answer, fired);
    }
    let (proxy, language, victim) = (shop.place.proxy(), Language::rust(&[]), Victim::default());
    let mut adapter = Adapter::new(&language, &victim, shop.opens(&shop.place.url_behind(&proxy)));
    assert!(matches!(adapter.open().unwrap(), Answer::Ok(_)));
    let servers = servers.clone();
    proxy.cut_at(at, moment, move || match how {
        How::Kill => drop(victim.kill()),
        How::Cut => {}
        How::Restart => servers.restart(),
    });
    let answer = perform(shop, &mut adapter, command);
    adapter.stop().unwrap();
    (answer, proxy.cuts() > 0)
}

/// Ships news before it acknowledges them: what is shipped only afterwards would be lost with the process.
fn perform(shop: &mut Shop, adapter: &mut Adapter<'_>, command: &Value) -> Answer {
    let answer = adapter.exchange(command).unwrap();
    let Answer::Ok(done) = &answer else { return answer };
    shop.note_answer(done);
    if done["error"].is_object() {
        return Answer::Error(done["error"].clone());
    }
    for entry in done["entries"].as_array().into_iter().flatten() {
        if entry["fields"]["succeeded"] == true {
            shop.note_shipped(entry["fields"]["reference"].as_str().unwrap());
        }
        let acknowledge = json!({"do": "acknowledge", "entry": entry["entry"]});
        match adapter.exchange(&acknowledge).unwrap() {
            Answer::Ok(_) => {}
            failure => return failure,
        }
    }
    answer
}

/// Brings the reference to where the operation begins, and returns its command.
fn prepare(shop: &mut Shop, journal: &Journal, operation: &str, reference: &str) -> Value {
    let command = match operation {
        "ship" => json!({"do": "news", "limit": 100}),
        "settle" => json!({"do": "settle", "limit": 10}),
        "confirm" => json!({"do": "confirm", "reference": reference, "attempt": 1}),
        _ => asks(operation, reference, "79001234567"),
    };
    if operation.starts_with("pay") {
        return command;
    }
    if operation == "replace" {
        let entry = journal.pay(reference, &request_of("payment-fails")).unwrap();
        journal.confirm(&entry).unwrap();
        journal.wait(reference, Until::Final, PATIENCE).unwrap();
        return command;
    }
    let entry = journal.pay(reference, &request()).unwrap();
    let order_id = entry.order_id.clone().unwrap();
    shop.note_shown(reference, &order_id);
    match operation {
        "confirm" => {}
        "ship" => {
            journal.confirm(&entry).unwrap();
            assert!(journal.wait(reference, Until::Final, PATIENCE).unwrap().succeeded);
        }
        _ => {
            shop.ship(journal);
            journal.confirm(&entry).unwrap();
            let delivery = shop.sandbox.wait_for_delivery(&order_id, "status", PATIENCE).unwrap();
            shop.let_time_pass();
            if operation == "receive" {
                return receives(&delivery.url, &delivery.body, &delivery.signature, None);
            }
        }
    }
    command
}

pub fn receives(path: &str, body: &[u8], signature: &str, key_id: Option<&str>) -> Value {
    let body: String = body.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({"do": "receive", "path": path, "body": body, "signature": signature, "key_id": key_id})
}
