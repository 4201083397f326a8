//! Keys: key pairs, the service's public keys, and signers for a private key outside the process.

use std::sync::Arc;

use merchantpay::{Error, Outcome, PrivateKey, PublicKey, Result, Signature, Signer, key_text};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{PyTraverseError, PyVisit};

use crate::argument::{text, texts};
use crate::call::{RaisedBy, call, keep, run_signal_handlers};
use crate::error::{exception, invalid};

/// A new ed25519 pair, both keys in the contract's format (section 5): base64 of 64 and of 32 bytes.
///
/// Give the public key to the service and keep the private key secret.
#[pyclass(frozen, module = "merchantpay")]
pub(crate) struct Keypair(merchantpay::Keypair);

#[pymethods]
impl Keypair {
    /// The private key, for `Client`. `repr()` leaves it out.
    #[getter]
    fn private_key(&self) -> String {
        self.0.private_key().to_base64().to_string()
    }

    /// The public key, for the service.
    #[getter]
    fn public_key(&self) -> String {
        self.0.public_key().to_base64()
    }

    fn __repr__(&self) -> String {
        format!("Keypair(public_key='{}')", self.0.public_key().to_base64())
    }

    #[pyo3(signature = (protocol, /))]
    #[expect(unused_variables)]
    fn __reduce_ex__(&self, protocol: i32) -> PyResult<()> {
        Err(crate::not_copied("Keypair"))
    }
}

/// Makes a pair from the operating system's random bytes (contract, section 5).
#[pyfunction]
pub(crate) fn generate_keypair(py: Python<'_>) -> PyResult<Keypair> {
    call(py, Outcome::NotSent, merchantpay::Keypair::generate).map(Keypair)
}

/// The service's public keys; at least one.
pub(crate) fn server_keys(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Vec<PublicKey>> {
    let texts = texts("server_public_key", value)?;
    if texts.is_empty() {
        return Err(invalid(py, "server_public_key is missing"));
    }
    let read = |text: &String| key("server_public_key", text, PublicKey::from_base64);
    call(py, Outcome::NotSent, || texts.iter().map(read).collect())
}

/// Reads the key of an argument. The error contains the argument's name, because there are several keys.
fn key<K>(name: &str, text: &str, read: fn(&str) -> Result<K>) -> Result<K> {
    let text = key_text(name, text)?;
    read(&text).map_err(|error| Error::invalid_key(format!("{name}: {}", error.message())))
}

pub(crate) fn own_public_key(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<PublicKey> {
    let text = text("public_key", value)?;
    call(py, Outcome::NotSent, || key("public_key", &text, PublicKey::from_base64))
}

/// The signer: a key in this process, or a callable for a key outside it.
pub(crate) enum AnySigner {
    Key(Box<PrivateKey>),
    Callable(Arc<CallableSigner>),
}

pub(crate) struct CallableSigner {
    sign: Py<PyAny>,
    public_key: PublicKey,
}

impl AnySigner {
    /// Reads either `private_key`, or `signer` with `public_key`. If `public_key` is given with
    /// `private_key`, they must belong together.
    pub(crate) fn read(
        py: Python<'_>,
        private_key: Option<&Bound<'_, PyAny>>,
        signer: Option<&Bound<'_, PyAny>>,
        public_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<AnySigner> {
        match (private_key, signer, public_key) {
            (Some(private_key), None, public_key) => {
                let private_key = text("private_key", private_key)?;
                let private_key =
                    call(py, Outcome::NotSent, || key("private_key", &private_key, PrivateKey::from_base64))?;
                if let Some(public_key) = public_key
                    && own_public_key(py, public_key)? != private_key.public_key()
                {
                    return Err(exception(
                        py,
                        &Error::invalid_key("public_key is not the public half of private_key"),
                    ));
                }
                Ok(AnySigner::Key(Box::new(private_key)))
            }
            (None, Some(sign), Some(public_key)) => {
                if !sign.is_callable() {
                    return Err(crate::argument::wrong_type("signer", "callable", sign));
                }
                let public_key = own_public_key(py, public_key)?;
                Ok(AnySigner::Callable(Arc::new(CallableSigner { sign: sign.clone().unbind(), public_key })))
            }
            _ => Err(PyTypeError::new_err(
                "give private_key, or give private_key=None with signer= and public_key=",
            )),
        }
    }
}

impl AnySigner {
    /// Shows a callable to the garbage collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        match self {
            AnySigner::Key(_) => Ok(()),
            AnySigner::Callable(callable) => visit.call(&callable.sign),
        }
    }
}

impl Signer for CallableSigner {
    fn public_key(&self) -> PublicKey {
        self.public_key
    }

    fn sign(&self, message: &[u8]) -> Result<Signature> {
        // Does not use `attach`, which panics at the interpreter's end.
        Python::try_attach(|py| {
            if run_signal_handlers(py) {
                call_signer(self.sign.bind(py), message)
            } else {
                Err(Error::signer_failed("a signal handler raised an exception before the signer was called"))
            }
        })
        .unwrap_or_else(|| Err(Error::signer_failed("the interpreter has ended")))
    }
}

/// Calls a callable for the signature. Its exception becomes the cause of the call's error; the error's text
/// does not repeat the exception's text.
fn call_signer(sign: &Bound<'_, PyAny>, message: &[u8]) -> Result<Signature> {
    let py = sign.py();
    let signed = sign.call1((PyBytes::new(py, message),)).map_err(|error| {
        keep(py, RaisedBy::Signer, error);
        Error::signer_failed("the signer raised an exception")
    })?;
    let bytes = signed.cast::<PyBytes>().ok().and_then(|bytes| <[u8; 64]>::try_from(bytes.as_bytes()).ok());
    bytes.map(Signature::from_bytes).ok_or_else(|| Error::signer_failed("the signer did not return 64 bytes"))
}
