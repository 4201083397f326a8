//! `mpay_amounts`: the reply of `mpay_get_available_amounts`.

use std::ffi::c_char;

use merchantpay::{Amount, AvailableAmounts};

use crate::handle::{free, read};
use crate::payment::minor;
use crate::texts::Texts;

/// The amounts for which the service has a counter-offer right now (contract, section 4.1). The service
/// reserves none of them. Any number of threads may read them at once.
pub struct mpay_amounts {
    amounts: Vec<(Amount, Texts<1>)>,
    other_possible: bool,
    json: Texts<1>,
}

impl From<AvailableAmounts> for mpay_amounts {
    fn from(reply: AvailableAmounts) -> mpay_amounts {
        let amounts = reply
            .available_amounts()
            .iter()
            .map(|amount| (*amount, Texts::new([Some(&amount.to_string())])))
            .collect();
        mpay_amounts {
            amounts,
            other_possible: reply.other_amounts_possible(),
            json: Texts::new([Some(reply.json())]),
        }
    }
}

/// The number of amounts. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_amounts_count(amounts: Option<&mpay_amounts>) -> usize {
    read(amounts, |amounts| amounts.amounts.len())
}

/// The amount at this index, counted from 0, as decimal text; NULL after the last. Borrowed from the amounts.
/// Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_amounts_get(amounts: Option<&mpay_amounts>, index: usize) -> *const c_char {
    read(amounts, |amounts| amounts.amounts.get(index).map_or(std::ptr::null(), |(_, text)| text.get(0)))
}

/// The amount at this index in kopecks; MPAY_NO_MINOR after the last, or if the amount has a fraction of a
/// kopeck or does not fit in 64 bits. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_amounts_get_minor(amounts: Option<&mpay_amounts>, index: usize) -> i64 {
    read(amounts, |amounts| minor(amounts.amounts.get(index).map(|(amount, _)| *amount)))
}

/// 1 if amounts outside the list can succeed too: an empty list is then not a refusal. 0 if the list is
/// complete. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_amounts_other_possible(amounts: Option<&mpay_amounts>) -> i32 {
    read(amounts, |amounts| i32::from(amounts.other_possible))
}

/// The body of the verified reply, unchanged: JSON. Borrowed from the amounts. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_amounts_json(amounts: Option<&mpay_amounts>) -> *const c_char {
    read(amounts, |amounts| amounts.json.get(0))
}

/// Frees amounts and all that was borrowed from them; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_amounts_free(amounts: Option<Box<mpay_amounts>>) {
    free(amounts);
}
