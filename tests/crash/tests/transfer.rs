//! A journal moves from its file into a database through the database's own client program, and continues
//! there.

#[allow(dead_code, reason = "shared with the stores' tests")]
#[path = "stores/place.rs"]
mod place;
#[allow(dead_code, reason = "shared with the journal's tests")]
#[path = "../../../crates/merchantpay-journal-old/tests/journal/shop.rs"]
mod shop;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use merchantpay_crash::{Mariadb, MariadbStore, PostgresStore, Postgresql, random};
use merchantpay_journal::{Dialect, Journal, JournalConfig, Standing, Store, Until, schema};
use merchantpay_sandbox::Fault;

use shop::{PATIENCE, Shop, give, request};

/// The command in `docs/choose-a-store.md`, with the database `shop`.
const PAGE: &str = "merchantpay journal schema postgresql | psql -v ON_ERROR_STOP=1 shop
merchantpay journal export --sql postgresql | psql -v ON_ERROR_STOP=1 shop
";

#[test]
fn the_page_says_how_statements_are_run_here() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/choose-a-store.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mark = "<!-- checked by tests/databases/tests/transfer.rs -->\n```sh\n";
    let block = page.split(mark).nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(block, Some(PAGE));
    assert!(page.contains("`mariadb shop` instead of `psql`"), "{page}");
}

/// Runs statements with psql or mariadb, like an operator.
fn run(dialect: Dialect, socket: &Path, database: &str, statements: &str) {
    let program = match dialect {
        Dialect::Mysql => "mariadb shop",
        _ => PAGE.lines().next().and_then(|line| line.split(" | ").nth(1)).unwrap(),
    };
    let words: Vec<&str> =
        program.split(' ').map(|word| if word == "shop" { database } else { word }).collect();
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .env("PGHOST", socket)
        .env("PGUSER", "shop")
        .env("PGOPTIONS", "-c client_min_messages=error");
    if dialect == Dialect::Mysql {
        command.arg("--user=root").arg(format!("--socket={}", socket.display()));
    }
    command.stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(statements.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}: {said}");
}

/// References that a program could misinterpret.
const NAMES: [&str; 3] = ["o'brien\\'; --", "\"заказ\" №1 :name \\n", "refused"];

/// A journal with an open payment, a payment without an answer, a refused payment, and an orphan.
fn filled(shop: &Shop, config: JournalConfig) -> Journal {
    let journal = Journal::open(&shop.client, shop.with_settings(config)).unwrap();
    journal.pay(NAMES[0], &request("10.50", "79001234567")).unwrap();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
    assert_eq!(journal.pay(NAMES[1], &request("20", "79001234567")).unwrap().standing(), Standing::Unknown);
    assert_eq!(
        journal.pay(NAMES[2], &request("30", "no-credentials")).unwrap().standing(),
        Standing::Refused
    );
    let elsewhere = shop.folder.another("elsewhere");
    let elsewhere = Journal::open(&shop.client, shop.with_settings(elsewhere)).unwrap();
    let entry = elsewhere.pay("elsewhere", &request("40", "79001234567")).unwrap();
    elsewhere.confirm(&entry).unwrap();
    let delivery = shop.sandbox.wait_for_delivery(entry.order_id().unwrap(), "status", PATIENCE).unwrap();
    assert_eq!(give(&journal, &delivery).http_status, 404);
    journal
}

/// All contents of a journal, as text.
fn known(journal: &Journal) -> String {
    let entries = journal.list(None, 100, None).unwrap();
    assert_eq!(entries.len(), NAMES.len());
    let attention = journal.attention(100).unwrap();
    assert_eq!(attention.len(), 2, "{attention:?}");
    format!("{entries:?} {attention:?} {:?}", journal.stats().unwrap().standings)
}

fn moves_into(dialect: Dialect, socket: &Path, database: &str, store: impl Store + 'static) {
    let shop = Shop::new();
    let from = filled(&shop, shop.folder.config());
    let mut statements = String::new();
    let count = from.export_sql(dialect, |statement| {
        statements.push_str(&format!("{statement};\n"));
        Ok(())
    });
    assert_eq!(count.unwrap(), 4);

    let tables: Vec<String> = schema(dialect).iter().map(|statement| format!("{statement};\n")).collect();
    run(dialect, socket, database, &tables.concat());
    // The statements run twice, because the second run must leave the existing rows unchanged.
    run(dialect, socket, database, &statements);
    run(dialect, socket, database, &statements);

    let to = Journal::open(&shop.client, shop.with_settings(JournalConfig::over(store))).unwrap();
    assert_eq!(known(&to), known(&from));
    let sent = shop.sandbox.requests("newPayment");
    let entry = to.pay(NAMES[0], &request("10.5", "79001234567")).unwrap();
    assert_eq!(entry.order_id(), from.find(NAMES[0]).unwrap().unwrap().order_id());
    to.confirm(&entry).unwrap();
    // The webhook finds its token in the new database.
    let delivery = shop.sandbox.wait_for_delivery(entry.order_id().unwrap(), "status", PATIENCE).unwrap();
    assert_eq!(give(&to, &delivery).http_status, 200);
    assert!(to.wait(NAMES[0], PATIENCE, Until::Final).unwrap().succeeded());
    assert_eq!(to.pay(NAMES[1], &request("20", "79001234567")).unwrap().standing(), Standing::Unknown);
    assert_eq!(shop.sandbox.requests("newPayment"), sent, "nothing is taken twice");
}

#[test]
fn a_journal_moves_into_postgresql_by_psql() {
    let (server, database) = (Postgresql::new(), format!("transfer_{}", random()));
    PostgresStore::create(server.host(), &database);
    let store = PostgresStore::new(server.host(), &database);
    moves_into(Dialect::Postgresql, server.host(), &database, store);
}

#[test]
fn a_journal_moves_into_mariadb_by_mariadb() {
    let (server, database) = (Mariadb::new(), format!("transfer_{}", random()));
    MariadbStore::create(server.socket(), &database);
    let store = MariadbStore::new(server.socket(), &database);
    moves_into(Dialect::Mysql, server.socket(), &database, store);
}
