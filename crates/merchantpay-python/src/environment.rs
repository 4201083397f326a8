//! The settings in the environment, for `Client`, `Protocol` and `WebhookVerifier`.

use std::path::Path;

use merchantpay::{Code, Error, SETTINGS, Setting, SettingKind, WebhookVerifier, check_path, read_key_file};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{exception, invalid};
use crate::python_half;

const KEY_FILE: &str = "MERCHANTPAY_PRIVATE_KEY_FILE";
/// The argument that combines two settings.
const CERTIFICATE: &str = "client_certificate";
const CERTIFICATE_FILES: [&str; 2] = ["client_cert_file", "client_key_file"];

/// The arguments of a client or a protocol: the given arguments, and for the missing ones the values of their
/// variables. With `names`, only the settings with these names are read: a protocol has fewer settings.
pub(crate) fn arguments<'py>(
    py: Python<'py>,
    given: Option<&Bound<'py, PyDict>>,
    names: Option<&[&str]>,
) -> PyResult<Bound<'py, PyDict>> {
    let is_taken = |name: &str| names.is_none_or(|names| names.contains(&name));
    let arguments = given.map_or_else(|| Ok(PyDict::new(py)), |given| given.copy())?;
    let has_signer = arguments.get_item("signer")?.is_some_and(|signer| !signer.is_none());
    if has_signer && !arguments.contains("private_key")? {
        arguments.set_item("private_key", py.None())?;
    }
    if is_taken(CERTIFICATE_FILES[0]) && !arguments.contains(CERTIFICATE)? {
        arguments.set_item(CERTIFICATE, certificate(py)?)?;
    }
    let one_argument = SETTINGS.iter().filter(|setting| !CERTIFICATE_FILES.contains(&setting.name));
    for setting in one_argument.filter(|setting| is_taken(setting.name)) {
        if arguments.contains(setting.name)? {
            continue;
        }
        match setting_text(py, setting)? {
            Some(text) => arguments.set_item(setting.name, value(py, setting, &text)?)?,
            None if setting.needed => return Err(missing(py, setting)),
            None => {}
        }
    }
    Ok(arguments)
}

/// The verifier that the settings describe.
pub(crate) fn verifier(py: Python<'_>) -> PyResult<WebhookVerifier> {
    let mut failure = None;
    let verifier = WebhookVerifier::from_texts(|setting| match setting_text(py, setting) {
        Ok(None) if setting.name == "server_public_key" => {
            failure = Some(missing(py, setting));
            None
        }
        Ok(text) => text,
        Err(error) => {
            failure = Some(error);
            None
        }
    });
    failure.map_or_else(|| verifier.map_err(|error| exception(py, &error)), Err)
}

fn missing(py: Python<'_>, setting: &Setting) -> PyErr {
    invalid(py, format!("{} is not set", setting.variable()))
}

/// The text of a setting's variable, or of the private key's file.
fn setting_text(py: Python<'_>, setting: &Setting) -> PyResult<Option<String>> {
    match variable(py, &setting.variable())? {
        None if setting.name == "private_key" => key_from_file(py),
        text => Ok(text),
    }
}

/// The text of a variable; `None` for one that is absent or empty.
fn variable(py: Python<'_>, name: &str) -> PyResult<Option<String>> {
    let found = python_half!(py, "os", "environ")?.call_method1("get", (name,))?;
    if found.is_none() {
        return Ok(None);
    }
    let text = found.extract().map_err(|_| unreadable(py, name, "must be valid Unicode text"))?;
    Ok(Some(text).filter(|text: &String| !text.is_empty()))
}

fn unreadable(py: Python<'_>, variable: &str, what: &str) -> PyErr {
    invalid(py, format!("{variable} {what}"))
}

fn key_from_file(py: Python<'_>) -> PyResult<Option<String>> {
    let Some(path) = variable(py, KEY_FILE)? else { return Ok(None) };
    check_path(KEY_FILE, Path::new(&path)).map_err(|error| exception(py, &error))?;
    let read = py.detach(|| read_key_file(Path::new(&path)).map(|text| text.to_string()));
    let text = read
        .map_err(|fault| unreadable(py, KEY_FILE, &format!("names a file that cannot be read: {fault}")))?;
    Ok(Some(text))
}

/// The client's certificate and its key: both or neither.
fn certificate(py: Python<'_>) -> PyResult<Option<(String, String)>> {
    let [certificate, key] = CERTIFICATE_FILES.map(|name| format!("MERCHANTPAY_{}", name.to_uppercase()));
    match (variable(py, &certificate)?, variable(py, &key)?) {
        (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
        (None, None) => Ok(None),
        (Some(_), None) => Err(invalid(py, format!("{certificate} is set, so {key} must be set too"))),
        (None, Some(_)) => Err(invalid(py, format!("{key} is set, so {certificate} must be set too"))),
    }
}

/// A variable's text, converted to the argument's type.
fn value<'py>(py: Python<'py>, setting: &Setting, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let named = |error: Error| {
        let message = error.message().replacen(&setting.name_with_unit(), &setting.variable(), 1);
        let named = match error.code() {
            Code::InvalidKey => Error::invalid_key(message),
            _ => Error::invalid_argument(message),
        };
        exception(py, &named)
    };
    let value = match setting.kind {
        SettingKind::Text | SettingKind::Secret | SettingKind::File | SettingKind::SecretFile => {
            text.into_pyobject(py)?.into_any()
        }
        SettingKind::Texts => setting.texts(text).map_err(named)?.into_pyobject(py)?.into_any(),
        SettingKind::Milliseconds => {
            let milliseconds: u32 = setting.number(text).map_err(named)?;
            (f64::from(milliseconds) / 1000.0).into_pyobject(py)?.into_any()
        }
        SettingKind::Number => setting.number::<u32>(text).map_err(named)?.into_pyobject(py)?.into_any(),
        SettingKind::Bytes => setting.number::<u64>(text).map_err(named)?.into_pyobject(py)?.into_any(),
        SettingKind::Flag => setting.flag(text).map_err(named)?.into_pyobject(py)?.to_owned().into_any(),
    };
    Ok(value)
}
