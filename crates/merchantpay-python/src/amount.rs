//! Money: `Decimal`, `int` or `str` as input, `Decimal` as output, never a float.

use merchantpay::{Amount, Balance, MAX_DIGITS, Outcome, Rounding, Word};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};

use crate::argument::{text, wrong_type};
use crate::call::call;
use crate::error::invalid;
use crate::python_half;

/// The largest number of bits of an int: an int with more bits has more digits than any amount.
const MOST_BITS: usize = 4 * MAX_DIGITS;

/// The text of an amount for the core. Refuses a `float`, which has already lost its written digits, and
/// `True`, which is not a sum.
pub(crate) fn digits(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    if value.is_instance_of::<PyString>() {
        return text(name, value);
    }
    if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        // Uses the methods of `int` itself, because a subclass may have replaced them. The size is checked
        // first, because the interpreter converts a very long int slowly or not at all.
        let int = py.get_type::<PyInt>();
        let bits: usize = int.call_method1("bit_length", (value,))?.extract()?;
        if bits > MOST_BITS {
            return Err(invalid(
                py,
                format!("{name} has more than {MAX_DIGITS} digits, the most that can be kept exactly"),
            ));
        }
        return int.call_method1("__repr__", (value,))?.extract();
    }
    let decimal = python_half!(py, "decimal", "Decimal")?;
    if value.is_instance(&decimal)? {
        return decimal.call_method1("__str__", (value,))?.extract();
    }
    Err(wrong_type(name, "Decimal, int or str", value))
}

/// The text of an optional amount.
pub(crate) fn optional_digits(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    value.map(|value| digits(name, value)).transpose()
}

/// An amount of the core as `Decimal`, with all its digits.
pub(crate) fn decimal<'py>(py: Python<'py>, amount: Amount) -> PyResult<Bound<'py, PyAny>> {
    python_half!(py, "decimal", "Decimal")?.call1((amount.to_string(),))
}

/// Converts a Python value to an amount of the core.
pub(crate) fn amount(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Amount> {
    let digits = digits(name, value)?;
    digits.parse().map_err(|error: merchantpay::Error| {
        let why = error.message().replacen("the amount", name, 1);
        invalid(value.py(), why)
    })
}

/// Converts a paid `sum` at `rate` (a payment's `deal_rate`) to the currency of the merchant's balance
/// (contract, section 2): `sum * rate` for "RUB", `sum / rate` for "USDT". The exact result is rounded once.
///
/// `scale` is the number of digits after the decimal point, 0 to 28. `rounding` is one of "half_up",
/// "half_even", "down" and "up", or the constant of the same name in the decimal module.
///
/// Raises InvalidArgumentError if the sum is negative, the rate is not greater than 0, or the result has more
/// than 28 digits.
#[pyfunction]
#[pyo3(signature = (sum, rate, balance, *, scale, rounding))]
pub(crate) fn to_balance<'py>(
    py: Python<'py>,
    sum: &Bound<'py, PyAny>,
    rate: &Bound<'py, PyAny>,
    balance: &Bound<'py, PyAny>,
    scale: &Bound<'py, PyAny>,
    rounding: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (sum, rate) = (amount("sum", sum)?, amount("rate", rate)?);
    let balance = Balance::from_name(&text("balance", balance)?)
        .ok_or_else(|| invalid(py, one_of("balance", Balance::TABLE)))?;
    let rounding = text("rounding", rounding)?;
    let is_named = |known: &Rounding| known.name() == rounding || decimal_constant(*known) == rounding;
    let rounding = Rounding::ALL
        .iter()
        .copied()
        .find(is_named)
        .ok_or_else(|| invalid(py, one_of("rounding", Rounding::TABLE)))?;
    let scale: u32 = crate::argument::whole("scale", scale)?;
    let converted =
        call(py, Outcome::NotSent, || merchantpay::to_balance(sum, rate, balance, scale, rounding))?;
    decimal(py, converted)
}

/// The name of the constant in Python's module `decimal` for this rounding.
fn decimal_constant(rounding: Rounding) -> String {
    format!("ROUND_{}", rounding.name().to_ascii_uppercase())
}

fn one_of(name: &str, words: &[Word]) -> String {
    let names: Vec<_> = words.iter().map(|word| word.name).collect();
    format!("{name} must be one of {}", names.join(", "))
}
