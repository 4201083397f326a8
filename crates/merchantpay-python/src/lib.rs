//! The native half of the Python package `merchantpay`: the waist for CPython. Values go between Python and the
//! calls of `merchantpay-calls` directly; the public classes are in Python.
//!
//! | file | task |
//! |---|---|
//! | `handle` `run` | an object of the waist, as Python holds it, and the calls on it |
//! | `call` | the only way into the waist: it releases the GIL and catches panics |
//! | `read` `write` | arguments from Python, strictly, and results for Python |
//! | `host` | the program's signer, and its `logging` |
//! | `wait` | the steps of a client's `wait` |
//! | `error` | exceptions |
//! | `testing` | what `merchantpay.testing` and pickles need |

mod call;
mod error;
mod handle;
mod host;
mod read;
mod run;
mod testing;
mod wait;
mod write;

use pyo3::prelude::*;

/// The native half of the package `merchantpay`. Import `merchantpay`, not this module.
#[pymodule]
mod _merchantpay {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::call::_panic;
    #[pymodule_export]
    use crate::handle::Handle;
    #[pymodule_export]
    use crate::run::{library, open};
    #[pymodule_export]
    use crate::testing::{_sign, _unknown_fields, _unpickle};
    #[pymodule_export]
    use crate::wait::StatusWait;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::refuse_another_interpreter(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("classes", crate::write::classes(module.py()))
    }
}

/// Classes and exceptions are those of the first interpreter: in a second one no `except` would match them.
fn refuse_another_interpreter(py: Python<'_>) -> PyResult<()> {
    static FIRST: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    // Each interpreter has a module `sys` of its own, for as long as it runs.
    let this = PyModule::import(py, "sys")?.as_ptr() as usize;
    if *FIRST.get_or_init(|| this) == this {
        return Ok(());
    }
    Err(pyo3::exceptions::PyImportError::new_err(
        "merchantpay was imported by another interpreter of this process, and works in one only: with mod_wsgi, \
         set `WSGIApplicationGroup %{GLOBAL}` for each site",
    ))
}

/// Returns a name of a Python module, such as the class `Decimal`. The name is looked up only once.
macro_rules! python {
    ($py:expr, $module:literal, $($name:literal),+) => {{
        static FOUND: pyo3::sync::PyOnceLock<Py<PyAny>> = pyo3::sync::PyOnceLock::new();
        let found = FOUND.get_or_try_init($py, || {
            pyo3::PyResult::Ok(pyo3::types::PyModule::import($py, $module)?$(.getattr($name)?)+.unbind())
        });
        found.map(|found| found.bind($py))
    }};
}
pub(crate) use python;
