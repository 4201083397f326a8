//! Signers of the host: nothing is sent unless the signature fits the signer's public key.

use std::sync::Arc;

use crate::common::reply::success;
use crate::common::server::Server;
use crate::common::{KEY_ID, ORDER, merchant, service, summary};
use merchantpay::{
    Client, Code, Config, Error, Keypair, Outcome, PrivateKey, Protocol, PublicKey, Signature, Signer,
    operation,
};

type Sign = fn(&PrivateKey, &[u8]) -> Result<Signature, Error>;

/// A signer that reports the merchant's public key.
#[derive(Clone, Copy)]
struct Host(Sign);

impl Signer for Host {
    fn public_key(&self) -> PublicKey {
        merchant().public_key()
    }

    fn sign(&self, message: &[u8]) -> Result<Signature, Error> {
        (self.0)(merchant().private_key(), message)
    }
}

/// A signer that reports another key than the one with which it signs.
struct OtherPublicKey(PublicKey);

impl Signer for OtherPublicKey {
    fn public_key(&self) -> PublicKey {
        self.0
    }

    fn sign(&self, message: &[u8]) -> Result<Signature, Error> {
        Ok(merchant().private_key().sign(message))
    }
}

const WRONG: [(&str, Sign); 7] = [
    ("no signature", |_, _| Ok(Signature::from_bytes([7; 64]))),
    ("zeros", |_, _| Ok(Signature::from_bytes([0; 64]))),
    ("no bytes signed", |key, _| Ok(key.sign(b""))),
    ("one byte more", |key, message| Ok(key.sign(&[message, b"\n"].concat()))),
    ("one byte less", |key, message| Ok(key.sign(&message[1..]))),
    ("another order", |key, _| Ok(key.sign(br#"{"orderId":"other"}"#))),
    ("another key", |_, message| Ok(Keypair::generate()?.private_key().sign(message))),
];

#[track_caller]
fn assert_not_sent<T>(result: Result<T, Error>, code: Code, text: &str) {
    let error = result.err().unwrap_or_else(|| panic!("signed: {text}"));
    assert_eq!(summary(&error), (code, Outcome::NotSent, None), "{text}: {error}");
    assert!(error.message().contains(text), "{error}");
    assert_eq!(error.order_id(), Some(ORDER), "{text}");
    assert_eq!(error.is_transient(), code == Code::Signer, "{text}");
}

#[test]
fn every_signature_of_a_host_is_checked_before_it_is_sent() {
    let server = Server::replying(success());
    let refused = |config: Config| {
        let text = "does not verify";
        assert_not_sent(
            config.protocol().unwrap().prepare(operation::confirm(ORDER)),
            Code::InvalidKey,
            text,
        );
        assert_not_sent(Client::new(config).unwrap().confirm(ORDER), Code::InvalidKey, text);
    };
    for (what, sign) in WRONG {
        println!("{what}");
        let key = service().public_key();
        refused(Config::new(server.url(), KEY_ID, Host(sign), key));
        refused(Config::new(server.url(), KEY_ID, Arc::new(Host(sign)), key));
        refused(Config::new(server.url(), KEY_ID, Arc::new(Host(sign)) as Arc<dyn Signer>, key));
        let protocol =
            Protocol::new("https://pay.example", KEY_ID, Arc::new(Host(sign)), &[key], &[]).unwrap();
        assert_not_sent(protocol.prepare(operation::confirm(ORDER)), Code::InvalidKey, "does not verify");
    }
    let other = OtherPublicKey(Keypair::generate().unwrap().public_key());
    refused(Config::new(server.url(), KEY_ID, other, service().public_key()));
    assert_eq!(server.finish().connections, 0);
}

#[test]
fn a_failing_signer_sends_nothing() {
    let server = Server::replying(success());
    let failures: [(Sign, Code, &str); 4] = [
        (|_, _| Err(Error::invalid_key("the card is locked")), Code::InvalidKey, "locked"),
        (|_, _| Err(Error::signer_failed("the module does not answer")), Code::Signer, "does not answer"),
        (|_, _| Err(Error::internal(Outcome::Unknown, "who knows")), Code::Internal, "who knows"),
        (|_, _| panic!("the module is gone"), Code::Signer, "panicked"),
    ];
    for (sign, code, text) in failures {
        let config = Config::new(server.url(), KEY_ID, Host(sign), service().public_key());
        assert_not_sent(Client::new(config).unwrap().confirm(ORDER), code, text);
    }
    assert_eq!(server.finish().connections, 0);
}

#[test]
fn a_signer_that_panics_when_its_key_is_checked_sends_nothing() {
    struct Gone(std::sync::atomic::AtomicBool);
    impl Signer for Gone {
        fn public_key(&self) -> PublicKey {
            assert!(!self.0.load(std::sync::atomic::Ordering::SeqCst), "the module is gone");
            merchant().public_key()
        }

        fn sign(&self, message: &[u8]) -> Result<Signature, Error> {
            self.0.store(true, std::sync::atomic::Ordering::SeqCst);
            Ok(merchant().private_key().sign(message))
        }
    }
    let server = Server::replying(success());
    let config = Config::new(server.url(), KEY_ID, Gone(false.into()), service().public_key());
    assert_not_sent(Client::new(config).unwrap().confirm(ORDER), Code::Signer, "panicked");
    assert_eq!(server.finish().connections, 0);
}

#[test]
fn only_a_signer_of_the_host_is_a_callback() {
    let key = merchant().private_key().clone();
    let has_callbacks = |config| Client::new(config).unwrap().has_callbacks();
    let (url, server_key) = ("https://pay.example", service().public_key());
    assert!(!has_callbacks(Config::new(url, KEY_ID, key.clone(), server_key)));
    assert!(!has_callbacks(Config::new(url, KEY_ID, Arc::new(key), server_key)));
    let right = Host(|key, message| Ok(key.sign(message)));
    assert!(has_callbacks(Config::new(url, KEY_ID, right, server_key)));
    let protocol = Protocol::new(url, KEY_ID, right, &[server_key], &[]).unwrap();
    assert!(protocol.prepare(operation::confirm(ORDER)).is_ok());
}
