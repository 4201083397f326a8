//! A test's server: it gives each connection the same answer, in plain HTTP or over TLS.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

pub type Authority = CertifiedIssuer<'static, KeyPair>;

pub fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "Authority of a Test");
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate that is valid from the first to the last of these years.
pub fn certified(authority: &Authority, name: &str, years: (i32, i32)) -> Arc<ServerConfig> {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    (params.not_before, params.not_after) =
        (rcgen::date_time_ymd(years.0, 1, 1), rcgen::date_time_ymd(years.1, 1, 1));
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, authority).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key).unwrap())
}

/// Serves each connection on its own thread until the test program ends.
pub fn serve(answer: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    serve_at(Ipv4Addr::LOCALHOST.into(), answer)
}

pub fn serve_at(address: IpAddr, answer: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

/// Answers every request with this reply.
pub fn answering(reply: &'static str) -> SocketAddr {
    serve(move |mut stream| {
        while message(&mut stream).is_some() {
            if stream.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    })
}

/// Puts TLS in front of a server of plain HTTP.
pub fn tls_before(server: SocketAddr, config: Arc<ServerConfig>) -> SocketAddr {
    serve(move |stream| {
        let mut outside = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
        while let Some(request) = message(&mut outside) {
            let mut inside = TcpStream::connect(server).unwrap();
            inside.write_all(&request).unwrap();
            let reply = message(&mut inside).unwrap();
            if outside.write_all(&reply).and_then(|()| outside.flush()).is_err() {
                return;
            }
        }
    })
}

/// Reads the bytes up to the empty line.
pub fn head(stream: &mut impl Read) -> Option<Vec<u8>> {
    let (mut read, mut byte) = (Vec::new(), [0]);
    while !read.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        read.extend_from_slice(&byte);
    }
    Some(read)
}

/// Reads a head and its body, which has the length in `Content-Length`.
pub fn message(stream: &mut impl Read) -> Option<Vec<u8>> {
    let mut read = head(stream)?;
    let text = String::from_utf8_lossy(&read).to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
    let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    read.extend_from_slice(&body);
    Some(read)
}
