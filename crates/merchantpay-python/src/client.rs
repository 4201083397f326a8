//! The blocking client.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use merchantpay::{Config, Outcome};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use pyo3::{PyTraverseError, PyVisit};

use crate::argument::{optional_text, path, seconds, text, whole, wrong_type};
use crate::call::call;
use crate::error::invalid;
use crate::keys::{AnySigner, server_key_ids, server_keys};
use crate::log::observe;
use crate::payment::{AvailableAmounts, Payment, quoted};
use crate::request::{AmountsArguments, PaymentArguments, receipt};
use crate::wait;
use crate::webhook::WebhookVerifier;

/// Calls the service's seven operations (contract, section 4). Blocks until the reply is verified or the deadline passes.
///
/// - base_url: what stands before /api/v1/merchant/pay; plain http only to this machine.
/// - key_id, private_key: the merchant's; the key is base64 of 64 bytes.
/// - server_public_key: the service's, base64 of 32 bytes; a list while it rotates them.
/// - server_key_id: one or a list; replies must then carry one of them.
/// - ca_file, ca_pem: an authority to trust beside the operating system's.
/// - proxy: "http://[user:password@]host:port"; the environment is not asked.
/// - timeout: seconds for a whole call, retries included. The service itself may take 10 s for `new_payment`.
/// - connect_timeout: seconds to open one connection.
/// - max_retries: how often a request of which no byte was written is sent again, and `get_status` and `get_available_amounts`;
///   nothing else ever is.
/// - max_reply_bytes: a larger reply is refused unread.
/// - user_agent: the header of that name.
/// - signer, public_key: instead of private_key, which is then None: a callable that is given bytes and returns their ed25519
///   signature (64 bytes), and the base64 of its public key. For a key that is kept elsewhere, such as in an HSM.
///
/// A client may be shared by threads and works after a fork; it cannot be pickled or copied. The GIL is released during calls.
/// A call that Ctrl-C meets is not abandoned midway: it finishes or reaches its deadline, and KeyboardInterrupt is raised then.
/// Its result is lost, so treat it like the outcome "unknown". The same holds for whatever a signal's handler raises; but if it comes
/// before the signer is asked, nothing is sent, and if it is raised within the signer's own Python code, it is the signer's
/// exception: the call raises SignerError with the outcome "not_sent" and that exception as its `__cause__`.
///
/// Raises InvalidArgumentError or InvalidKeyError for a setting that cannot be used. Every method raises Error; see its `outcome`.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Client {
    /// None once it is closed. Locked only with the GIL held, and let go before any Python code can run: no fork finds it locked,
    /// and no `__del__` waits for it.
    inner: Mutex<Option<Open>>,
    verifier: merchantpay::WebhookVerifier,
    base_url: String,
}

/// What is let go of when the client is closed.
struct Open {
    client: merchantpay::Client,
    /// The same as the core's, for the garbage collector.
    signer: Arc<AnySigner>,
}

#[pymethods]
impl Client {
    #[new]
    #[pyo3(signature = (
        base_url, key_id, private_key, server_public_key, *, server_key_id=None, ca_file=None, ca_pem=None, proxy=None,
        timeout=None, connect_timeout=None, max_retries=None, max_reply_bytes=None, user_agent=None, signer=None, public_key=None
    ), text_signature = "(base_url, key_id, private_key, server_public_key, *, server_key_id=None, ca_file=None, ca_pem=None, \
        proxy=None, timeout=30.0, connect_timeout=10.0, max_retries=2, max_reply_bytes=1048576, user_agent=None, signer=None, \
        public_key=None)")]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        base_url: &Bound<'_, PyAny>,
        key_id: &Bound<'_, PyAny>,
        private_key: Option<&Bound<'_, PyAny>>,
        server_public_key: &Bound<'_, PyAny>,
        server_key_id: Option<&Bound<'_, PyAny>>,
        ca_file: Option<&Bound<'_, PyAny>>,
        ca_pem: Option<&Bound<'_, PyAny>>,
        proxy: Option<&Bound<'_, PyAny>>,
        timeout: Option<&Bound<'_, PyAny>>,
        connect_timeout: Option<&Bound<'_, PyAny>>,
        max_retries: Option<&Bound<'_, PyAny>>,
        max_reply_bytes: Option<&Bound<'_, PyAny>>,
        user_agent: Option<&Bound<'_, PyAny>>,
        signer: Option<&Bound<'_, PyAny>>,
        public_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Client> {
        let base_url = text("base_url", base_url)?;
        let key_id = text("key_id", key_id)?;
        let signer = Arc::new(AnySigner::read(py, private_key, signer, public_key)?);
        let keys = server_keys(py, server_public_key)?;
        let Some((first, others)) = keys.split_first() else { return Err(invalid(py, "server_public_key is missing")) };
        let mut config = Config::new(&base_url, key_id, Arc::clone(&signer), *first).observer(observe);
        for key in others {
            config = config.server_public_key(*key);
        }
        for id in server_key_ids(server_key_id)? {
            config = config.server_key_id(id);
        }
        if let Some(pem) = ca_pem {
            config = config.ca_pem(pem_bytes(pem)?);
        }
        if let Some(proxy) = optional_text("proxy", proxy)? {
            config = config.proxy(proxy);
        }
        if let Some(user_agent) = optional_text("user_agent", user_agent)? {
            config = config.user_agent(user_agent);
        }
        if let Some(timeout) = timeout {
            config = config.timeout(seconds("timeout", timeout)?);
        }
        if let Some(timeout) = connect_timeout {
            config = config.connect_timeout(seconds("connect_timeout", timeout)?);
        }
        if let Some(retries) = max_retries {
            config = config.max_retries(whole("max_retries", retries)?);
        }
        if let Some(bytes) = max_reply_bytes {
            config = config.max_reply_bytes(whole("max_reply_bytes", bytes)?);
        }
        let ca_file = ca_file.map(|file| path("ca_file", file)).transpose()?;
        let (client, verifier) = call(py, Outcome::NotSent, || {
            let config = match ca_file {
                Some(file) => config.ca_file(file)?,
                None => config,
            };
            let verifier = config.verifier()?;
            Ok((merchantpay::Client::new(config)?, verifier))
        })?;
        Ok(Client { inner: Mutex::new(Some(Open { client, signer })), verifier, base_url })
    }

    /// `POST /available` (contract, section 4.1): the amounts with a counter-offer right now. Nothing is reserved. May be repeated
    /// by the library.
    ///
    /// `sum` and the drifts are Decimal, int or str, never float; `payment_method` is "card" or "sbp".
    #[pyo3(signature = (*, sum, payment_method, currency=None, sum_drift_up=None, sum_drift_down=None, customer_account=None),
        text_signature = "($self, *, sum, payment_method, currency='RUB', sum_drift_up=None, sum_drift_down=None, customer_account=None)")]
    #[allow(clippy::too_many_arguments)]
    fn get_available_amounts(
        &self,
        py: Python<'_>,
        sum: &Bound<'_, PyAny>,
        payment_method: &Bound<'_, PyAny>,
        currency: Option<&Bound<'_, PyAny>>,
        sum_drift_up: Option<&Bound<'_, PyAny>>,
        sum_drift_down: Option<&Bound<'_, PyAny>>,
        customer_account: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<AvailableAmounts> {
        let request = AmountsArguments { sum, payment_method, currency, sum_drift_up, sum_drift_down, customer_account }.read(py)?;
        let client = self.open(py)?;
        call(py, Outcome::Unknown, || client.get_available_amounts(&request)).map(AvailableAmounts)
    }

    /// `POST /new` (contract, section 4.2): creates a payment and returns it with the credentials that the customer pays to, after
    /// up to 10 s. Sent once.
    ///
    /// `sum` is in rubles: Decimal, int or str, never float. `payment_method` is "card" or "sbp". `merchant_id` is the merchant's
    /// own identifier; `payer_bank` may be required by the merchant's agreement.
    ///
    /// With the outcome "unknown" the payment may exist: do not create it again before that is found out.
    #[pyo3(signature = (*, sum, payment_method, customer_account, currency=None, payer_bank=None, merchant_id=None, status_webhook_url=None),
        text_signature = "($self, *, sum, payment_method, customer_account, currency='RUB', payer_bank=None, merchant_id=None, \
        status_webhook_url=None)")]
    #[allow(clippy::too_many_arguments)]
    fn new_payment(
        &self,
        py: Python<'_>,
        sum: &Bound<'_, PyAny>,
        payment_method: &Bound<'_, PyAny>,
        customer_account: &Bound<'_, PyAny>,
        currency: Option<&Bound<'_, PyAny>>,
        payer_bank: Option<&Bound<'_, PyAny>>,
        merchant_id: Option<&Bound<'_, PyAny>>,
        status_webhook_url: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Payment> {
        let credentials_webhook_url = None;
        let arguments = PaymentArguments {
            sum,
            payment_method,
            customer_account,
            currency,
            payer_bank,
            merchant_id,
            status_webhook_url,
            credentials_webhook_url,
        };
        let request = arguments.read(py)?;
        let client = self.open(py)?;
        call(py, Outcome::Unknown, || client.new_payment(&request)).map(Payment)
    }

    /// `POST /new-async` (contract, section 4.3): registers a payment and returns it with its `order_id` alone; credentials come to
    /// `credentials_webhook_url`. Sent once. Otherwise as `new_payment`.
    #[pyo3(signature = (*, sum, payment_method, customer_account, credentials_webhook_url, currency=None, payer_bank=None,
        merchant_id=None, status_webhook_url=None),
        text_signature = "($self, *, sum, payment_method, customer_account, credentials_webhook_url, currency='RUB', payer_bank=None, \
        merchant_id=None, status_webhook_url=None)")]
    #[allow(clippy::too_many_arguments)]
    fn new_payment_async(
        &self,
        py: Python<'_>,
        sum: &Bound<'_, PyAny>,
        payment_method: &Bound<'_, PyAny>,
        customer_account: &Bound<'_, PyAny>,
        credentials_webhook_url: &Bound<'_, PyAny>,
        currency: Option<&Bound<'_, PyAny>>,
        payer_bank: Option<&Bound<'_, PyAny>>,
        merchant_id: Option<&Bound<'_, PyAny>>,
        status_webhook_url: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Payment> {
        let credentials_webhook_url = Some(credentials_webhook_url);
        let arguments = PaymentArguments {
            sum,
            payment_method,
            customer_account,
            currency,
            payer_bank,
            merchant_id,
            status_webhook_url,
            credentials_webhook_url,
        };
        let request = arguments.read(py)?;
        let client = self.open(py)?;
        call(py, Outcome::Unknown, || client.new_payment_async(&request)).map(Payment)
    }

    /// `POST /confirm` (contract, section 4.4): reports that the customer has paid, which starts the check of the payment. Sent once.
    ///
    /// With the outcome "unknown" ask `get_status`.
    fn confirm(&self, py: Python<'_>, order_id: &Bound<'_, PyAny>) -> PyResult<Payment> {
        let (order_id, client) = (text("order_id", order_id)?, self.open(py)?);
        call(py, Outcome::Unknown, || client.confirm(&order_id)).map(Payment)
    }

    /// `POST /cancel` (contract, section 4.5). Sent once.
    ///
    /// Raises RejectedError with the reason "payment_could_not_be_canceled" where the payment's state does not allow it. With the
    /// outcome "unknown" ask `get_status`.
    fn cancel(&self, py: Python<'_>, order_id: &Bound<'_, PyAny>) -> PyResult<Payment> {
        let (order_id, client) = (text("order_id", order_id)?, self.open(py)?);
        call(py, Outcome::Unknown, || client.cancel(&order_id)).map(Payment)
    }

    /// `POST /status` (contract, section 4.6): where the payment stands. May be repeated by the library.
    fn get_status(&self, py: Python<'_>, order_id: &Bound<'_, PyAny>) -> PyResult<Payment> {
        let (order_id, client) = (text("order_id", order_id)?, self.open(py)?);
        call(py, Outcome::Unknown, || client.get_status(&order_id)).map(Payment)
    }

    /// `POST /receipt/attach` (contract, section 4.7): receipts for arbitration. Sent once.
    ///
    /// Each of `files` is a path, or a tuple of a file name, the file's bytes and its content type. PDF, JPEG and PNG are taken; of a
    /// path the name's end or the file's first bytes tell which it is. With the outcome "unknown" ask `get_status`.
    fn attach_receipt(&self, py: Python<'_>, order_id: &Bound<'_, PyAny>, files: &Bound<'_, PyAny>) -> PyResult<Payment> {
        let receipt = receipt(py, order_id, files)?;
        let client = self.open(py)?;
        call(py, Outcome::Unknown, || client.attach_receipt(&receipt)).map(Payment)
    }

    /// Asks `get_status` until the status is final, with growing pauses of 0.25 to 5 s, and returns the payment. Between calls Ctrl-C
    /// is heard at once, and `close` ends the waiting with InvalidArgumentError.
    ///
    /// A fault that may pass is asked about again: a broken or late connection, an unsigned reply with HTTP 429, 500 or more, as
    /// proxies give. With a `timeout` that goes on until it has passed; without one the eighth fault in a row is raised. Any other
    /// failure, such as a refusal or a forged reply, is raised at once.
    ///
    /// `timeout` is in seconds, None for no end. Once it has passed, raises RequestTimeoutError if the status is not final, or the
    /// fault that the last question met. A payment in arbitration waits for `attach_receipt`.
    #[pyo3(signature = (order_id, *, timeout=None), text_signature = "($self, order_id, *, timeout=None)")]
    fn wait(&self, py: Python<'_>, order_id: &Bound<'_, PyAny>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<Payment> {
        let order_id = text("order_id", order_id)?;
        let timeout: Option<Duration> = timeout.map(|timeout| seconds("timeout", timeout)).transpose()?;
        wait::until_final(py, || self.open(py), &order_id, timeout).map(Payment)
    }

    /// A `WebhookVerifier` for the same service: its keys and key ids, refusing the merchant's own.
    fn webhook_verifier(&self) -> WebhookVerifier {
        WebhookVerifier(self.verifier.clone())
    }

    /// Closes the connections once the calls that are under way have ended, and lets go of the signer. Any later call is refused,
    /// and so is the next question of a `wait`. May be called twice.
    fn close(&self) {
        // Not in one: the lock would be held until the signer is dropped, and that is Python code.
        let taken = self.lock().take();
        drop(taken);
    }

    /// Whether the client was closed.
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
    fn __exit__(&self, kind: Option<&Bound<'_, PyAny>>, error: Option<&Bound<'_, PyAny>>, traceback: Option<&Bound<'_, PyAny>>) {
        self.close();
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let closed = if self.closed() { ", closed" } else { "" };
        Ok(format!("Client(base_url={}{closed})", quoted(py, &self.base_url)?))
    }

    // An object whose client has the object's own method for a signer is a circle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.inner.try_lock() else { return Ok(()) };
        inner.as_ref().map_or(Ok(()), |open| open.signer.traverse(&visit))
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
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Open>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The core's client, which shares its connections with every other clone.
    fn open(&self, py: Python<'_>) -> PyResult<merchantpay::Client> {
        let client = self.lock().as_ref().map(|open| open.client.clone());
        client.ok_or_else(|| invalid(py, "the client is closed"))
    }
}

/// Certificates as `bytes` or `str`.
fn pem_bytes(pem: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = pem.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if pem.is_instance_of::<PyString>() {
        return text("ca_pem", pem).map(String::into_bytes);
    }
    Err(wrong_type("ca_pem", "bytes or str", pem))
}
