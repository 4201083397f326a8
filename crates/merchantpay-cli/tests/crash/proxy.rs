//! A proxy between client and service, for the points of a call at which only a connection fails.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::spawn;

/// Where the first call stops.
#[derive(Debug, Clone, Copy)]
pub enum Point {
    /// The bytes of the request have arrived, and nobody has read them.
    Unread,
    /// The request took effect, and half of the reply's body was sent.
    MidReply,
}

pub struct Proxy {
    pub port: u16,
    reached: Receiver<()>,
    held: Sender<()>,
}

impl Proxy {
    /// Stops the first connection at a point, and passes later connections on.
    pub fn start(service: u16, point: Point) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let ((at_point, reached), (held, cut)) = (channel(), channel());
        spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            match point {
                // Closing a socket with unread bytes resets the connection.
                Point::Unread => assert_eq!(client.peek(&mut [0]).unwrap(), 1),
                Point::MidReply => {
                    let mut upstream = connect(service);
                    upstream.write_all(&message(&mut client).0).unwrap();
                    let (reply, body) = message(&mut upstream);
                    client.write_all(&reply[..reply.len() - body / 2]).unwrap();
                }
            }
            at_point.send(()).unwrap();
            let _ = cut.recv();
            drop(client);
            for client in listener.incoming() {
                let client = client.unwrap();
                let upstream = connect(service);
                pass(client.try_clone().unwrap(), upstream.try_clone().unwrap());
                pass(upstream, client);
            }
        });
        Proxy { port, reached, held }
    }

    pub fn wait(&self) {
        self.reached.recv_timeout(crate::service::PATIENCE).unwrap();
    }

    /// Ends the connection that stands at the point.
    pub fn cut(&self) {
        self.held.send(()).unwrap();
    }
}

fn connect(service: u16) -> TcpStream {
    TcpStream::connect((Ipv4Addr::LOCALHOST, service)).unwrap()
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}

/// One message of HTTP, and the size of its body.
fn message(stream: &mut TcpStream) -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        bytes.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
    let mut body = vec![0; length.trim().parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    bytes.extend_from_slice(&body);
    (bytes, body.len())
}
