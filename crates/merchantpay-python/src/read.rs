//! Arguments from Python, read strictly: a wrong type is a `TypeError`, and the waist refuses a wrong value.

use std::time::Duration;

use merchantpay::{Error, MAX_DIGITS, Setting, SettingKind};
use merchantpay_calls::{Bytes, Call, Kind, ObjectKind, Style, Value, records, settings as table};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString};

use crate::error::{exception, wrong_type};
use crate::handle::Handle;
use crate::python;

/// A value for the waist, which borrows the bytes of Python's objects.
type Read<'a> = Option<Value<'a>>;

/// The largest number of bits of an amount: an int with more bits has more digits than any amount.
const MOST_BITS: usize = 4 * MAX_DIGITS;

/// The arguments of a call, in their order. Those that are not given are absent.
pub(crate) fn arguments<'a>(row: &Call, given: &'a [Bound<'_, PyAny>]) -> PyResult<Vec<Read<'a>>> {
    let rows = row.arguments();
    let read = |(row, value): (&merchantpay_calls::Argument, &'a Bound<'_, PyAny>)| match row.kind {
        _ if value.is_none() && may_be_none(row) => Ok(None),
        Kind::Bytes => bytes(row.name, value).map(Some),
        kind => argument(row.name, kind, value),
    };
    rows.iter().zip(given).map(read).collect()
}

/// An orphan's status can be absent, although the table of the journal has no default for it.
fn may_be_none(row: &merchantpay_calls::Argument) -> bool {
    row.default.is_some() || row.kind == Kind::Header || (row.name, row.kind) == ("status", Kind::Text)
}

/// Any argument but bytes, which alone are borrowed.
fn argument<'a>(name: &str, kind: Kind, value: &Bound<'_, PyAny>) -> PyResult<Read<'a>> {
    Ok(Some(match kind {
        Kind::Text | Kind::Word(_) | Kind::Header => text(name, value)?,
        Kind::Amount => amount(name, value)?.into(),
        Kind::Number | Kind::LongNumber => whole(name, value)?.into(),
        Kind::Milliseconds => seconds(name, value)?.into(),
        Kind::Time => moment(name, value)?.into(),
        Kind::List(_) => Value::List(texts(name, value)?),
        Kind::Pairs => {
            let pairs: Vec<(String, String)> = value.extract()?;
            Value::List(
                pairs.into_iter().flat_map(|(name, value)| [Some(name.into()), Some(value.into())]).collect(),
            )
        }
        Kind::Record(record) => Value::List(fields(record, value)?),
        Kind::Handle(_) => Value::Object(value.cast::<Handle>()?.get().held(value.py())?.object),
        Kind::Optional(_) if value.is_none() => return Ok(None),
        Kind::Optional(kind) => return argument(name, *kind, value),
        _ => return Ok(None),
    }))
}

fn fields<'a>(record: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<Read<'a>>> {
    let Some(record) = records().find(|known| known.name == record) else { return Ok(Vec::new()) };
    let given = value.cast::<PyDict>()?;
    let read = |field: merchantpay_calls::Field| match given.get_item(field.name)? {
        Some(value) if !value.is_none() => argument(field.name, field.kind, &value),
        _ => Ok(None),
    };
    record.fields().into_iter().map(read).collect()
}

/// Names and values, by turns. A needed setting must not be None, unless `may_lack` says that it can come from
/// elsewhere.
pub(crate) fn settings<'a>(
    kind: ObjectKind,
    given: &Bound<'_, PyDict>,
    may_lack: bool,
) -> PyResult<Vec<Read<'a>>> {
    let mut pairs = Vec::new();
    for row in table(kind) {
        let Some(value) = given.get_item(row.name)? else { continue };
        let is_needed = match kind {
            ObjectKind::Verifier => row.name == "server_public_key",
            _ => row.needed,
        };
        if !value.is_none() || is_needed && !may_lack {
            pairs.push(Some(row.name_with_unit().into()));
            pairs.push(Some(setting(row, &value)?));
        }
    }
    Ok(pairs)
}

fn setting<'a>(row: &Setting, value: &Bound<'_, PyAny>) -> PyResult<Value<'a>> {
    Ok(match row.kind {
        SettingKind::Text | SettingKind::Secret
            if row.name == "ca_pem" && value.is_instance_of::<PyBytes>() =>
        {
            Value::Owned(Bytes::from(value.cast::<PyBytes>()?.as_bytes().to_vec()))
        }
        SettingKind::Texts if value.is_instance_of::<PyString>() => {
            Value::List(vec![Some(text(row.name, value)?)])
        }
        SettingKind::Texts => Value::List(texts(row.name, value)?),
        SettingKind::Milliseconds => seconds(row.name, value)?.into(),
        SettingKind::Number | SettingKind::Bytes => whole(row.name, value)?.into(),
        SettingKind::Flag => {
            let flag = value.cast::<PyBool>().map_err(|_| wrong_type(row.name, "bool", value))?;
            String::from(if flag.is_true() { "1" } else { "0" }).into()
        }
        SettingKind::File | SettingKind::SecretFile => path(row.name, value)?,
        _ if row.name == "place" => path(row.name, value)?,
        _ => text(row.name, value)?,
    })
}

/// Names and values, by turns.
pub(crate) fn environment<'a>(variables: &Bound<'_, PyDict>) -> PyResult<Vec<Read<'a>>> {
    let mut pairs = Vec::with_capacity(2 * variables.len());
    for (name, value) in variables.iter() {
        for it in [name, value] {
            pairs.push(Some(Value::Owned(Bytes::from(it.cast::<PyBytes>()?.as_bytes().to_vec()))));
        }
    }
    Ok(pairs)
}

/// A `str`. One with a lone surrogate becomes bytes that are not UTF-8, which the waist refuses or, in a header,
/// does not verify.
fn text<'a>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value<'a>> {
    let string = value.cast::<PyString>().map_err(|_| wrong_type(name, "str", value))?;
    Ok(match string.to_cow() {
        Ok(text) => text.into_owned().into(),
        Err(_) => Value::Owned(Bytes::from(vec![0xff])),
    })
}

pub(crate) fn order_id(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let string = value.cast::<PyString>().map_err(|_| wrong_type("order_id", "str", value))?;
    let refused = |_| exception(value.py(), Error::about("order_id", "is not UTF-8"));
    string.to_cow().map(std::borrow::Cow::into_owned).map_err(refused)
}

fn texts<'a>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<Read<'a>>> {
    let wrong = || wrong_type(name, "str or a list of str", value);
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    value.try_iter().map_err(|_| wrong())?.map(|item| Ok(Some(text(name, &item?)?))).collect()
}

fn bytes<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<Value<'a>> {
    let wanted = match name {
        "body" => "bytes (the unchanged body: exactly these bytes were signed, not the parsed values)",
        _ => "bytes (give a file on disk by its path)",
    };
    value
        .cast::<PyBytes>()
        .map(|it| Value::Borrowed(it.as_bytes()))
        .map_err(|_| wrong_type(name, wanted, value))
}

fn path<'a>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value<'a>> {
    if value.is_instance_of::<PyString>() {
        return text(name, value);
    }
    if !value.hasattr("__fspath__")? {
        return Err(wrong_type(name, "str or os.PathLike", value));
    }
    text(name, &value.call_method0("__fspath__")?)
}

/// The digits of a whole number. One that no argument can hold becomes one that the waist refuses.
fn whole(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, "int", value));
    }
    let signed = value.extract::<i64>().map(|number| number.to_string());
    let digits = signed.or_else(|_| value.extract::<u64>().map(|number| number.to_string()));
    Ok(digits.unwrap_or_else(|_| "99999999999999999999".to_owned()))
}

/// The milliseconds of a number of seconds. A part of a millisecond counts as a whole one, because 0 has a meaning
/// of its own.
fn seconds(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(duration(name, value)?.as_nanos().div_ceil(1_000_000).to_string())
}

pub(crate) fn duration(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let is_number = value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>();
    if !is_number || value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, "a number of seconds", value));
    }
    let seconds: f64 = value.extract().unwrap_or(f64::INFINITY);
    let refused = |_| {
        let fault = "is negative, or longer than this system can wait";
        exception(value.py(), Error::about(&Style::Python.spell(name), fault))
    };
    Duration::try_from_secs_f64(seconds).map_err(refused)
}

/// The text of an amount. A `float` has already lost its written digits, and `True` is not a sum.
fn amount(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_cow().map_or_else(|_| String::new(), |text| text.into_owned()));
    }
    if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        // Uses the methods of `int` itself, because a subclass may have replaced them. The size is checked
        // first, because the interpreter converts a very long int slowly or not at all.
        let int = py.get_type::<PyInt>();
        let bits: usize = int.call_method1("bit_length", (value,))?.extract()?;
        if bits > MOST_BITS {
            let fault = format!("has more than {MAX_DIGITS} digits, the most that can be kept exactly");
            return Err(exception(py, Error::about(name, fault)));
        }
        return int.call_method1("__repr__", (value,))?.extract();
    }
    let decimal = python!(py, "decimal", "Decimal")?;
    if value.is_instance(decimal)? {
        return decimal.call_method1("__str__", (value,))?.extract();
    }
    Err(wrong_type(name, "Decimal, int or str", value))
}

/// A `datetime` with a time zone, as milliseconds since 1970.
fn moment(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    // Without a time zone the time would depend on the machine.
    if !value.hasattr("timestamp")? || value.getattr("tzinfo")?.is_none() {
        return Err(PyTypeError::new_err(format!("{name} must be a datetime with a time zone")));
    }
    let seconds: f64 = value.call_method0("timestamp")?.extract()?;
    Ok(((seconds * 1000.0).round() as i64).to_string())
}
