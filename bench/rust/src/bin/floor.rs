//! Measures the floor, the lowest cost of a signed call: it makes one signature, one write and one read, and
//! verifies one signature, with the core's own `PrivateKey::sign` and `PublicKey::verifies`. Nothing else is
//! checked, parsed or retried, and there is no deadline.

use std::io::{Read, Write};
use std::net::TcpStream;

use merchantpay::{PrivateKey, PublicKey, Signature};
use merchantpay_bench::{KEY_ID, Result, Settings, expect, serve};

struct Floor {
    settings: Settings,
    private_key: PrivateKey,
    server_public_key: PublicKey,
}

fn main() -> Result<()> {
    let settings = Settings::read()?;
    let floor = Floor {
        private_key: PrivateKey::from_base64(&settings.private_key)?,
        server_public_key: PublicKey::from_base64(&settings.server_public_key)?,
        settings,
    };
    let mut lines = [floor.line()?, floor.line()?];
    serve(|task, count| match task {
        "status" => (0..count).try_for_each(|_| floor.status(&mut lines[0])),
        // One thread, or two threads together, make `count` × 100 calls.
        "threads1" => floor.by_threads(&mut lines[..1], count),
        "threads2" => floor.by_threads(&mut lines, count),
        _ => Err(format!("no such task: {task}").into()),
    })
}

/// A connection, and the memory for a reply from it.
struct Line {
    connection: TcpStream,
    buffer: Vec<u8>,
}

impl Floor {
    fn line(&self) -> Result<Line> {
        let connection = TcpStream::connect(self.settings.url.trim_start_matches("http://"))?;
        connection.set_nodelay(true)?;
        Ok(Line { connection, buffer: vec![0; 4096] })
    }

    fn by_threads(&self, lines: &mut [Line], hundreds: usize) -> Result<()> {
        let calls = hundreds * 100 / lines.len();
        std::thread::scope(|scope| {
            let share = |line: &mut Line| {
                (0..calls).try_for_each(|_| self.status(line)).map_err(|error| error.to_string())
            };
            let running: Vec<_> = lines.iter_mut().map(|line| scope.spawn(move || share(line))).collect();
            running.into_iter().try_for_each(|thread| {
                thread.join().map_err(|_| "a thread has panicked")?.map_err(Into::into)
            })
        })
    }

    fn body(&self) -> String {
        format!("{{\"orderId\":\"{}\"}}", self.settings.order_id)
    }

    fn status(&self, line: &mut Line) -> Result<()> {
        let signature = self.private_key.sign(self.body().as_bytes());
        let reply = self.trip(line, &signature.to_base64())?;
        let (head, body) = reply.split_once("\r\n\r\n").ok_or("no reply")?;
        let signature = head
            .split_once("X-Signature: ")
            .and_then(|(_, rest)| Signature::from_base64(rest.get(..88)?))
            .ok_or("no signature")?;
        expect(self.server_public_key.verifies(body.as_bytes(), &signature))
    }

    fn trip<'l>(&self, line: &'l mut Line, signature: &str) -> Result<&'l str> {
        let body = self.body();
        let request = format!(
            "POST /api/v1/merchant/pay/status HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nX-KeyId: {KEY_ID}\r\nX-Signature: {signature}\r\n\r\n{body}",
            body.len()
        );
        line.connection.write_all(request.as_bytes())?;
        // The server writes its small reply in one write, so one read returns all of it.
        let count = line.connection.read(&mut line.buffer)?;
        Ok(std::str::from_utf8(&line.buffer[..count])?)
    }
}
