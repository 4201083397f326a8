//! Reads the files of `attach_receipt`.

use merchantpay::{Outcome, Receipt};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::argument::{bytes, path, text, wrong_type};
use crate::call::call;

const FILES: &str = "a list of paths and (name, bytes, content type) tuples";

/// Reads the files of `attach_receipt` at once, not when the request is sent.
pub(crate) fn receipt(
    py: Python<'_>,
    order_id: &Bound<'_, PyAny>,
    files: &Bound<'_, PyAny>,
) -> PyResult<Receipt> {
    let mut receipt = Receipt::new(text("order_id", order_id)?);
    // Refuses a single path, which could also be read as a list of letters: the caller meant a list of one
    // path.
    if files.is_instance_of::<PyString>()
        || files.is_instance_of::<PyBytes>()
        || files.hasattr("__fspath__")?
    {
        return Err(wrong_type("files", FILES, files));
    }
    for file in files.try_iter().map_err(|_| wrong_type("files", FILES, files))? {
        let file = file?;
        if let Ok(tuple) = file.cast::<PyTuple>() {
            let (name, data, content_type): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) =
                tuple.extract().map_err(|_| {
                    PyTypeError::new_err(
                        "a receipt from memory is a tuple of its file name, its bytes and its content type",
                    )
                })?;
            let (name, content_type) =
                (text("the file name", &name)?, text("the content type", &content_type)?);
            let data = bytes("the data", &data, "give a file on disk by its path")?;
            call(py, Outcome::NotSent, || receipt.add_bytes(&name, &content_type, data).map(drop))?;
        } else {
            let path = path("a receipt", &file)?;
            call(py, Outcome::NotSent, || receipt.add_file(&path).map(drop))?;
        }
    }
    Ok(receipt)
}
