//! Requests and replies without I/O, for hosts with an HTTP stack of their own.

use std::sync::{Arc, Mutex, PoisonError};

use merchantpay::{
    AttachReceipt, Cancel, Code, Confirm, GetAvailableAmounts, GetStatus, NewPayment, NewPaymentAsync, Operation, Outcome, Prepared,
    SignedRequest,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3::{PyTraverseError, PyVisit};

use crate::argument::{bytes, text, whole};
use crate::call::call;
use crate::error::{invalid, raised};
use crate::headers;
use crate::keys::{AnySigner, server_key_ids, server_keys};
use crate::payment::{AvailableAmounts, Payment, quoted};
use crate::request::{AmountsArguments, PaymentArguments, receipt};

/// Prepares the seven operations' requests and opens their replies without any I/O, for hosts with an HTTP stack of their own such
/// as asyncio's. May be shared by threads.
///
/// Each `prepare_…` takes the arguments of the method of `Client` with that name and returns an `HttpRequest`. The arguments here
/// are those of `Client`.
///
/// Raises InvalidArgumentError or InvalidKeyError for what cannot be used; nothing is ever sent.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Protocol {
    /// None once the garbage collector has taken the object apart. Locked as a client is.
    inner: Mutex<Option<Parts>>,
    base_url: String,
}

struct Parts {
    protocol: merchantpay::Protocol,
    /// The same as the core's, for the garbage collector.
    signer: Arc<AnySigner>,
}

#[pymethods]
impl Protocol {
    #[new]
    #[pyo3(signature = (base_url, key_id, private_key, server_public_key, *, server_key_id=None, signer=None, public_key=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        base_url: &Bound<'_, PyAny>,
        key_id: &Bound<'_, PyAny>,
        private_key: Option<&Bound<'_, PyAny>>,
        server_public_key: &Bound<'_, PyAny>,
        server_key_id: Option<&Bound<'_, PyAny>>,
        signer: Option<&Bound<'_, PyAny>>,
        public_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Protocol> {
        let (base_url, key_id) = (text("base_url", base_url)?, text("key_id", key_id)?);
        let signer = Arc::new(AnySigner::read(py, private_key, signer, public_key)?);
        let (keys, ids) = (server_keys(py, server_public_key)?, server_key_ids(server_key_id)?);
        let core = Arc::clone(&signer);
        let protocol = call(py, Outcome::NotSent, || merchantpay::Protocol::new(&base_url, &key_id, core, &keys, &ids))?;
        Ok(Protocol { inner: Mutex::new(Some(Parts { protocol, signer })), base_url })
    }

    /// `POST /available`; its reply is an AvailableAmounts.
    #[pyo3(signature = (*, sum, payment_method, currency=None, sum_drift_up=None, sum_drift_down=None, customer_account=None),
        text_signature = "($self, *, sum, payment_method, currency='RUB', sum_drift_up=None, sum_drift_down=None, customer_account=None)")]
    #[allow(clippy::too_many_arguments)]
    fn prepare_get_available_amounts(
        &self,
        py: Python<'_>,
        sum: &Bound<'_, PyAny>,
        payment_method: &Bound<'_, PyAny>,
        currency: Option<&Bound<'_, PyAny>>,
        sum_drift_up: Option<&Bound<'_, PyAny>>,
        sum_drift_down: Option<&Bound<'_, PyAny>>,
        customer_account: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<HttpRequest> {
        let arguments = AmountsArguments { sum, payment_method, currency, sum_drift_up, sum_drift_down, customer_account };
        let request = arguments.read(py)?;
        let protocol = self.whole(py)?;
        let prepared = call(py, Outcome::NotSent, || protocol.prepare(&GetAvailableAmounts(&request)))?;
        Ok(HttpRequest(Exchange::Amounts(prepared)))
    }

    /// `POST /new`; its reply is a Payment with credentials.
    #[pyo3(signature = (*, sum, payment_method, customer_account, currency=None, payer_bank=None, merchant_id=None, status_webhook_url=None),
        text_signature = "($self, *, sum, payment_method, customer_account, currency='RUB', payer_bank=None, merchant_id=None, \
        status_webhook_url=None)")]
    #[allow(clippy::too_many_arguments)]
    fn prepare_new_payment(
        &self,
        py: Python<'_>,
        sum: &Bound<'_, PyAny>,
        payment_method: &Bound<'_, PyAny>,
        customer_account: &Bound<'_, PyAny>,
        currency: Option<&Bound<'_, PyAny>>,
        payer_bank: Option<&Bound<'_, PyAny>>,
        merchant_id: Option<&Bound<'_, PyAny>>,
        status_webhook_url: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<HttpRequest> {
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
        self.prepare(py, &NewPayment(&request))
    }

    /// `POST /new-async`; its reply is a Payment with an `order_id` alone.
    #[pyo3(signature = (*, sum, payment_method, customer_account, credentials_webhook_url, currency=None, payer_bank=None,
        merchant_id=None, status_webhook_url=None),
        text_signature = "($self, *, sum, payment_method, customer_account, credentials_webhook_url, currency='RUB', payer_bank=None, \
        merchant_id=None, status_webhook_url=None)")]
    #[allow(clippy::too_many_arguments)]
    fn prepare_new_payment_async(
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
    ) -> PyResult<HttpRequest> {
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
        self.prepare(py, &NewPaymentAsync(&request))
    }

    /// `POST /confirm`; its reply is a Payment.
    fn prepare_confirm(&self, py: Python<'_>, order_id: &Bound<'_, PyAny>) -> PyResult<HttpRequest> {
        self.prepare(py, &Confirm(&text("order_id", order_id)?))
    }

    /// `POST /cancel`; its reply is a Payment.
    fn prepare_cancel(&self, py: Python<'_>, order_id: &Bound<'_, PyAny>) -> PyResult<HttpRequest> {
        self.prepare(py, &Cancel(&text("order_id", order_id)?))
    }

    /// `POST /status`; its reply is a Payment with its status.
    fn prepare_get_status(&self, py: Python<'_>, order_id: &Bound<'_, PyAny>) -> PyResult<HttpRequest> {
        self.prepare(py, &GetStatus(&text("order_id", order_id)?))
    }

    /// `POST /receipt/attach`; its reply is a Payment. Files on disk are read now.
    fn prepare_attach_receipt(&self, py: Python<'_>, order_id: &Bound<'_, PyAny>, files: &Bound<'_, PyAny>) -> PyResult<HttpRequest> {
        let receipt = receipt(py, order_id, files)?;
        self.prepare(py, &AttachReceipt(&receipt))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Protocol(base_url={})", quoted(py, &self.base_url)?))
    }

    #[pyo3(signature = (protocol, /))]
    #[expect(unused_variables)]
    fn __reduce_ex__(&self, protocol: i32) -> PyResult<()> {
        Err(crate::not_copied("Protocol"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.inner.try_lock() else { return Ok(()) };
        inner.as_ref().map_or(Ok(()), |parts| parts.signer.traverse(&visit))
    }

    fn __clear__(&self) {
        let taken = self.lock().take();
        drop(taken);
    }
}

impl Protocol {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Parts>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn whole(&self, py: Python<'_>) -> PyResult<merchantpay::Protocol> {
        let protocol = self.lock().as_ref().map(|parts| parts.protocol.clone());
        protocol.ok_or_else(|| invalid(py, "the protocol was taken apart by the garbage collector"))
    }

    fn prepare<O: Operation<Reply = merchantpay::Payment> + Sync>(&self, py: Python<'_>, operation: &O) -> PyResult<HttpRequest> {
        let protocol = self.whole(py)?;
        let prepared = call(py, Outcome::NotSent, || protocol.prepare(operation))?;
        Ok(HttpRequest(Exchange::Payment(prepared)))
    }
}

/// A signed request that is ready to send, and how to open its reply. Send exactly this body with these headers, once: the bytes
/// are signed.
///
/// Follow no redirects and decompress nothing before `open`. Only `get_status` and `get_available_amounts` may be sent again after a
/// byte was written.
#[pyclass(frozen, generic, module = "merchantpay")]
pub(crate) struct HttpRequest(Exchange);

enum Exchange {
    Payment(Prepared<merchantpay::Payment>),
    Amounts(Prepared<merchantpay::AvailableAmounts>),
}

#[pymethods]
impl HttpRequest {
    /// Always "POST".
    #[getter]
    fn method(&self) -> &'static str {
        "POST"
    }

    /// The whole URL.
    #[getter]
    fn url(&self) -> &str {
        self.request().url()
    }

    /// Content-Type, X-KeyId and X-Signature; a new dict.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for (name, value) in self.request().headers() {
            headers.set_item(name, value)?;
        }
        Ok(headers)
    }

    /// The signed bytes.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.request().body())
    }

    /// Verifies the reply's bytes, parses them and binds them to this request; returns a Payment, or an AvailableAmounts for
    /// `prepare_get_available_amounts`.
    ///
    /// `status` is the HTTP status; `headers` are all of the reply's, in any form that `WebhookVerifier.verify_request` takes; `body`
    /// is bytes.
    ///
    /// Raises UnverifiedError, MalformedError, RejectedError, or TransportError for a redirect.
    #[pyo3(signature = (status, headers, body))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        status: &Bound<'py, PyAny>,
        headers: &Bound<'py, PyAny>,
        body: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let status: u16 = match whole("status", status) {
            Err(error) if error.is_instance_of::<PyTypeError>(py) => return Err(error),
            Ok(status) if (100..1000).contains(&status) => status,
            // The request was sent.
            _ => return Err(raised(py, Code::InvalidArgument, Outcome::Unknown, "status is not between 100 and 999", None)),
        };
        let body = bytes("body", body, "the reply's body as it came")?;
        let pairs = headers::pairs(headers)?;
        let headers = || pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        match &self.0 {
            Exchange::Payment(prepared) => {
                let payment = call(py, Outcome::Unknown, || prepared.open(status, headers(), body))?;
                Ok(Bound::new(py, Payment(payment))?.into_any())
            }
            Exchange::Amounts(prepared) => {
                let amounts = call(py, Outcome::Unknown, || prepared.open(status, headers(), body))?;
                Ok(Bound::new(py, AvailableAmounts(amounts))?.into_any())
            }
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("HttpRequest(url={}, {} bytes)", quoted(py, self.request().url())?, self.request().body().len()))
    }

    #[pyo3(signature = (protocol, /))]
    #[expect(unused_variables)]
    fn __reduce_ex__(&self, protocol: i32) -> PyResult<()> {
        Err(crate::not_copied("HttpRequest"))
    }
}

impl HttpRequest {
    fn request(&self) -> &SignedRequest {
        match &self.0 {
            Exchange::Payment(prepared) => prepared.request(),
            Exchange::Amounts(prepared) => prepared.request(),
        }
    }
}
