//! What serde does not do by itself: exact numbers, names as text, and enums that describe their values.

use merchantpay::Amount;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

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

pub(crate) mod text {
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
