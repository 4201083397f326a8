//! The objects of the waist, each behind a handle of C.

use std::sync::Arc;

use merchantpay::Result;
use merchantpay_calls::{Frame, Host, ObjectKind, Written, call_into, close, open_object};

use crate::arguments::{Argument, needed};
use crate::record::{Record, RecordWriter};

/// An object, which is closed when it is dropped.
pub(crate) struct Handle(u64);

/// The object of the calls that need none.
pub(crate) const LIBRARY: u64 = 0;

impl Handle {
    /// The object that a call has made.
    pub(crate) fn of(record: &Record) -> Handle {
        Handle(record.handle(0).unwrap_or(u64::MAX))
    }

    /// Opens an object with settings. What is missing is named as a variable if there is an `environment`.
    pub(crate) fn open(
        kind: ObjectKind,
        parent: u64,
        callbacks: &Written,
        settings: &Written,
        environment: Option<&Written>,
        host: Option<Arc<dyn Host>>,
    ) -> Result<Handle> {
        crate::resident::stay();
        let style = Some(&b"snake"[..]);
        let environment = environment.map(Written::as_ref);
        let args = Frame::of(vec![style, Some(callbacks.as_ref()), Some(settings.as_ref()), environment]);
        open_object(kind, parent, args, host).map(Handle)
    }

    pub(crate) fn number(&self) -> u64 {
        self.0
    }

    pub(crate) fn interrupt(&self) {
        merchantpay_calls::interrupt(self.0);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        close(self.0);
    }
}

/// A handle of C with an object behind it.
pub(crate) trait Holds {
    /// # Errors
    ///
    /// Why there is no object.
    fn handle(&self) -> Result<&Handle>;
}

/// The object of a handle that must not be NULL.
pub(crate) fn on<T: Holds>(handle: Option<&T>, name: &str) -> Result<u64> {
    needed(handle, name)?.handle().map(Handle::number)
}

/// Makes a call of the waist.
pub(crate) fn call(on: u64, number: u32, arguments: &[Argument<'_>]) -> Result<Record> {
    written(RecordWriter::default(), on, number, arguments)?.finish()
}

/// Makes a call whose result is secret.
pub(crate) fn secret_call(on: u64, number: u32, arguments: &[Argument<'_>]) -> Result<Record> {
    written(RecordWriter::secret(), on, number, arguments)?.finish()
}

pub(crate) fn written(
    mut writer: RecordWriter,
    on: u64,
    number: u32,
    arguments: &[Argument<'_>],
) -> Result<RecordWriter> {
    let frame = Frame::of(arguments.iter().map(Option::as_deref).collect());
    call_into(on, number, frame, &mut writer)?;
    Ok(writer)
}
