//! Tests of texts that are not amounts.

use merchantpay::{Amount, RequestFields};

use crate::files::Case;
use crate::{failed, same};

pub fn amount_text(case: &Case) {
    let text = case.text("/text").expect("a text");
    let mut fields = RequestFields::default();
    fields.sum = Some(text.to_owned());
    fields.payment_method = Some("card".to_owned());
    failed(case, fields.amounts_request());
    same(case, "amount", text.parse::<Amount>().is_err(), true);
}
