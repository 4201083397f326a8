//! Objects of the waist, as Python holds them.

use std::sync::{Arc, Mutex, PoisonError};

use merchantpay::Error;
use merchantpay_calls::{Object, ObjectKind};
use pyo3::prelude::*;

use crate::error::exception;
use crate::host::PyHost;

#[pyclass(frozen, module = "merchantpay._merchantpay")]
pub(crate) struct Handle {
    kind: ObjectKind,
    /// None after it is closed. The lock is taken only with the GIL held, and released before any Python code
    /// can run. So a fork never finds it locked, and a `__del__` never waits for it.
    pub(crate) inner: Mutex<Option<Held>>,
}

#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) object: Arc<Object>,
    /// The program's code that the object calls. It is kept here so that the garbage collector can visit it.
    pub(crate) host: Option<Arc<PyHost>>,
    /// Counts the handles that share the host: a client's and those of the clients derived from it.
    pub(crate) sharing: Arc<()>,
}

impl Held {
    /// The handle of an object that a call has made. One of the same kind, such as a derived client, shares the
    /// host.
    pub(crate) fn derived(&self, object: &Arc<Object>) -> Handle {
        let is_derived = object.kind() == self.object.kind();
        Handle::new(Held {
            object: Arc::clone(object),
            host: self.host.clone().filter(|_| is_derived),
            sharing: Arc::clone(&self.sharing),
        })
    }
}

impl Handle {
    pub(crate) fn new(held: Held) -> Handle {
        Handle { kind: held.object.kind(), inner: Mutex::new(Some(held)) }
    }

    pub(crate) fn without_host(object: &Arc<Object>) -> Handle {
        Handle::new(Held { object: Arc::clone(object), host: None, sharing: Arc::new(()) })
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, Option<Held>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A clone, so that a running call keeps the object when the handle is closed.
    pub(crate) fn held(&self, py: Python<'_>) -> PyResult<Held> {
        let held = self.lock().clone();
        held.ok_or_else(|| exception(py, Error::invalid_argument(format!("the {} is closed", self.kind))))
    }
}
