//! Random numbers, and random changes of bytes and texts.

/// The random number generator SplitMix64. The same seed makes the same messages on every machine.
pub(super) struct Random(u64);

/// Bytes with a meaning in JSON, in base64 or in UTF-8.
const SPECIAL: &[u8] = b" \n\r\t\"',:{}[]\\/+-_=%0eE.\x00\xef\xbb\xbf\xff";

impl Random {
    pub(super) fn of(number: u64) -> Random {
        let mut random = Random(number);
        // The first number becomes the state, so that neighbouring seeds make different sequences.
        random.0 = random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number from 0 to `bound` - 1.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    pub(super) fn byte(&mut self) -> u8 {
        if self.one_in(2) { SPECIAL[self.below(SPECIAL.len())] } else { self.next() as u8 }
    }

    /// Changes `bytes` at one place.
    pub(super) fn corrupt(&mut self, bytes: &mut Vec<u8>) {
        let before = bytes.clone();
        while *bytes == before {
            let (at, end) = (self.below(bytes.len() + 1), self.below(bytes.len() + 1));
            let part = at.min(end)..at.max(end);
            match self.below(8) {
                0 => bytes.insert(at, self.byte()),
                1 => bytes.truncate(at),
                2 => drop(bytes.drain(part)),
                3 => bytes.extend_from_within(part),
                4 => bytes[part].reverse(),
                _ if at == bytes.len() => bytes.push(self.byte()),
                5 => drop(bytes.remove(at)),
                6 => bytes[at] = self.byte(),
                _ => bytes[at] ^= 1 << self.below(8),
            }
        }
    }

    /// Changes `text` at one place.
    pub(super) fn corrupt_text(&mut self, text: &mut String) {
        let before = text.clone();
        while *text == before {
            let mut bytes = before.clone().into_bytes();
            self.corrupt(&mut bytes);
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
}
