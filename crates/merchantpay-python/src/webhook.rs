//! Webhooks: converts bytes and a signature to an event.

use merchantpay::{Code, Event, Outcome};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::argument::{bytes, optional_text, optional_texts, wrong_type};
use crate::call::call;
use crate::error::raised;
use crate::headers;
use crate::keys::{own_public_key, server_keys};
use crate::payment::{AvailableAmounts, Payment, Pickled, pickled};

/// Verifies webhooks (contract, section 6). A verifier needs no private key, and threads may share it.
///
/// `server_public_key` is the service's key, or a list of keys while the service rotates them. If
/// `server_key_id` (a key id or a list) is given, a webhook with a key id must have one of these. `key_id`
/// is the merchant's own key id: a webhook with this key id is refused. `public_key` is the merchant's own
/// public key: it is refused as the service's key, and `explain` recognises its signatures.
///
/// Raises InvalidKeyError for an unusable key and InvalidArgumentError for an unusable id.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct WebhookVerifier(pub(crate) merchantpay::WebhookVerifier);

#[pymethods]
impl WebhookVerifier {
    #[new]
    #[pyo3(signature = (server_public_key, *, server_key_id=None, key_id=None, public_key=None))]
    fn new(
        py: Python<'_>,
        server_public_key: &Bound<'_, PyAny>,
        server_key_id: Option<&Bound<'_, PyAny>>,
        key_id: Option<&Bound<'_, PyAny>>,
        public_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<WebhookVerifier> {
        let keys = server_keys(py, server_public_key)?;
        let ids = optional_texts("server_key_id", server_key_id)?;
        let own = optional_text("key_id", key_id)?;
        let own_key = public_key.map(|key| own_public_key(py, key)).transpose()?;
        call(py, Outcome::NotSent, || {
            let verifier = merchantpay::WebhookVerifier::with_keys(&keys, &ids, own.as_deref())?;
            own_key.map_or_else(|| Ok(verifier.clone()), |own| verifier.clone().refuse_key(own))
        })
        .map(WebhookVerifier)
    }

    /// Makes a verifier from the settings in the environment: `MERCHANTPAY_SERVER_PUBLIC_KEY` and, if set,
    /// `MERCHANTPAY_SERVER_KEY_ID`, `MERCHANTPAY_KEY_ID` and the merchant's own key, whose signatures it
    /// refuses. It needs no private key.
    ///
    /// Raises InvalidArgumentError for a variable that is missing or cannot be read. The error names the
    /// variable.
    #[classmethod]
    fn from_env(class: &Bound<'_, PyType>) -> PyResult<WebhookVerifier> {
        crate::environment::verifier(class.py()).map(WebhookVerifier)
    }

    /// Verifies a webhook and returns a CredentialsIssued, CredentialsFailed or StatusChanged.
    ///
    /// `body` is the request's body, unchanged: a body that was parsed and serialised again does not verify.
    /// `signature` and `key_id` are the values of two headers. The contract does not name the headers of
    /// webhooks; in requests and replies they are X-Signature and X-KeyId. Pass None for an absent header.
    ///
    /// A webhook has no date, and an old one can arrive again: do not replace a final status by another one.
    ///
    /// Raises UnverifiedError if there is no proof that the service signed the webhook. Raises MalformedError
    /// if the webhook is verified but violates the contract.
    #[pyo3(signature = (body, signature, key_id=None))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        body: &Bound<'py, PyAny>,
        signature: Option<&Bound<'py, PyAny>>,
        key_id: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let body = raw(body)?;
        let signature = header("signature", signature)?;
        let key_id = header("key_id", key_id)?;
        self.event(py, body, signature.as_deref(), key_id.as_deref())
    }

    /// Explains why a webhook does not verify; None if its signature and its key id are accepted. The
    /// arguments are those of `verify`; the result is an Explanation.
    ///
    /// The headers show some causes, and the form of the body shows others, such as an empty one. Any other cause
    /// is named only with a proof: the library undoes it in a copy of the message, and the copy verifies. Write the
    /// cause to the log, and do not return it to the sender, who may be an attacker. Do not use the webhook.
    #[pyo3(signature = (body, signature, key_id=None))]
    fn explain(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        signature: Option<&Bound<'_, PyAny>>,
        key_id: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Explanation>> {
        let body = raw(body)?;
        let signature = header("signature", signature)?.unwrap_or_default();
        let key_id = header("key_id", key_id)?;
        let explanation =
            call(py, Outcome::Unknown, || Ok(self.0.explain(body, &signature, key_id.as_deref())))?;
        Ok(explanation.map(|explanation| Explanation {
            cause: explanation.cause().name().to_owned(),
            hint: explanation.hint(),
        }))
    }

    /// Like `verify`, with a request's headers in any framework's type: a mapping with names in upper or lower
    /// case, a WSGI environ (Django's `request.META` too), or ASGI's list of (bytes, bytes). Reads X-Signature
    /// and X-KeyId, and refuses a request that repeats one of them.
    ///
    /// Raises the same errors as `verify`.
    #[pyo3(signature = (body, headers))]
    fn verify_request<'py>(
        &self,
        py: Python<'py>,
        body: &Bound<'py, PyAny>,
        headers: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let body = raw(body)?;
        let pairs = headers::pairs(headers)?;
        let once = |name| headers::once(&pairs, name).map_err(|why| unverified(py, why));
        self.event(py, body, once("x-signature")?, once("x-keyid")?)
    }

    fn __repr__(&self) -> &'static str {
        "WebhookVerifier()"
    }

    #[pyo3(signature = (protocol, /))]
    #[expect(unused_variables)]
    fn __reduce_ex__(&self, protocol: i32) -> PyResult<()> {
        Err(crate::not_copied("WebhookVerifier"))
    }
}

impl WebhookVerifier {
    fn event<'py>(
        &self,
        py: Python<'py>,
        body: &[u8],
        signature: Option<&str>,
        key_id: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let signature = signature.ok_or_else(|| unverified(py, "the webhook has no X-Signature"))?;
        let event = call(py, Outcome::Unknown, || self.0.verify(body, signature, key_id))?;
        let payment = |payment| Py::new(py, Payment(payment));
        match event {
            Event::CredentialsIssued(of) => {
                Ok(Bound::new(py, CredentialsIssued { payment: payment(of)? })?.into_any())
            }
            Event::CredentialsFailed(of) => {
                Ok(Bound::new(py, CredentialsFailed { payment: payment(of)? })?.into_any())
            }
            Event::StatusChanged(of) => {
                Ok(Bound::new(py, StatusChanged { payment: payment(of)? })?.into_any())
            }
            _ => Err(raised(
                py,
                Code::Internal,
                Outcome::Unknown,
                "the webhook has an event that this package does not know",
                None,
            )),
        }
    }
}

/// Explains why a webhook does not verify. Write the explanation to the log, and do not return it to the
/// sender.
#[pyclass(frozen, eq, hash, module = "merchantpay")]
#[derive(PartialEq, Hash)]
pub(crate) struct Explanation {
    cause: String,
    hint: String,
}

#[pymethods]
impl Explanation {
    #[new]
    fn new(cause: String, hint: String) -> Explanation {
        Explanation { cause, hint }
    }

    /// The name of the cause, one of `Cause`. A later version may have other causes.
    #[getter]
    fn cause(&self) -> &str {
        &self.cause
    }

    /// A text about the exact fault and its remedy. The text contains no data of the webhook.
    #[getter]
    fn hint(&self) -> &str {
        &self.hint
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = |text: &str| PyString::new(py, text).repr().map(|text| text.to_string());
        Ok(format!("Explanation(cause={}, hint={})", text(&self.cause)?, text(&self.hint)?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String, String)) {
        (py.get_type::<Explanation>().into_any(), (self.cause.clone(), self.hint.clone()))
    }
}

fn unverified(py: Python<'_>, why: &str) -> PyErr {
    raised(py, Code::Unverified, Outcome::Unknown, why, None)
}

/// The unchanged body, which must be bytes.
fn raw<'a>(body: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    bytes(
        "body",
        body,
        "the request's unchanged body: exactly these bytes were signed, not the parsed values",
    )
}

/// A header's text. A sender can write anything in a header. So a text that is not valid Unicode raises no
/// error here: it becomes a text that does not verify.
pub(crate) fn header(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    let Some(value) = value else { return Ok(None) };
    let text = value.cast::<PyString>().map_err(|_| wrong_type(name, "str", value))?;
    Ok(Some(text.to_cow().map_or_else(|_| "\u{fffd}".to_owned(), |text| text.into_owned())))
}

/// The three events differ only in their names and kinds.
macro_rules! events {
    ($( $(#[$meta:meta])* $name:ident $kind:literal )+) => { $(
        $(#[$meta])*
        #[pyclass(frozen, eq, module = "merchantpay")]
        pub(crate) struct $name {
            payment: Py<Payment>,
        }

        impl PartialEq for $name {
            fn eq(&self, other: &$name) -> bool {
                self.payment.get() == other.payment.get()
            }
        }

        #[pymethods]
        impl $name {
            /// The event's payment.
            #[getter]
            fn payment(&self, py: Python<'_>) -> Py<Payment> {
                self.payment.clone_ref(py)
            }

            /// The payment's `order_id`.
            #[getter]
            fn order_id(&self) -> String {
                self.payment.get().0.order_id().to_owned()
            }

            /// The kind of the event: "credentials", "credentials_failed" or "status".
            #[getter]
            fn kind(&self) -> &'static str {
                $kind
            }

            fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
                self.payment.bind(py).hash()
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                Ok(format!(concat!(stringify!($name), "(payment={})"), self.payment.bind(py).repr()?))
            }

            fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
                slf
            }

            #[pyo3(signature = (memo, /))]
            #[expect(unused_variables)]
            fn __deepcopy__<'py>(slf: Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
                slf
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
                pickled(py, stringify!($name), self.payment.get().0.json())
            }
        }
    )+

        /// Makes the event of this kind from the payment in a pickle.
        fn unpickled_event<'py>(kind: &str, payment: Bound<'py, Payment>) -> PyResult<Option<Bound<'py, PyAny>>> {
            let py = payment.py();
            match kind {
                $( stringify!($name) => Ok(Some(Bound::new(py, $name { payment: payment.unbind() })?.into_any())), )+
                _ => Ok(None),
            }
        }
    };
}

events! {
    /// Credentials were found for a payment made by `new_payment_async` (contract, section 6.1).
    CredentialsIssued "credentials"
    /// No credentials were found (contract, section 6.1). The payment has nothing but its `order_id`.
    CredentialsFailed "credentials_failed"
    /// The payment has a new status (contract, section 6.2). The status is never "free" or "pending".
    StatusChanged "status"
}

/// Makes the object from a pickle. This function is not part of the package's interface.
#[pyfunction]
pub(crate) fn _unpickle<'py>(py: Python<'py>, kind: &str, json: &str) -> PyResult<Bound<'py, PyAny>> {
    let unreadable = || PyValueError::new_err("this version of merchantpay cannot read this pickle");
    if kind == "AvailableAmounts" {
        let amounts = merchantpay::AvailableAmounts::carried(json).ok_or_else(unreadable)?;
        return Ok(Bound::new(py, AvailableAmounts(amounts))?.into_any());
    }
    let payment = Bound::new(py, Payment(merchantpay::Payment::carried(json).ok_or_else(unreadable)?))?;
    if kind == "Payment" {
        Ok(payment.into_any())
    } else {
        unpickled_event(kind, payment)?.ok_or_else(unreadable)
    }
}
