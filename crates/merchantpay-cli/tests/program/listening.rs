//! A running `webhook listen`, for the tests of receiving and of forwarding.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use crate::common::program;
use merchantpay::Keypair;
use serde_json::Value;

/// A running listener, and its output. The listener ends with the test.
pub struct Listening {
    pub child: Child,
    pub out: BufReader<ChildStdout>,
    err: BufReader<ChildStderr>,
    pub url: String,
}

impl Listening {
    pub fn start(service: &Keypair, args: &[&str]) -> Listening {
        let mut command = program(&[&["webhook", "listen", "--port", "0"], args].concat());
        command.env("MERCHANTPAY_SERVER_PUBLIC_KEY", service.public_key().to_base64());
        Listening::run(command)
    }

    pub fn run(mut command: Command) -> Listening {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let mut listening =
            Listening { child, out: BufReader::new(out), err: BufReader::new(err), url: String::new() };
        listening.url = listening.event()["listening"].as_str().unwrap().to_owned();
        listening
    }

    pub fn event(&mut self) -> Value {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub fn error(&mut self) -> Value {
        let mut line = String::new();
        self.err.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))["error"]
            .clone()
    }

    pub fn authority(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches('/')
    }

    /// Sends a POST request and returns the whole answer.
    pub fn post(&self, path: &str, headers: &str, body: &[u8]) -> String {
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        self.raw(&[head.as_bytes(), body].concat())
    }

    pub fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.authority()).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub fn status(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
