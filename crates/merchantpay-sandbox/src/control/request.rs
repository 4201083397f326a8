//! Reads requests of the control API: a JSON object with known fields only, and the parameters of the URL.

use std::collections::HashMap;

use axum::body::Body;
use axum::http::Uri;
use serde_json::{Map, Value};

use super::refusal::Refusal;

/// The fields of a body. Each known field is read once, and the fields that remain are refused.
pub(crate) struct RequestFields(Map<String, Value>);

impl RequestFields {
    pub(crate) async fn read(body: Body) -> Result<RequestFields, Refusal> {
        // The module `guard` has already limited the body's size.
        let bytes = axum::body::to_bytes(body, usize::MAX)
            .await
            .map_err(|_| Refusal::invalid("the body cannot be read"))?;
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(fields)) => Ok(RequestFields(fields)),
            _ => Err(Refusal::invalid("the body must be one JSON object")),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refusal::invalid(format!("{name} must be a text"))),
        }
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn number(&mut self, name: &str, least: u64, most: u64) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        number
            .map(Some)
            .ok_or_else(|| Refusal::invalid(format!("{name} must be a whole number from {least} to {most}")))
    }

    pub(crate) fn probability(&mut self, name: &str) -> Result<Option<f64>, Refusal> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.as_f64().filter(|number| *number > 0.0 && *number <= 1.0);
        number.map(Some).ok_or_else(|| Refusal::invalid(format!("{name} must be above 0 and at most 1")))
    }

    /// Refuses the remaining, unknown fields.
    pub(crate) fn end(self) -> Result<(), Refusal> {
        match self.0.keys().next() {
            Some(name) => Err(Refusal::invalid(format!("there is no field {name:?} here"))),
            None => Ok(()),
        }
    }
}

/// The parameters of a list.
pub(crate) struct ListQuery {
    limit: usize,
    pub(crate) before: Option<u64>,
    filters: HashMap<String, String>,
}

impl ListQuery {
    /// Reads the parameters. `filters` are the other parameters of this list.
    pub(crate) fn read(uri: &Uri, filters: &[&str]) -> Result<ListQuery, Refusal> {
        let axum::extract::Query(mut parameters) =
            axum::extract::Query::<HashMap<String, String>>::try_from_uri(uri)
                .map_err(|_| Refusal::invalid("the parameters cannot be read"))?;
        let number = |name: &str, text: Option<String>, most: u64| match text.map(|text| text.parse::<u64>())
        {
            None => Ok(None),
            Some(Ok(number)) if (1..=most).contains(&number) => Ok(Some(number)),
            Some(_) => Err(Refusal::invalid(format!("{name} must be a whole number from 1 to {most}"))),
        };
        let limit = number("limit", parameters.remove("limit"), 500)?.unwrap_or(100);
        let before = number("before", parameters.remove("before"), u64::MAX)?;
        if let Some(name) = parameters.keys().find(|name| !filters.contains(&name.as_str())) {
            return Err(Refusal::invalid(format!("there is no parameter {name:?} here")));
        }
        Ok(ListQuery { limit: usize::try_from(limit).unwrap_or(100), before, filters: parameters })
    }

    /// Returns `true` if a value passes the filter with this name.
    pub(crate) fn passes(&self, filter: &str, value: Option<&str>) -> bool {
        self.filters.get(filter).is_none_or(|wanted| Some(wanted.as_str()) == value)
    }

    /// The value of a filter, if it is set.
    pub(crate) fn filter(&self, name: &str) -> Option<&str> {
        self.filters.get(name).map(String::as_str)
    }

    /// Reads a filter whose only value is `true`. Returns `false` if the filter is absent.
    pub(crate) fn is_set(&self, name: &str) -> Result<bool, Refusal> {
        match self.filter(name) {
            None => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Refusal::invalid(format!("{name} must be true"))),
        }
    }

    /// The number of entries to read: one more than the page has. The additional entry shows that the list
    /// continues.
    pub(crate) fn looked_for(&self) -> usize {
        self.limit + 1
    }

    /// Shortens a list to its limit. Returns `next`, which a caller passes to read the next page; `None` on
    /// the last page.
    pub(crate) fn next<T>(&self, list: &mut Vec<(u64, T)>) -> Option<u64> {
        let goes_on = list.len() > self.limit;
        list.truncate(self.limit);
        list.last().filter(|_| goes_on).map(|(number, _)| *number)
    }
}

/// The number in a path. If the text is not a number, the error is that of an unknown path.
pub(crate) fn number(text: &str) -> Result<u64, Refusal> {
    text.parse().map_err(|_| Refusal::not_found("there is no entry with this number"))
}
