//! The settings that need several arguments, or that accept several types.

use std::path::PathBuf;
use std::sync::Arc;

use merchantpay::{Config, PrivateKey};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::argument::{Argument, optional_texts, path, text, wrong_type};
use crate::error::invalid;
use crate::keys::{AnySigner, server_keys};
use crate::log::observe;

/// The required settings of a client.
pub(crate) struct Base<'a, 'py> {
    pub(crate) base_url: Argument<'a, 'py>,
    pub(crate) key_id: Argument<'a, 'py>,
    pub(crate) private_key: Option<Argument<'a, 'py>>,
    pub(crate) server_public_key: Argument<'a, 'py>,
    pub(crate) server_key_id: Option<Argument<'a, 'py>>,
    pub(crate) signer: Option<Argument<'a, 'py>>,
    pub(crate) public_key: Option<Argument<'a, 'py>>,
}

impl Base<'_, '_> {
    /// Returns the base URL, a config with these settings, and the signer. The garbage collector must visit
    /// the signer.
    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<(String, Config, Arc<AnySigner>)> {
        let (base_url, key_id) = (text("base_url", self.base_url)?, text("key_id", self.key_id)?);
        let signer = Arc::new(AnySigner::read(py, self.private_key, self.signer, self.public_key)?);
        let keys = server_keys(py, self.server_public_key)?;
        let Some((first, others)) = keys.split_first() else {
            return Err(invalid(py, "server_public_key is missing"));
        };
        let config = match &*signer {
            AnySigner::Key(key) => Config::new(&base_url, key_id, PrivateKey::clone(key), *first),
            AnySigner::Callable(callable) => Config::new(&base_url, key_id, Arc::clone(callable), *first),
        };
        let config = config.observer(observe);
        let config = others.iter().copied().fold(config, Config::server_public_key);
        let config = optional_texts("server_key_id", self.server_key_id)?
            .into_iter()
            .fold(config, Config::server_key_id);
        Ok((base_url, config, signer))
    }
}

/// Reads PEM certificates from `bytes` or `str`.
pub(crate) fn pem(name: &str, value: Option<Argument<'_, '_>>) -> PyResult<Option<Vec<u8>>> {
    let Some(value) = value else { return Ok(None) };
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    if value.is_instance_of::<PyString>() {
        return text(name, value).map(|text| Some(text.into_bytes()));
    }
    Err(wrong_type(name, "bytes or str", value))
}

/// A tuple of the file of the certificate and the file of its key.
pub(crate) fn client_certificate(value: Option<Argument<'_, '_>>) -> PyResult<Option<(PathBuf, PathBuf)>> {
    let Some(value) = value else { return Ok(None) };
    let files = value
        .cast::<PyTuple>()
        .ok()
        .and_then(|files| files.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().ok());
    let (certificate, key) = files.ok_or_else(|| {
        wrong_type("client_certificate", "a tuple of a certificate file and a key file", value)
    })?;
    Ok(Some((path("the certificate file", &certificate)?, path("the key file", &key)?)))
}
