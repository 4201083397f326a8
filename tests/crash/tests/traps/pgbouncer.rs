//! PostgreSQL behind pgbouncer in transaction mode.

use merchantpay_journal::Standing;

use crate::databases::{
    Databases, Shared, assert_nothing_is_sent_within_a_transaction, assert_two_workers_ship_once, confirmed,
    journal, run_all, status_of,
};
use crate::shop::{Shop, request};

pub fn insert_within_a_transaction(databases: &Databases) {
    let (shop, (place, direct)) = (Shop::new(), databases.pgbouncer());
    let good = journal(&shop, direct.postgres());
    let within = Shared::new(place.postgres().client().unwrap());
    assert_nothing_is_sent_within_a_transaction(within, &good, &shop);
}

pub fn named_statements(databases: &Databases) {
    let (shop, (place, _)) = (Shop::new(), databases.pgbouncer());
    let journal = journal(&shop, place.postgres());
    // Each server connection serves several clients in turn.
    let connect = || place.postgres().client().unwrap();
    let (mut one, others) = (connect(), [Shared::new(connect()), Shared::new(connect())]);
    let named = one.prepare("SELECT version FROM merchantpay_journal").unwrap();
    let broke = others.iter().any(|other| {
        run_all(other, &["BEGIN", "SELECT 1"]);
        let broke = one.query(&named, &[]).is_err();
        run_all(other, &["ROLLBACK"]);
        broke
    });
    assert!(broke, "a named statement is there on every connection to the server");
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let journal = &journal;
            scope.spawn(move || {
                for number in 0..3 {
                    let reference = format!("order-{}", (worker + number) % 8);
                    let entry = journal.pay(&reference, &request("10", "79001234567")).unwrap();
                    assert!([Standing::Sending, Standing::Open].contains(&entry.standing()), "{entry:?}");
                }
            });
        }
    });
    assert_eq!(shop.sandbox.requests("newPayment"), 8);
}

pub fn ship_once(databases: &Databases) {
    let (shop, (place, direct)) = (Shop::new(), databases.pgbouncer());
    let journal = journal(&shop, place.postgres());
    let (_, delivery) = confirmed(&shop, &journal);
    assert_eq!(status_of(&journal, &delivery), 200);
    assert_two_workers_ship_once(&journal, || Shared::new(direct.postgres().client().unwrap()));
}
