//! The tested client, and the keys of both sides.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use merchantpay::{Client, Config, Error, Keypair, Outcome};
use merchantpay_services::{Authority, authority_with, certified};
use rustls::ServerConfig;

pub(crate) const KEY_ID: &str = "merchant-1";
pub(crate) const SERVICE_KEY_ID: &str = "service-1";

/// For calls that should end by their deadline.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

pub(crate) static MERCHANT: LazyLock<Keypair> = LazyLock::new(keypair);
pub(crate) static SERVICE: LazyLock<Keypair> = LazyLock::new(keypair);

/// Its certificates always have one length, so an offset always means the same place.
static AUTHORITY: LazyLock<Authority> = LazyLock::new(|| authority_with(&rcgen::PKCS_ED25519));

pub(crate) static TLS: LazyLock<Arc<ServerConfig>> =
    LazyLock::new(|| certified(&AUTHORITY, &["127.0.0.1"], (2020, 2120)));

fn keypair() -> Keypair {
    Keypair::generate().expect("the operating system gives random bytes")
}

/// The outcome of each HTTP attempt in order; `None` for a success.
#[derive(Clone, Default)]
pub(crate) struct Attempts(Arc<Mutex<Vec<Option<Outcome>>>>);

impl Attempts {
    /// Since the last call of this function.
    pub(crate) fn take(&self) -> Vec<Option<Outcome>> {
        std::mem::take(&mut lock(&self.0))
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn client(
    port: u16,
    tls: bool,
    deadline: Duration,
    max_retries: Option<u32>,
) -> Result<(Client, Attempts), Error> {
    let scheme = if tls { "https" } else { "http" };
    let url = format!("{scheme}://127.0.0.1:{port}");
    let attempts = Attempts::default();
    let noted = attempts.clone();
    let mut config = Config::new(url, KEY_ID, MERCHANT.private_key().clone(), SERVICE.public_key())
        .server_key_id(SERVICE_KEY_ID)
        .timeout(deadline)
        .observer(move |attempt| lock(&noted.0).push(attempt.outcome));
    if tls {
        config = config.ca_pem(AUTHORITY.pem());
    }
    if let Some(max_retries) = max_retries {
        config = config.max_retries(max_retries);
    }
    Ok((Client::new(config)?, attempts))
}
