//! The blocking client. Its operations are in the file `operations`, its constructor is in `settings`, and
//! its method `wait` is in `wait`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use merchantpay::{Config, Outcome};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use pyo3::{PyTraverseError, PyVisit};

use crate::argument::{Argument, optional_seconds};
use crate::call::call;
use crate::environment;
use crate::error::invalid;
use crate::keys::AnySigner;
use crate::payment::quoted;
use crate::webhook::WebhookVerifier;

/// Calls the service's seven operations (contract, section 4). Blocks until the reply is verified or the
/// deadline passes.
///
// generated: begin settings
/// - base_url: the absolute https URL before /api/v1/merchant/pay. Plain http is allowed to loopback only.
/// - key_id: the merchant's key id, as the service issued it (contract, section 5). It consists of visible ASCII.
/// - private_key: the merchant's private key: base64 of 64 bytes, which are the seed and the public key (contract,
///   section 5).
/// - public_key: the merchant's own public key, base64 of 32 bytes. It is required if a callback signs. Otherwise it
///   is only compared with the private key.
/// - server_public_key: the service's public key, base64 of 32 bytes. Set several keys while the service rotates its
///   keys. One text, or a list of texts.
/// - server_key_id: the key ids of the service. If key ids are set, each reply must have one of these key ids. A
///   webhook may have no key id; otherwise it must also have one of these key ids. One text, or a list of texts.
/// - ca_file: a file with the PEM certificates of a CA to trust in addition to the operating system's CAs.
/// - ca_pem: the text of the PEM certificates of a CA to trust in addition to the operating system's CAs.
/// - exclusive_ca: trusts only the configured CA, and not the operating system's CAs.
/// - pin_spki: a pin of the public key of the service's own certificate: `sha256/` and the base64 of the SHA-256 of
///   the certificate's SubjectPublicKeyInfo. Set several pins while the service changes its key. One text, or a list
///   of texts.
/// - client_certificate: two files, as PEM: the certificate that the client shows to a service that asks for one
///   (mTLS), with its chain, and its private key.
/// - proxy: an HTTP proxy, as http://[user:password@]host:port. Variables such as HTTP_PROXY are not read.
/// - allow_http: allows plain http to another machine. Anyone on the network path can then read every account and
///   signature.
/// - user_agent: the `User-Agent` header.
/// - timeout: the time limit of a whole call with its retries. The service itself can take 10 s for `new_payment`. In
///   seconds.
/// - connect_timeout: the time limit for opening one connection. In seconds.
/// - reuse_idle: the time after a response for which the response's connection can be reused for a call that is sent
///   only once. 0 means never. In seconds.
/// - connect_idle: the time for which a connection that was opened early can wait for its first request. In seconds.
/// - max_retries: the largest number of retries; 0 means no retries. The library retries `get_available_amounts` and
///   `get_status`, and any other request only if no byte of that request was written.
/// - max_reply_bytes: the size of the largest reply body that is read.
// generated: end
/// - signer: a callable that signs in place of private_key, which is then None. It gets bytes and returns
///   their ed25519 signature (64 bytes). Use it for a key outside the process, such as in an HSM, and set
///   public_key.
///
/// Threads may share a client, and it works after a fork; it cannot be pickled or copied. The GIL is
/// released during calls. Ctrl-C does not abandon a call: the call finishes or reaches its deadline, and
/// then KeyboardInterrupt is raised. The call's result is lost, so treat the call as if its outcome were
/// "unknown". The same is true for any exception of a signal handler. If the handler raises it before the
/// signer is called, or inside the signer, nothing is sent. An ordinary exception inside the signer is
/// treated as the signer's own: the call raises SignerError with the outcome "not_sent" and that exception
/// as its `__cause__`. KeyboardInterrupt and SystemExit inside the signer are raised unchanged.
/// `interrupt`, from another thread, ends a call immediately.
///
/// Raises InvalidArgumentError or InvalidKeyError for a setting that cannot be used. A method that fails
/// raises Error; see the error's `outcome`.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Client {
    /// None after the client is closed. The lock is taken only with the GIL held, and released before any
    /// Python code can run. So a fork never finds it locked, and a `__del__` never waits for it.
    inner: Mutex<Option<Open>>,
    verifier: merchantpay::WebhookVerifier,
    base_url: String,
}

/// The objects that are released when the client is closed.
struct Open {
    client: merchantpay::Client,
    /// The signer that the core uses. It is kept here so that the garbage collector can visit it.
    signer: Arc<AnySigner>,
    /// Counts the clients that share the reference to the signer: a client and all clients derived from it.
    sharing: Arc<()>,
}

#[pymethods]
impl Client {
    /// Makes a client from the settings in the environment. Each argument has a variable with its name:
    /// `MERCHANTPAY_BASE_URL`, `MERCHANTPAY_KEY_ID`, `MERCHANTPAY_PRIVATE_KEY`,
    /// `MERCHANTPAY_SERVER_PUBLIC_KEY` and so on. An argument takes precedence over its variable.
    ///
    /// Without `MERCHANTPAY_PRIVATE_KEY`, the key is read from the file that `MERCHANTPAY_PRIVATE_KEY_FILE`
    /// names. `client_certificate` has two variables: `MERCHANTPAY_CLIENT_CERT_FILE` and
    /// `MERCHANTPAY_CLIENT_KEY_FILE`. Commas separate the values of a list. Times are in milliseconds, and
    /// the names of their variables end with `_MS` (`MERCHANTPAY_TIMEOUT_MS`). Flags are 1 or 0. An empty
    /// variable has no effect.
    ///
    /// Raises InvalidArgumentError for a variable that is missing or cannot be read. The error names the
    /// variable.
    #[classmethod]
    #[pyo3(signature = (**overrides))]
    fn from_env<'py>(
        class: &Bound<'py, PyType>,
        overrides: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        class.call((), Some(&environment::arguments(class.py(), overrides, None)?))
    }

    /// Opens a connection for the next call, before the customer is ready, so that the call needs only one
    /// round trip. `connect_idle` limits how long the connection waits for its first request. Each call of
    /// `connect` opens one connection. A failure always has the outcome "not_sent".
    #[pyo3(signature = (*, timeout=None))]
    fn connect(&self, py: Python<'_>, timeout: Option<Argument<'_, '_>>) -> PyResult<()> {
        let client = self.open_for(py, timeout)?;
        call(py, Outcome::NotSent, || client.connect())
    }

    /// Makes a derived client with the same settings, signer and connections. `timeout` is the deadline of
    /// its calls in seconds; None keeps this client's deadline. The derived client can be interrupted and
    /// closed separately. Interrupting this client also interrupts the derived client; closing this client
    /// does not close the derived client.
    #[pyo3(signature = (*, timeout=None))]
    fn derive(&self, py: Python<'_>, timeout: Option<Argument<'_, '_>>) -> PyResult<Client> {
        let timeout = deadline(py, timeout)?.unwrap_or_default();
        let open = self.lock().as_ref().map(|open| Open {
            client: open.client.derive(timeout),
            signer: Arc::clone(&open.signer),
            sharing: Arc::clone(&open.sharing),
        });
        let open = open.ok_or_else(|| closed(py))?;
        Ok(Client {
            inner: Mutex::new(Some(open)),
            verifier: self.verifier.clone(),
            base_url: self.base_url.clone(),
        })
    }

    /// Ends the running calls of this client and of every client derived from it, in all threads. The
    /// interruption is permanent: later calls do not start. Each interrupted call ends with
    /// CallCancelledError and the outcome "not_sent" or "unknown", and writes no more bytes. A reply that has
    /// arrived completely is still returned. Any thread may call `interrupt`.
    fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        let client = self.open(py)?;
        py.detach(|| client.interrupt());
        Ok(())
    }

    /// The deadline of a whole call, in seconds.
    #[getter]
    fn timeout(&self, py: Python<'_>) -> PyResult<f64> {
        self.open(py).map(|client| client.timeout().as_secs_f64())
    }

    /// A `WebhookVerifier` with the service's keys and key ids from this client. The verifier refuses
    /// signatures by the merchant's own key.
    fn webhook_verifier(&self) -> WebhookVerifier {
        WebhookVerifier(self.verifier.clone())
    }

    /// Closes the connections after the running calls have ended, and releases the signer. The client refuses
    /// later calls, and the next query of a running `wait`. `close` can be called twice.
    fn close(&self) {
        // Two statements: in one statement, the lock would be held while the signer is dropped. Dropping the
        // signer runs Python code.
        let taken = self.lock().take();
        drop(taken);
    }

    /// True if the client was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.lock().is_none()
    }

    fn __enter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        slf.get().open(slf.py())?;
        Ok(slf.clone())
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    #[expect(unused_variables)]
    fn __exit__(
        &self,
        kind: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) {
        self.close();
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let closed = if self.closed() { ", closed" } else { "" };
        Ok(format!("Client(base_url={}{closed})", quoted(py, &self.base_url)?))
    }

    // If an object holds a client, and the client's signer is a method of this object, the two are a
    // reference cycle. A reference to a signer that several clients share is not shown to the collector.
    // Otherwise the collector would treat it as this client's own, and clear an object that other clients
    // still use.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.inner.try_lock() else { return Ok(()) };
        let alone = inner.as_ref().filter(|open| Arc::strong_count(&open.sharing) == 1);
        alone.map_or(Ok(()), |open| open.signer.traverse(&visit))
    }

    fn __clear__(&self) {
        self.close();
    }

    #[pyo3(signature = (protocol, /))]
    #[expect(unused_variables)]
    fn __reduce_ex__(&self, protocol: i32) -> PyResult<()> {
        Err(crate::not_copied("Client"))
    }
}

impl Client {
    pub(crate) fn with_config(
        py: Python<'_>,
        base_url: String,
        config: Config,
        signer: Arc<AnySigner>,
    ) -> PyResult<Client> {
        let (client, verifier) = call(py, Outcome::NotSent, || {
            let verifier = config.verifier()?;
            Ok((merchantpay::Client::new(config)?, verifier))
        })?;
        Ok(Client {
            inner: Mutex::new(Some(Open { client, signer, sharing: Arc::new(()) })),
            verifier,
            base_url,
        })
    }

    /// Runs one operation, within `timeout` if it is given.
    pub(crate) fn call<T: Send>(
        &self,
        py: Python<'_>,
        timeout: Option<Argument<'_, '_>>,
        operation: impl FnOnce(&merchantpay::Client) -> merchantpay::Result<T> + Send,
    ) -> PyResult<T> {
        let client = self.open_for(py, timeout)?;
        call(py, Outcome::Unknown, || operation(&client))
    }

    fn open_for(&self, py: Python<'_>, timeout: Option<Argument<'_, '_>>) -> PyResult<merchantpay::Client> {
        let timeout = deadline(py, timeout)?;
        let client = self.open(py)?;
        Ok(match timeout {
            Some(timeout) => client.derive(timeout),
            None => client,
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Open>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A clone of the core's client. All clones share their connections.
    pub(crate) fn open(&self, py: Python<'_>) -> PyResult<merchantpay::Client> {
        let client = self.lock().as_ref().map(|open| open.client.clone());
        client.ok_or_else(|| closed(py))
    }
}

fn closed(py: Python<'_>) -> PyErr {
    invalid(py, "the client is closed")
}

/// The deadline of one call. For the core, 0 means the client's own deadline. So 0 is refused here, as in a
/// setting.
fn deadline(py: Python<'_>, timeout: Option<Argument<'_, '_>>) -> PyResult<Option<Duration>> {
    match optional_seconds("timeout", timeout)? {
        Some(Duration::ZERO) => Err(invalid(py, "timeout must be longer than 0")),
        timeout => Ok(timeout),
    }
}
