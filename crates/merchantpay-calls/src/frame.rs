//! Frames: how values cross between a language and this library, within one process.
//!
//! A frame is `int32 count`, `int32 length[count]`, then the values' bytes. Integers are in the machine's byte
//! order and unaligned. A list and a record are frames inside a frame. Lengths come first because PHP decodes
//! them with one `unpack`.

use zeroize::Zeroize;

/// The length of an absent value.
pub const ABSENT: i32 = -1;
/// The length of a value that is the call's bulk: large bytes that the host passes beside the frame.
pub const BULK: i32 = -2;

/// The largest `max_reply_bytes`. A reply holds a body twice, as it came and as its fields, and its length is an
/// `int32`; 2 MiB are left for the rest. The reply to a payment that took effect must not be too long to encode.
pub const LARGEST_BODY: u64 = (1 << 30) - (1 << 20);

pub(crate) const INT_BYTES: usize = size_of::<i32>();

/// A frame that was read.
#[derive(Debug, Clone, Default)]
pub struct Frame<'a>(Vec<Option<&'a [u8]>>);

impl<'a> Frame<'a> {
    /// Reads a frame. Empty bytes are a frame without values.
    ///
    /// `None` if the bytes are not exactly one frame.
    pub fn read(bytes: &'a [u8]) -> Option<Frame<'a>> {
        Frame::with_bulk(bytes, None)
    }

    /// Reads a frame in which [`BULK`] stands for `bulk`.
    pub fn with_bulk(bytes: &'a [u8], bulk: Option<&'a [u8]>) -> Option<Frame<'a>> {
        if bytes.is_empty() {
            return Some(Frame::default());
        }
        let (count, rest) = split_int(bytes)?;
        let (lengths, mut body) =
            rest.split_at_checked(usize::try_from(count).ok()?.checked_mul(INT_BYTES)?)?;
        let mut values = Vec::with_capacity(lengths.len() / INT_BYTES);
        for length in lengths.chunks_exact(INT_BYTES) {
            values.push(match split_int(length)?.0 {
                ABSENT => None,
                BULK => Some(bulk?),
                length => {
                    let (value, after) = body.split_at_checked(usize::try_from(length).ok()?)?;
                    body = after;
                    Some(value)
                }
            });
        }
        body.is_empty().then_some(Frame(values))
    }

    /// A value. One behind the end is absent: an older host sends fewer.
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        self.0.get(index).copied().flatten()
    }

    /// The values in their order.
    pub fn iter(&self) -> impl Iterator<Item = Option<&'a [u8]>> + '_ {
        self.0.iter().copied()
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn split_int(bytes: &[u8]) -> Option<(i32, &[u8])> {
    let (head, rest) = bytes.split_first_chunk()?;
    Some((i32::from_ne_bytes(*head), rest))
}

/// Bytes that may be secret: zeroized on drop, and where they move to grow.
#[derive(Default)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        if self.0.capacity() - self.0.len() < bytes.len() {
            let wanted = self.0.len() + bytes.len();
            let mut larger = Vec::with_capacity(wanted.max(2 * self.0.capacity()).max(1024));
            larger.extend_from_slice(&self.0);
            self.0.zeroize();
            self.0 = larger;
        }
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// Hands the bytes over: the caller must zeroize them.
    pub fn take(mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(bytes)
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ints: &[i32], bytes: &[u8]) -> Vec<u8> {
        ints.iter().flat_map(|int| int.to_ne_bytes()).chain(bytes.iter().copied()).collect()
    }

    #[test]
    fn bulk_stands_for_the_bytes_beside_the_frame() {
        let bytes = of(&[2, 1, BULK], b"a");
        let frame = Frame::with_bulk(&bytes, Some(b"large")).unwrap();
        assert_eq!((frame.get(0), frame.get(1)), (Some(&b"a"[..]), Some(&b"large"[..])));
        assert!(Frame::read(&bytes).is_none(), "no bulk was passed");
    }

    #[test]
    fn refuses_what_is_not_exactly_one_frame() {
        for (bytes, fault) in [
            (vec![0, 0], "no count"),
            (of(&[-1], b""), "a negative count"),
            (of(&[i32::MAX], b""), "a huge count"),
            (of(&[i32::MAX, 1], b"a"), "a huge count with a length"),
            (of(&[1], b""), "no length"),
            (of(&[1, 2], b"a"), "a cut value"),
            (of(&[1, i32::MAX], b"a"), "a huge length"),
            (of(&[1, -3], b""), "an unknown negative length"),
            (of(&[1, 1], b"ab"), "bytes behind the frame"),
        ] {
            assert!(Frame::read(&bytes).is_none(), "{fault}");
        }
    }
}
