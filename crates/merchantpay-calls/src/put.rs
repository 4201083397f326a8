//! Writes values of Rust.

use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Amount, AvailableAmounts, Error, Payment, Status};
use zeroize::Zeroizing;

use crate::kinds::Kind;
use crate::object::{Object, ObjectKind};
use crate::writer::Out;

/// The result of a call, for a host that writes it later.
pub struct Returned(Box<Write>);

type Write = dyn Fn(&mut dyn Out) + Send;

impl Returned {
    pub(crate) fn new(value: impl Put + Send + 'static) -> Returned {
        Returned(Box::new(move |out| value.put(out)))
    }

    /// Writes the result.
    pub fn put(&self, out: &mut dyn Out) {
        (self.0)(out);
    }
}

macro_rules! returned_from {
    ($($type:ty)+) => { $( impl From<$type> for Returned {
        fn from(value: $type) -> Returned {
            Returned::new(value)
        }
    } )+ };
}
returned_from!(Payment AvailableAmounts Error);

pub(crate) trait Put {
    const KIND: Kind;

    fn put(&self, out: &mut dyn Out);
}

macro_rules! put_texts {
    ($($type:ty)+) => { $( impl Put for $type {
        const KIND: Kind = Kind::Text;

        fn put(&self, out: &mut dyn Out) {
            out.value(self.as_bytes());
        }
    } )+ };
}
put_texts!(str String Zeroizing<String>);

macro_rules! put_digits {
    ($($type:ty: $kind:ident)+) => { $( impl Put for $type {
        const KIND: Kind = Kind::$kind;

        fn put(&self, out: &mut dyn Out) {
            out.value(self.to_string().as_bytes());
        }
    } )+ };
}
put_digits!(i32: LongNumber u16: Number u32: Number i64: LongNumber u64: LongNumber Amount: Amount);

macro_rules! put_objects {
    ($($type:ident = $kind:ident)+) => { $(
        pub(crate) struct $type(pub(crate) Arc<Object>);

        impl Put for $type {
            const KIND: Kind = Kind::Handle(ObjectKind::$kind);

            fn put(&self, out: &mut dyn Out) {
                out.object(&self.0);
            }
        }
    )+ };
}
put_objects!(NewClient = Client NewPrepared = Prepared NewReceipt = Receipt);
#[cfg(feature = "journal")]
put_objects!(NewJournal = Journal);

impl Put for () {
    const KIND: Kind = Kind::Nothing;

    fn put(&self, out: &mut dyn Out) {
        out.absent();
    }
}

impl Put for bool {
    const KIND: Kind = Kind::Flag;

    fn put(&self, out: &mut dyn Out) {
        out.value(if *self { b"1" } else { b"0" });
    }
}

impl Put for [u8] {
    const KIND: Kind = Kind::Bytes;

    fn put(&self, out: &mut dyn Out) {
        out.bytes(self);
    }
}

impl Put for Duration {
    const KIND: Kind = Kind::Milliseconds;

    fn put(&self, out: &mut dyn Out) {
        self.as_millis().to_string().put(out);
    }
}

/// A status that this version does not know keeps its text.
impl Put for Status {
    const KIND: Kind = Kind::Word("Status");

    fn put(&self, out: &mut dyn Out) {
        self.as_str().put(out);
    }
}

impl<T: Put> Put for Option<T> {
    const KIND: Kind = Kind::Optional(&T::KIND);

    fn put(&self, out: &mut dyn Out) {
        match self {
            Some(value) => value.put(out),
            None => out.absent(),
        }
    }
}

impl<T: Put + ?Sized> Put for &T {
    const KIND: Kind = T::KIND;

    fn put(&self, out: &mut dyn Out) {
        (**self).put(out);
    }
}

impl<T: Put> Put for [T] {
    const KIND: Kind = Kind::List(&T::KIND);

    fn put(&self, out: &mut dyn Out) {
        out.begin(Self::KIND, self.len());
        self.iter().for_each(|value| value.put(out));
        out.end();
    }
}

impl<T: Put> Put for Vec<T> {
    const KIND: Kind = Kind::List(&T::KIND);

    fn put(&self, out: &mut dyn Out) {
        self.as_slice().put(out);
    }
}

/// Names and values by turns, some of which are keys and signatures.
pub(crate) struct Pairs(pub(crate) Vec<(String, Zeroizing<String>)>);

impl Put for Pairs {
    const KIND: Kind = Kind::Pairs;

    fn put(&self, out: &mut dyn Out) {
        out.begin(Self::KIND, 2 * self.0.len());
        for (name, value) in &self.0 {
            name.put(out);
            value.put(out);
        }
        out.end();
    }
}
