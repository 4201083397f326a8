//! Tests of interrupting a call from another thread. The call ends immediately with the correct outcome, and
//! no part of it continues.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::common::reply::success;
use crate::common::server::Server;
use crate::common::tls::{authority, certified};
use crate::common::{LONG, ORDER, client, config, summary};
use merchantpay::{Client, Code, Config, Error, Outcome, Receipt};

#[track_caller]
fn assert_cancelled(error: &Error, outcome: Outcome, what: &str) {
    assert_eq!((error.code(), error.outcome()), (Code::Cancelled, outcome), "{what}: {error}");
    assert!(error.is_transient(), "{what}");
}

#[test]
fn interrupt_ends_the_writing_of_a_request() {
    const LENGTH: usize = 32 * 1024 * 1024;
    let authority = authority();
    for secure in [false, true] {
        let tls = secure.then(|| certified(&authority, "localhost", false));
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let scheme = if secure { "https" } else { "http" };
        let url = format!("{scheme}://localhost:{}", listener.local_addr().unwrap().port());
        let ((report, has_begun), (call_ended, ended)) = (channel(), channel::<()>());
        let peer = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            if let Some(tls) = tls {
                rustls::ServerConnection::new(tls).unwrap().complete_io(&mut stream).unwrap();
            }
            stream.read_exact(&mut [0; 16]).unwrap();
            report.send(()).unwrap();
            let (mut count, mut part) = (0, [0; 64 * 1024]);
            while let Ok(more @ 1..) = stream.read(&mut part) {
                count += more;
            }
            // The peer's own end does not end the call.
            assert_eq!(ended.recv_timeout(LONG), Err(RecvTimeoutError::Disconnected), "the call goes on");
            count
        });
        let mut receipt = Receipt::new(ORDER);
        receipt.add_bytes("scan.pdf", "application/pdf", &b"%PDF".repeat(LENGTH / 4)).unwrap();
        let client = Client::new(config(&url).ca_pem(authority.pem()).timeout(LONG * 10)).unwrap();
        let calling = client.clone();
        let caller = std::thread::spawn(move || calling.attach_receipt(&receipt));
        has_begun.recv().unwrap();
        client.interrupt();
        assert_cancelled(&caller.join().unwrap().unwrap_err(), Outcome::Unknown, scheme);
        drop(call_ended);
        assert!(peer.join().unwrap() < LENGTH, "{scheme}: what was not written before is not written");
        let again = client.get_status(ORDER).expect_err("no more start");
        assert_eq!(summary(&again), (Code::Cancelled, Outcome::NotSent, None), "{again}");
    }
}

#[test]
fn interrupt_ends_connecting() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    // The queue of the listener is full after this. So the next connection attempt gets no answer.
    let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(100));
    let queued: Vec<_> = std::iter::from_fn(|| connect().ok()).collect();
    let client = client(&format!("http://{address}"));
    let calling = client.clone();
    let (report, started) = channel();
    let caller = std::thread::spawn(move || {
        report.send(()).unwrap();
        calling.new_payment(&crate::common::payment_request())
    });
    started.recv().unwrap();
    // The test cannot see when the client begins to connect, so it waits long enough.
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    client.interrupt();
    assert_cancelled(&caller.join().unwrap().unwrap_err(), Outcome::NotSent, "connecting");
    assert!(begun.elapsed() < LONG / 4, "it waited for its deadline: {:?}", begun.elapsed());
    drop(queued);
}

#[test]
fn interrupt_while_signing_sends_nothing() {
    use merchantpay::{Keypair, PublicKey, Result, Signature, Signer};
    struct Slow(Keypair, std::sync::Mutex<(std::sync::mpsc::Sender<()>, Receiver<()>)>);
    impl Signer for Slow {
        fn public_key(&self) -> PublicKey {
            self.0.public_key()
        }

        fn sign(&self, message: &[u8]) -> Result<Signature> {
            let channels = self.1.lock().unwrap();
            channels.0.send(()).unwrap();
            channels.1.recv().unwrap();
            Ok(self.0.private_key().sign(message))
        }
    }
    let server = Server::replying(success());
    let ((asked, is_asked), (go_on, goes_on)) = (channel(), channel());
    let signer = Slow(Keypair::generate().unwrap(), std::sync::Mutex::new((asked, goes_on)));
    let config = Config::new(server.url(), "merchant-1", signer, crate::common::service().public_key());
    let client = Client::new(config).unwrap();
    let calling = client.clone();
    let caller = std::thread::spawn(move || calling.confirm(ORDER));
    is_asked.recv().unwrap();
    client.interrupt();
    go_on.send(()).unwrap();
    assert_cancelled(&caller.join().unwrap().unwrap_err(), Outcome::NotSent, "signing");
    assert_eq!(server.finish().connections, 0);
}
