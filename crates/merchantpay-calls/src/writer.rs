//! Where results are written: a frame here, a language's own objects elsewhere.

use std::sync::Arc;

use merchantpay::{Error, Result, SignedRequest};

use crate::frame::{ABSENT, Bytes, INT_BYTES};
use crate::handles::{close, hold};
use crate::kinds::Kind;
use crate::object::Object;

/// A place for values.
pub trait Out {
    /// Begins a record, a list or pairs of `count` values. Those that are not written before its end are absent.
    fn begin(&mut self, kind: Kind, count: usize);
    /// Ends the record or list that began last.
    fn end(&mut self);
    /// Writes bytes or a text.
    fn value(&mut self, value: &[u8]);
    /// Writes bytes, for a host that has another type for them than for texts.
    fn bytes(&mut self, value: &[u8]) {
        self.value(value);
    }
    /// Writes an absent value.
    fn absent(&mut self);
    /// Writes the body of a prepared request.
    fn body(&mut self, request: &SignedRequest) {
        self.bytes(request.body());
    }
    /// Gives a new object to the host.
    fn object(&mut self, object: &Arc<Object>);
}

/// Writes one value: a frame, or the bytes of a value that is none.
#[derive(Default)]
pub struct FrameWriter {
    bytes: Bytes,
    open: Vec<Open>,
    /// A body that is the whole value, without a copy.
    body: Option<SignedRequest>,
    failure: Option<Error>,
    /// The handles in the value. Nobody would close them if the value were lost.
    handles: Vec<u64>,
}

/// A value that was written.
pub enum Written {
    /// A frame, or the bytes of another value.
    Bytes(Bytes),
    /// The body of a request.
    Body(SignedRequest),
}

impl Written {
    /// The bytes themselves, which the caller wipes.
    pub fn take(self) -> Vec<u8> {
        match self {
            Written::Bytes(bytes) => bytes.take(),
            Written::Body(request) => request.body().to_vec(),
        }
    }
}

impl AsRef<[u8]> for Written {
    fn as_ref(&self) -> &[u8] {
        match self {
            Written::Bytes(bytes) => bytes.as_ref(),
            Written::Body(request) => request.body(),
        }
    }
}

/// A frame that has begun: where its bytes begin, and the place of its next length.
struct Open {
    start: usize,
    place: usize,
}

impl FrameWriter {
    /// What was written.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if a value is longer than an `int32` can say, or if the host has too many objects.
    pub fn finish(self) -> Result<Written> {
        match (self.failure, self.body) {
            (Some(failure), _) => {
                self.handles.into_iter().for_each(close);
                Err(failure)
            }
            (None, Some(request)) => Ok(Written::Body(request)),
            (None, None) => Ok(Written::Bytes(self.bytes)),
        }
    }

    /// Begins a frame of `count` values.
    pub fn begin(&mut self, count: usize) {
        let start = self.bytes.as_ref().len();
        self.bytes.extend(&[0; INT_BYTES]);
        self.set(start, count);
        for _ in 0..count {
            self.bytes.extend(&ABSENT.to_ne_bytes());
        }
        self.open.push(Open { start, place: start + INT_BYTES });
    }

    fn set(&mut self, place: usize, number: usize) {
        match (i32::try_from(number), self.bytes.as_mut().get_mut(place..place + INT_BYTES)) {
            (Ok(number), Some(slot)) => slot.copy_from_slice(&number.to_ne_bytes()),
            _ => {
                let failure = Error::invalid_argument("the result is larger than 2 GiB: ask for less");
                self.failure = Some(failure);
            }
        }
    }

    fn set_length(&mut self, length: usize) {
        if let Some(open) = self.open.last_mut() {
            let place = open.place;
            open.place += INT_BYTES;
            self.set(place, length);
        }
    }
}

impl Out for FrameWriter {
    fn begin(&mut self, _: Kind, count: usize) {
        FrameWriter::begin(self, count);
    }

    fn end(&mut self) {
        if let Some(open) = self.open.pop() {
            self.set_length(self.bytes.as_ref().len() - open.start);
        }
    }

    fn value(&mut self, value: &[u8]) {
        self.bytes.extend(value);
        self.set_length(value.len());
    }

    fn absent(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.place += INT_BYTES;
        }
    }

    fn body(&mut self, request: &SignedRequest) {
        if self.open.is_empty() {
            self.body = Some(request.clone());
        } else {
            self.value(request.body());
        }
    }

    fn object(&mut self, object: &Arc<Object>) {
        match hold(Arc::clone(object)) {
            Ok(handle) => {
                self.handles.push(handle);
                self.value(&handle.to_ne_bytes());
            }
            Err(failure) => self.failure = Some(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;

    #[test]
    fn reads_what_it_writes() {
        let mut writer = FrameWriter::default();
        writer.begin(5);
        writer.value(b"one");
        writer.absent();
        writer.begin(2);
        writer.value(b"");
        writer.begin(0);
        writer.end();
        writer.end();
        writer.value(b"last");
        writer.end();
        let bytes = writer.finish().unwrap();
        let frame = Frame::read(bytes.as_ref()).unwrap();
        let values: Vec<_> = frame.iter().map(|value| value.map(<[u8]>::len)).collect();
        assert_eq!(values, [Some(3), None, Some(4 + 8 + 4), Some(4), None]);
        let nested = Frame::read(frame.get(2).unwrap()).unwrap();
        assert_eq!((nested.len(), nested.get(0)), (2, Some(&b""[..])));
        assert!(Frame::read(nested.get(1).unwrap()).unwrap().is_empty());
        assert_eq!(frame.get(99), None);
    }

    #[test]
    fn values_outgrow_their_memory() {
        let mut writer = FrameWriter::default();
        writer.begin(300);
        for number in 0..300 {
            writer.value(&vec![b'x'; number]);
        }
        writer.end();
        let bytes = writer.finish().unwrap();
        let frame = Frame::read(bytes.as_ref()).unwrap();
        assert!(frame.iter().enumerate().all(|(number, value)| value.map(<[u8]>::len) == Some(number)));
    }
}
