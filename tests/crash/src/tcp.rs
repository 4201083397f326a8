//! A server that also listens on TCP, with TLS.

use std::fs::{Permissions, set_permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use rcgen::{CertificateParams, KeyPair};

use crate::server::Folder;

/// A port of 127.0.0.1, and a certificate for the name `localhost`.
pub struct Tcp {
    /// Nobody listens on it yet.
    pub port: u16,
    /// In PEM, like the others.
    pub certificate: PathBuf,
    pub key: PathBuf,
    pub ca: PathBuf,
}

impl Tcp {
    pub fn new(folder: &Folder) -> Tcp {
        let ca = merchantpay_services::authority();
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &ca).expect("a certificate");
        let tcp = Tcp {
            port: free_port(),
            certificate: folder.write("server.pem", &certificate.pem()),
            key: folder.write("server.key", &key.serialize_pem()),
            ca: folder.write("ca.pem", &ca.pem()),
        };
        set_permissions(&tcp.key, Permissions::from_mode(0o600)).expect("the key is the server's alone");
        tcp
    }
}

/// Below 32768, where the ports begin that the system itself assigns.
pub fn free_port() -> u16 {
    loop {
        let mut bytes = [0; 2];
        getrandom::fill(&mut bytes).expect("the system gives random numbers");
        let port = 16_384 + u16::from_ne_bytes(bytes) % 16_384;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
