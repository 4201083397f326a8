//! Tests of texts that are not amounts.

use merchantpay::{Amount, RequestValues};

use crate::files::Case;
use crate::{failed, same};

pub fn amount_text(case: &Case) {
    let text = case.text("/text").expect("a text");
    let mut fields = RequestValues::default();
    let _ = fields.set("sum", text);
    fields.set("paymentMethod", "card").unwrap();
    failed(case, fields.amounts_request());
    same(case, "amount", text.parse::<Amount>().is_err(), true);
}
