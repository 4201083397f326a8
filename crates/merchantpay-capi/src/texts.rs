//! Texts that C borrows: NUL-terminated, in one allocation.

use std::ffi::c_char;

/// Marks an absent text: a byte that UTF-8 never contains.
const ABSENT: &[u8] = b"\xff";

/// `N` texts, each present or absent.
pub(crate) struct Texts<const N: usize> {
    /// All texts, each NUL-terminated.
    bytes: Vec<u8>,
    starts: [usize; N],
}

impl<const N: usize> Texts<N> {
    /// Makes the texts. A text is cut at its first NUL, where C would end it anyway. The core allows no NUL
    /// in a payment or in an error's id.
    pub(crate) fn new(texts: [Option<&str>; N]) -> Texts<N> {
        let texts = texts.map(|text| text.map_or(ABSENT, str::as_bytes));
        let mut bytes = Vec::with_capacity(texts.iter().map(|text| text.len() + 1).sum());
        let starts = texts.map(|text| {
            let start = bytes.len();
            bytes.extend_from_slice(text);
            bytes.push(0);
            start
        });
        Texts { bytes, starts }
    }

    /// A borrowed text, valid while `self` lives and does not move.
    pub(crate) fn get(&self, index: usize) -> *const c_char {
        let text = self.starts.get(index).and_then(|start| self.bytes.get(*start..));
        text.filter(|text| !text.starts_with(ABSENT)).map_or(std::ptr::null(), |text| text.as_ptr().cast())
    }

    /// A text as C sees it.
    #[cfg(feature = "journal")]
    pub(crate) fn text(&self, index: usize) -> Option<&str> {
        let text = self.bytes.get(*self.starts.get(index)?..)?.split(|byte| *byte == 0).next()?;
        std::str::from_utf8(text).ok()
    }

    /// The texts from `index` on, separated by NUL; 0xFF is an absent text. A NUL follows the last text.
    pub(crate) fn from(&self, index: usize) -> &[u8] {
        let texts = self.starts.get(index).and_then(|start| self.bytes.get(*start..));
        texts.and_then(<[u8]>::split_last).map_or(&[], |(_, texts)| texts)
    }
}

/// A text from outside, cut at its first NUL: the rest would look like another text.
pub(crate) fn cut(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn every_text_ends_with_nul_and_an_absent_one_is_null() {
        let texts = Texts::new([Some("one"), None, Some(""), Some("четыре")]);
        let shown = |index| {
            let text = texts.get(index);
            // SAFETY: made by `Texts`, which ends each with NUL, and alive.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().unwrap())
        };
        assert_eq!(
            [shown(0), shown(1), shown(2), shown(3), shown(4)],
            [Some("one"), None, Some(""), Some("четыре"), None]
        );
    }

    #[test]
    fn texts_keep_their_order_and_an_absent_text_differs_from_an_empty_one() {
        let texts = Texts::new([Some("one"), None, Some(""), Some("четыре")]);
        for (index, all) in
            [(0, "one\0?\0\0четыре"), (1, "?\0\0четыре"), (2, "\0четыре"), (3, "четыре"), (4, "")]
        {
            let wanted: Vec<u8> = all.bytes().map(|byte| if byte == b'?' { 0xff } else { byte }).collect();
            assert_eq!(texts.from(index), wanted, "{index}");
        }
        assert_eq!(Texts::new([]).from(0), b"");
    }
}
