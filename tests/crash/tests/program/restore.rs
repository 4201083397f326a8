//! `docs/journal.md`: a database is backed up and restored with the database's own tools, and nothing is paid
//! twice.

use std::path::{Path, PathBuf};

use merchantpay_crash::{backup_commands, random};
use merchantpay_sandbox::{Delivery, Fault};

use crate::shop::{PROGRAM, Server, Shop, ran, until};

/// A folder in which the page's commands run.
struct Place(PathBuf);

impl Place {
    fn new(server: &Server) -> Place {
        let folder = std::env::temp_dir().join(format!("restore-{}", random()));
        std::fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(PROGRAM, folder.join("merchantpay")).unwrap();
        if let Server::Mariadb(server) = server {
            let options = format!("[client]\nuser=root\nsocket={}\n", server.socket().display());
            std::fs::write(folder.join(".my.cnf"), options).unwrap();
        }
        Place(folder)
    }

    fn run(&self, block: &str, shop: &Shop, server: &Server, database: &str) {
        let block = block.replace("=shop", &format!("={database}"));
        let block = block.replace(" shop", &format!(" {database}"));
        let path = std::env::join_paths(
            [self.0.clone()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        );
        let mut command = shop.settled("sh");
        command
            .args(["-eu", "-c", &block])
            .current_dir(&self.0)
            .env("HOME", &self.0)
            .env("PATH", path.unwrap());
        if let Server::Postgresql(server) = server {
            command
                .env("PGHOST", server.host())
                .env("PGPORT", server.port().to_string())
                .env("PGUSER", "shop");
        }
        let ran = ran(command.output().unwrap());
        assert_eq!(ran.status, 0, "{block}\n{}{}", ran.stdout, ran.stderr);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}

/// The last webhook of the payment with the lost response.
fn end_of_the_lost(shop: &Shop, known: &str) -> Delivery {
    let is_its = |webhook: &Delivery| webhook.kind == "status" && webhook.order_id != known;
    until(|| shop.sandbox.deliveries().into_iter().find(is_its))
}

#[test]
fn a_restored_database_is_paused_and_pays_nothing_twice() {
    let [postgresql, restore_postgresql, mariadb, restore_mariadb] = backup_commands();
    for (server, database) in Server::both() {
        let (backup, restore) = match &server {
            Server::Postgresql(_) => (postgresql, restore_postgresql),
            Server::Mariadb(_) => (mariadb, restore_mariadb),
        };
        let shop = Shop::new(server.url("shop", "127.0.0.1", &database, ""));
        let place = Place::new(&server);
        shop.line(&["init"]);
        let kept = shop.pay("order-kept").line();
        shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
        assert_eq!(shop.pay_from("order-lost", "never-pays").status, 4);
        let end = end_of_the_lost(&shop, kept["orderId"].as_str().unwrap());
        place.run(backup, &shop, &server, &database);

        let missing = shop.pay("order-missing").line();
        shop.line(&["confirm", "order-missing"]);
        let sent = shop.sandbox.requests("newPayment");
        place.run(restore, &shop, &server, &database);

        let paused = shop.pay("order-missing").message(3);
        assert!(paused.contains("the journal is paused, and nothing was sent"), "{paused}");
        assert_eq!(shop.sandbox.requests("newPayment"), sent, "nothing is paid before an operator resumes");
        // The row of this payment is missing, so its webhook finds no attempt.
        let order_id = missing["orderId"].as_str().unwrap();
        let webhook =
            until(|| shop.sandbox.deliveries().into_iter().find(|webhook| webhook.order_id == order_id));
        assert_eq!(shop.receive(&webhook), 404);
        // The restored row is older than the payment at the service. A customer may have seen the payment's
        // credentials, so its failure does not allow another payment.
        assert_eq!(shop.receive(&end), 200);
        shop.line(&["settle"]);
        let attention = shop.run(&["attention"]).stdout;
        assert!(attention.contains("order_unproven") && attention.contains(order_id), "{attention}");

        shop.run(&["resume", "--note", "compared with the orders of the shop"]);
        assert_eq!(shop.pay("order-kept").line()["orderId"], kept["orderId"]);
        let lost = shop.pay_from("order-lost", "never-pays");
        assert!(lost.stdout.contains("\"unknown\""), "{}{}", lost.stdout, lost.stderr);
        assert_eq!(shop.sandbox.requests("newPayment"), sent, "what is known is not paid again");
        // The operator decided nothing about the missing row. Only such a decision would prevent this second
        // payment.
        assert_ne!(shop.pay("order-missing").line()["orderId"], missing["orderId"]);
    }
}
