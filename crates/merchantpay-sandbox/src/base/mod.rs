//! The parts that all other folders use: time, hosts, random ids, events, the options, and what serde does not do by
//! itself: exact numbers, names as text, and enums that describe their values.

pub(crate) mod assumptions;
pub(crate) mod clock;
pub(crate) mod hosts;
pub(crate) mod options;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;
use merchantpay::Amount;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use tokio::sync::broadcast;

/// A subscriber that lags behind by more events begins to miss some.
const CAPACITY: usize = 1024;
const MAX_SUBSCRIBERS: usize = 64;

/// Ignores poisoning: the guarded data is consistent after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The whole body, or `None` if it is larger. Even then it is drained up to a limit, so that the client sees the
/// refusal and not a reset.
pub async fn read_up_to(mut body: Body, largest: usize) -> Result<Option<Bytes>, axum::Error> {
    let (mut bytes, mut size) = (Vec::new(), 0usize);
    while let Some(frame) = body.frame().await {
        let frame = match frame {
            Err(_) if size > largest => break,
            frame => frame?,
        };
        let Ok(chunk) = frame.into_data() else { continue };
        size = size.saturating_add(chunk.len());
        if size <= largest {
            bytes.extend_from_slice(&chunk);
        } else if size > assumptions::MOST_DISCARDED {
            break;
        } else {
            bytes = Vec::new();
        }
    }
    Ok((size <= largest).then(|| bytes.into()))
}

pub(crate) fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

pub(crate) struct Event {
    pub(crate) name: &'static str,
    /// JSON on one line.
    pub(crate) data: String,
}

pub(crate) struct EventBus(broadcast::Sender<Arc<Event>>);

impl Default for EventBus {
    fn default() -> EventBus {
        EventBus(broadcast::channel(CAPACITY).0)
    }
}

impl EventBus {
    /// Without subscribers `data` is not called.
    pub(crate) fn publish<T: Serialize>(&self, name: &'static str, data: impl FnOnce() -> T) {
        if self.0.receiver_count() > 0 {
            let data = serde_json::to_string(&data()).unwrap_or_default();
            let _ = self.0.send(Arc::new(Event { name, data }));
        }
    }

    /// `None` if there are already [`MAX_SUBSCRIBERS`].
    pub(crate) fn subscribe(&self) -> Option<broadcast::Receiver<Arc<Event>>> {
        (self.0.receiver_count() < MAX_SUBSCRIBERS).then(|| self.0.subscribe())
    }
}

/// SplitMix64: the same numbers on every machine. No key is made from them.
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

pub(crate) fn name(variant: impl Serialize) -> String {
    let name = serde_json::to_value(variant).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

#[derive(Clone, Copy)]
pub(crate) struct Number(pub(crate) Amount);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = RawValue::from_string(self.0.to_string()).map_err(serde::ser::Error::custom)?;
        digits.serialize(serializer)
    }
}

pub(crate) mod as_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| D::Error::custom(format_args!("invalid value {text:?}")))
    }
}

/// An enum whose variants have one sentence each: for its documentation, for the console and for a help.
macro_rules! described {
    ($(#[$meta:meta])* pub enum $name:ident { $($variant:ident = $effect:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = $effect] $variant,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: [$name; [$($name::$variant),*].len()] = [$($name::$variant),*];

            /// What it does, in one sentence.
            pub fn effect(self) -> &'static str {
                match self {
                    $($name::$variant => $effect,)*
                }
            }
        }
    };
}
pub(crate) use described;
