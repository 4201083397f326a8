//! The journal's results as values of Python, whose classes are in `_entry.py`.

use merchantpay_journal::{Attention, Settled, Stats};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::entry_fields;
use super::parts::{made, time};
use crate::python_half;

pub(super) fn entry<'py>(py: Python<'py>, entry: &merchantpay_journal::Entry) -> PyResult<Bound<'py, PyAny>> {
    with_details(py, entry, &[], entry.to_json())
}

pub(super) fn entries<'py>(
    py: Python<'py>,
    entries: &[merchantpay_journal::Entry],
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, entries.iter().map(|one| entry(py, one)).collect::<PyResult<Vec<_>>>()?)
}

/// An entry, an orphan or an unreadable row. `None` for a kind that this package does not know.
pub(super) fn item<'py>(py: Python<'py>, item: &Attention) -> PyResult<Option<Bound<'py, PyAny>>> {
    let json = item.to_json();
    let fields = PyDict::new(py);
    let class = match item {
        Attention::Entry { entry, details } => return with_details(py, entry, details, json).map(Some),
        Attention::Orphan(orphan) => {
            fields.set_item("order_id", &orphan.order_id)?;
            fields.set_item("received_at", time(py, orphan.received_at)?)?;
            fields.set_item("status", &orphan.status)?;
            fields.set_item("reference", &orphan.reference)?;
            fields.set_item("attempt", orphan.attempt)?;
            python_half!(py, "merchantpay._entry", "Orphan")?
        }
        Attention::Unreadable { reference, attempt, column } => {
            fields.set_item("reference", reference)?;
            fields.set_item("attempt", attempt)?;
            fields.set_item("column", column)?;
            python_half!(py, "merchantpay._entry", "Unreadable")?
        }
        _ => return Ok(None),
    };
    fields.set_item("json", json)?;
    made(&class, &fields).map(Some)
}

fn with_details<'py>(
    py: Python<'py>,
    entry: &merchantpay_journal::Entry,
    details: &[String],
    json: String,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = entry_fields::read(py, entry)?;
    fields.set_item("details", PyTuple::new(py, details)?)?;
    fields.set_item("json", json)?;
    made(&python_half!(py, "merchantpay._entry", "Entry")?, &fields)
}

pub(super) fn received<'py>(
    py: Python<'py>,
    http_status: u16,
    entry: Option<Bound<'py, PyAny>>,
    error: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("http_status", http_status)?;
    fields.set_item("entry", entry)?;
    fields.set_item("error", error)?;
    made(&python_half!(py, "merchantpay._entry", "Received")?, &fields)
}

pub(super) fn settled<'py>(py: Python<'py>, settled: Settled) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("done", settled.done)?;
    fields.set_item("next_due", settled.next_due.map(|next| next.as_secs_f64()))?;
    made(&python_half!(py, "merchantpay._entry", "Settled")?, &fields)
}

pub(super) fn stats<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyAny>> {
    let standings = PyDict::new(py);
    standings.set_item("sending", stats.standings.sending)?;
    standings.set_item("unknown", stats.standings.unknown)?;
    standings.set_item("open", stats.standings.open)?;
    let fields = PyDict::new(py);
    fields.set_item("standings", standings)?;
    fields.set_item("attention", stats.attention)?;
    fields.set_item("orphans", stats.orphans)?;
    fields.set_item("due", stats.due)?;
    fields.set_item("overdue", stats.overdue_ms.map(|overdue| overdue as f64 / 1000.0))?;
    fields.set_item("news", stats.news)?;
    fields.set_item("pause", &stats.pause)?;
    fields.set_item("durability_vouched", PyTuple::new(py, &stats.durability_vouched)?)?;
    fields.set_item("json", stats.to_json())?;
    made(&python_half!(py, "merchantpay._entry", "Stats")?, &fields)
}
