//! Replies of the service, with or without a signature. A reply can be written as a list of headers or as
//! bytes for a socket.

use merchantpay::Prepared;

use super::{ORDER, SERVER_KEY_ID, service};

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

pub fn signed(body: impl AsRef<[u8]>) -> Reply {
    let signature = service().private_key().sign(body.as_ref()).to_base64();
    bare(200, "application/json", body).header("X-KeyId", SERVER_KEY_ID).header("X-Signature", &signature)
}

/// A reply without a signature.
pub fn bare(status: u16, content_type: &str, body: impl AsRef<[u8]>) -> Reply {
    Reply {
        status,
        headers: vec![("Content-Type".to_owned(), content_type.to_owned())],
        body: body.as_ref().to_vec(),
    }
}

pub fn bad_gateway() -> Reply {
    bare(502, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>")
}

/// A successful reply that every operation accepts.
pub fn success() -> Reply {
    signed(format!(
        r#"{{"success":true,"orderId":"{ORDER}","status":"pending","payeeAccount":"2200000000000001","availableAmounts":[1500.50],"otherAmountsPossible":true}}"#
    ))
}

pub fn refusal(description: &str) -> Reply {
    signed(format!(r#"{{"success":false,"errorDescription":"{description}"}}"#))
}

impl Reply {
    pub fn status(mut self, status: u16) -> Reply {
        self.status = status;
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Replaces every header with this name.
    pub fn with(mut self, name: &str, value: &str) -> Reply {
        self.headers.retain(|(header, _)| header != name);
        self.header(name, value)
    }

    /// Replaces the body, and keeps the signature of the old body.
    pub fn body(mut self, body: impl AsRef<[u8]>) -> Reply {
        self.body = body.as_ref().to_vec();
        self
    }

    pub fn open<R>(&self, prepared: Prepared<R>) -> merchantpay::Result<R> {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        prepared.open(self.status, headers, &self.body)
    }

    /// The status line and the headers, without the empty line.
    pub fn head(&self) -> String {
        let mut head = format!("HTTP/1.1 {} Text\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head
    }

    /// The whole reply with a `Content-Length`.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{}Content-Length: {}\r\n\r\n", self.head(), self.body.len()).into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }

    pub fn chunked(&self) -> Vec<u8> {
        let mut bytes = format!("{}Transfer-Encoding: chunked\r\n\r\n", self.head()).into_bytes();
        for chunk in self.body.chunks(1000) {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        bytes
    }
}
