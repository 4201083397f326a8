//! What the generated functions use.

pub(super) use std::ffi::{c_char, c_void};
pub(super) use std::sync::Arc;

pub(super) use merchantpay::Result;
pub(super) use merchantpay_calls::{Object, ObjectKind, Phase};

#[cfg(feature = "journal")]
pub(super) use crate::arguments::names;
pub(super) use crate::arguments::{block, needed, number, object, text, word};
pub(super) use crate::boundary::{create_handle, create_optional_handle, run, set};
pub(super) use crate::config::mpay_config;
#[cfg(feature = "journal")]
pub(super) use crate::entry::{mpay_entries, mpay_entry};
#[cfg(feature = "journal")]
pub(super) use crate::handle::read_or;
pub(super) use crate::handle::{act, free, make, read};
pub(super) use crate::http::{mpay_http_request, mpay_http_response};
#[cfg(feature = "journal")]
pub(super) use crate::journal_config::mpay_journal_config;
pub(super) use crate::object::{Holds, LIBRARY, call, on, secret_call};
pub(super) use crate::payment_request::{mpay_payment_request, mpay_receipt};
pub(super) use crate::record::Record;

pub(super) use super::*;
