//! Random ids, from the system or from a seed. With a seed the ids are the same in each run.

use std::sync::Mutex;

use crate::base::lock;

/// SplitMix64: numbers that look random and are the same on every machine. No key is made from these numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sequence(pub(crate) u64);

impl Sequence {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        // An f64 holds exactly 53 bits.
        ((self.next() >> 11) as f64) / ((1u64 << 53) as f64) < probability
    }
}

pub(crate) struct Random(Option<Mutex<Sequence>>);

impl Random {
    pub(crate) fn new(state: Option<u64>) -> Random {
        Random(state.map(|state| Mutex::new(Sequence(state))))
    }

    pub(crate) fn digits<const N: usize>(&self) -> Result<String, getrandom::Error> {
        let mut bytes = [0u8; N];
        match &self.0 {
            Some(sequence) => {
                let mut sequence = lock(sequence);
                for chunk in bytes.chunks_mut(8) {
                    let drawn = sequence.next().to_be_bytes();
                    chunk.iter_mut().zip(drawn).for_each(|(byte, drawn)| *byte = drawn);
                }
            }
            None => getrandom::fill(&mut bytes)?,
        }
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    pub(crate) fn state(&self) -> Option<u64> {
        self.0.as_ref().map(|sequence| lock(sequence).0)
    }
}
