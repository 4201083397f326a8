//! Invalid input: each error is one sentence that names the required change.

use merchantpay_crash::Mariadb;

use crate::shop::{PASSWORD, Server, Shop, until};

#[test]
fn a_password_comes_from_a_variable_or_a_file_and_from_no_argument() {
    for (server, database) in Server::both() {
        let mut shop = Shop::new(server.url("shop", "127.0.0.1", &database, ""));
        shop.line(&["init"]);
        shop.password = None;
        let file = std::env::temp_dir().join(format!("{database}.password"));
        std::fs::write(&file, format!("{PASSWORD}\n")).unwrap();
        assert_eq!(shop.run(&["stats", "--journal-password-file", file.to_str().unwrap()]).status, 0);
        std::fs::remove_file(&file).unwrap();
        let message = shop.run(&["stats", "--journal-password-file", file.to_str().unwrap()]).message(2);
        assert!(message.contains("cannot be read"), "{message}");

        let escaped = PASSWORD.replace('/', "%2F").replace(':', "%3A").replace('@', "%40");
        let url = server.url(&format!("shop:{escaped}"), "127.0.0.1", &database, "");
        let mut command = shop.command(&["stats"]);
        command.env("MERCHANTPAY_JOURNAL", &url);
        assert_eq!(command.status().unwrap().code(), Some(0));
        let message = shop.run(&["stats", "--journal", &url]).message(2);
        assert!(message.contains("an argument contains a database's password"), "{message}");
    }
}

#[test]
fn whoever_may_not_connect_learns_why_in_one_sentence() {
    for (server, database) in Server::both() {
        let mut shop = Shop::new(server.url("shop", "127.0.0.1", &database, ""));
        let port = shop.url.rsplit_once(':').unwrap().1.split_once('/').unwrap().0.to_owned();
        let refusal = |shop: &Shop, why: &str| {
            let message = shop.run(&["stats"]).message(3);
            let begin = format!("the journal failed: 127.0.0.1:{port} ");
            assert!(message.starts_with(&begin) && message.contains(why), "{why}: {message}");
        };
        shop.url = server.url("shop", "127.0.0.1", "absent", "");
        refusal(&shop, "absent");
        shop.url = server.url("strict", "127.0.0.1", &database, "");
        refusal(&shop, if port_is_mysql(&shop.url) { "refuses the user" } else { "pg_hba.conf" });
        shop.url = server.url("shop", "127.0.0.1", &database, "");
        shop.password = Some("wrong");
        refusal(&shop, "password");
        shop.password = None;
        refusal(&shop, "set MERCHANTPAY_JOURNAL_PASSWORD");
    }
}

fn port_is_mysql(url: &str) -> bool {
    url.starts_with("mysql")
}

#[test]
fn a_server_without_tls_is_refused_if_the_url_asks_for_it() {
    let [(postgresql, database), _] = Server::both();
    let url = postgresql.url("shop", "127.0.0.1", &database, "?sslmode=require");
    let shop = Shop::new(url);
    postgresql.run(&database, &["ALTER SYSTEM SET ssl = off"]);
    postgresql.run(&database, &["SELECT pg_reload_conf()"]);
    let refused = until(|| Some(shop.run(&["stats"])).filter(|ran| ran.stderr.contains("offer")));
    assert!(refused.message(3).contains("does not offer TLS"));

    let mariadb = Server::Mariadb(Mariadb::over_tcp(false));
    mariadb.add_users(&database);
    let shop = Shop::new(mariadb.url("shop", "127.0.0.1", &database, "?ssl-mode=REQUIRED"));
    assert!(shop.run(&["stats"]).message(3).contains("does not offer TLS"));
}

#[test]
fn another_accounts_journal_is_refused() {
    for (server, database) in Server::both() {
        let shop = Shop::new(server.url("shop", "127.0.0.1", &database, ""));
        shop.line(&["init"]);
        shop.pay("order-1").line();
        let message = shop.run(&["stats", "--account", "another"]).message(2);
        assert!(message.contains("belongs to another account"), "{message}");
    }
}

#[test]
fn a_user_who_may_only_read_can_look_and_not_pay() {
    for (server, database) in Server::both() {
        let mut shop = Shop::new(server.url("shop", "127.0.0.1", &database, ""));
        shop.line(&["init"]);
        shop.pay("order-1").line();
        shop.url = server.url("reader", "127.0.0.1", &database, "");
        assert_eq!(shop.line(&["stats"])["standings"]["open"], 1);
        let payments = shop.sandbox.requests("newPayment");
        let message = shop.pay("order-2").message(3);
        assert!(message.contains("denied") && message.contains("merchantpay_journal"), "{message}");
        assert_eq!(shop.sandbox.requests("newPayment"), payments, "nothing was sent");
    }
}
