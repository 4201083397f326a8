//! The waist: the calls of `merchantpay-calls` over pointers. Everything that can be wrong about a call is found
//! there; here are only pointers, lengths and the host's function.

use std::ffi::c_void;
use std::sync::Arc;

use merchantpay::Result;
use merchantpay_calls::{Bytes, Callback, Host, Reply};

use crate::arguments::bytes;
use crate::handle::put;

/// An object of the library, for a binding of another language: a client, a journal and so on. A handle that
/// was closed, or never was one, is an error and does no harm. 0 is the object of the calls that need none.
pub type mpay_handle = u64;

/// Where a mpay_host puts its answer. It exists only during the callback.
pub struct mpay_answer_t(Vec<u8>);

/// Code of a host that opened an object. `what` is a callback of merchantpay.json: 0 releases the token, once,
/// on any thread, and has no answer; 1 logs; 2 signs. Others come on the thread that makes the call, possibly
/// on several threads at once. Put the answer by mpay_answer, and return 0; any other number is a failure. It
/// must return normally: it must not throw or call longjmp.
pub type mpay_host = Option<
    unsafe extern "C" fn(
        token: usize,
        what: u32,
        args: *const c_void,
        len: usize,
        answer: *mut mpay_answer_t,
    ) -> i32,
>;

struct ForeignHost {
    ask: unsafe extern "C" fn(usize, u32, *const c_void, usize, *mut mpay_answer_t) -> i32,
    token: usize,
}

impl Host for ForeignHost {
    fn ask(&self, what: Callback, args: &[u8]) -> Result<Vec<u8>, i32> {
        let mut answer = mpay_answer_t(Vec::new());
        let what = what.number().unsigned_abs();
        // SAFETY: the host's function with its token; the arguments and the answer live until it returns.
        match unsafe { (self.ask)(self.token, what, args.as_ptr().cast(), args.len(), &raw mut answer) } {
            0 => Ok(answer.0),
            number => Err(number),
        }
    }
}

impl Drop for ForeignHost {
    fn drop(&mut self) {
        let what = Callback::Release.number().unsigned_abs();
        // SAFETY: the host's function with its token, for the last time.
        unsafe { (self.ask)(self.token, what, std::ptr::null(), 0, std::ptr::null_mut()) };
    }
}

/// Hands a reply over: in the host's buffer if it fits, else in a block for [`mpay_free`].
///
/// # Safety
///
/// `buffer` is NULL or has room for `capacity` bytes; `large` is NULL or can be written.
unsafe fn hand_over(reply: Reply, buffer: *mut c_void, capacity: usize, large: *mut *mut c_void) -> i64 {
    let bytes = reply.as_ref();
    // A block of memory has less than 2^63 bytes.
    let len = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    let fits = bytes.len() <= capacity && !buffer.is_null();
    let block = if fits || large.is_null() {
        std::ptr::null_mut()
    } else {
        // A copy of exactly this size: mpay_free knows no capacity. The reply wipes itself.
        Box::into_raw(Box::<[u8]>::from(bytes)).cast()
    };
    // SAFETY: the caller's promises.
    unsafe {
        put(large, block);
        if fits {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast(), bytes.len());
        }
    }
    if reply.is_error() { -len } else { len }
}

/// Opens an object of this kind: 2 client, 3 protocol, 4 verifier, 5 journal, 1 the calls that need no object.
/// `parent` is the client of a journal, else 0. `args` is a frame of `len` bytes with the arguments of the
/// member "opening" of merchantpay.json. `host` may be NULL; else it is released with `token`, once, also if
/// nothing is opened. Returns the length of the reply, as mpay_call does; the reply is the handle, in eight
/// bytes of the machine's order. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_open(
    kind: u32,
    parent: mpay_handle,
    args: *const c_void,
    len: usize,
    host: mpay_host,
    token: usize,
    buffer: *mut c_void,
    capacity: usize,
    large: *mut *mut c_void,
) -> i64 {
    crate::resident::stay();
    let host = host.map(|ask| Arc::new(ForeignHost { ask, token }) as Arc<dyn Host>);
    // SAFETY: the header's rules for bytes and out-pointers.
    unsafe {
        let reply = match bytes(args, len, "args") {
            Ok(args) => merchantpay_calls::open(kind, parent, args, host),
            Err(error) => error.into(),
        };
        hand_over(reply, buffer, capacity, large)
    }
}

/// Makes a call of merchantpay.json by its number, and waits for its reply. `args` is a frame of `len` bytes
/// with the call's arguments. A value of it whose length is -2 is `bulk`: large bytes that need not be copied
/// into a frame. Returns the length of the reply, which is in `buffer` if it fits in `capacity` bytes; else it
/// is in *large, to be freed by mpay_free with this length. A negative result means that the call failed: the
/// reply is the record "error", and its length is the number without its sign. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_call(
    handle: mpay_handle,
    call: u32,
    args: *const c_void,
    len: usize,
    bulk: *const c_void,
    bulk_len: usize,
    buffer: *mut c_void,
    capacity: usize,
    large: *mut *mut c_void,
) -> i64 {
    // SAFETY: the header's rules for bytes and out-pointers.
    unsafe {
        let given = bytes(args, len, "args").and_then(|args| Ok((args, bytes(bulk, bulk_len, "bulk")?)));
        let reply = match given {
            Ok((args, bulk)) => merchantpay_calls::call(handle, call, args, bulk),
            Err(error) => error.into(),
        };
        hand_over(reply, buffer, capacity, large)
    }
}

/// Ends the running calls of a client or journal and of all that was derived from it, and lets no more start.
/// Returns 1, or 0 if the handle is closed. Any thread, but not a signal handler. Since 0.4.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_interrupt(handle: mpay_handle) -> i32 {
    i32::from(merchantpay_calls::interrupt(handle))
}

/// Closes a handle. Running calls end normally. Closing it again does nothing. Any thread. Since 0.4.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_close(handle: mpay_handle) {
    merchantpay_calls::close(handle);
}

/// Wipes and frees a large reply of `len` bytes; NULL is allowed. Any thread, once. Since 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_free(large: *mut c_void, len: usize) {
    if large.is_null() {
        return;
    }
    // SAFETY: `hand_over` made it with this length, which the host gives back without its sign.
    let block = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(large.cast::<u8>(), len)) };
    drop(Bytes::from(block.into_vec()));
}

/// Puts the answer of a mpay_host: `len` bytes, which are copied. The callback's thread only. Since 0.4.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_answer(answer: *mut mpay_answer_t, data: *const c_void, len: usize) {
    // SAFETY: the host's argument, which is NULL when the token is released; the header's rule for bytes.
    unsafe {
        if let Some(answer) = answer.as_mut() {
            answer.0 = bytes(data, len, "data").map(<[u8]>::to_vec).unwrap_or_default();
        }
    }
}
