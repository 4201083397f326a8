//! `doctor` names the broken part of the way to the service: DNS, TCP, proxy, TLS or a clock.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};

use merchantpay_services::{Authority, answering, authority, certified, head, serve, tls_before};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::{NOBODY, assert_only_fault, examined, result_of};
use crate::*;

/// The first and the last year of a certificate that is valid whenever this test runs.
const VALID: (i32, i32) = (2020, 2120);

/// The sandbox behind TLS, and a file with the certificate of its CA.
struct Service {
    sandbox: Sandbox,
    authority: Authority,
    folder: Folder,
}

impl Service {
    fn new() -> Service {
        let service = Service { sandbox: sandbox(), authority: authority(), folder: Folder::new() };
        std::fs::write(service.ca_file(), service.authority.pem()).unwrap();
        service
    }

    fn ca_file(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    fn address(&self) -> SocketAddr {
        self.sandbox.url().strip_prefix("http://").unwrap().parse().unwrap()
    }

    /// The port of TLS in front of the sandbox.
    fn tls(&self, name: &str, years: (i32, i32)) -> u16 {
        tls_before(self.address(), certified(&self.authority, &[name], years)).port()
    }

    fn at(&self, url: &str, ca_file: Option<&Path>) -> Command {
        let mut doctor = at(&self.sandbox, &[]);
        doctor.env("MERCHANTPAY_BASE_URL", url).envs(ca_file.map(|file| ("MERCHANTPAY_CA_FILE", file)));
        doctor
    }
}

#[test]
fn certificate_fault_has_own_advice() {
    let service = Service::new();
    let ca_file = service.ca_file();
    let good = format!("https://localhost:{}", service.tls("localhost", VALID));
    let lines = examined(service.at(&good, Some(&ca_file)));
    for check in ["dns", "tcp", "tls", "clock", "service"] {
        assert_eq!(result_of(&lines, check), "ok", "{lines:#?}");
    }
    let tls = lines.iter().find(|line| line.check == "tls").unwrap();
    let parts = ["TLS 1.3", "Authority of a Test", "until 2120-01-01"];
    assert!(parts.iter().all(|part| tls.message.contains(part)), "{tls:?}");

    let asked = service.sandbox.requests("getStatus");
    for (name, years, ca, message, advice) in [
        ("localhost", VALID, None, "Authority of a Test", "MERCHANTPAY_CA_FILE"),
        ("localhost", (2001, 2002), Some(ca_file.as_path()), "expired", "clock"),
        ("localhost", (2110, 2120), Some(&ca_file), "becomes valid", "clock"),
        ("pay.example", VALID, Some(&ca_file), "is for pay.example, not for localhost", "host of the URL"),
    ] {
        let url = format!("https://localhost:{}", service.tls(name, years));
        assert_only_fault(service.at(&url, ca), "tls", message, advice);
    }
    let mut pinned = service.at(&good, Some(&ca_file));
    pinned.env("MERCHANTPAY_PIN_SPKI", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    assert_only_fault(pinned, "tls", "pin", "MERCHANTPAY_PIN_SPKI");

    let plain = service.at(&format!("https://localhost:{}", service.address().port()), None);
    assert_only_fault(plain, "tls", "does not speak TLS on this port", "the scheme and the port");
    let asked = service.sandbox.requests("getStatus") - asked;
    assert_eq!(asked, 0, "nothing signed goes to a server without proof");
}

#[test]
fn unreachable_name_or_port_is_named() {
    let service = Service::new();
    assert_only_fault(
        service.at("https://no-such-host.invalid", None),
        "dns",
        "no-such-host.invalid",
        "spelling",
    );
    let mut refused = service.at(NOBODY, None);
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        refused.env_remove(name);
    }
    assert_only_fault(refused, "tcp", "nothing accepts connections", "port of the URL");
    let mut overlooked = service.at(NOBODY, None);
    overlooked.env("HTTPS_PROXY", "http://proxy.example:3128");
    assert_only_fault(overlooked, "tcp", "nothing accepts connections", "set MERCHANTPAY_PROXY");
}

/// Opens no tunnel without [`PASSWORD`], and keeps what its clients said to it inside TLS.
struct Proxy {
    port: u16,
    heard: Arc<Mutex<String>>,
}

/// "user:secret" in base64.
const PASSWORD: &str = "Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=";

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

impl Proxy {
    fn new(tls: Option<Arc<ServerConfig>>) -> Proxy {
        let heard: Arc<Mutex<String>> = Arc::default();
        let said = Arc::clone(&heard);
        let address = serve(move |stream| {
            let socket = stream.try_clone().unwrap();
            let mut client: Box<dyn Stream> = match tls.clone() {
                Some(tls) => Box::new(StreamOwned::new(ServerConnection::new(tls).unwrap(), stream)),
                None => Box::new(stream),
            };
            let Ok(request) = head(&mut client) else { return };
            let request = String::from_utf8(request).unwrap();
            said.lock().unwrap().push_str(&request);
            if !request.contains(PASSWORD) {
                let refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n";
                return client.write_all(refusal).unwrap();
            }
            let to = request.strip_prefix("CONNECT ").unwrap().split(' ').next().unwrap();
            client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            let server = TcpStream::connect(to).unwrap();
            let pause = Some(Duration::from_millis(2));
            socket.set_read_timeout(pause).and(server.set_read_timeout(pause)).unwrap();
            exchange(&mut client, &server);
        });
        Proxy { port: address.port(), heard }
    }

    fn heard(&self) -> String {
        self.heard.lock().unwrap().clone()
    }
}

fn exchange(client: &mut impl Stream, mut server: &TcpStream) {
    let mut bytes = [0; 16 * 1024];
    let mut carry = |from: &mut dyn Read, to: &mut dyn Write| match from.read(&mut bytes) {
        Ok(0) => false,
        Ok(count) => to.write_all(&bytes[..count]).and_then(|()| to.flush()).is_ok(),
        Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    };
    while carry(client, &mut server) && carry(&mut server, client) {}
}

#[test]
fn proxy_without_tunnel_is_named() {
    let service = Service::new();
    let port = service.tls("localhost", VALID);
    let asking = format!("localhost:{}", Proxy::new(None).port);
    let through = |proxy: String| {
        let mut doctor = service.at(&format!("https://localhost:{port}"), Some(&service.ca_file()));
        doctor.env("MERCHANTPAY_PROXY", proxy);
        doctor
    };
    let lines = examined(through(format!("http://user:secret@{asking}")));
    assert_eq!([result_of(&lines, "proxy"), result_of(&lines, "service")], ["ok", "ok"], "{lines:#?}");
    assert!(lines.iter().all(|line| !line.message.contains("secret")), "{lines:#?}");

    let forbidding = answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    for (proxy, message, advice) in [
        (format!("http://{asking}"), "asks for a user and a password", "user:password@"),
        (format!("http://user:wrong@{asking}"), "refused the user and the password", "correct"),
        (format!("http://{forbidding}"), "HTTP 403", "allow CONNECT to localhost"),
    ] {
        assert_only_fault(through(proxy), "proxy", message, advice);
    }
}

#[test]
fn https_proxy_gets_password_once_trusted() {
    let service = Service::new();
    let ca_file = service.ca_file();
    let port = service.tls("localhost", VALID);
    let doctor = |proxy: &Proxy, ca_file: Option<&Path>| {
        let mut doctor = service.at(&format!("https://localhost:{port}"), ca_file);
        doctor.env("MERCHANTPAY_PROXY", format!("https://user:secret@localhost:{}", proxy.port));
        doctor
    };

    let trusted = Proxy::new(Some(certified(&service.authority, &["localhost"], VALID)));
    let lines = examined(doctor(&trusted, Some(&ca_file)));
    assert_eq!(
        ["proxy", "tls", "service"].map(|check| result_of(&lines, check)),
        ["ok", "ok", "ok"],
        "{lines:#?}"
    );
    assert!(trusted.heard().contains(PASSWORD), "{}", trusted.heard());
    let mut exclusive = doctor(&trusted, Some(&ca_file));
    exclusive.env("MERCHANTPAY_EXCLUSIVE_CA", "1");
    assert_eq!(result_of(&examined(exclusive), "service"), "ok");

    let unknown = authority();
    let (own, ca) = (&service.authority, Some(ca_file.as_path()));
    for (authority, name, years, ca, message, advice) in [
        (own, "localhost", VALID, None, "the proxy's certificate is not trusted", "MERCHANTPAY_CA_FILE"),
        (&unknown, "localhost", VALID, ca, "the proxy's certificate is not trusted", "CA_FILE"),
        (own, "proxy.example", VALID, ca, "not for localhost", "MERCHANTPAY_PROXY"),
        (own, "localhost", (2001, 2002), ca, "the proxy's certificate expired", "clock"),
        (own, "localhost", (2110, 2120), ca, "the proxy's certificate is not valid yet", "clock"),
    ] {
        let proxy = Proxy::new(Some(certified(authority, &[name], years)));
        assert_only_fault(doctor(&proxy, ca), "proxy", message, advice);
        assert_eq!(proxy.heard(), "", "{message}");
    }
}

#[test]
fn fault_behind_proxy_is_not_the_proxys() {
    let service = Service::new();
    let proxy = Proxy::new(Some(certified(&service.authority, &["localhost"], VALID)));
    let plain = answering("HTTP/1.1 200 OK\r\n\r\n");
    let proxy = format!("user:secret@localhost:{}", proxy.port);
    let plain = format!("user:secret@{plain}");
    for (proxy, years, check, message, advice) in [
        (proxy, (2001, 2002), "tls", "the server's certificate expired", "clock"),
        (plain, VALID, "proxy", "no TLS with the proxy", "port of MERCHANTPAY_PROXY"),
    ] {
        let url = format!("https://localhost:{}", service.tls("localhost", years));
        let mut doctor = service.at(&url, Some(&service.ca_file()));
        doctor.env("MERCHANTPAY_PROXY", format!("https://{proxy}"));
        assert_only_fault(doctor, check, message, advice);
    }
}

#[test]
fn wrong_clock_is_named() {
    let service = Service::new();
    let late =
        answering("HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n");
    let lines = examined(service.at(&format!("http://{late}"), None));
    let clock = lines.iter().find(|line| line.check == "clock").unwrap();
    assert!(clock.result == "fault" && clock.message.contains("ahead of the service's"), "{lines:#?}");
    assert!(clock.advises("NTP"), "{clock:?}");
    let silent = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let lines = examined(service.at(&format!("http://{silent}"), None));
    assert_eq!(result_of(&lines, "clock"), "skipped", "{lines:#?}");
    let unsigned = lines.iter().find(|line| line.check == "service").unwrap();
    assert!(unsigned.result == "fault" && unsigned.advises("proxies on the network path"), "{unsigned:?}");
}
