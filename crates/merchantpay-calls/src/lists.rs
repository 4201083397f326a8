//! The lists of words. A word is known by its name in every language.

use merchantpay::{Balance, Cause, Code, EventKind, Outcome, Paid, Reason, Rounding};

use crate::host::Callback;
use crate::names::Style;
use crate::object::ObjectKind;
use crate::phase::Phase;

pub(crate) trait Named: Copy + 'static {
    const LIST: &'static str;
    const ALL: &'static [Self];

    fn name(self) -> &'static str;
}

macro_rules! named {
    ($table:ident; $($type:ty = $list:literal,)+) => {
        $( impl $crate::lists::Named for $type {
            const LIST: &'static str = $list;
            const ALL: &'static [$type] = <$type>::ALL;

            fn name(self) -> &'static str {
                <$type>::name(self)
            }
        }

        impl $crate::put::Put for $type {
            const KIND: $crate::kinds::Kind = $crate::kinds::Kind::Word($list);

            fn put(&self, out: &mut dyn $crate::writer::Out) {
                out.value(<$type>::name(*self).as_bytes());
            }
        } )+

        pub(crate) const $table: &[(&str, &[merchantpay::Word])] = &[ $( ($list, <$type>::TABLE) ),+ ];
    };
}
pub(crate) use named;

named! { LISTS;
    Code = "Code",
    Outcome = "Outcome",
    Reason = "Reason",
    Paid = "Paid",
    EventKind = "EventKind",
    Cause = "Cause",
    Balance = "Balance",
    Rounding = "Rounding",
    Style = "Spelling",
    ObjectKind = "ObjectKind",
    Callback = "Callback",
    Phase = "Phase",
}
