//! The functions that carry everything: `open` and `call`.

use std::sync::Arc;

use merchantpay::{Client, Error, Result};

use crate::arguments::{Argument, Arguments, Pause};
use crate::calls::{Call, wrong_object};
use crate::frame::{Bytes, Frame};
use crate::handles::find;
use crate::host::{Callback, Host};
use crate::kinds::Kind;
use crate::names::Style;
use crate::object::{Held, Object, ObjectKind};
use crate::phase::Phase;
use crate::put::{Put, Returned};
use crate::settings::{Settings, table};
use crate::tables::calls;
use crate::value::{Value, Values};
use crate::writer::{FrameWriter, Out, Written};

/// The arguments of `open`, for every kind of object.
pub const OPENING: &[Argument] = &[
    Argument { name: "style", kind: Kind::Word("Spelling"), default: Some("snake") },
    Argument { name: "callbacks", kind: Kind::List(&Kind::Word("Callback")), default: Some("") },
    Argument { name: "settings", kind: Kind::Pairs, default: Some("") },
    Argument { name: "environment", kind: Kind::Optional(&Kind::Pairs), default: Some("") },
];

/// The handle of an object that always exists: the calls that need none, with names in snake case.
const LIBRARY: u64 = 0;

static LIBRARY_OBJECT: Object = Object::library(Style::Snake);

/// The answer to a call: its result, or the record `error`.
pub struct Reply {
    written: Written,
    is_error: bool,
}

impl Reply {
    /// Whether the bytes are the record `error`, and not the call's result.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// The bytes themselves, which the caller wipes.
    pub fn take(self) -> Vec<u8> {
        self.written.take()
    }
}

impl AsRef<[u8]> for Reply {
    fn as_ref(&self) -> &[u8] {
        self.written.as_ref()
    }
}

/// Makes a call on an object. It blocks until the reply is there. A value of `args` whose length is
/// [`BULK`](crate::frame::BULK) is `bulk`.
pub fn call(handle: u64, number: u32, args: &[u8], bulk: &[u8]) -> Reply {
    reply(run(handle, number, args, bulk))
}

fn run(handle: u64, number: u32, args: &[u8], bulk: &[u8]) -> Result<Written> {
    let found = if handle == LIBRARY { None } else { find(handle) };
    let object = if handle == LIBRARY { Some(&LIBRARY_OBJECT) } else { found.as_deref() };
    let row = calls().find(|row| row.number == number);
    let style = object.map_or(Style::Snake, Object::style);
    let phase = row.map_or(Phase::Setup, |row| row.phase);
    let made = phase.run(|| {
        let row = row.ok_or_else(|| {
            Error::invalid_argument(format!("this version of the library has no call {number}: update it"))
        })?;
        let object = object.ok_or_else(|| Error::invalid_argument("the object is closed"))?;
        let mut args = Arguments::new(style, row.arguments(), read(args, Some(bulk))?);
        let returned = (row.run)(object, &mut args)?;
        framed(|writer| returned.put(writer))
    });
    made.map_err(|error| error.renamed(|name| style.spell(name)))
}

/// Makes a call for a host that is Rust itself, with its values as they are. `pause` lets the host sleep between
/// two requests of `wait` and `settle`. The object of calls that need none is [`Object::library`]. An error spells
/// names as the object's host does.
pub fn make(
    object: &Object,
    row: &Call,
    args: &[Option<Value<'_>>],
    pause: Option<Pause<'_>>,
) -> Result<Returned> {
    let style = object.style();
    let returned = row.phase.run(|| {
        let args = Arguments::new(style, row.arguments(), Values::Native(args));
        (row.run)(object, &mut args.with_pause(pause))
    });
    returned.map_err(|error| error.renamed(|name| style.spell(name)))
}

/// Opens an object, and returns its handle. `parent` is the client of a journal. The host's code is released
/// when the object and everything that was derived from it is gone, also if it cannot be opened.
pub fn open(kind: u32, parent: u64, args: &[u8], host: Option<Arc<dyn Host>>) -> Reply {
    reply(Phase::Setup.run(|| {
        let kind = i32::try_from(kind).ok().and_then(ObjectKind::from_number).ok_or_else(|| {
            Error::invalid_argument(format!(
                "this version of the library has no kind {kind} of object: update it"
            ))
        })?;
        let object = opened(kind, find(parent).as_deref(), read(args, None)?, host)?;
        framed(|writer| writer.object(&object))
    }))
}

/// Opens an object for a host that is Rust itself. `args` are those of [`OPENING`].
pub fn make_object(
    kind: ObjectKind,
    parent: Option<&Object>,
    args: &[Option<Value<'_>>],
    host: Option<Arc<dyn Host>>,
) -> Result<Arc<Object>> {
    Phase::Setup.run(|| opened(kind, parent, Values::Native(args), host))
}

fn opened(
    kind: ObjectKind,
    parent: Option<&Object>,
    args: Values<'_>,
    host: Option<Arc<dyn Host>>,
) -> Result<Arc<Object>> {
    let mut args = Arguments::new(Style::Snake, OPENING.into(), args);
    let style = args.word::<Style>()?;
    let callbacks = args.words::<Callback>(OPENING[1].kind)?;
    let (own, environment) = (args.pairs()?, args.optional_pairs()?);
    let settings = Settings::new(table(kind), style, own, environment)?;
    let made = object(kind, parent, &settings, &callbacks, host);
    let held = made.map_err(|error| error.renamed(|name| settings.spell(name)))?;
    Ok(Arc::new(Object::new(held, style)))
}

/// Writes the record `error`, for a host in Rust.
pub fn describe(error: &Error, out: &mut dyn Out) {
    error.put(out);
}

fn framed(write: impl FnOnce(&mut FrameWriter)) -> Result<Written> {
    let mut writer = FrameWriter::default();
    write(&mut writer);
    writer.finish()
}

/// A host that could not even make its call.
impl From<Error> for Reply {
    fn from(error: Error) -> Reply {
        reply(Err(error))
    }
}

fn reply(written: Result<Written>) -> Reply {
    let failed = |error: &Error| framed(|writer| describe(error, writer));
    match written {
        Ok(written) => Reply { written, is_error: false },
        Err(error) => {
            let too_large = |_| failed(&Error::internal(error.outcome(), "the error is larger than 2 GiB"));
            let written = failed(&error).or_else(too_large);
            Reply { written: written.unwrap_or(Written::Bytes(Bytes::default())), is_error: true }
        }
    }
}

fn read<'a>(args: &'a [u8], bulk: Option<&'a [u8]>) -> Result<Values<'a>> {
    Frame::with_bulk(args, bulk)
        .map(Values::Frame)
        .ok_or_else(|| Error::invalid_argument("the arguments are not a frame"))
}

fn object(
    kind: ObjectKind,
    parent: Option<&Object>,
    settings: &Settings<'_>,
    callbacks: &[Callback],
    host: Option<Arc<dyn Host>>,
) -> Result<Held> {
    let asked = |callback| match (callbacks.contains(&callback), &host) {
        (false, _) => Ok(None),
        (true, Some(host)) => Ok(Some(Arc::clone(host))),
        (true, None) => Err(Error::about("callbacks", "are named, but there is no function for them")),
    };
    let (logs, signs) = (asked(Callback::Log)?, asked(Callback::Sign)?);
    Ok(match kind {
        ObjectKind::Library => Held::Library,
        ObjectKind::Client => {
            let config = settings.config(signs)?;
            Held::Client(Client::new(match logs {
                Some(host) => config.observer(move |attempt| host.log(attempt)),
                None => config,
            })?)
        }
        ObjectKind::Protocol => Held::Protocol(settings.config(signs)?.protocol()?),
        ObjectKind::Verifier => Held::Verifier(settings.verifier()?),
        ObjectKind::Journal => {
            let parent = parent.ok_or_else(|| Error::invalid_argument("the client is closed"))?;
            let Held::Client(client) = parent.held() else { return Err(wrong_object(parent)) };
            journal(client, settings)?
        }
        ObjectKind::Prepared | ObjectKind::Receipt => {
            return Err(Error::invalid_argument(format!("a {kind} is made by a call")));
        }
    })
}

#[cfg(feature = "journal")]
fn journal(client: &Client, settings: &Settings<'_>) -> Result<Held> {
    let journal = merchantpay_journal::Journal::open(client, settings.journal()?)?;
    Ok(Held::Journal(Box::new(journal)))
}

#[cfg(not(feature = "journal"))]
fn journal(_: &Client, _: &Settings<'_>) -> Result<Held> {
    Err(Error::invalid_argument("this library was built without the journal"))
}
