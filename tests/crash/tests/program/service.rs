//! The life of a journal in a database: every command, and `settle` as a process that runs permanently.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};

use crate::shop::{Server, Shop, ran, until};

#[test]
fn every_command_works_over_a_database() {
    for (server, database) in Server::both() {
        let shop = Shop::new(server.url("shop", "127.0.0.1", &database, ""));
        assert!(shop.run(&["stats"]).message(3).contains("tables are missing"));
        shop.line(&["init"]);
        shop.line(&["init"]);
        assert_eq!(shop.pay("order-1").line()["standing"], "open");
        assert_eq!(shop.line(&["confirm", "order-1"])["confirm"], "accepted");
        assert_eq!(shop.line(&["wait", "order-1"])["succeeded"], true);
        assert_eq!(shop.line(&["settle"])["done"], 0);
        assert_eq!(shop.line(&["show", "order-1"])["standing"], "final");
        assert_eq!(shop.line(&["news"])["reported"], "final");
        assert_eq!(shop.line(&["acknowledge", "order-1"])["acknowledged"], true);
        assert_eq!(shop.run(&["attention"]).stdout, "");
        assert_eq!(shop.line(&["stats"])["standings"]["final"], 1);
        assert_eq!(shop.line(&["purge", "--before", "2999-01-01"])["purged"], 1);
        let exported = shop.run(&["export"]).stdout;
        assert!(exported.contains("\"order-1\""), "{exported}");
        assert_eq!(shop.run(&["list", "--csv"]).stdout.lines().count(), 2);
    }
}

#[test]
fn a_changed_server_is_printed_until_an_operator_accepts_it() {
    for (server, database) in Server::both() {
        let shop = Shop::new(server.url("shop", "127.0.0.1", &database, ""));
        shop.line(&["init"]);
        let now = shop.line(&["stats"])["server"].as_str().unwrap().to_owned();
        server.run(
            &database,
            &["UPDATE merchantpay_journal_settings SET value = 'the old one' WHERE name = 'server'"],
        );
        let printed = shop.line(&["attention"]);
        assert_eq!(printed["serverChange"]["before"], "the old one");
        assert_eq!(printed["serverChange"]["now"], now);
        assert_eq!(shop.run(&["stats", "--max-attention", "0"]).status, 1);
        assert_eq!(shop.line(&["resolve", "--server", "--note", "a failover"])["resolved"], true);
        assert_eq!(shop.run(&["attention"]).stdout, "");
    }
}

#[test]
fn settle_as_a_service_goes_on_after_the_database_was_restarted() {
    for (mut server, database) in Server::both() {
        let shop = Shop::new(server.url("shop", "127.0.0.1", &database, ""));
        shop.line(&["init"]);
        let pay = |reference: &str| {
            shop.pay(reference).line();
            shop.line(&["confirm", reference]);
        };
        pay("order-1");
        let mut child = shop.command(&["settle", "--every", "50ms"]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("{\"done\":1,"), "{line}");
        server.restart();
        pay("order-2");
        until(|| (shop.line(&["show", "order-2"])["succeeded"] == true).then_some(()));
        terminate(&child);
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    }
}

fn terminate(child: &Child) {
    let kill = format!("kill -TERM {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}
