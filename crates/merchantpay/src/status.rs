//! The status of a payment (contract, section 3).

use std::borrow::Cow;
use std::fmt;

use crate::words::Word;

macro_rules! statuses {
    ($( $( #[doc = $doc:literal] )+ $variant:ident = $text:literal, $number:literal, final $is_final:literal; )+) => {
        /// The status of a payment (contract, section 3).
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Status {
            $( $( #[doc = $doc] )+ $variant, )+
            /// A status that this version does not know. It keeps its text, and is never final.
            Unknown(String),
        }

        impl Status {
            /// Every status of the contract.
            pub const ALL: &'static [Status] = &[ $( Status::$variant, )+ ];

            /// Name, number and documentation of every status of the contract.
            pub const TABLE: &'static [Word] =
                &[ $( Word { name: $text, number: $number, doc: concat!($($doc),+).trim_ascii(), since: crate::since!() }, )+ ];

            /// The contract's text, or the service's own text for an unknown status.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Status::$variant => $text, )+
                    Status::Unknown(text) => text,
                }
            }

            /// The number. It is the same in every language, and 0 for a status that this version does not
            /// know.
            pub fn number(&self) -> i32 {
                match self {
                    $( Status::$variant => $number, )+
                    Status::Unknown(_) => 0,
                }
            }

            /// Returns `true` if the status is final. An unknown status is not final.
            pub fn is_final(&self) -> bool {
                match self {
                    $( Status::$variant => $is_final, )+
                    Status::Unknown(_) => false,
                }
            }
        }
    };
}

statuses! {
    /// The payment was created, but no suitable payee has been found yet.
    Free = "free", 1, final false;
    /// The service searches for credentials, or waits for the customer's payment.
    Pending = "pending", 2, final false;
    /// The payment is in arbitration, and a receipt must be attached.
    ReceiptRequired = "receiptRequired", 3, final false;
    /// The payment is completed. This status is final.
    DoneSuccess = "doneSuccess", 4, final true;
    /// The payment has failed. This status is final.
    DoneFail = "doneFail", 5, final true;
    /// The merchant cancelled the payment in arbitration. This status is final.
    ArbitrageCancelledByMerchant = "arbitrageCancelledByMerchant", 6, final true;
}

impl Status {
    pub(crate) fn read(text: Cow<'_, str>) -> Status {
        let known = Status::ALL.iter().find(|status| status.as_str() == text).cloned();
        known.unwrap_or_else(|| Status::Unknown(text.into_owned()))
    }
}

impl From<String> for Status {
    fn from(text: String) -> Status {
        Status::read(text.into())
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
