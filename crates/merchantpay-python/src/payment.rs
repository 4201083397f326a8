//! Results: payments and available amounts from a verified reply or webhook. A payment's fields are in
//! `payment_fields`.

use std::hash::{DefaultHasher, Hash, Hasher};

use merchantpay::{PAYMENT_FIELDS, Status};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::amount::{amount, decimal};
use crate::error::word;
use crate::python_half;

/// A payment from a verified reply or webhook (contract, section 2). The object does not change.
///
/// Every field except `order_id` may be None: the operation decides which fields are present, and webhooks
/// leave out empty and zero values. `repr()` leaves out account, holder and link.
#[pyclass(frozen, eq, module = "merchantpay")]
#[derive(Clone, PartialEq)]
pub(crate) struct Payment(pub(crate) merchantpay::Payment);

#[pymethods]
impl Payment {
    /// True if there is a status and it is final. A status that this version does not know is never final.
    #[getter]
    fn is_final(&self) -> bool {
        self.0.is_final()
    }

    /// The verified body, unchanged.
    #[getter]
    fn json(&self) -> &str {
        self.0.json()
    }

    /// The fields that this version does not know, by their names in the body; a new dict. Fractions are
    /// `Decimal`. A value that Python refuses to read, such as an int with more digits than
    /// `sys.get_int_max_str_digits()`, is its JSON text as a `str`.
    #[getter]
    fn unknown_fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for name in self.0.unknown_fields() {
            fields.set_item(
                &name,
                self.0
                    .field(&name)
                    .map(|json| python_half!(py, "merchantpay._json", "value")?.call1((json,)))
                    .transpose()?,
            )?;
        }
        Ok(fields)
    }

    /// The paid sum compared with the requested sum `asked`: Paid.EXACTLY, LESS or MORE; None if the payment
    /// has no sum. `asked` is Decimal, int or str, in the payment's currency.
    ///
    /// The status "doneSuccess" alone does not mean that the customer paid everything. The result is final
    /// only with a final status; before that, the payment's sum is the sum that the service expects so far.
    fn paid<'py>(&self, py: Python<'py>, asked: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.paid(amount("asked", asked)?).map(|paid| word(py, "Paid", paid.name())).transpose()
    }

    /// The present fields by the contract's names, as a new dict: amounts are Decimal, the status is a
    /// Status, and the fields that this version does not know are as in `unknown_fields`. `payment.json` is
    /// the body as JSON, with the service's digits.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(slf.py());
        for field in PAYMENT_FIELDS {
            let value = slf.getattr(field.snake_case)?;
            if !value.is_none() {
                fields.set_item(field.name, value)?;
            }
        }
        fields.update(slf.get().unknown_fields(slf.py())?.as_mapping())?;
        Ok(fields)
    }

    fn __hash__(&self) -> u64 {
        hash(self.0.json())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut shown = format!("Payment(order_id={}", quoted(py, self.0.order_id())?);
        if let Some(sum) = self.0.sum() {
            shown.push_str(&format!(", sum=Decimal('{sum}')"));
        }
        if let Some(status) = self.0.status() {
            shown.push_str(&format!(", status={}", quoted(py, status.as_str())?));
        }
        Ok(shown + ")")
    }

    // An immutable object is its own copy. A pickle contains the verified body without a signature: anyone
    // who can change a pickle can run code anyway.
    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (memo, /))]
    #[expect(unused_variables)]
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled(py, "Payment", self.0.json())
    }
}

/// A status of the contract, or a status that this version does not know.
pub(crate) fn status_word<'py>(py: Python<'py>, status: &Status) -> PyResult<Bound<'py, PyAny>> {
    match status {
        Status::Unknown(text) => python_half!(py, "merchantpay._words", "Status")?.call1((text,)),
        known => word(py, "Status", known.as_str()),
    }
}

/// The reply to `/available` (contract, section 4.1). No amount is reserved. The object does not change.
#[pyclass(frozen, eq, module = "merchantpay")]
#[derive(Clone, PartialEq)]
pub(crate) struct AvailableAmounts(pub(crate) merchantpay::AvailableAmounts);

#[pymethods]
impl AvailableAmounts {
    /// `availableAmounts`: the amounts with a counter-offer right now, as a tuple of `Decimal`.
    #[getter]
    fn available_amounts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let amounts: Vec<_> =
            self.0.available_amounts().iter().map(|amount| decimal(py, *amount)).collect::<PyResult<_>>()?;
        PyTuple::new(py, amounts)
    }

    /// `otherAmountsPossible`: whether amounts outside the list may succeed too; then an empty list is not a
    /// refusal.
    #[getter]
    fn other_amounts_possible(&self) -> bool {
        self.0.other_amounts_possible()
    }

    /// The verified body, unchanged.
    #[getter]
    fn json(&self) -> &str {
        self.0.json()
    }

    fn __hash__(&self) -> u64 {
        hash(self.0.json())
    }

    fn __repr__(&self) -> String {
        let amounts: Vec<_> =
            self.0.available_amounts().iter().map(|amount| format!("Decimal('{amount}')")).collect();
        let comma = if amounts.len() == 1 { "," } else { "" };
        let others = if self.0.other_amounts_possible() { "True" } else { "False" };
        format!(
            "AvailableAmounts(available_amounts=({}{comma}), other_amounts_possible={others})",
            amounts.join(", ")
        )
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (memo, /))]
    #[expect(unused_variables)]
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled(py, "AvailableAmounts", self.0.json())
    }
}

/// A text as Python's `repr` writes it.
pub(crate) fn quoted(py: Python<'_>, text: &str) -> PyResult<String> {
    PyString::new(py, text).repr()?.extract()
}

/// The parts of a pickle: a function of the native module, the object's kind and its verified body.
pub(crate) type Pickled<'py> = (Bound<'py, PyAny>, (&'static str, String));

pub(crate) fn pickled<'py>(py: Python<'py>, kind: &'static str, json: &str) -> PyResult<Pickled<'py>> {
    Ok((python_half!(py, "merchantpay._merchantpay", "_unpickle")?, (kind, json.to_owned())))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
