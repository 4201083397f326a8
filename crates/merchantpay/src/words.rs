//! Declares the lists that every language shares. Each item has a name, a number and documentation.

/// One item of a list. Code of the other languages and parts of the documentation are generated from the
/// lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The name. It is the same in every language and in the journal's database.
    pub name: &'static str,
    /// The number. It is the same in every language. Names and numbers never change; a later version can only
    /// add items.
    pub number: i32,
    /// The meaning of the item, in one line. In it, operations and fields have their contract names, in
    /// backticks.
    pub doc: &'static str,
    /// The version that introduced the item.
    pub since: &'static str,
}

/// The default version of an item.
#[doc(hidden)]
#[macro_export]
macro_rules! since {
    () => {
        "0.1.0"
    };
    ($since:literal) => {
        $since
    };
}

/// Declares an enum. Each value has a fixed name and a fixed number. The enum has look-ups by name and by
/// number, and a table of its values. This macro is for the crates of this project.
#[doc(hidden)]
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $( #[doc = $doc:literal] )+ $variant:ident = $text:literal, $number:literal $(, since $since:literal)?; )+ }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i32)]
        pub enum $name { $( $( #[doc = $doc] )+ $variant = $number, )+ }

        impl $name {
            /// Every value, in the order of the numbers.
            pub const ALL: &'static [$name] = &[ $( $name::$variant, )+ ];

            /// Name, number and documentation of every value.
            pub const TABLE: &'static [$crate::Word] = &[ $(
                $crate::Word { name: $text, number: $number, doc: concat!($($doc),+).trim_ascii(), since: $crate::since!($($since)?) },
            )+ ];

            /// The name. It is the same in every language.
            pub const fn name(self) -> &'static str {
                match self { $( $name::$variant => $text, )+ }
            }

            /// The number. It is the same in every language.
            pub const fn number(self) -> i32 {
                self as i32
            }

            /// The value with this name. `None` if this version does not know the name.
            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.name() == name)
            }

            /// The value with this number. `None` if this version does not know the number.
            pub fn from_number(number: i32) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.number() == number)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
