//! Makes the calls of the waist with any bytes as their arguments, and with any texts: the first byte is the place
//! of the call in the table, the rest a frame, or a line for each of its values. Every call must answer. libFuzzer
//! ends the process at a panic, also at one that is caught, and AddressSanitizer at a read outside of the arguments.
#![no_main]

mod common;

use std::sync::LazyLock;

use common::{KEY, MERCHANT_KEY};
use libfuzzer_sys::fuzz_target;
use merchantpay_calls::{Frame, ObjectKind, calls};
use merchantpay_capi::{mpay_call, mpay_close, mpay_free, mpay_interrupt};

/// An object of each kind but a receipt, in the order of `ObjectKind`. Those that call the service are interrupted,
/// so that no call waits.
static OBJECTS: LazyLock<[u64; 6]> = LazyLock::new(|| {
    let (private, public) = (MERCHANT_KEY.to_base64(), frame(&[KEY.public_key().to_base64().as_bytes()]));
    let place = std::env::temp_dir().join(format!("merchantpay-frames-{}", std::process::id()));
    let keys: [&[u8]; 4] = [b"private_key", private.as_bytes(), b"server_public_key", &public];
    let service =
        [&[b"base_url".as_slice(), b"http://127.0.0.1:9", b"key_id", b"merchant"], &keys[..]].concat();
    let place =
        [b"place".as_slice(), place.as_os_str().as_encoded_bytes(), b"create", b"1", b"pay_wait_ms", b"0"];
    let client = opened(ObjectKind::Client, 0, &service);
    let protocol = opened(ObjectKind::Protocol, 0, &service);
    let verifier = opened(ObjectKind::Verifier, 0, &keys[2..]);
    let journal = opened(ObjectKind::Journal, client, &place);
    assert_eq!((mpay_interrupt(client), mpay_interrupt(journal)), (1, 1));
    let prepared = call(protocol, 33, &frame(&[b"o-1"]), b"");
    let prepared = Frame::read(&prepared).and_then(|record| record.get(0)).map(handle).expect("a handle");
    [0, client, protocol, verifier, journal, prepared]
});

fn opened(kind: ObjectKind, parent: u64, settings: &[&[u8]]) -> u64 {
    let args = frame(&[b"snake", b"", &frame(settings)]);
    handle(&merchantpay_calls::open(kind.number().unsigned_abs(), parent, &args, None).take())
}

fn handle(value: &[u8]) -> u64 {
    u64::from_ne_bytes(value.try_into().expect("a handle"))
}

fn frame(values: &[&[u8]]) -> Vec<u8> {
    let ints = std::iter::once(values.len()).chain(values.iter().map(|value| value.len()));
    ints.flat_map(|int| (int as i32).to_ne_bytes()).chain(values.concat()).collect()
}

/// Makes a call with copies of the arguments that end where their memory ends.
fn call(on: u64, number: u32, args: &[u8], bulk: &[u8]) -> Vec<u8> {
    let (args, bulk): (Box<[u8]>, Box<[u8]>) = (args.into(), bulk.into());
    let (buffer, mut large) = (std::ptr::null_mut(), std::ptr::null_mut());
    let (args, len, bulk, bulk_len) = (args.as_ptr().cast(), args.len(), bulk.as_ptr().cast(), bulk.len());
    // SAFETY: bytes that live until it returns, no buffer, a pointer to a variable, and a block of the length.
    unsafe {
        let len = mpay_call(on, number, args, len, bulk, bulk_len, buffer, 0, &raw mut large).unsigned_abs()
            as usize;
        let reply =
            if large.is_null() { Vec::new() } else { std::slice::from_raw_parts(large.cast(), len).to_vec() };
        mpay_free(large, len);
        reply
    }
}

/// Closes the objects that a call has made.
fn close(value: &[u8]) {
    if let Ok(handle) = value.try_into() {
        mpay_close(u64::from_ne_bytes(handle));
    }
    Frame::read(value).iter().flat_map(Frame::iter).flatten().for_each(close);
}

fuzz_target!(|data: &[u8]| {
    let Some((place, rest)) = data.split_first() else { return };
    let Some(row) = calls().nth(usize::from(*place)) else { return };
    // A receipt grows, so each input has its own.
    let receipt = handle(&call(0, 4, &frame(&[b"o-1"]), b""));
    let on = OBJECTS.get(row.on.number() as usize - 1).copied().unwrap_or(receipt);
    let lines: Vec<&[u8]> = rest.split(|byte| *byte == b'\n').collect();
    for args in [rest, &frame(&lines)] {
        close(&call(on, row.number, args, rest));
    }
    mpay_close(receipt);
});
