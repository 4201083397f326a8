//! The objects of the waist, each behind a handle of C, and the calls on them.

use std::sync::Arc;

use merchantpay::{Error, Outcome, Result};
use merchantpay_calls::{Host, Object, ObjectKind, Style, Value, calls, make, make_object};

use crate::arguments::{Argument, needed};
use crate::record::{Record, RecordWriter};

/// The object of the calls that need none.
pub(crate) static LIBRARY: &Object = &OF_LIBRARY;

static OF_LIBRARY: Object = Object::library(Style::Snake);

/// Opens an object with settings. What is missing is named as a variable if there is an `environment`.
pub(crate) fn open(
    kind: ObjectKind,
    parent: Option<&Object>,
    callbacks: Argument<'_>,
    settings: Argument<'_>,
    environment: Argument<'_>,
    host: Option<Arc<dyn Host>>,
) -> Result<Arc<Object>> {
    crate::resident::stay();
    let style = Some(Value::Borrowed(Style::Snake.name().as_bytes()));
    make_object(kind, parent, &[style, callbacks, settings, environment], host)
}

/// A handle of C with an object behind it.
pub(crate) trait Holds {
    fn object(&self) -> Result<&Arc<Object>>;
}

/// The object of a handle that must not be NULL.
pub(crate) fn on<'a, T: Holds>(handle: Option<&'a T>, name: &str) -> Result<&'a Arc<Object>> {
    needed(handle, name)?.object()
}

pub(crate) fn call(on: &Object, number: u32, arguments: &[Argument<'_>]) -> Result<Record> {
    written(RecordWriter::default(), on, number, arguments).map(RecordWriter::finish)
}

pub(crate) fn secret_call(on: &Object, number: u32, arguments: &[Argument<'_>]) -> Result<Record> {
    written(RecordWriter::secret(), on, number, arguments).map(RecordWriter::finish)
}

pub(crate) fn written(
    mut writer: RecordWriter,
    on: &Object,
    number: u32,
    arguments: &[Argument<'_>],
) -> Result<RecordWriter> {
    let row = calls().find(|row| row.number == number);
    let row = row.ok_or_else(|| Error::internal(Outcome::NotSent, format!("there is no call {number}")))?;
    make(on, row, arguments, None)?.put(&mut writer);
    Ok(writer)
}
