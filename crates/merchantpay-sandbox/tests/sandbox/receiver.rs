//! A merchant's receiver on a plain socket: it verifies webhooks and answers as the test decides.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use merchantpay::{Error, Event, WebhookVerifier};
use merchantpay_sandbox::Sandbox;

use crate::common::PATIENCE;

pub struct Webhook {
    pub event: Result<Event, Error>,
    pub body: String,
}

pub struct Receiver {
    pub url: String,
    webhooks: mpsc::Receiver<Webhook>,
}

impl Receiver {
    /// Starts a receiver that answers with these statuses in turn, then with 200.
    pub fn start(sandbox: &Sandbox, statuses: &[u16]) -> Receiver {
        let verifier = WebhookVerifier::with_keys(
            &[sandbox.server_public_key()],
            &[sandbox.server_key_id().to_owned()],
            Some(sandbox.merchant_key_id()),
        )
        .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook/4f1c", listener.local_addr().unwrap());
        let (sender, webhooks) = mpsc::channel();
        let statuses = statuses.to_vec();
        std::thread::spawn(move || {
            let mut statuses = statuses.into_iter();
            for stream in listener.incoming() {
                let status = statuses.next().unwrap_or(200);
                if sender.send(receive(stream.unwrap(), &verifier, status)).is_err() {
                    return;
                }
            }
        });
        Receiver { url, webhooks }
    }

    pub fn next(&self) -> Webhook {
        self.webhooks.recv_timeout(PATIENCE).unwrap()
    }
}

fn receive(stream: TcpStream, verifier: &WebhookVerifier, status: u16) -> Webhook {
    let mut reader = BufReader::new(stream);
    let (mut signature, mut key_id, mut length) = (String::new(), None, 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            if line.trim_end().is_empty() {
                break;
            }
            assert!(line.starts_with("POST /hook/4f1c "), "{line}");
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "x-signature" => signature = value.to_owned(),
            "x-keyid" => key_id = Some(value.to_owned()),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    write!(reader.get_mut(), "HTTP/1.1 {status} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        .unwrap();
    Webhook {
        event: verifier.verify(&body, &signature, key_id.as_deref()),
        body: String::from_utf8(body).unwrap(),
    }
}
