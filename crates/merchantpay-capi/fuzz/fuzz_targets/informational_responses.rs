//! Sends any bytes before the response to `getStatus`. The client must skip informational responses. After
//! any other bytes the call must end with an error, and the outcome must not be `not_sent`.
#![no_main]

mod common;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use common::{KEY, MERCHANT_KEY};
use libfuzzer_sys::fuzz_target;
use merchantpay::{Client, Config, Outcome};

/// What the service writes before its response, and the number of requests that it has read.
static BEFORE: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static REQUESTS: AtomicUsize = AtomicUsize::new(0);

static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    // The thread never ends. Otherwise the leak check would report memory that the C library keeps for it.
    std::thread::spawn(move || listener.incoming().flatten().for_each(answer));
    let config = Config::new(url, "merchant", MERCHANT_KEY.clone(), KEY.public_key());
    Client::new(config.timeout(Duration::from_secs(5)).max_retries(0)).expect("a client")
});

/// Reads a request, whose JSON ends with a brace, and writes the response.
fn answer(mut stream: TcpStream) {
    let (mut request, mut part) = (Vec::new(), [0; 4096]);
    while !request.ends_with(b"}") {
        let Ok(size @ 1..) = stream.read(&mut part) else { return };
        request.extend_from_slice(&part[..size]);
    }
    REQUESTS.fetch_add(1, Ordering::SeqCst);
    let body = br#"{"success":true,"orderId":"o-1","status":"pending"}"#;
    let (len, signature) = (body.len(), KEY.sign(body).to_base64());
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {len}\r\nX-Signature: {signature}\r\nConnection: close\r\n\r\n"
    );
    let before = BEFORE.lock().expect("no panic").clone();
    let _ = stream.write_all(&[&before, head.as_bytes(), body].concat());
}

fuzz_target!(|data: &[u8]| {
    *BEFORE.lock().expect("no panic") = data.to_vec();
    let before = REQUESTS.load(Ordering::SeqCst);
    let result = CLIENT.get_status("o-1");
    let was_sent = REQUESTS.load(Ordering::SeqCst) > before;
    match result {
        Ok(payment) => assert!(was_sent && payment.order_id() == "o-1"),
        Err(error) => {
            assert!(!data.is_empty() || !was_sent, "{error}");
            assert!(!was_sent || error.outcome() != Outcome::NotSent, "{error}");
        }
    }
});
