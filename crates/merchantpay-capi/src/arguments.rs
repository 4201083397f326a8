//! The arguments of a call.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use merchantpay::{Error, Result};
use merchantpay_calls::{Object, Value, lists};

/// An argument; `None` is absent.
pub(crate) type Argument<'a> = Option<Value<'a>>;

/// A text. The waist checks its UTF-8, and whether it may be absent.
///
/// # Safety
///
/// `text` is NULL or points to a NUL-terminated string that does not change during `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Argument<'a> {
    // SAFETY: not NULL, and otherwise the caller's promise.
    (!text.is_null()).then(|| Value::Borrowed(unsafe { CStr::from_ptr(text) }.to_bytes()))
}

/// A text that must not be NULL.
///
/// # Safety
///
/// The condition of [`text`] holds.
pub(crate) unsafe fn needed_text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    // SAFETY: not NULL, and otherwise the caller's promise.
    let bytes = (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_bytes());
    utf8(name, needed(bytes, name)?)
}

/// A text from the network. Invalid UTF-8 in it is not the caller's fault, and becomes U+FFFD.
///
/// # Safety
///
/// The condition of [`text`] holds.
#[cfg(feature = "journal")]
pub(crate) unsafe fn foreign_text<'a>(pointer: *const c_char) -> Argument<'a> {
    // SAFETY: the caller's promise.
    let text = unsafe { text(pointer) };
    Some(String::from_utf8_lossy(given(&text).unwrap_or_default()).into_owned().into())
}

pub(crate) fn utf8<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|_| Error::about(name, "is not UTF-8"))
}

/// Bytes; (NULL, 0) means no bytes.
///
/// # Safety
///
/// `data` is NULL, or points to `len` bytes that do not change during `'a`.
pub(crate) unsafe fn bytes<'a>(data: *const c_void, len: usize, name: &str) -> Result<&'a [u8]> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        (false, _) if isize::try_from(len).is_err() => Err(Error::invalid_argument(format!(
            "the length of {name} is larger than any memory block can be"
        ))),
        // SAFETY: not NULL, a length that can be, and otherwise the caller's promise.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(data.cast(), len) }),
    }
}

/// Bytes as an argument.
///
/// # Safety
///
/// The condition of [`bytes`] holds.
pub(crate) unsafe fn block<'a>(data: *const c_void, len: usize, name: &str) -> Result<Argument<'a>> {
    // SAFETY: the caller's promise.
    unsafe { bytes(data, len, name) }.map(|bytes| Some(Value::Borrowed(bytes)))
}

pub(crate) fn number(number: impl ToString) -> Argument<'static> {
    Some(number.to_string().into())
}

pub(crate) fn object(object: &Arc<Object>) -> Argument<'static> {
    Some(Value::Object(Arc::clone(object)))
}

/// A word of a list, by the number of its constant. The names of the constants begin with `prefix`.
pub(crate) fn word(number: i32, list: &str, name: &str, prefix: &str) -> Result<Argument<'static>> {
    let words = lists().find(|(known, _)| *known == list).map_or(&[][..], |(_, words)| words);
    let word = words.iter().find(|word| word.number == number);
    let word = word.ok_or_else(|| {
        Error::invalid_argument(format!("{name} must be one of the MPAY_{prefix} constants"))
    })?;
    Ok(Some(Value::Borrowed(word.name.as_bytes())))
}

/// Names that are separated by commas.
///
/// # Safety
///
/// The condition of [`text`] holds.
#[cfg(feature = "journal")]
pub(crate) unsafe fn names<'a>(pointer: *const c_char, name: &str) -> Result<Argument<'a>> {
    // SAFETY: the caller's promise.
    let text = unsafe { needed_text(pointer, name) }?;
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    Ok(list(names.map(|name| Some(name.as_bytes()))))
}

/// A list, the fields of a record, or names and values by turns.
pub(crate) fn list<'a>(values: impl IntoIterator<Item = Option<&'a [u8]>>) -> Argument<'a> {
    Some(Value::List(values.into_iter().map(|value| value.map(Value::Borrowed)).collect()))
}

pub(crate) fn given<'a>(text: &'a Argument<'_>) -> Option<&'a [u8]> {
    text.as_ref().and_then(Value::bytes)
}

/// A handle, text or out-pointer that must not be NULL.
pub(crate) fn needed<T>(value: Option<T>, name: &str) -> Result<T> {
    value.ok_or_else(|| null(name))
}

#[cold]
pub(crate) fn null(name: &str) -> Error {
    Error::invalid_argument(format!("{name} is NULL"))
}
