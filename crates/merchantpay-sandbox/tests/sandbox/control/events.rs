//! The stream of server-sent events.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use merchantpay_sandbox::Sandbox;
use serde_json::{Value, json};

use crate::api::Api;
use crate::common::{ACCOUNT, PATIENCE, awaiting, client, sandbox};

/// Reads the stream on a plain socket, line by line.
pub struct Reader(BufReader<TcpStream>);

impl Reader {
    /// When this function returns, no later event is missed.
    pub fn open(sandbox: &Sandbox) -> Reader {
        let host = sandbox.url().strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET /sandbox/events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut reader = Reader(BufReader::new(stream));
        assert_eq!(reader.until("hello")["sandbox"], true);
        reader
    }

    /// The next event with this name.
    pub fn until(&mut self, name: &str) -> Value {
        let mut wanted = false;
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            if let Some(event) = line.trim_end().strip_prefix("event: ") {
                wanted = event == name;
            }
            if let Some(data) = line.trim_end().strip_prefix("data: ").filter(|_| wanted) {
                return serde_json::from_str(data).unwrap();
            }
        }
    }
}

#[test]
fn events_stream_in_order() {
    let sandbox = sandbox();
    let (client, api, mut reader) = (client(&sandbox), Api::of(&sandbox), Reader::open(&sandbox));
    let order_id = awaiting(&client, ACCOUNT);
    assert_eq!(reader.until("payment")["state"], "searching");
    assert_eq!(reader.until("payment"), api.get("/sandbox/payments")["payments"][0], "as the list shows it");
    let exchange = reader.until("exchange");
    assert_eq!((&exchange["operation"], &exchange["orderId"]), (&json!("newPayment"), &json!(order_id)));
    api.change("/sandbox/faults", r#"{"kind":"unsigned","operation":"getStatus"}"#);
    assert_eq!(reader.until("faults")["faults"][0]["kind"], "unsigned");
    assert!(client.get_status(&order_id).is_err());
    assert_eq!(reader.until("faults"), json!({"faults": [], "stalled": []}));
    assert_eq!(reader.until("exchange")["fault"], "unsigned");
}
