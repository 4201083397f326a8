//! TLS as the URL requires it.

use crate::shop::{Server, Shop};

#[test]
fn tls_protects_as_the_url_asks_for_it() {
    for (server, database) in Server::both() {
        let (mode, ca) = match &server {
            Server::Postgresql(server) => (["sslmode=require", "sslmode=verify-full"], server.ca()),
            Server::Mariadb(server) => (["ssl-mode=REQUIRED", "ssl-mode=VERIFY_IDENTITY"], server.ca()),
        };
        let [require, verify] = mode;
        let ca = ca.display();
        let of = if matches!(server, Server::Mariadb(_)) { "ssl-ca" } else { "sslrootcert" };
        let url = |host: &str, more: &str| server.url("strict", host, &database, &format!("?{more}"));
        let mut shop = Shop::new(url("127.0.0.1", require));
        shop.line(&["init"]);
        shop.url = url("localhost", &format!("{verify}&{of}={ca}"));
        shop.line(&["stats"]);
        for (host, more, why) in [
            ("127.0.0.1", format!("{verify}&{of}={ca}"), "certificate"),
            ("localhost", verify.to_owned(), "certificate"),
        ] {
            shop.url = url(host, &more);
            let message = shop.run(&["stats"]).message(3);
            assert!(message.contains("cannot be reached") && message.contains(why), "{message}");
        }
        shop.url = url("localhost", &format!("{verify}&{of}=/nonexistent.pem"));
        assert!(shop.run(&["stats"]).message(2).contains("/nonexistent.pem cannot be read"));
        if let Server::Postgresql(_) = server {
            shop.url = url("127.0.0.1", &format!("sslmode=verify-ca&sslrootcert={ca}"));
            shop.line(&["stats"]);
        }
    }
}
