//! The merchant's receiver of webhooks, for these tests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use merchantpay::{Event, PublicKey, WebhookVerifier};

use crate::service::PATIENCE;

/// The address that receives webhooks. Webhooks that come before [`Hooks::open`] wait in the listener's
/// queue.
pub struct Hooks {
    listener: TcpListener,
    token: String,
}

impl Hooks {
    pub fn new() -> Hooks {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).unwrap();
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Hooks { listener: TcpListener::bind("127.0.0.1:0").unwrap(), token }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hooks/{}", self.listener.local_addr().unwrap(), self.token)
    }

    pub fn open(self, key: PublicKey) -> Webhooks {
        let (sender, events) = mpsc::channel();
        let verifier = WebhookVerifier::new(key);
        std::thread::spawn(move || {
            for caller in self.listener.incoming() {
                // A request whose sender was killed is incomplete.
                let Some((path, signature, body)) = read(&caller.unwrap()) else { continue };
                assert_eq!(path, format!("/hooks/{}", self.token));
                if sender.send(verifier.verify(&body, &signature, None).unwrap()).is_err() {
                    return;
                }
            }
        });
        Webhooks(events)
    }
}

/// The events that were verified.
pub struct Webhooks(mpsc::Receiver<Event>);

impl Webhooks {
    pub fn next(&self) -> Event {
        self.0.recv_timeout(PATIENCE).expect("a webhook")
    }
}

fn read(mut caller: &TcpStream) -> Option<(String, String, Vec<u8>)> {
    let mut lines = BufReader::new(caller);
    let mut line = String::new();
    lines.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut signature, mut length) = (None, None);
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name {
            "x-signature" => signature = Some(value.to_owned()),
            "content-length" => length = value.parse::<usize>().ok(),
            _ => {}
        }
    }
    let mut body = vec![0; length?];
    lines.read_exact(&mut body).ok()?;
    // Ignores a failed write: the sender may have been killed.
    let _ = caller.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    Some((path, signature?, body))
}
