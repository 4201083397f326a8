//! A host: it knows the tables, and checks that every reply is what they say.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use merchantpay::Amount;
use merchantpay_calls::{Call, Frame, Host, Kind, ObjectKind, Style, calls, lists, records};
use merchantpay_sandbox::Sandbox;

/// An argument, as a host would hold it.
#[derive(Debug, Clone)]
pub enum Arg {
    Absent,
    Bytes(Vec<u8>),
    Bulk,
    List(Vec<Arg>),
}

impl From<&str> for Arg {
    fn from(text: &str) -> Arg {
        Arg::Bytes(text.as_bytes().to_vec())
    }
}

impl From<&[u8]> for Arg {
    fn from(bytes: &[u8]) -> Arg {
        Arg::Bytes(bytes.to_vec())
    }
}

impl From<u64> for Arg {
    fn from(handle: u64) -> Arg {
        Arg::Bytes(handle.to_ne_bytes().to_vec())
    }
}

impl From<Vec<&str>> for Arg {
    fn from(texts: Vec<&str>) -> Arg {
        Arg::List(texts.into_iter().map(Arg::from).collect())
    }
}

/// A frame with these values. Bulk is written by hand, because only a host writes it.
pub fn frame(args: &[Arg]) -> Vec<u8> {
    let mut lengths = Vec::new();
    let mut bytes = Vec::new();
    for arg in args {
        let value = match arg {
            Arg::Absent => Err(-1),
            Arg::Bulk => Err(-2),
            Arg::Bytes(bytes) => Ok(bytes.clone()),
            Arg::List(list) => Ok(frame(list)),
        };
        lengths.push(value.as_ref().map_or_else(|length| *length, |value| value.len() as i32));
        bytes.extend(value.unwrap_or_default());
    }
    let ints = std::iter::once(args.len() as i32).chain(lengths);
    ints.flat_map(i32::to_ne_bytes).chain(bytes).collect()
}

/// A reply's record, by the names of its fields; a list is a record whose fields are numbered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Got {
    Absent,
    Bytes(Vec<u8>),
    Record(BTreeMap<String, Got>),
}

impl Got {
    pub fn text(&self) -> &str {
        match self {
            Got::Bytes(bytes) => std::str::from_utf8(bytes).unwrap(),
            other => panic!("{other:?} is no text"),
        }
    }

    pub fn handle(&self) -> u64 {
        match self {
            Got::Bytes(bytes) => u64::from_ne_bytes(bytes.as_slice().try_into().unwrap()),
            other => panic!("{other:?} is no handle"),
        }
    }

    pub fn get(&self, field: &str) -> &Got {
        match self {
            Got::Record(fields) => fields.get(field).unwrap_or_else(|| panic!("{self:?} has no {field}")),
            other => panic!("{other:?} is no record"),
        }
    }

    pub fn field(&self, field: &str) -> &str {
        self.get(field).text()
    }

    pub fn len(&self) -> usize {
        match self {
            Got::Record(fields) => fields.len(),
            other => panic!("{other:?} is no list"),
        }
    }
}

/// Reads a value of a kind, and checks that it is one.
fn read(kind: Kind, bytes: Option<&[u8]>, what: &str) -> Got {
    let Some(bytes) = bytes else {
        assert!(kind.is_optional() || kind == Kind::Nothing, "{what} is absent");
        return Got::Absent;
    };
    let text = || std::str::from_utf8(bytes).unwrap();
    match kind {
        Kind::Optional(kind) => return read(*kind, Some(bytes), what),
        Kind::List(kind) => {
            let values = Frame::read(bytes).unwrap_or_else(|| panic!("{what} is no list"));
            let read = |(index, value)| (format!("{index:04}"), read(*kind, value, what));
            return Got::Record(values.iter().enumerate().map(read).collect());
        }
        Kind::Record(name) => return record(name, bytes),
        Kind::Answer => panic!("{what}: a host knows which operation it prepared"),
        Kind::Nothing => assert!(bytes.is_empty(), "{what}"),
        Kind::Number | Kind::Milliseconds => assert!(text().parse::<u32>().is_ok(), "{what}: {}", text()),
        Kind::LongNumber | Kind::Time => assert!(text().parse::<i64>().is_ok(), "{what}: {}", text()),
        Kind::Flag => assert!(matches!(bytes, b"0" | b"1"), "{what}"),
        Kind::Amount => assert!(text().parse::<Amount>().is_ok(), "{what}: {}", text()),
        Kind::Word(list) => {
            let words = lists().find(|(name, _)| *name == list).unwrap_or_else(|| panic!("no list {list}")).1;
            assert!(words.iter().any(|word| word.name == text()), "{what}: {}", text());
        }
        Kind::Handle(_) => assert_eq!(bytes.len(), 8, "{what}"),
        Kind::Pairs => assert_eq!(Frame::read(bytes).unwrap().len() % 2, 0, "{what}"),
        Kind::Text | Kind::Header => drop(text()),
        Kind::Bytes => {}
    }
    Got::Bytes(bytes.to_vec())
}

pub fn record(name: &str, bytes: &[u8]) -> Got {
    let fields =
        records().find(|record| record.name == name).unwrap_or_else(|| panic!("no record {name}")).fields();
    let values = Frame::read(bytes).unwrap_or_else(|| panic!("{name} is no frame"));
    assert_eq!(values.len(), fields.len(), "{name}");
    let read = |(index, field): (usize, &merchantpay_calls::Field)| {
        (field.name.to_owned(), read(field.kind, values.get(index), &format!("{name}.{}", field.name)))
    };
    Got::Record(fields.iter().enumerate().map(read).collect())
}

/// A reply whose result is of a kind, or the record of its error.
pub fn reply(kind: Kind, reply: &merchantpay_calls::Reply, what: &str) -> Result<Got, Got> {
    let bytes = reply.as_ref();
    match reply.is_error() {
        true => Err(record("error", bytes)),
        // No value is as short as one that is absent: a frame has its count, and no text result is empty.
        false => Ok(read(kind, Some(bytes).filter(|bytes| !bytes.is_empty()), what)),
    }
}

/// The calls that were made, with success or not.
pub static MADE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

pub fn row(on: ObjectKind, name: &str) -> &'static Call {
    calls().find(|call| call.on == on && call.name == name).unwrap_or_else(|| panic!("no call {name}"))
}

/// An object that is closed at the end.
pub struct Open {
    pub handle: u64,
    pub kind: ObjectKind,
}

impl Open {
    pub fn of(kind: ObjectKind, handle: u64) -> Open {
        Open { handle, kind }
    }

    pub fn ask(&self, name: &str, args: &[Arg]) -> Result<Got, Got> {
        self.ask_with(name, args, &[])
    }

    pub fn ask_with(&self, name: &str, args: &[Arg], bulk: &[u8]) -> Result<Got, Got> {
        let row = row(self.kind, name);
        MADE.lock().unwrap().insert(row.number);
        let made = merchantpay_calls::call(self.handle, row.number, &frame(args), bulk);
        match row.result() {
            Kind::Answer => reply(Kind::Record("payment"), &made, name),
            kind => reply(kind, &made, name),
        }
    }

    pub fn ok(&self, name: &str, args: &[Arg]) -> Got {
        self.ask(name, args).unwrap_or_else(|error| panic!("{name}: {error:?}"))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        merchantpay_calls::close(self.handle);
    }
}

pub fn library() -> Open {
    Open::of(ObjectKind::Library, 0)
}

pub fn open(kind: ObjectKind, parent: u64, args: &[Arg], host: Option<Arc<dyn Host>>) -> Result<Open, Got> {
    let made = merchantpay_calls::open(kind.number() as u32, parent, &frame(args), host);
    let handle = reply(Kind::Handle(kind), &made, kind.name())?.handle();
    Ok(Open::of(kind, handle))
}

pub fn settings(sandbox: &Sandbox) -> Vec<(String, String)> {
    let private_key = sandbox.merchant_private_key().expect("the sandbox made it").to_base64();
    [
        ("base_url", sandbox.url()),
        ("key_id", sandbox.merchant_key_id()),
        ("private_key", &private_key),
        ("server_key_id", sandbox.server_key_id()),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into_iter()
    .chain([("server_public_key".to_owned(), sandbox.server_public_key().to_base64())])
    .collect()
}

/// Settings as an argument of `open`. Those that are lists are lists.
pub fn pairs(settings: &[(String, String)]) -> Arg {
    let value = |(name, value): &(String, String)| {
        let is_list = matches!(name.as_str(), "server_key_id" | "server_public_key" | "pin_spki");
        [name.as_str().into(), if is_list { vec![value.as_str()].into() } else { value.as_str().into() }]
    };
    Arg::List(settings.iter().flat_map(value).collect())
}

pub fn client(settings: &[(String, String)]) -> Open {
    let style = Style::Camel.name();
    open(ObjectKind::Client, 0, &[style.into(), Arg::Absent, pairs(settings)], None).unwrap()
}

/// The fields of a request, in the order of the table.
pub fn fields(given: &[(&str, &str)]) -> Arg {
    let value = |row: &merchantpay::RequestField| {
        given.iter().find(|(name, _)| *name == row.name).map_or(Arg::Absent, |(_, text)| Arg::from(*text))
    };
    Arg::List(merchantpay::REQUEST_FIELDS.iter().map(value).collect())
}
