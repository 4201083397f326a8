//! A driver that returns wrong counts of written rows.

use merchantpay_crash::PostgresStore;
use merchantpay_journal::{Dialect, Rows, Standing, Store, StoreError, Until};

use crate::databases::{Databases, journal};
use crate::shop::{PATIENCE, Shop, request};

struct Wrong(PostgresStore, u64);

impl Store for Wrong {
    fn dialect(&self) -> Dialect {
        Dialect::Postgresql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        Ok(Rows { affected: self.1, ..self.0.run(sql, parameters)? })
    }
}

pub fn wrong(databases: &Databases) {
    for count in [0, 1, u64::MAX] {
        let (shop, place) = (Shop::new(), databases.postgresql());
        let journal = journal(&shop, Wrong(place.postgres(), count));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..4 {
                        let reference = format!("order-{number}");
                        journal.pay(&reference, &request("10", "79001234567")).unwrap();
                    }
                });
            }
        });
        assert_eq!(shop.sandbox.requests("newPayment"), 4, "{count}");
        for number in 0..4 {
            let reference = format!("order-{number}");
            let entry = journal.find(&reference).unwrap().unwrap();
            assert_eq!((entry.attempt(), entry.standing()), (1, Standing::Open), "{count}");
            journal.confirm(&entry).unwrap();
            let end = journal.wait(&reference, PATIENCE, Until::Final).unwrap();
            assert!(end.succeeded(), "{count}: {end:?}");
        }
        assert_eq!(shop.sandbox.requests("confirm"), 4, "{count}");
    }
}
