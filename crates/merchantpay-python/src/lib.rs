//! The native half of the Python package `merchantpay`: the core for CPython. It wraps and converts, and adds
//! no behaviour. The documentation of classes and functions here becomes their docstrings in Python.
//!
//! | file | task |
//! |---|---|
//! | `argument` `amount` `config` `headers` `receipt` `request` | read the values from Python strictly |
//! | `settings` `request_arguments` `operations` `payment_fields`, and `entry_fields` `settings` `operations` in `journal` | contain the lists of the core's definition; generated, some in part |
//! | `environment` | reads a client's settings from the environment |
//! | `error` | converts errors to exceptions |
//! | `call` | is the only way into the core: it releases the GIL and catches panics |
//! | `keys` `payment` `webhook` `client` `wait` `protocol` `journal` | contain the classes, named by their nouns |
//! | `journal/values` | makes the journal's results, whose classes are in Python |
//! | `log` | passes attempts to the `logging` module |
//! | `definition` `testing` | return the core's lists for the tests, and the signatures of the test kit |

mod amount;
mod argument;
mod call;
mod client;
mod config;
mod definition;
mod environment;
mod error;
mod headers;
mod journal;
mod keys;
mod log;
mod operations;
mod payment;
mod payment_fields;
mod protocol;
mod receipt;
mod request;
mod request_arguments;
mod settings;
mod testing;
mod wait;
mod webhook;

use pyo3::prelude::*;

/// The native half of the package `merchantpay`. Import `merchantpay`, not this module.
#[pymodule]
mod _merchantpay {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::amount::to_balance;
    #[pymodule_export]
    use crate::call::_panic;
    #[pymodule_export]
    use crate::client::Client;
    #[pymodule_export]
    use crate::definition::_words;
    #[pymodule_export]
    use crate::journal::Journal;
    #[pymodule_export]
    use crate::keys::{Keypair, generate_keypair};
    #[pymodule_export]
    use crate::payment::{AvailableAmounts, Payment};
    #[pymodule_export]
    use crate::protocol::{HttpRequest, Protocol};
    #[pymodule_export]
    use crate::testing::_sign;
    #[pymodule_export]
    use crate::wait::_StatusWait;
    #[pymodule_export]
    use crate::webhook::{
        _unpickle, CredentialsFailed, CredentialsIssued, Explanation, StatusChanged, WebhookVerifier,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Returns a name of the package's Python half, such as the class `Status`. The name is looked up only once.
macro_rules! python_half {
    ($py:expr, $module:literal, $name:literal) => {{
        static FOUND: pyo3::sync::PyOnceLock<Py<PyAny>> = pyo3::sync::PyOnceLock::new();
        let found = FOUND.get_or_try_init($py, || {
            pyo3::PyResult::Ok(pyo3::types::PyModule::import($py, $module)?.getattr($name)?.unbind())
        });
        found.map(|found| found.bind($py).clone())
    }};
}
pub(crate) use python_half;

/// The error if an object with a key or a connection is copied or pickled. Such an object must stay in its
/// process.
fn not_copied(what: &str) -> PyErr {
    pyo3::exceptions::PyTypeError::new_err(format!(
        "a {what} cannot be pickled or copied: create a new one where you need it"
    ))
}
