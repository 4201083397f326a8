//! Results for Python. No Python code runs here: before 3.14, CPython ends a thread that runs Python code after the
//! interpreter's end, and values of this crate would then be dropped without the GIL.

use std::sync::Arc;

use merchantpay_calls::{Kind, Object, Out, Returned, records};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyString, PyTuple};

use crate::python;

/// The class of each record, which the package's Python files put here. A record without a class is a dict.
pub(crate) fn classes(py: Python<'_>) -> &Bound<'_, PyDict> {
    static CLASSES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    CLASSES.get_or_init(py, || PyDict::new(py).unbind()).bind(py)
}

struct Plan {
    name: &'static str,
    key: Py<PyString>,
    fields: Vec<(Py<PyString>, Shape)>,
}

fn plan(py: Python<'_>, name: &str) -> PyResult<&'static Plan> {
    static PLANS: PyOnceLock<Vec<Plan>> = PyOnceLock::new();
    let text = |text: &str| PyString::intern(py, text).unbind();
    let made = |record: &merchantpay_calls::Record| {
        // Names lack the unit, as in arguments: times are in seconds.
        let field = |field: merchantpay_calls::Field| {
            let name = text(field.name.strip_suffix("_ms").unwrap_or(field.name));
            Ok((name, Shape::new(py, field.kind, record.name)?))
        };
        let fields = record.fields().into_iter().map(field).collect::<PyResult<_>>()?;
        Ok(Plan { name: record.name, key: text(record.name), fields })
    };
    let plans = PLANS.get_or_try_init(py, || records().map(made).collect::<PyResult<Vec<_>>>())?;
    let unknown = || PyLookupError::new_err(name.to_owned());
    plans.iter().find(|plan| plan.name == name).ok_or_else(unknown)
}

enum Shape {
    Text,
    Bytes,
    Flag,
    Whole,
    Seconds,
    Time,
    Decimal,
    /// A member of an enum, by its text.
    Word(Py<PyDict>),
    /// A text of a stored problem, which a newer version may have written.
    KnownWord,
}

impl Shape {
    fn new(py: Python<'_>, kind: Kind, record: &str) -> PyResult<Shape> {
        Ok(match kind {
            Kind::Optional(kind) => Shape::new(py, *kind, record)?,
            Kind::Bytes => Shape::Bytes,
            Kind::Flag => Shape::Flag,
            Kind::Amount => Shape::Decimal,
            Kind::Word(list) => Shape::Word(members(py, list)?.unbind()),
            Kind::Number | Kind::LongNumber => Shape::Whole,
            // `retry_after` alone is milliseconds in Python too: it was so before the waist.
            Kind::Milliseconds if record == "error" => Shape::Whole,
            Kind::Milliseconds => Shape::Seconds,
            Kind::Time => Shape::Time,
            _ if record == "problem" => Shape::KnownWord,
            _ => Shape::Text,
        })
    }

    fn value<'py>(&self, py: Python<'py>, value: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        if let Shape::Bytes = self {
            return Ok(PyBytes::new(py, value).into_any());
        }
        // The waist writes texts of Rust.
        let text = str::from_utf8(value).unwrap_or_default();
        match self {
            Shape::Flag => (text == "1").into_bound_py_any(py),
            Shape::Decimal => python!(py, "decimal", "Decimal")?.call1((text,)),
            Shape::Word(members) => word(members.bind(py), text),
            Shape::Whole => Ok(PyInt::new(py, text.parse::<i64>()?).into_any()),
            Shape::Seconds => Ok(PyFloat::new(py, text.parse::<f64>()? / 1000.0).into_any()),
            Shape::Time => time(py, text.parse()?),
            Shape::KnownWord => known_word(py, text),
            Shape::Bytes | Shape::Text => Ok(PyString::new(py, text).into_any()),
        }
    }
}

enum Begun<'py> {
    Record { plan: &'static Plan, made: Bound<'py, PyAny>, fields: Bound<'py, PyDict>, next: usize },
    List { item: Kind, items: Vec<Bound<'py, PyAny>> },
    Pairs { pairs: Bound<'py, PyDict>, name: Option<Bound<'py, PyAny>> },
}

type Wrap<'a, 'py> = dyn Fn(&Arc<Object>) -> PyResult<Bound<'py, PyAny>> + 'a;

pub(crate) struct Writer<'a, 'py> {
    py: Python<'py>,
    kind: Kind,
    wrap: Option<&'a Wrap<'a, 'py>>,
    begun: Vec<Begun<'py>>,
    written: PyResult<Bound<'py, PyAny>>,
}

impl<'a, 'py> Writer<'a, 'py> {
    /// Writes a result of this kind. `wrap` makes the handle of a new object.
    pub(crate) fn write(
        py: Python<'py>,
        kind: Kind,
        wrap: Option<&'a Wrap<'a, 'py>>,
        result: &Returned,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut writer = Writer { py, kind, wrap, begun: Vec::new(), written: Ok(py.None().into_bound(py)) };
        result.put(&mut writer);
        writer.written
    }

    fn converted(&self, value: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match self.begun.last() {
            None => Shape::new(py, self.kind, "")?.value(py, value),
            Some(Begun::Record { plan, next, .. }) => {
                plan.fields.get(*next).map_or(&Shape::Text, |(_, shape)| shape).value(py, value)
            }
            Some(Begun::List { item, .. }) => Shape::new(py, *item, "")?.value(py, value),
            Some(Begun::Pairs { .. }) => Shape::Text.value(py, value),
        }
    }

    fn add(&mut self, value: PyResult<Bound<'py, PyAny>>) {
        let added = value.and_then(|value| match self.begun.last_mut() {
            None => {
                self.written = Ok(value);
                Ok(())
            }
            Some(Begun::Record { plan, fields, next, .. }) => {
                let name = plan.fields.get(*next).map(|(name, _)| name);
                *next += 1;
                name.map_or(Ok(()), |name| fields.set_item(name, value))
            }
            Some(Begun::List { items, .. }) => {
                items.push(value);
                Ok(())
            }
            Some(Begun::Pairs { pairs, name }) => match name.take() {
                Some(name) => pairs.set_item(name, value),
                None => {
                    *name = Some(value);
                    Ok(())
                }
            },
        });
        if let Err(failure) = added {
            self.written = Err(failure);
        }
    }

    fn record(&self, name: &'static str) -> PyResult<Begun<'py>> {
        let py = self.py;
        let plan = plan(py, name)?;
        Ok(match classes(py).get_item(&plan.key)? {
            Some(class) => {
                let made = made(&class)?;
                let fields = made.getattr(pyo3::intern!(py, "__dict__"))?.cast_into::<PyDict>()?;
                Begun::Record { plan, made, fields, next: 0 }
            }
            None => {
                let fields = PyDict::new(py);
                Begun::Record { plan, made: fields.clone().into_any(), fields, next: 0 }
            }
        })
    }
}

fn made<'py>(class: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    python!(class.py(), "builtins", "object", "__new__")?.call1((class,))
}

impl Out for Writer<'_, '_> {
    fn begin(&mut self, kind: Kind, count: usize) {
        let kind = match kind {
            Kind::Optional(kind) => *kind,
            kind => kind,
        };
        let begun = match kind {
            Kind::Record(name) => self.record(name),
            Kind::List(item) => Ok(Begun::List { item: *item, items: Vec::with_capacity(count) }),
            _ => Ok(Begun::Pairs { pairs: PyDict::new(self.py), name: None }),
        };
        match begun {
            Ok(begun) => self.begun.push(begun),
            Err(failure) => self.written = Err(failure),
        }
    }

    fn end(&mut self) {
        let py = self.py;
        let ended = match self.begun.pop() {
            Some(Begun::Record { plan: Plan { name: "error", .. }, fields, .. }) => error(&fields),
            Some(Begun::Record { plan: Plan { name: "event", .. }, fields, .. }) => event(&fields),
            Some(Begun::Record { made, .. }) => Ok(made),
            Some(Begun::List { items, .. }) => PyTuple::new(py, items).map(Bound::into_any),
            Some(Begun::Pairs { pairs, .. }) => Ok(pairs.into_any()),
            None => return,
        };
        self.add(ended);
    }

    fn value(&mut self, value: &[u8]) {
        let value = self.converted(value);
        self.add(value);
    }

    fn absent(&mut self) {
        self.add(Ok(self.py.None().into_bound(self.py)));
    }

    fn object(&mut self, object: &Arc<Object>) {
        let none = || Ok(self.py.None().into_bound(self.py));
        self.add(self.wrap.map_or_else(none, |wrap| wrap(object)));
    }
}

fn members<'py>(py: Python<'py>, list: &str) -> PyResult<Bound<'py, PyDict>> {
    Ok(python!(py, "merchantpay._generated.words", "MEMBERS")?.get_item(list)?.cast_into()?)
}

/// A member of an enum. A status that this version does not know becomes one too.
fn word<'py>(members: &Bound<'py, PyDict>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    match members.get_item(text)? {
        Some(word) => Ok(word),
        None => python!(members.py(), "merchantpay._generated.words", "Status")?.call1((text,)),
    }
}

fn known_word<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    for list in ["Code", "Outcome"] {
        if let Some(word) = members(py, list)?.get_item(text)? {
            return Ok(word);
        }
    }
    Ok(PyString::new(py, text).into_any())
}

/// Milliseconds since 1970 as a `datetime` in UTC.
fn time(py: Python<'_>, milliseconds: i64) -> PyResult<Bound<'_, PyAny>> {
    let utc = python!(py, "datetime", "timezone")?.getattr("utc")?;
    let seconds = milliseconds.div_euclid(1000);
    let whole = python!(py, "datetime", "datetime")?.call_method1("fromtimestamp", (seconds, utc))?;
    let rest = (0, 0, milliseconds.rem_euclid(1000) * 1000);
    whole.add(python!(py, "datetime", "timedelta")?.call1(rest)?)
}

/// The same exception as `Error.__init__` makes.
fn error<'py>(fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    let py = fields.py();
    let class =
        python!(py, "merchantpay._generated.error_classes", "CLASSES")?.get_item(fields.get_item("code")?)?;
    let message = fields.get_item("message")?;
    fields.del_item("number")?;
    let made = class.call_method1(pyo3::intern!(py, "__new__"), (&class, &message))?;
    // `OSError.__new__` leaves the arguments to `__init__`.
    made.setattr("args", (message,))?;
    made.setattr("__dict__", fields)?;
    Ok(made)
}

fn event<'py>(fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    let py = fields.py();
    let events = classes(py).get_item(pyo3::intern!(py, "events"))?;
    let Some((events, kind)) = events.zip(fields.get_item(pyo3::intern!(py, "kind"))?) else {
        return Ok(fields.clone().into_any());
    };
    let made = made(&events.get_item(kind)?)?;
    let payment = fields.get_item(pyo3::intern!(py, "payment"))?;
    made.getattr(pyo3::intern!(py, "__dict__"))?.set_item(pyo3::intern!(py, "payment"), payment)?;
    Ok(made)
}
