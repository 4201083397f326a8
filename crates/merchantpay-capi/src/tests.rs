//! Tests that cannot be written in C: they cause panics, and check that every exported function uses
//! `boundary`.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use merchantpay::{Error, Outcome};
use merchantpay_calls::Phase;

use crate::boundary::{create_handle, run, set};
use crate::constants::{MPAY_INTERNAL, MPAY_OK};
use crate::typed::{mpay_error, mpay_error_code, mpay_error_free, mpay_error_message, mpay_error_outcome};
use crate::waist::{mpay_answer, mpay_answer_t, mpay_call, mpay_close, mpay_free, mpay_interrupt, mpay_open};

fn code_and_outcome(error: *mut mpay_error) -> (i32, i32) {
    // SAFETY: NULL or made by the function that was just called.
    let error = (!error.is_null()).then(|| unsafe { Box::from_raw(error) });
    let found = (mpay_error_code(error.as_deref()), mpay_error_outcome(error.as_deref()));
    mpay_error_free(error);
    found
}

#[test]
fn a_panic_is_an_internal_error_and_its_outcome_is_what_is_certain() {
    for (phase, outcome) in
        [(Phase::Setup, Outcome::NotSent), (Phase::Call, Outcome::Unknown), (Phase::Reply, Outcome::Unknown)]
    {
        let (mut error, mut out) = (std::ptr::null_mut(), std::ptr::dangling_mut::<u8>());
        // SAFETY: both can be written.
        let code =
            unsafe { create_handle::<u8>(phase, &raw mut out, &raw mut error, || panic!("deliberately")) };
        assert_eq!(
            (code, code_and_outcome(error), out.is_null()),
            (MPAY_INTERNAL, (MPAY_INTERNAL, outcome.number()), true)
        );
        // SAFETY: NULL is allowed.
        let unheard = unsafe { run(phase, std::ptr::null_mut(), || panic!("and nobody listens")) };
        assert_eq!(unheard, MPAY_INTERNAL);
    }
    assert_eq!(set(|| panic!("deliberately")), MPAY_INTERNAL);
}

#[test]
fn a_panic_whose_payload_panics_when_it_is_dropped_stays_inside() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("twice");
        }
    }
    let mut error = std::ptr::null_mut();
    // SAFETY: it can be written.
    let code = unsafe { run(Phase::Call, &raw mut error, || std::panic::panic_any(Bomb)) };
    assert_eq!((code, code_and_outcome(error).0), (MPAY_INTERNAL, MPAY_INTERNAL));
}

#[test]
fn an_error_from_before_is_taken_back_by_a_success() {
    let mut error = std::ptr::null_mut();
    // SAFETY: it can be written.
    unsafe { run(Phase::Setup, &raw mut error, || Err(Error::invalid_argument("x is NULL"))) };
    // SAFETY: made by `run`.
    let first = unsafe { Box::from_raw(error) };
    // SAFETY: a text of the error, which is alive.
    assert_eq!(unsafe { CStr::from_ptr(mpay_error_message(Some(&first))) }.to_str(), Ok("x is NULL"));
    // SAFETY: it can be written.
    assert_eq!(unsafe { run(Phase::Setup, &raw mut error, || Ok(())) }, MPAY_OK);
    assert!(error.is_null());
}

/// Makes a call of the waist with a buffer of this size. Returns the result, and the bytes of the reply.
fn call(number: u32, args: (*const c_void, usize), room: usize) -> (i64, Vec<u8>) {
    let (mut buffer, mut large) = (vec![0_u8; room], std::ptr::null_mut());
    // SAFETY: the buffer has as much room, and the others are what the test says.
    let result = unsafe {
        mpay_call(
            0,
            number,
            args.0,
            args.1,
            std::ptr::null(),
            0,
            buffer.as_mut_ptr().cast(),
            room,
            &raw mut large,
        )
    };
    let len = usize::try_from(result.unsigned_abs()).unwrap();
    assert_eq!(large.is_null(), len <= room);
    if large.is_null() {
        buffer.truncate(len);
        return (result, buffer);
    }
    // SAFETY: a block of this length, which is freed once.
    let reply = unsafe { std::slice::from_raw_parts(large.cast::<u8>(), len).to_vec() };
    // SAFETY: likewise.
    unsafe { mpay_free(large, len) };
    (result, reply)
}

#[test]
fn waist_puts_a_reply_into_the_buffer_or_into_a_block() {
    let (none, library) = ((std::ptr::null(), 0), 5);
    let kind = b"\x01\0\0\0\x06\0\0\0client";
    let kind = (kind.as_ptr().cast(), kind.len());
    let (len, large) = call(library, kind, 0);
    assert!(len > 1024 && large.len() == usize::try_from(len).unwrap());
    for room in [large.len() - 1, large.len(), large.len() + 1] {
        assert_eq!(call(library, kind, room), (len, large.clone()));
    }
    for (number, args) in [(9999, none), (library, none), (library, (std::ptr::null(), 7))] {
        for room in [0, 4096] {
            let (result, error) = call(number, args, room);
            assert_eq!(result, -i64::try_from(error.len()).unwrap());
            assert!(error.windows(16).any(|text| text == b"invalid_argument"));
        }
    }
}

#[test]
fn waist_releases_the_host_once_also_if_nothing_is_opened() {
    static RELEASED: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn host(
        token: usize,
        what: u32,
        _: *const c_void,
        _: usize,
        answer: *mut mpay_answer_t,
    ) -> i32 {
        assert_eq!((token, what, answer.is_null()), (7, 0, true));
        RELEASED.fetch_add(1, Ordering::Relaxed);
        0
    }
    for (kind, opens) in [(1, true), (99, false)] {
        let (mut buffer, before) = ([0_u8; 1024], RELEASED.load(Ordering::Relaxed));
        let (none, mut large) = (std::ptr::null(), std::ptr::null_mut());
        // SAFETY: the buffer has as much room.
        let len = unsafe {
            mpay_open(
                kind,
                0,
                none,
                0,
                Some(host),
                7,
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                &raw mut large,
            )
        };
        assert_eq!(len == 8, opens);
        if opens {
            mpay_close(u64::from_ne_bytes(*buffer.first_chunk().unwrap()));
        }
        assert_eq!(RELEASED.load(Ordering::Relaxed), before + 1);
    }
    // SAFETY: nothing is freed, and nobody asks.
    unsafe {
        mpay_free(std::ptr::null_mut(), 0);
        mpay_answer(std::ptr::null_mut(), std::ptr::null(), 0);
    }
    assert_eq!(mpay_interrupt(7), 0);
}

/// Every exported function does its work inside a function that catches panics, or returns a constant.
#[test]
fn every_exported_function_goes_through_the_boundary() {
    const BOUNDARY: [&str; 10] = [
        "run(",
        "act(",
        "create_handle(",
        "create_optional_handle(",
        "set(",
        "read(",
        "read_or(",
        "read_bytes(",
        "make(",
        "free(",
    ];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = [folder.join("typed"), folder].into_iter().flat_map(|folder| folder.read_dir().unwrap());
    let files = files.map(|file| file.unwrap().path());
    // `merchantpay-calls` catches the panics of the functions of `waist`.
    let sources = files.filter(|path| path.is_file() && !path.ends_with("waist.rs"));
    let sources: String = sources.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let functions: Vec<_> = sources.split("#[unsafe(no_mangle)]\n").skip(1).collect();
    assert!(functions.len() > 200);
    for function in functions {
        let (signature, body) = function.split("\n}\n").next().unwrap().split_once("{\n").unwrap();
        // A call of the boundary's own function, not of a method with the same name.
        let mut words = body.split(|letter: char| !letter.is_alphanumeric() && !"_.(".contains(letter));
        let inside = words.any(|word| BOUNDARY.iter().any(|call| word.starts_with(call)));
        assert!(inside || signature.contains("_version"), "{signature}");
    }
}
