//! Requests and replies without I/O, for hosts with their own HTTP stack. The `prepare_…` methods are in
//! `operations`, and the constructor is in `settings`.

use std::sync::{Arc, Mutex, PoisonError};

use merchantpay::{Code, Config, Outcome, Prepared, SignedRequest, UnsignedRequest};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3::{PyTraverseError, PyVisit};

use crate::argument::{bytes, whole};
use crate::call::call;
use crate::error::{invalid, raised};
use crate::headers;
use crate::keys::AnySigner;
use crate::payment::{AvailableAmounts, Payment, quoted};

/// Prepares the seven operations' requests and opens their replies without any I/O, for hosts with their own
/// HTTP stack, such as asyncio's. Threads may share a Protocol.
///
/// Each `prepare_…` has the arguments of the `Client` method with that name and returns an `HttpRequest`.
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
/// - allow_http: allows plain http to another machine. Anyone on the network path can then read every account and
///   signature.
// generated: end
/// - signer: a callable that signs in place of private_key, which is then None. It gets bytes and returns
///   their ed25519 signature (64 bytes). Use it for a key outside the process, such as in an HSM, and set
///   public_key.
///
/// Raises InvalidArgumentError or InvalidKeyError for an unusable setting.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Protocol {
    /// None after the garbage collector has cleared the object. The lock is used as in `Client`.
    inner: Mutex<Option<Parts>>,
    base_url: String,
}

struct Parts {
    protocol: merchantpay::Protocol,
    /// The signer that the core uses. It is kept here so that the garbage collector can visit it.
    signer: Arc<AnySigner>,
}

#[pymethods]
impl Protocol {
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
    pub(crate) fn with_config(
        py: Python<'_>,
        base_url: String,
        config: &Config,
        signer: Arc<AnySigner>,
    ) -> PyResult<Protocol> {
        let protocol = call(py, Outcome::NotSent, || config.protocol())?;
        Ok(Protocol { inner: Mutex::new(Some(Parts { protocol, signer })), base_url })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Parts>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn whole(&self, py: Python<'_>) -> PyResult<merchantpay::Protocol> {
        let protocol = self.lock().as_ref().map(|parts| parts.protocol.clone());
        protocol
            .ok_or_else(|| invalid(py, "this Protocol object was already cleared by the garbage collector"))
    }

    pub(crate) fn prepare<R: Send>(
        &self,
        py: Python<'_>,
        request: UnsignedRequest<R>,
        exchange: fn(Prepared<R>) -> Exchange,
    ) -> PyResult<HttpRequest> {
        let protocol = self.whole(py)?;
        call(py, Outcome::NotSent, || protocol.prepare(request)).map(exchange).map(HttpRequest)
    }
}

/// A signed request that is ready to send, and the way to open its reply. Send exactly this body with these
/// headers, because the bytes are signed. Follow no redirects and decompress nothing before `open`.
///
/// Send the request once. After a byte was written, only a request of `get_status` or `get_available_amounts`
/// may be sent again.
#[pyclass(frozen, generic, module = "merchantpay")]
pub(crate) struct HttpRequest(Exchange);

/// A request that waits for its reply. The variant is the type of the reply.
pub(crate) enum Exchange {
    Payment(Prepared<merchantpay::Payment>),
    Amounts(Prepared<merchantpay::AvailableAmounts>),
}

#[pymethods]
impl HttpRequest {
    /// The HTTP method: always "POST".
    #[getter]
    fn method(&self) -> &'static str {
        "POST"
    }

    /// The whole URL.
    #[getter]
    fn url(&self) -> &str {
        self.request().url()
    }

    /// The headers Content-Type, X-KeyId and X-Signature, as a new dict.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for (name, value) in self.request().headers() {
            headers.set_item(name, value)?;
        }
        Ok(headers)
    }

    /// The request's body: the signed bytes.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.request().body())
    }

    /// Verifies the reply's bytes, parses them, and checks that the reply belongs to this request. Returns a
    /// Payment, or an AvailableAmounts for `prepare_get_available_amounts`.
    ///
    /// `status` is the HTTP status; `headers` are all headers of the reply, in any type that
    /// `WebhookVerifier.verify_request` accepts; `body` is bytes.
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
            // The outcome is unknown, because the request was sent.
            _ => {
                return Err(raised(
                    py,
                    Code::InvalidArgument,
                    Outcome::Unknown,
                    "status is not between 100 and 999",
                    None,
                ));
            }
        };
        let body = bytes("body", body, "the reply's unchanged body")?;
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
        Ok(format!(
            "HttpRequest(url={}, {} bytes)",
            quoted(py, self.request().url())?,
            self.request().body().len()
        ))
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
