//! The waist: every operation, setting and journal method is a numbered call, and every value that crosses
//! between a language and this library is a *frame* of bytes. Rules about settings, names, texts and lifetimes are
//! here once, for all languages.
//!
//! - [`open`] makes an object from settings, [`call`] makes a call on it, [`interrupt`] ends its calls, and
//!   [`close`] gives it back. An object is known by a number, its *handle*.
//! - [`calls`], [`records`], [`lists`] and [`OPENING`] are the tables from which the code of the languages is
//!   generated. They are append-only.
//! - A reply is the result as one value, or the record `error`: [`Reply::is_error`] says which. A host that was built
//!   for an older version sends fewer arguments and ignores fields that it does not know.
//! - A host that is Rust itself needs no frames: [`make_object`] and [`make`] take [`Value`]s, and what a call
//!   [`Returned`] is written into an [`Out`] of the host.
//!
//! ```
//! use merchantpay_calls::{Frame, FrameWriter, Out, call};
//!
//! let mut args = FrameWriter::default();
//! args.begin(2);
//! args.value(b"1500.50");
//! args.value(b"1500.5");
//! args.end();
//! let paid = call(0, 3, args.finish()?.as_ref(), &[]);
//! assert_eq!(paid.as_ref(), b"exactly");
//!
//! let error = call(0, 3, &[], &[]);
//! let fields = Frame::read(error.as_ref()).ok_or("no frame")?;
//! assert_eq!(fields.get(5), Some(&b"sum is missing"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]
// Some kinds of arguments and rows are the journal's alone.
#![cfg_attr(not(feature = "journal"), allow(dead_code, unused_imports))]

mod arguments;
mod calls;
mod frame;
mod handles;
mod host;
#[cfg(feature = "journal")]
mod journal;
mod kinds;
mod lists;
mod names;
mod object;
mod phase;
mod put;
mod records;
mod settings;
mod tables;
mod value;
mod waist;
mod writer;

pub use arguments::{Argument, Pause};
pub use calls::Call;
pub use frame::{ABSENT, BULK, Bytes, Frame, LARGEST_BODY};
pub use handles::{close, interrupt, open_handles};
pub use host::{Callback, Host};
pub use kinds::Kind;
pub use names::Style;
pub use object::{Object, ObjectKind};
pub use phase::Phase;
pub use put::Returned;
pub use records::{Field, Record};
pub use settings::table as settings;
pub use tables::{calls, lists, records};
pub use value::Value;
pub use waist::{OPENING, Reply, call, describe, make, make_object, open};
pub use writer::{FrameWriter, Out, Written};
