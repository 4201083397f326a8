//! The core's lists of names. Tests compare the Python package with these lists.

use merchantpay::{
    Balance, Cause, Code, EventKind, OPERATIONS, Outcome, PAYMENT_FIELDS, Paid, PaymentMethod, RECEIPT_TYPES,
    REQUEST_FIELDS, Reason, Rounding, SETTINGS, Status, Word,
};
use merchantpay_journal::{Entry, Intent, IntentState, Standing, Style, Until};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The core's lists by their names.
#[pyfunction]
pub(crate) fn _words(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let words = PyDict::new(py);
    for (name, table) in [
        ("codes", Code::TABLE),
        ("outcomes", Outcome::TABLE),
        ("reasons", Reason::TABLE),
        ("statuses", Status::TABLE),
        ("event_kinds", EventKind::TABLE),
        ("causes", Cause::TABLE),
        ("paid", Paid::TABLE),
        ("balances", Balance::TABLE),
        ("roundings", Rounding::TABLE),
        ("standings", Standing::TABLE),
        ("intents", Intent::TABLE),
        ("intent_states", IntentState::TABLE),
        ("attentions", merchantpay_journal::Reason::TABLE),
        ("untils", Until::TABLE),
        ("styles", Style::TABLE),
    ] {
        words.set_item(name, names(table))?;
    }
    words.set_item(
        "final_statuses",
        Status::ALL.iter().filter(|status| status.is_final()).map(Status::as_str).collect::<Vec<_>>(),
    )?;
    words.set_item(
        "payment_methods",
        PaymentMethod::ALL.iter().map(|method| method.as_str()).collect::<Vec<_>>(),
    )?;
    words.set_item(
        "operations",
        OPERATIONS.iter().map(|known| (known.name, known.path)).collect::<Vec<_>>(),
    )?;
    let request_fields: Vec<_> = REQUEST_FIELDS
        .iter()
        .map(|field| (field.name, field.operations.to_vec(), field.required_by.to_vec()))
        .collect();
    words.set_item("request_fields", request_fields)?;
    words.set_item("payment_fields", PAYMENT_FIELDS.iter().map(|field| field.name).collect::<Vec<_>>())?;
    words.set_item(
        "settings",
        SETTINGS.iter().map(|setting| (setting.name, setting.variable())).collect::<Vec<_>>(),
    )?;
    words.set_item(
        "journal_settings",
        merchantpay_journal::SETTINGS.iter().map(|setting| setting.name).collect::<Vec<_>>(),
    )?;
    words.set_item("entry_fields", Entry::FIELDS.iter().map(|field| field.name).collect::<Vec<_>>())?;
    words.set_item("receipt_types", RECEIPT_TYPES.to_vec())?;
    Ok(words)
}

fn names(table: &[Word]) -> Vec<&'static str> {
    table.iter().map(|word| word.name).collect()
}
