//! Signers of the host: nothing is sent unless the signature fits the signer's public key.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use crate::common::reply::success;
use crate::common::server::Server;
use crate::common::{KEY_ID, ORDER, merchant, service, summary};
use merchantpay::{
    Client, Code, Config, Error, Keypair, Outcome, PrivateKey, Protocol, PublicKey, Signature, Signer,
    operation,
};

type Sign = fn(&PrivateKey, &[u8]) -> Result<Signature, Error>;

/// A signer with the merchant's public key.
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

/// A signer whose key is gone after the first signature.
struct Gone(AtomicBool);

impl Signer for Gone {
    fn public_key(&self) -> PublicKey {
        assert!(!self.0.load(Ordering::SeqCst), "the module is gone");
        merchant().public_key()
    }

    fn sign(&self, message: &[u8]) -> Result<Signature, Error> {
        self.0.store(true, Ordering::SeqCst);
        Ok(merchant().private_key().sign(message))
    }
}

#[test]
fn wrong_or_failed_signature_is_not_sent() {
    let cases: [(Sign, Code, &str); 7] = [
        (|_, _| Ok(Signature::from_bytes([7; 64])), Code::InvalidKey, "does not verify"),
        (|key, _| Ok(key.sign(br#"{"orderId":"other"}"#)), Code::InvalidKey, "does not verify"),
        (
            |_, message| Ok(Keypair::generate()?.private_key().sign(message)),
            Code::InvalidKey,
            "does not verify",
        ),
        (|_, _| Err(Error::invalid_key("the card is locked")), Code::InvalidKey, "locked"),
        (|_, _| Err(Error::signer_failed("the module does not answer")), Code::Signer, "does not answer"),
        (|_, _| Err(Error::internal(Outcome::Unknown, "who knows")), Code::Internal, "who knows"),
        (|_, _| panic!("the module is gone"), Code::Signer, "panicked"),
    ];
    let server = Server::replying(success());
    let (url, key) = (server.url(), service().public_key());
    let check = |config: Config, code: Code, text: &str| {
        for error in [
            config.protocol().unwrap().prepare(operation::confirm(ORDER)).map(drop).unwrap_err(),
            Client::new(config).unwrap().confirm(ORDER).map(drop).unwrap_err(),
        ] {
            assert_eq!(summary(&error), (code, Outcome::NotSent, None), "{text}: {error}");
            assert!(error.message().contains(text) && error.order_id() == Some(ORDER), "{error}");
            assert_eq!(error.is_transient(), code == Code::Signer, "{text}");
        }
    };
    for (sign, code, text) in cases {
        check(Config::new(&url, KEY_ID, Host(sign), key), code, text);
        check(Config::new(&url, KEY_ID, Arc::new(Host(sign)) as Arc<dyn Signer>, key), code, text);
    }
    for _ in 0..2 {
        let gone = Config::new(&url, KEY_ID, Gone(false.into()), key);
        let error = Client::new(gone).unwrap().confirm(ORDER).unwrap_err();
        assert_eq!(summary(&error), (Code::Signer, Outcome::NotSent, None), "{error}");
    }
    assert_eq!(server.finish().connections, 0);
}

/// A signer that gives up after its call was interrupted.
struct Interrupted(Arc<Barrier>);

impl Signer for Interrupted {
    fn public_key(&self) -> PublicKey {
        merchant().public_key()
    }

    fn sign(&self, _: &[u8]) -> Result<Signature, Error> {
        self.0.wait();
        self.0.wait();
        Err(Error::signer_failed("it gave up"))
    }
}

#[test]
fn call_that_is_interrupted_while_it_is_signed_is_cancelled() {
    let (server, barrier) = (Server::replying(success()), Arc::new(Barrier::new(2)));
    let signer = Interrupted(Arc::clone(&barrier));
    let client = Client::new(Config::new(server.url(), KEY_ID, signer, service().public_key())).unwrap();
    let error = thread::scope(|scope| {
        let call = scope.spawn(|| client.confirm(ORDER).unwrap_err());
        barrier.wait();
        client.interrupt();
        barrier.wait();
        call.join().unwrap()
    });
    assert_eq!(summary(&error), (Code::Cancelled, Outcome::NotSent, None), "{error}");
    assert_eq!(error.order_id(), Some(ORDER));
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
    let protocol = Protocol::new(url, KEY_ID, Arc::new(right), &[server_key], &[]).unwrap();
    assert!(protocol.prepare(operation::confirm(ORDER)).is_ok());
}
