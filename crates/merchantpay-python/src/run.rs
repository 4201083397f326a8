//! What Python does with handles: it opens them and makes calls.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use merchantpay::{Error, Outcome, Result};
use merchantpay_calls::{Object, ObjectKind, Pause, Phase, Style, Value, calls, make, make_object};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::call::{attempt, call, guarded, run_signal_handlers};
use crate::error::{exception, wrong_type};
use crate::handle::{Handle, Held};
use crate::host::PyHost;
use crate::read;
use crate::write::Writer;

/// The longest time for which a pause delays Ctrl-C.
const SLICE: Duration = Duration::from_millis(50);

static LIBRARY: Object = Object::library(Style::Python);

#[pymethods]
impl Handle {
    #[pyo3(signature = (number, *arguments))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        number: u32,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let held = self.held(py)?;
        run(py, &held.object, number, arguments, Some(&held), false)
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
        run(py, &held.object, number, arguments, Some(&held), true)
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
    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
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
    run(py, &LIBRARY, number, arguments, None, false)
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

/// Makes a call with arguments from Python. `held` is passed on to an object that the call makes. A step ends where the
/// call would sleep, and returns the seconds.
fn run<'py>(
    py: Python<'py>,
    object: &Object,
    number: u32,
    arguments: &Bound<'py, PyTuple>,
    held: Option<&Held>,
    is_step: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let unknown = || exception(py, Error::internal(Outcome::NotSent, format!("there is no call {number}")));
    let row = calls().find(|row| row.number == number).ok_or_else(unknown)?;
    let panicked = if row.phase == Phase::Setup { Outcome::NotSent } else { Outcome::Unknown };
    guarded(py, panicked, || {
        let given: Vec<_> = arguments.iter().collect();
        let arguments = read::arguments(row, &given)?;
        let mut next = None;
        let made = attempt(py, || {
            let stopped = Cell::new(None);
            let pause_for = |length| {
                if !is_step {
                    return sleep(object, length);
                }
                stopped.set(Some(length));
                Err(Error::internal(Outcome::Unknown, "the pause was not handed to Python"))
            };
            let pause = Pause { sleep: &pause_for, waited: Duration::ZERO };
            let made = make(object, row, &arguments, Some(pause));
            next = stopped.get();
            made
        })?;
        if let (Err(_), Some(pause)) = (&made, next) {
            return Ok(PyFloat::new(py, pause.as_secs_f64()).into_any());
        }
        let returned = made.map_err(|failed| failed.into_exception(py))?;
        let wrap = |object: &Arc<Object>| {
            held.map_or_else(|| Handle::without_host(object), |held| held.derived(object))
                .into_bound_py_any(py)
        };
        Writer::write(py, row.result(), Some(&wrap), &returned)
    })
}

/// Sleeps between two requests, and runs signal handlers meanwhile. If a handler raises an exception, the call
/// raises it.
fn sleep(object: &Object, pause: Duration) -> Result<()> {
    let end = Instant::now() + pause;
    loop {
        if Python::try_attach(run_signal_handlers) == Some(false) {
            return Err(Error::internal(Outcome::Unknown, "a signal handler raised an exception"));
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        object.pause(left.min(SLICE))?;
    }
}
