//! What a call returned. C borrows its values.

use std::ffi::{c_char, c_void};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use merchantpay::{Amount, Error, Outcome, Result, SignedRequest};
use merchantpay_calls::{Frame, Kind, Object, Out, lists};
use zeroize::Zeroize;

use crate::handle::MPAY_NO_MINOR;

/// The values of a record or a list, each with a NUL behind it: C sees a text that contains a NUL as cut there. A
/// result that is neither is the only value of its `Record`.
///
/// A place is the index of a value, or the indices that lead to a value of an inner record.
#[derive(Default)]
pub(crate) struct Record {
    bytes: Vec<u8>,
    values: Vec<Value>,
    is_secret: bool,
    /// The texts that a binding of another language reads at once.
    flat: OnceLock<Box<[u8]>>,
}

enum Value {
    Absent,
    Bytes { start: usize, len: usize },
    Record(Box<Record>),
    Object(Arc<Object>),
}

impl Record {
    fn new(count: usize, is_secret: bool) -> Record {
        let values = Vec::with_capacity(count);
        // Most records fit, and do not have to grow.
        Record { bytes: Vec::with_capacity(64 * count), values, is_secret, flat: OnceLock::new() }
    }

    pub(crate) fn of_error(error: &Error) -> Record {
        let mut writer = RecordWriter::default();
        merchantpay_calls::describe(error, &mut writer);
        writer.finish()
    }

    /// A frame without inner frames.
    pub(crate) fn read(frame: &[u8]) -> Record {
        let mut record = Record::default();
        Frame::read(frame).unwrap_or_default().iter().for_each(|value| record.push(value));
        record
    }

    pub(crate) fn push(&mut self, value: Option<&[u8]>) {
        let Some(value) = value else { return self.values.push(Value::Absent) };
        let (start, len) = (self.bytes.len(), value.len());
        // A secret that outgrows its memory must not stay there.
        if self.is_secret && self.bytes.capacity() <= start + len {
            let mut larger = Vec::with_capacity(2 * (start + len + 1));
            larger.extend_from_slice(&self.bytes);
            self.bytes.zeroize();
            self.bytes = larger;
        }
        self.bytes.extend_from_slice(value);
        self.bytes.push(0);
        self.values.push(Value::Bytes { start, len });
    }

    /// `None` instead of a result that is absent.
    pub(crate) fn present(self) -> Option<Record> {
        (!matches!(self.values.as_slice(), [] | [Value::Absent])).then_some(self)
    }

    pub(crate) fn object(&self, index: usize) -> Result<Arc<Object>> {
        match self.values.get(index) {
            Some(Value::Object(object)) => Ok(Arc::clone(object)),
            _ => Err(Error::internal(Outcome::NotSent, "the call made no object")),
        }
    }

    fn value(&self, place: &[usize]) -> Option<(&Record, &Value)> {
        let (last, outer) = place.split_last()?;
        let record = outer.iter().try_fold(self, |record, index| match record.values.get(*index)? {
            Value::Record(inner) => Some(&**inner),
            _ => None,
        })?;
        Some((record, record.values.get(*last)?))
    }

    pub(crate) fn bytes(&self, place: &[usize]) -> Option<&[u8]> {
        match self.value(place)? {
            (record, Value::Bytes { start, len }) => record.bytes.get(*start..start + len),
            _ => None,
        }
    }

    pub(crate) fn str(&self, place: &[usize]) -> Option<&str> {
        std::str::from_utf8(self.bytes(place)?).ok()
    }

    pub(crate) fn inside(&self, place: &[usize]) -> Option<&Record> {
        match self.value(place)? {
            (_, Value::Record(inner)) => Some(inner),
            _ => None,
        }
    }

    #[cfg(feature = "journal")]
    pub(crate) fn take(&mut self, index: usize) -> Option<Record> {
        match std::mem::replace(self.values.get_mut(index)?, Value::Absent) {
            Value::Record(inner) => Some(*inner),
            _ => None,
        }
    }

    #[cfg(feature = "journal")]
    pub(crate) fn into_records(mut self) -> impl Iterator<Item = Record> {
        (0..self.values.len()).filter_map(move |index| self.take(index))
    }

    /// Texts in the format of mpay_payment_fields: separated by NUL, with 0xFF for an absent one. A NUL follows the
    /// last text.
    pub(crate) fn flat(&self, texts: impl FnOnce() -> Vec<Option<String>>) -> &[u8] {
        let all = self.flat.get_or_init(|| {
            let mut all = Vec::new();
            for text in texts() {
                match &text {
                    Some(text) => all.extend(text.split('\0').next().unwrap_or_default().bytes()),
                    None => all.push(0xff),
                }
                all.push(0);
            }
            all.into()
        });
        all.split_last().map_or(&[], |(_, texts)| texts)
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn text(&self, place: &[usize]) -> *const c_char {
        self.bytes(place).map_or(std::ptr::null(), |bytes| bytes.as_ptr().cast())
    }

    /// An id. C would see the id of a different order if it were cut at a NUL.
    pub(crate) fn id(&self, place: &[usize]) -> *const c_char {
        let id = self.bytes(place).filter(|id| !id.contains(&0));
        id.map_or(std::ptr::null(), |bytes| bytes.as_ptr().cast())
    }

    pub(crate) fn data(&self, place: &[usize]) -> *const c_void {
        self.text(place).cast()
    }

    pub(crate) fn data_len(&self, place: &[usize]) -> usize {
        self.bytes(place).map_or(0, <[u8]>::len)
    }

    /// A number, or 0.
    pub(crate) fn number<N: FromStr + Default>(&self, place: &[usize]) -> N {
        self.str(place).and_then(|digits| digits.parse().ok()).unwrap_or_default()
    }

    /// The number of a word; 0 for none, and for one that this version does not know.
    pub(crate) fn word(&self, place: &[usize], list: &str) -> i32 {
        let Some(name) = self.str(place) else { return 0 };
        let words = lists().find(|(known, _)| *known == list).map_or(&[][..], |(_, words)| words);
        words.iter().find(|word| word.name == name).map_or(0, |word| word.number)
    }

    /// An amount in hundredths.
    pub(crate) fn minor(&self, place: &[usize]) -> i64 {
        let amount = self.str(place).and_then(|text| text.parse::<Amount>().ok());
        amount.and_then(|amount| amount.minor()).unwrap_or(MPAY_NO_MINOR)
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if self.is_secret {
            self.bytes.zeroize();
        }
    }
}

impl AsRef<Record> for Record {
    fn as_ref(&self) -> &Record {
        self
    }
}

#[derive(Default)]
pub(crate) struct RecordWriter {
    /// The records that are not complete, the innermost last.
    open: Vec<Record>,
    result: Record,
    body: Option<SignedRequest>,
}

impl RecordWriter {
    /// For a result with a key, which is wiped when it is freed.
    pub(crate) fn secret() -> RecordWriter {
        RecordWriter { result: Record::new(1, true), ..RecordWriter::default() }
    }

    pub(crate) fn finish(mut self) -> Record {
        match self.result.values.pop() {
            Some(Value::Record(record)) => *record,
            value => {
                self.result.values.extend(value);
                self.result
            }
        }
    }

    pub(crate) fn into_body(self) -> Option<SignedRequest> {
        self.body
    }

    fn last(&mut self) -> &mut Record {
        self.open.last_mut().unwrap_or(&mut self.result)
    }
}

impl Out for RecordWriter {
    fn begin(&mut self, _: Kind, count: usize) {
        self.open.push(Record::new(count, self.result.is_secret));
    }

    fn end(&mut self) {
        if let Some(record) = self.open.pop() {
            self.last().values.push(Value::Record(Box::new(record)));
        }
    }

    fn value(&mut self, value: &[u8]) {
        self.last().push(Some(value));
    }

    fn absent(&mut self) {
        self.last().push(None);
    }

    fn body(&mut self, request: &SignedRequest) {
        self.body = Some(request.clone());
    }

    fn object(&mut self, object: &Arc<Object>) {
        self.last().values.push(Value::Object(Arc::clone(object)));
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn values_end_with_nul_and_an_absent_one_differs_from_an_empty_one() {
        let mut writer = RecordWriter::secret();
        writer.begin(Kind::Pairs, 5);
        writer.value(b"one");
        writer.absent();
        writer.begin(Kind::Pairs, 1);
        writer.value("четыре".as_bytes());
        writer.end();
        writer.value(b"");
        writer.value(b"cut\0here");
        writer.end();
        let record = writer.finish();
        let shown = |place: &[usize]| {
            let text = record.text(place);
            // SAFETY: a text of the record, which is alive.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().unwrap())
        };
        let places: [&[usize]; 8] = [&[0], &[1], &[2], &[2, 0], &[3], &[4], &[5], &[2, 0, 0]];
        assert_eq!(
            places.map(shown),
            [Some("one"), None, None, Some("четыре"), Some(""), Some("cut"), None, None]
        );
        assert!(record.id(&[4]).is_null() && !record.id(&[0]).is_null());
        assert_eq!(record.data_len(&[4]), 8);
    }

    #[test]
    fn flat_texts_are_cut_at_nul_and_end_with_one() {
        let texts = || vec![Some("one".to_owned()), None, Some(String::new()), Some("a\0b".to_owned())];
        let record = Record::default();
        assert_eq!(record.flat(texts), b"one\0\xff\0\0a");
        assert_eq!(record.flat.get().and_then(|all| all.last()), Some(&0));
    }
}
