//! A journal is of one account.

use merchantpay::{Client, Code, Config, Keypair, Outcome};
use merchantpay_journal::Journal;
use merchantpay_journal::operator::Operator;
use merchantpay_sandbox::Sandbox;

use crate::shop::{Shop, client, good, options};

fn of(shop: &Shop, url: &str, key_id: &str) -> Client {
    let key = shop.sandbox.merchant_private_key().unwrap().clone();
    Client::new(Config::new(url, key_id, key, shop.sandbox.server_public_key())).unwrap()
}

#[test]
fn other_key_id_or_base_url_is_refused_even_for_an_empty_journal() {
    let shop = Shop::new();
    drop(shop.journal());
    let other = Sandbox::start(options()).unwrap();
    let key_id = shop.sandbox.merchant_key_id();
    for (client, word) in [
        (client(&other), "base URL"),
        (of(&shop, "http://127.0.0.1:9", key_id), "base URL"),
        (of(&shop, shop.sandbox.url(), "shop-B"), "key id"),
    ] {
        let error = Journal::open(&client, shop.config()).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
        assert!(error.message().contains(word), "{error}");
        assert!(!error.message().contains("shop-B") && !error.message().contains(":9"), "{error}");
    }
    shop.journal().pay("order", &good()).unwrap();
}

#[test]
fn two_accounts_that_open_one_new_journal_at_once_do_not_share_it() {
    for _ in 0..8 {
        let shop = Shop::new();
        drop(shop.journal());
        crate::shop::sql(&shop.file(), "DELETE FROM merchantpay_settings WHERE name <> 'layout'");
        let opened = std::thread::scope(|scope| {
            let open = |key_id: &'static str| {
                scope.spawn({
                    let shop = &shop;
                    move || Journal::open(&of(shop, shop.sandbox.url(), key_id), shop.config()).is_ok()
                })
            };
            [open("A"), open("B")].map(|opened| opened.join().unwrap())
        });
        assert_eq!(opened.iter().filter(|is| **is).count(), 1);
    }
}

#[test]
fn rotation_is_allowed_before_it_happens() {
    let shop = Shop::new();
    let operator = Operator::of(&shop.journal());
    operator.allow_key("new-key").unwrap();
    operator.allow_url("https://new.example/").unwrap();
    let (url, key_id) = (shop.sandbox.url(), shop.sandbox.merchant_key_id());
    for (url, key_id) in [(url, key_id), (url, "new-key"), ("https://new.example", key_id)] {
        Journal::open(&of(&shop, url, key_id), shop.config()).unwrap();
    }
    assert!(Journal::open(&of(&shop, url, "third"), shop.config()).is_err());
    assert!(operator.allow_key(" ").is_err());
}

#[test]
fn key_itself_may_change() {
    let shop = Shop::new();
    drop(shop.journal());
    let key = Keypair::generate().unwrap().private_key().clone();
    let config = Config::new(
        shop.sandbox.url(),
        shop.sandbox.merchant_key_id(),
        key,
        shop.sandbox.server_public_key(),
    );
    Journal::open(&Client::new(config).unwrap(), shop.config()).unwrap();
}
