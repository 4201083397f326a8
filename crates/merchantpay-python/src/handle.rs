//! Objects of the waist, as Python holds them.

use std::sync::{Arc, Mutex, PoisonError};

use merchantpay::Error;
use merchantpay_calls::{Object, ObjectKind, Style, Value, make_object};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::call::{call, guarded, run, step};
use crate::error::{exception, wrong_type};
use crate::host::PyHost;
use crate::read;

static LIBRARY: Object = Object::library(Style::Python);

/// An object of the waist. `call` makes a call by its number.
#[pyclass(frozen, module = "merchantpay._merchantpay")]
pub(crate) struct Handle {
    kind: ObjectKind,
    /// None after it is closed. The lock is taken only with the GIL held, and released before any Python code
    /// can run. So a fork never finds it locked, and a `__del__` never waits for it.
    inner: Mutex<Option<Held>>,
}

/// What a handle releases when it is closed.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) object: Arc<Object>,
    /// The program's code that the object calls. It is kept here so that the garbage collector can visit it.
    host: Option<Arc<PyHost>>,
    /// Counts the handles that share the host: a client's and those of the clients derived from it.
    sharing: Arc<()>,
}

impl Held {
    /// The handle of an object that a call has made.
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
    fn new(held: Held) -> Handle {
        Handle { kind: held.object.kind(), inner: Mutex::new(Some(held)) }
    }

    /// The handle of an object without a host.
    pub(crate) fn alone(object: &Arc<Object>) -> Handle {
        Handle::new(Held { object: Arc::clone(object), host: None, sharing: Arc::new(()) })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Held>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the handle holds: a call keeps it, also while the handle is closed.
    pub(crate) fn held(&self, py: Python<'_>) -> PyResult<Held> {
        let held = self.lock().clone();
        held.ok_or_else(|| exception(py, Error::invalid_argument(format!("the {} is closed", self.kind))))
    }
}

#[pymethods]
impl Handle {
    /// Makes a call.
    #[pyo3(signature = (number, *arguments))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        number: u32,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let held = self.held(py)?;
        run(py, &held.object, number, arguments, Some(&held))
    }

    /// Makes a call until it would sleep: returns its result, or the seconds to sleep before it is made again.
    #[pyo3(signature = (number, *arguments))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        number: u32,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let held = self.held(py)?;
        step(py, &held, number, arguments)
    }

    /// Ends the running calls of this object and of everything derived from it.
    fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        let held = self.held(py)?;
        py.detach(|| held.object.interrupt());
        Ok(())
    }

    /// Raises the error of an object that is closed.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.held(py).map(drop)
    }

    /// The deadline of a client's calls, in seconds.
    #[getter]
    fn timeout(&self, py: Python<'_>) -> PyResult<f64> {
        let held = self.held(py)?;
        Ok(held.object.client().map_or(0.0, |client| client.timeout().as_secs_f64()))
    }

    /// Releases the object when its running calls have ended.
    fn close(&self, py: Python<'_>) {
        // Two statements: in one, the lock would be held while the signer is dropped, which runs Python code.
        let taken = self.lock().take();
        let Some(Held { object, host, .. }) = taken else { return };
        py.detach(|| drop(object));
        drop(host);
    }

    #[getter]
    fn closed(&self) -> bool {
        self.lock().is_none()
    }

    // An object of the program can hold a client whose signer is a method of that object: a reference cycle. A
    // signer that several handles share is not shown. Otherwise the collector would treat it as this handle's
    // own, and clear an object that others still use.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.inner.try_lock() else { return Ok(()) };
        let alone = inner.as_ref().filter(|held| Arc::strong_count(&held.sharing) == 1);
        alone.and_then(|held| held.host.as_ref()).map_or(Ok(()), |host| host.traverse(&visit))
    }

    fn __clear__(&self) {
        let taken = self.lock().take();
        drop(taken);
    }
}

/// Makes a call that needs no object.
#[pyfunction]
#[pyo3(signature = (number, *arguments))]
pub(crate) fn library<'py>(
    py: Python<'py>,
    number: u32,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    run(py, &LIBRARY, number, arguments, None)
}

/// Opens an object with settings. Those that are None are not set. `environment` has the variables as bytes.
#[pyfunction]
#[pyo3(signature = (kind, settings, environment=None, signer=None, parent=None))]
pub(crate) fn open(
    py: Python<'_>,
    kind: &str,
    settings: &Bound<'_, PyDict>,
    environment: Option<&Bound<'_, PyDict>>,
    signer: Option<Bound<'_, PyAny>>,
    parent: Option<&Bound<'_, Handle>>,
) -> PyResult<Handle> {
    guarded(py, merchantpay::Outcome::NotSent, || {
        let kind = ObjectKind::from_name(kind).unwrap_or(ObjectKind::Library);
        let own = read::settings(kind, settings, environment.is_some() || signer.is_some())?;
        let environment = environment.map(read::environment).transpose()?;
        if let Some(signer) = signer.as_ref().filter(|signer| !signer.is_callable()) {
            return Err(wrong_type("signer", "callable", signer));
        }
        let calls_back = matches!(kind, ObjectKind::Client | ObjectKind::Protocol);
        let mut callbacks = vec![Some(Value::from("log".to_owned()))];
        callbacks.extend(signer.is_some().then(|| Some(Value::from("sign".to_owned()))));
        let host = calls_back.then(|| Arc::new(PyHost::new(signer.map(Bound::unbind))));
        let arguments = [
            Some(Value::from(Style::Python.name().to_owned())),
            calls_back.then_some(Value::List(callbacks)),
            Some(Value::List(own)),
            environment.map(Value::List),
        ];
        let parent = parent.map(|parent| parent.get().held(py)).transpose()?;
        let object = call(py, || {
            let parent = parent.as_ref().map(|held| &*held.object);
            make_object(kind, parent, &arguments, host.clone().map(|host| host as _))
        })?;
        Ok(Handle::new(Held { object, host, sharing: Arc::new(()) }))
    })
}
