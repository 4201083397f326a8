//! The headers of a request or a reply, in the types of all frameworks.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::argument::wrong_type;

const WANTED: &str = "a mapping of headers or a list of (name, value) pairs";

/// The headers that the core uses.
const USED: [&str; 5] = ["x-signature", "x-keyid", "content-type", "content-encoding", "retry-after"];

/// Names and values in order, including repeated headers. `headers` is a mapping with names in upper or lower
/// case, a mapping of lists, a WSGI environ, or a list of pairs of `str` or `bytes` as in ASGI.
pub(crate) fn pairs(headers: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
    // `items()` of an ASGI host's headers returns repeated headers too.
    let items = if headers.hasattr("items")? { headers.call_method0("items")? } else { headers.clone() };
    if items.is_instance_of::<PyString>() || items.is_instance_of::<PyBytes>() {
        return Err(wrong_type("headers", WANTED, headers));
    }
    let mut found = Vec::new();
    for item in items.try_iter().map_err(|_| wrong_type("headers", WANTED, headers))? {
        let (name, value) = pair(&item?).ok_or_else(|| wrong_type("headers", WANTED, headers))?;
        // Skips all other names: a WSGI environ contains many values that are not headers.
        let Some(name) = header_text(&name).map(|name| plain_name(&name)) else { continue };
        if !USED.contains(&name.as_str()) {
            continue;
        }
        if let Some(value) = header_text(&value) {
            found.push((name, value));
        } else if value.is_none() {
            // The header is absent.
        } else {
            for value in value.try_iter().map_err(|_| wrong_type(&name, "str or bytes", &value))? {
                let value = value?;
                found.push((
                    name.clone(),
                    header_text(&value).ok_or_else(|| wrong_type(&name, "str or bytes", &value))?,
                ));
            }
        }
    }
    Ok(found)
}

/// A tuple or list of two items.
fn pair<'py>(item: &Bound<'py, PyAny>) -> Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let whole = item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyList>();
    (whole && item.len().ok()? == 2).then(|| Some((item.get_item(0).ok()?, item.get_item(1).ok()?)))?
}

/// Converts `HTTP_X_SIGNATURE` and `X-Signature` to `x-signature`.
fn plain_name(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    match lower.strip_prefix("http_") {
        Some(name) => name.replace('_', "-"),
        None if lower == "content_type" => "content-type".to_owned(),
        None => lower,
    }
}

/// A name or value as text. A text that is not valid Unicode becomes an empty text: the header is present,
/// but has no usable value.
fn header_text(value: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Some(text.to_cow().map_or_else(|_| String::new(), |text| text.into_owned()));
    }
    let bytes = value.cast::<PyBytes>().ok()?;
    Some(std::str::from_utf8(bytes.as_bytes()).unwrap_or_default().to_owned())
}

/// The value of a header that the verification uses; `None` if the header is absent. A repeated header is an
/// error.
pub(crate) fn once<'a>(pairs: &'a [(String, String)], name: &str) -> Result<Option<&'a str>, &'static str> {
    let mut values = pairs.iter().filter(|(found, _)| found == name).map(|(_, value)| value.as_str());
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ if name == "x-signature" => Err("the webhook has more than one X-Signature header"),
        _ => Err("the webhook has more than one X-KeyId header"),
    }
}
