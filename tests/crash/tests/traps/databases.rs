//! The servers, each started at its first use, and journals in them.

use std::panic::UnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use merchantpay::{Code, Error, Outcome};
use merchantpay_crash::{Mariadb, MariadbStore, Pgbouncer, PostgresStore, Postgresql, random};
use merchantpay_journal::{Database, Dialect, Entry, Journal, JournalConfig, Rows, Store, StoreError};
use merchantpay_sandbox::Delivery;
use mysql::Conn;
use postgres::Client;

use crate::shop::{PATIENCE, Shop, give, request};

#[derive(Default)]
pub struct Databases {
    // pgbouncer is declared first, so that it ends before the database server.
    pgbouncer: OnceLock<Pgbouncer>,
    postgresql: OnceLock<Postgresql>,
    mariadb: OnceLock<Mariadb>,
}

impl UnwindSafe for Databases {}
impl std::panic::RefUnwindSafe for Databases {}

/// A separate database on one of the servers.
#[derive(Clone)]
pub struct Place {
    pub socket: PathBuf,
    pub name: String,
}

impl Databases {
    pub fn server(&self) -> &Postgresql {
        self.postgresql.get_or_init(Postgresql::new)
    }

    pub fn postgresql(&self) -> Place {
        Place::new(self.server().host(), PostgresStore::create)
    }

    /// The same database through both modes of pgbouncer.
    pub fn pgbouncer(&self) -> (Place, Place) {
        let direct = self.postgresql();
        let pgbouncer = self.pgbouncer.get_or_init(|| Pgbouncer::new(self.server()));
        (Place { socket: pgbouncer.host().to_owned(), ..direct.clone() }, direct)
    }

    pub fn mariadb(&self) -> Place {
        Place::new(self.mariadb.get_or_init(Mariadb::new).socket(), MariadbStore::create)
    }
}

impl Place {
    fn new(socket: &Path, create: fn(&Path, &str)) -> Place {
        let place = Place { socket: socket.to_owned(), name: format!("trap_{}", random()) };
        create(&place.socket, &place.name);
        place
    }

    pub fn postgres(&self) -> PostgresStore {
        PostgresStore::new(&self.socket, &self.name)
    }

    pub fn mysql(&self) -> MariadbStore {
        MariadbStore::new(&self.socket, &self.name)
    }
}

/// Opens a journal, and creates its tables.
pub fn journal(shop: &Shop, store: impl Store + 'static) -> Journal {
    let config = shop.with_settings(JournalConfig::over(store)).create(true);
    Journal::open(&shop.client, config).unwrap()
}

/// Opens a journal with existing tables.
pub fn journal_as_it_is(shop: &Shop, store: impl Store + 'static) -> merchantpay::Result<Journal> {
    Journal::open(&shop.client, shop.with_settings(JournalConfig::over(store)))
}

/// One connection, which the test also uses.
pub struct Shared<C>(pub Arc<Mutex<C>>);

impl<C> Clone for Shared<C> {
    fn clone(&self) -> Shared<C> {
        Shared(self.0.clone())
    }
}

impl<C> Shared<C> {
    pub fn new(connection: C) -> Shared<C> {
        Shared(Arc::new(Mutex::new(connection)))
    }
}

impl Store for Shared<Client> {
    fn dialect(&self) -> Dialect {
        Dialect::Postgresql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        PostgresStore::run_on(&mut self.0.lock().unwrap(), sql, parameters)
    }
}

impl Store for Shared<Conn> {
    fn dialect(&self) -> Dialect {
        Dialect::Mysql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        MariadbStore::run_on(&mut self.0.lock().unwrap(), sql, parameters)
    }
}

/// Runs statements without results.
pub fn run_all(store: &dyn Store, statements: &[&str]) {
    for statement in statements {
        store.run(statement, &[]).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

/// Checks that nothing is sent while the journal's connection is in a transaction, and that the payment
/// continues afterwards.
pub fn assert_nothing_is_sent_within_a_transaction(
    store: impl Store + Clone + 'static,
    good: &Journal,
    shop: &Shop,
) {
    run_all(&store, &["BEGIN"]);
    let within = journal_as_it_is(shop, store.clone()).unwrap();
    let error = within.pay("order", &request("10", "79001234567")).unwrap_err();
    assert_is_lasting(&error, "in a transaction");
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
    run_all(&store, &["ROLLBACK"]);
    assert!(good.find("order").unwrap().is_none());
    let paid = within.pay("order", &request("10", "79001234567")).unwrap();
    assert!(paid.credentials().is_some());
    assert_eq!(good.pay("order", &request("10", "79001234567")).unwrap().order_id(), paid.order_id());
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

/// Checks that the error lasts until an operator changes something, and that nothing was sent.
fn assert_is_lasting(error: &Error, why: &str) {
    assert_eq!(
        (error.code(), error.outcome(), error.is_transient()),
        (Code::Storage, Outcome::NotSent, false),
        "{error}"
    );
    assert!(error.message().contains(why), "{why}: {error}");
}

/// Checks that an unsuitable store is refused when it is opened, or at the first payment with `check_later`.
pub fn assert_is_refused(shop: &Shop, store: impl Store + 'static, why: &str) {
    let store = Arc::new(store);
    let open = |later| {
        let store = store.clone();
        let again = Database::new(store.dialect(), move |sql, parameters| store.run(sql, parameters));
        let config = JournalConfig::over(again).check_later(later);
        Journal::open(&shop.client, shop.with_settings(config))
    };
    assert_is_lasting(&open(false).err().unwrap_or_else(|| panic!("{why}: it was opened")), why);
    let sent = shop.sandbox.requests("newPayment");
    let paid = open(true).unwrap().pay("refused", &request("10", "79001234567"));
    assert_is_lasting(&paid.unwrap_err(), why);
    assert_eq!(shop.sandbox.requests("newPayment"), sent);
}

/// Makes a confirmed payment. Returns its entry, and the status webhook that was not delivered.
pub fn confirmed(shop: &Shop, journal: &Journal) -> (Entry, Delivery) {
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    let entry = journal.confirm(&entry).unwrap();
    let order_id = entry.order_id().unwrap();
    let delivery = shop.sandbox.wait_for_delivery(order_id, "status", PATIENCE).unwrap();
    (entry, delivery)
}

pub fn status_of(journal: &Journal, delivery: &Delivery) -> u16 {
    give(journal, delivery).http_status
}

/// Two workers get the same news. Each worker acknowledges first, and ships in the same transaction.
pub fn assert_two_workers_ship_once<S: Store + 'static>(journal: &Journal, connect: impl Fn() -> S) {
    let entry = journal.find("order").unwrap().unwrap();
    let workers: Vec<S> = vec![connect(), connect()];
    let error = journal.acknowledge_with(&entry, &workers[0]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument, "in autocommit: {error}");
    run_all(&workers[0], &["CREATE TABLE shipped (reference VARCHAR(120))"]);
    std::thread::scope(|scope| {
        for store in &workers {
            scope.spawn(|| {
                run_all(store, &["BEGIN"]);
                match journal.acknowledge_with(&entry, store) {
                    Ok(()) => run_all(store, &["INSERT INTO shipped (reference) VALUES ('order')", "COMMIT"]),
                    Err(error) => {
                        assert_eq!(error.code(), Code::Conflict, "{error}");
                        run_all(store, &["ROLLBACK"]);
                    }
                }
            });
        }
    });
    // The transactions of all workers have ended, so a further acknowledgement is refused.
    for store in &workers {
        let error = journal.acknowledge_with(&entry, store).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "in autocommit: {error}");
    }
    let shipped = workers[0].run("SELECT COUNT(*) FROM shipped", &[]).unwrap().rows;
    assert_eq!(shipped, [[Some("1".to_owned())]]);
    assert!(journal.news(10).unwrap().is_empty());
}
