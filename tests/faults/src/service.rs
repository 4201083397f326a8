//! The service: it executes signed and complete requests, records each effect, and signs its replies.

use std::io;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use merchantpay::Amount;
use rustls::ServerConfig;

use crate::case::Transport;
use crate::channel::{Channel, Marks};
use crate::client::{SERVICE, SERVICE_KEY_ID, TLS, lock};
use crate::link::Link;
use crate::operation::{SUM, Terms};
use crate::request::{Received, receive};

/// The order ids and accounts by which the service distinguishes the calls of a trial.
pub(crate) const REFERENCES: [&str; 3] = [WARM_UP, DISTURBED, CLEAN];
/// Opens the connection that the disturbed call can use.
pub(crate) const WARM_UP: &str = "order-warm-up";
pub(crate) const DISTURBED: &str = "order-disturbed";
/// After the disturbed call.
pub(crate) const CLEAN: &str = "order-clean";

/// A request that could take effect: complete, and signed by the merchant.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) path: &'static str,
    pub(crate) reference: Option<&'static str>,
    /// Of the reply.
    pub(crate) terms: Terms,
    pub(crate) connection: usize,
    pub(crate) marks: Marks,
}

pub(crate) struct Service {
    tls: Option<Arc<ServerConfig>>,
    chunked: bool,
    effects: Mutex<Vec<Effect>>,
}

impl Service {
    pub(crate) fn new(transport: Transport) -> Service {
        let tls = (transport == Transport::Tls).then(|| Arc::clone(&TLS));
        Service { tls, chunked: transport == Transport::Chunked, effects: Mutex::default() }
    }

    pub(crate) fn effects(&self) -> Vec<Effect> {
        lock(&self.effects).clone()
    }

    /// Ignores errors, because the client notices them.
    pub(crate) fn serve(&self, stream: Arc<TcpStream>, link: Arc<Link>, connection: usize) {
        let Ok(mut channel) = Channel::new(stream, link, self.tls.clone()) else { return };
        let _ = self.converse(&mut channel, connection);
        channel.close();
    }

    fn converse(&self, channel: &mut Channel, connection: usize) -> io::Result<()> {
        let mut handshake = channel.open()?;
        loop {
            let request = match receive(channel)? {
                Received::End => return Ok(()),
                Received::Garbled => return channel.write(REFUSAL.as_bytes()),
                Received::Request(request) => request,
            };
            let (path, request_start, request_end) = (request.path, request.start, channel.wire.received);
            let mentions = |reference: &&str| {
                request.body.windows(reference.len()).any(|part| part == reference.as_bytes())
            };
            let reference = REFERENCES.into_iter().find(mentions);
            // After further bytes only this request is answered.
            let closes = request.is_followed || channel.wire.has_more();
            channel.flush()?;
            let reply_start = channel.wire.sent;
            // The effect must be recorded before the reply is sent, whose end is known only afterwards.
            let marks = Marks {
                handshake: handshake.take(),
                request_start,
                request_end,
                reply_start,
                reply_end: reply_start,
            };
            let (number, reply) = {
                let mut effects = lock(&self.effects);
                let number = effects.len();
                let terms = terms(path, reference.unwrap_or_default(), number);
                let reply = signed(&terms.json, self.chunked, closes);
                effects.push(Effect { path, reference, terms, connection, marks });
                (number, reply)
            };
            channel.write(reply.as_bytes())?;
            lock(&self.effects)[number].marks.reply_end = channel.wire.sent;
            if closes {
                return Ok(());
            }
        }
    }
}

/// Contract, section 4.
fn terms(path: &str, reference: &str, number: usize) -> Terms {
    let sum = SUM.parse::<Amount>().ok();
    let created = format!("{reference}-{number}");
    let credentials = |order: &str| {
        format!(
            r#""orderId":"{order}","sum":{SUM},"payeeAccount":"40817810000000000001","payeeAccountBank":"Bank","payeeName":"Ivan I.","dealSum":1455.49,"dealCurrency":"RUB","dealRate":0.97,"deeplink":"https://pay.example/frame/{order}""#
        )
    };
    let (order_id, sum, fields) = match path {
        "/available" => (
            None,
            sum,
            format!(r#""availableAmounts":[{SUM},3000],"otherAmountsPossible":true,"account":"{reference}""#),
        ),
        "/new" => (Some(created.clone()), sum, format!(r#"{},"currency":"RUB""#, credentials(&created))),
        "/new-async" => (Some(created.clone()), None, format!(r#""orderId":"{created}""#)),
        "/status" => {
            (Some(reference.to_owned()), sum, format!(r#"{},"status":"pending""#, credentials(reference)))
        }
        _ => (Some(reference.to_owned()), None, format!(r#""orderId":"{reference}""#)),
    };
    Terms { order_id, sum, json: format!(r#"{{"success":true,{fields}}}"#) }
}

fn signed(body: &str, chunked: bool, closes: bool) -> String {
    let signature = SERVICE.private_key().sign(body.as_bytes()).to_base64();
    let connection = if closes { "close" } else { "keep-alive" };
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-KeyId: {SERVICE_KEY_ID}\r\nX-Signature: {signature}\r\n\
         Connection: {connection}\r\n{}",
        if chunked { in_chunks(body) } else { format!("Content-Length: {}\r\n\r\n{body}", body.len()) }
    )
}

pub(crate) const LAST_CHUNK: &str = "0\r\n\r\n";

fn in_chunks(body: &str) -> String {
    let (first, second) = body.split_at(body.len() / 2);
    format!(
        "Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n{LAST_CHUNK}",
        first.len(),
        second.len()
    )
}

/// The last reply on its connection.
const REFUSAL: &str = "HTTP/1.1 400 Refused\r\nConnection: close\r\nContent-Length: 7\r\n\r\nrefused";
