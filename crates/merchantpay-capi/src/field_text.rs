//! The values of an entry's fields as texts.

use merchantpay::{Amount, Payment, Status};
use merchantpay_journal::{Intent, IntentState, Problem, Reason, Standing};

/// A field's value as text; `None` if it is absent.
pub(crate) trait FieldText {
    fn text(&self) -> Option<String>;
}

macro_rules! shown_texts {
    ($($type:ty)+) => { $( impl FieldText for $type { fn text(&self) -> Option<String> { Some(self.to_string()) } } )+ };
}
shown_texts!(String u32 i64 Amount Status Standing Intent IntentState);

impl FieldText for bool {
    fn text(&self) -> Option<String> {
        Some(if *self { "1" } else { "0" }.to_owned())
    }
}

impl FieldText for Payment {
    fn text(&self) -> Option<String> {
        true.text()
    }
}

impl FieldText for Problem {
    fn text(&self) -> Option<String> {
        Some(self.code.clone())
    }
}

impl FieldText for Vec<Reason> {
    fn text(&self) -> Option<String> {
        Some(self.iter().map(|reason| reason.name()).collect::<Vec<_>>().join(","))
    }
}

impl<T: FieldText> FieldText for Option<T> {
    fn text(&self) -> Option<String> {
        self.as_ref().and_then(T::text)
    }
}
