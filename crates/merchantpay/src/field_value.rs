//! The types of the fields of a request. A value of each type is read from a text, checked, and written.

use crate::amount::Amount;
use crate::error::{Error, Result};
use crate::field::{RequestField, RequestFieldKind};
use crate::json::Writer;
use crate::payment::{Currency, PaymentMethod};
use crate::url::{UrlFault, absolute_url};

/// A field's value, as it is written into the request's body.
#[derive(Clone, Copy)]
pub(crate) enum Written<'a> {
    Amount(Amount),
    Text(&'a str),
}

impl Writer {
    pub(crate) fn field(self, name: &'static str, value: Written<'_>) -> Writer {
        match value {
            Written::Amount(amount) => self.amount(name, amount),
            Written::Text(text) => self.string(name, text),
        }
    }
}

/// A type of a field's value.
pub(crate) trait FieldValue: Sized {
    fn read(name: &str, text: &str) -> Result<Self>;
    fn written(&self) -> Written<'_>;
}

impl FieldValue for Amount {
    fn read(name: &str, text: &str) -> Result<Amount> {
        Amount::parse_number(text).map_err(|why| Error::invalid_argument(format!("{name} {why}")))
    }

    fn written(&self) -> Written<'_> {
        Written::Amount(*self)
    }
}

impl FieldValue for Currency {
    fn read(_: &str, text: &str) -> Result<Currency> {
        text.parse()
    }

    fn written(&self) -> Written<'_> {
        Written::Text(self.as_str())
    }
}

impl FieldValue for PaymentMethod {
    fn read(_: &str, text: &str) -> Result<PaymentMethod> {
        text.parse()
    }

    fn written(&self) -> Written<'_> {
        Written::Text(self.as_str())
    }
}

impl FieldValue for String {
    fn read(_: &str, text: &str) -> Result<String> {
        Ok(text.to_owned())
    }

    fn written(&self) -> Written<'_> {
        Written::Text(self)
    }
}

/// Checks a value by the rules that are the same for every operation.
pub(crate) fn check(field: &RequestField, value: &Written<'_>) -> Result<()> {
    match (field.kind, value) {
        (RequestFieldKind::Sum, Written::Amount(sum)) if !sum.is_positive() => {
            Err(Error::invalid_argument("the sum must be greater than 0"))
        }
        (RequestFieldKind::Drift, Written::Amount(drift)) if drift.is_negative() => {
            Err(Error::invalid_argument(format!("{} must not be negative", field.name)))
        }
        (RequestFieldKind::Account | RequestFieldKind::Text, Written::Text(text)) => {
            check_present(field.name, text)
        }
        (RequestFieldKind::Url, Written::Text(url)) => check_url(field.name, url),
        _ => Ok(()),
    }
}

/// Checks that the operation has the field if the field is present. Checks that the operation does not
/// require the field if the field is absent.
pub(crate) fn check_place(field: &RequestField, operation: &str, is_there: bool) -> Result<()> {
    let (belongs, is_required) =
        (field.operations.contains(&operation), field.required_by.contains(&operation));
    match is_there {
        true if !belongs => {
            let name = field.name;
            Err(Error::invalid_argument(format!(
                "{name} is a field of {} only, not of {operation}",
                field.operations.join(" and ")
            )))
        }
        false if is_required => {
            Err(Error::invalid_argument(format!("{} is required by {operation}", field.name)))
        }
        _ => Ok(()),
    }
}

pub(crate) fn check_present(name: &str, value: &str) -> Result<()> {
    if value.trim().is_empty() {
        return Err(Error::invalid_argument(format!("{name} must not be empty")));
    }
    // C would cut the text at a NUL. So the text is refused in every language.
    if value.contains('\0') {
        return Err(Error::invalid_argument(format!("{name} must not contain a NUL")));
    }
    Ok(())
}

fn check_url(name: &str, url: &str) -> Result<()> {
    absolute_url(url).map(drop).map_err(|fault| {
        Error::invalid_argument(match fault {
            UrlFault::NotAbsolute => {
                format!("{name} must be an absolute http or https URL; write an international host name in punycode")
            }
            UrlFault::Credentials => format!("{name} must not contain a user name or password"),
        })
    })
}
