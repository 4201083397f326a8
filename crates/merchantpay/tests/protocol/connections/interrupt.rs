//! Tests of interrupting a call from another thread. The call ends immediately with the correct outcome, and
//! no part of it continues.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::common::reply::success;
use crate::common::server::Server;
use crate::common::tls::{authority, certified};
use crate::common::{LONG, ORDER, client, config, summary};
use merchantpay::{Client, Code, Config, Error, Outcome, Receipt};

/// A peer that does the first part of an exchange, reports that, and then only reads. It counts the bytes
/// that arrive later. It keeps the connection open until `call_ended` is dropped, so that the peer does not
/// end a wait of the call. If the call continues, the test fails.
struct Peer {
    address: String,
    ready: Receiver<()>,
    call_ended: Sender<()>,
    thread: JoinHandle<usize>,
}

impl Peer {
    fn start(first_part: impl FnOnce(&mut TcpStream) + Send + 'static) -> Peer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (report, ready) = channel();
        let (call_ended, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            first_part(&mut stream);
            report.send(()).unwrap();
            let (mut count, mut part) = (0, [0; 64 * 1024]);
            while let Ok(more @ 1..) = stream.read(&mut part) {
                count += more;
            }
            assert_eq!(ended.recv_timeout(LONG), Err(RecvTimeoutError::Disconnected), "the call goes on");
            count
        });
        Peer { address, ready, call_ended, thread }
    }
}

fn read_head(stream: &mut TcpStream) {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
}

fn read_some(stream: &mut TcpStream) {
    stream.read_exact(&mut [0; 16]).unwrap();
}

/// Interrupts the call when the peer is ready. Returns the call's result and the number of bytes that the
/// peer read afterwards.
fn interrupted(
    config: Config,
    peer: Peer,
    call: impl Fn(&Client) -> Result<(), Error> + Send + 'static,
) -> (Error, usize) {
    let client = Client::new(config.timeout(LONG * 10)).unwrap();
    let calling = client.clone();
    let caller = std::thread::spawn(move || call(&calling));
    peer.ready.recv().unwrap();
    client.interrupt();
    let error = caller.join().unwrap().expect_err("it was interrupted");
    drop(peer.call_ended);
    let after = peer.thread.join().unwrap();
    let again = client.get_status(ORDER).expect_err("no more start");
    assert_eq!(summary(&again), (Code::Cancelled, Outcome::NotSent, None), "{again}");
    (error, after)
}

#[track_caller]
fn assert_cancelled(error: &Error, outcome: Outcome, what: &str) {
    assert_eq!((error.code(), error.outcome()), (Code::Cancelled, outcome), "{what}: {error}");
    assert!(error.is_transient(), "{what}");
}

fn at(peer: &Peer) -> Config {
    config(&format!("http://{}", peer.address)).max_retries(5)
}

#[test]
fn interrupt_ends_the_writing_of_a_request() {
    const LENGTH: usize = 32 * 1024 * 1024;
    let authority = authority();
    for secure in [false, true] {
        let tls = secure.then(|| certified(&authority, "localhost", false));
        let peer = Peer::start(move |stream| match tls {
            Some(tls) => {
                let mut connection = rustls::ServerConnection::new(tls).unwrap();
                connection.complete_io(stream).unwrap();
                read_some(stream);
            }
            None => read_head(stream),
        });
        let mut receipt = Receipt::new(ORDER);
        receipt.add_bytes("scan.pdf", "application/pdf", &b"%PDF".repeat(LENGTH / 4)).unwrap();
        let port = peer.address.rsplit(':').next().unwrap().to_owned();
        let scheme = if secure { "https" } else { "http" };
        let config = config(&format!("{scheme}://localhost:{port}")).ca_pem(authority.pem());
        let (error, after) =
            interrupted(config, peer, move |client| client.attach_receipt(&receipt).map(drop));
        assert_cancelled(&error, Outcome::Unknown, scheme);
        assert!(after < LENGTH, "{scheme}: what was not written before is not written");
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
