//! The same journal over PostgreSQL and MariaDB.

use std::time::Duration;

use merchantpay_databases::{Mariadb, Postgresql};
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{AcknowledgeSql, Attention, Journal, JournalConfig, Resolution, Standing, Style};

use crate::service::{Plan, Service};
use crate::shop::{CALLBACK, acknowledge_all, config, good};

#[test]
fn postgresql_takes_payments() {
    let server = Postgresql::new();
    let place = format!("postgresql:///postgres?user=shop&host={}", server.host().display());
    takes_payments(&place, |sql: &AcknowledgeSql| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut config = tokio_postgres::Config::new();
            config.host_path(server.host()).user("shop").dbname("postgres");
            let (client, connection) = config.connect(tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            let attempt = i64::from(sql.attempt);
            client.execute(&sql.text, &[&sql.reference, &attempt, &sql.news]).await.unwrap()
        })
    });
}

#[test]
fn mariadb_takes_payments() {
    use mysql::prelude::Queryable as _;
    let server = Mariadb::new();
    let options = || {
        let socket = server.socket().to_str().unwrap();
        mysql::OptsBuilder::new().socket(Some(socket)).user(Some("root")).db_name(Some("shop"))
    };
    mysql::Conn::new(options().db_name(None::<String>)).unwrap().query_drop("CREATE DATABASE shop").unwrap();
    let place = format!("mysql:///shop?user=root&socket={}", server.socket().display());
    takes_payments(&place, |sql: &AcknowledgeSql| {
        let mut connection = mysql::Conn::new(options()).unwrap();
        connection.exec_drop(&sql.text, (&sql.reference, sql.attempt, sql.news)).unwrap();
        connection.affected_rows()
    });
}

fn takes_payments(place: &str, acknowledge: impl Fn(&AcknowledgeSql) -> u64) {
    let service = Service::new();
    let config_of = || {
        let config = JournalConfig::new(place).create(true).callback_url(CALLBACK).pay_wait(Duration::ZERO);
        config.timeout(Duration::from_secs(15))
    };
    let journal = Journal::open(&service.client(), config_of()).unwrap();
    let (style, reference) = match place.starts_with("mysql") {
        true => (Style::Question, "заказ"),
        false => (Style::Dollar, "заказ"),
    };
    let entry = journal.pay(reference, &good()).unwrap();
    assert!(entry.credentials.is_some());
    assert_eq!(journal.pay(reference, &good()).unwrap().order_id, entry.order_id);
    journal.confirm(&entry).unwrap();
    service.set(0, "doneSuccess");
    assert!(service.send_status(&journal, 0).entry.unwrap().succeeded);
    let news = journal.news(10).unwrap().remove(0);
    assert_eq!(acknowledge(&entry.acknowledge_sql(style)), 0, "what was read before is not the newest");
    assert_eq!(acknowledge(&news.acknowledge_sql(style)), 1);
    assert_eq!(acknowledge(&news.acknowledge_sql(style)), 0);
    assert!(journal.find(reference).unwrap().unwrap().acknowledged);

    service.plan(Plan::Dead);
    let unknown = journal.pay("unknown", &good()).unwrap();
    journal.resolve(&unknown, &Resolution::NoPayment, "support says so").unwrap();
    assert_eq!(journal.pay("unknown", &good()).unwrap().attempt, 2);
    let orphan =
        serde_json::json!({"success": true, "orderId": "foreign", "status": "doneSuccess", "sum": 5});
    assert_eq!(service.send(&journal, "nobody", orphan).http_status, 404);
    for _ in 0..2 {
        journal.resolve_orphan("foreign", Some("doneSuccess"), "no order of ours").unwrap();
    }
    assert!(!journal.attention(10).unwrap().iter().any(|item| matches!(item, Attention::Orphan(_))));
    acknowledge_all(&journal);
    let operator = Operator::of(&journal);
    assert_eq!(operator.forget(reference).unwrap(), 1);
    journal.stats().unwrap();
    assert_eq!(journal.list(None, 10, None).unwrap().len(), 2);

    // Over to a file, and what was only in the database comes along.
    let mut lines = Vec::new();
    let keep = |line: &str| {
        lines.push(Ok(line.to_owned()));
        Ok(())
    };
    operator.export(keep).unwrap();
    let file = Operator::open(config(&service.file())).unwrap();
    assert_eq!(file.import(lines).unwrap().attempts, 3);
    let moved = service.journal();
    assert!(moved.find(reference).unwrap().unwrap().succeeded);
    assert_eq!(moved.find("unknown").unwrap().unwrap().standing, Standing::Open);
}
