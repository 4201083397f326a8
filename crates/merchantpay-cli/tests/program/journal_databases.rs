//! Tests URLs of a journal that cannot be used. `tests/databases` tests the URLs of real servers.

use std::net::TcpListener;

use crate::common::{program, run};
use crate::journal_shop::Shop;

/// The error's message of a command with this URL.
fn refused(shop: &Shop, url: &str, status: i32) -> String {
    let mut command = shop.command(&["stats"]);
    command.env("MERCHANTPAY_JOURNAL", url).env("MERCHANTPAY_JOURNAL_PASSWORD", "secret-1");
    let ran = run(command);
    assert_eq!(ran.status, status, "{url}: {}", ran.stderr);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    ran.error()["message"].as_str().unwrap().to_owned()
}

#[test]
fn an_argument_with_a_password_is_refused_before_anything_else_and_not_repeated() {
    for args in [
        &["journal", "stats", "--journal", "postgresql://shop:secret@db.example/payments"][..],
        &["journal", "stats", "--journal=mysql://shop:secret@db.example/payments"],
        &["journal", "stats", "--journal", "postgresql://shop@db.example/payments?password=secret"],
        &["journal", "nonsense", "mysql://shop:secret@db.example/payments", "--bogus"],
        &["journal", "init", "--journal", "postgres://shop:secret@db.example/payments"],
    ] {
        let ran = run(program(args));
        let message = ran.error()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("an argument contains a database's password"), "{message}");
        assert_eq!(ran.status, 2);
        assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    }
}

#[test]
fn a_wrong_url_is_wrong_input() {
    let shop = Shop::new();
    for (url, why) in [
        ("oracle://shop@db.example/payments", "must begin with postgresql:// or mysql://"),
        ("postgresql://db.example/payments", "names no user"),
        ("mysql://shop:secret@db.example/", "must end with the name of one database"),
        ("postgresql://shop:secret@db.example/payments?sslmode=prefer", "unencrypted"),
        (
            "mysql://shop:secret@db.example/payments?ssl-ca=/nonexistent.pem",
            "/nonexistent.pem cannot be read",
        ),
    ] {
        let message = refused(&shop, url, 2);
        assert!(message.contains(why), "{url}: {message}");
    }
}

#[test]
fn a_server_that_is_absent_or_does_not_answer_is_named() {
    let shop = Shop::new();
    // The system completes connections even if no program accepts them.
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let silent = silent.local_addr().unwrap();
    for scheme in ["postgresql", "mysql"] {
        let message = refused(&shop, &format!("{scheme}://shop@127.0.0.1:1/payments"), 3);
        assert!(message.contains("127.0.0.1:1 cannot be reached"), "{message}");
        if scheme == "postgresql" {
            let url = format!("{scheme}://shop@{silent}/payments?connect_timeout=1");
            let message = refused(&shop, &url, 3);
            assert!(message.contains("does not answer within 1 s"), "{message}");
        }
    }
    let missing = refused(&shop, "mysql:///payments?user=shop&socket=/nonexistent/mysql.sock", 3);
    assert!(missing.contains("/nonexistent/mysql.sock cannot be reached"), "{missing}");
}
