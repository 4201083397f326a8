//! Random frames into every call never panic, and never send anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use merchantpay_calls::{Call, Kind, ObjectKind, calls};
use merchantpay_services::serve;

use crate::faults::settings;
use crate::host::{Arg, Open, client, fields, frame, library, open, pairs, record};

/// `MERCHANTPAY_RANDOM_FRAMES` asks for more.
const FRAMES: usize = 20_000;

/// Its numbers are the same in every run.
struct Random(fastrand::Rng);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end.max(1))
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.0.u8(..)).collect()
    }

    /// A value that could be right, except for texts: each has more faults than bits are flipped, so that none can
    /// be sent.
    fn value(&mut self, kind: Kind) -> Arg {
        let text = |text: String| Arg::Bytes([b"\0\0\0", text.as_bytes()].concat());
        match (self.below(6), kind) {
            (0, _) => Arg::Absent,
            (1, _) => Arg::Bytes([self.bytes(40).as_slice(), b"\xff\xff\xff"].concat()),
            (2, _) => Arg::Bulk,
            (_, Kind::Number | Kind::LongNumber | Kind::Milliseconds | Kind::Time) => {
                self.0.u64(..).to_string().as_str().into()
            }
            (_, Kind::Flag) => "1".into(),
            (_, Kind::Amount) => format!("{}.5", self.below(1000)).as_str().into(),
            (_, Kind::Record("request")) => {
                let sum = self.below(100).to_string();
                fields(&[("sum", &sum), ("paymentMethod", "sbp"), ("customerAccount", "\0\0\0x")])
            }
            (_, Kind::Pairs) => Arg::List((0..self.below(5)).map(|_| Arg::Bytes(self.bytes(9))).collect()),
            (_, Kind::List(kind)) => Arg::List((0..self.below(5)).map(|_| self.value(*kind)).collect()),
            (_, Kind::Handle(_)) => self.0.u64(..).into(),
            (_, Kind::Word(list)) => {
                let words = merchantpay_calls::lists()
                    .find(|(name, _)| *name == list)
                    .map_or(&[][..], |(_, words)| words);
                words.get(self.below(words.len())).map_or(Arg::Absent, |word| word.name.into())
            }
            _ => text(self.below(100).to_string()),
        }
    }

    fn frame(&mut self, call: &Call) -> Vec<u8> {
        let mut bytes = match self.below(4) {
            0 => self.bytes(200),
            _ => {
                frame(&call.arguments().iter().map(|argument| self.value(argument.kind)).collect::<Vec<_>>())
            }
        };
        // A flipped bit of a length moves every value behind it.
        for _ in 0..self.below(3) {
            let place = self.below(bytes.len().min(64));
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= 1 << self.below(8);
            }
        }
        bytes
    }
}

/// A server that counts the connections that it gets.
fn counting() -> (String, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let address = serve(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    (format!("http://{address}"), count)
}

/// It opens a connection, and has no argument that could be wrong.
fn connects(call: &Call) -> bool {
    call.name == "connect"
}

#[test]
fn random_frames_never_panic_and_never_send() {
    let asked = std::env::var("MERCHANTPAY_RANDOM_FRAMES").ok().and_then(|count| count.parse().ok());
    let frames: usize = asked.unwrap_or(FRAMES);
    let (url, connections) = counting();
    let given = [settings(&url), vec![("max_retries".to_owned(), "0".to_owned())]].concat();
    let folder = std::env::temp_dir().join(format!("merchantpay-random-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    {
        let objects = objects(&given, &folder.join("payments.db").display().to_string());
        let mut random = Random(fastrand::Rng::with_seed(7));
        let calls: Vec<_> = calls().filter(|call| !connects(call)).collect();
        for number in 0..frames {
            let call = calls[number % calls.len()];
            let object = &objects[random.below(objects.len())];
            let fits = objects.iter().find(|object| object.kind == call.on);
            let object = if random.below(8) == 0 { object } else { fits.unwrap_or(object) };
            let args = random.frame(call);
            // No text, because a text could be a valid order id.
            let bulk = [random.bytes(16).as_slice(), b"\xff"].concat();
            let reply = merchantpay_calls::call(object.handle, call.number, &args, &bulk);
            if reply.is_error() {
                let error = record("error", reply.as_ref());
                assert_ne!(error.field("code"), "internal", "{}: {error:?}: {args:?}", call.name);
            } else if let Kind::Handle(kind) = call.result() {
                drop(Open::of(kind, u64::from_ne_bytes(reply.as_ref().try_into().unwrap())));
            }
            let opened = merchantpay_calls::open(random.below(9) as u32, object.handle, &args, None);
            assert!(opened.is_error() || opened.as_ref().len() == 8);
            if let (false, Ok(handle)) = (opened.is_error(), opened.as_ref().try_into()) {
                merchantpay_calls::close(u64::from_ne_bytes(handle));
            }
        }
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(connections.load(Ordering::Relaxed), 0);
        // The counter does count.
        objects[0].ok("connect", &[]);
        while connections.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// One object of each kind; the client is the first.
fn objects(given: &[(String, String)], place: &str) -> Vec<Open> {
    let args = ["pascal".into(), Arg::Absent, pairs(given)];
    let client = client(given);
    let of_journal = [("place", place), ("create", "1"), ("pay_wait_ms", "0")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let journal = ["pascal".into(), Arg::Absent, pairs(&of_journal)];
    let journal = open(ObjectKind::Journal, client.handle, &journal, None).unwrap();
    let protocol = open(ObjectKind::Protocol, 0, &args, None).unwrap();
    let prepared = protocol.ok("prepare_confirm", &["o-1".into()]).get("request").handle();
    let receipt = library().ok("receipt", &["o-1".into()]).handle();
    let verifier = open(ObjectKind::Verifier, 0, &args, None).unwrap();
    let (prepared, receipt) =
        (Open::of(ObjectKind::Prepared, prepared), Open::of(ObjectKind::Receipt, receipt));
    vec![client, journal, protocol, prepared, receipt, verifier, library()]
}
