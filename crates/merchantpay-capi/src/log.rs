//! The log callback, and its argument `mpay_attempt`.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use merchantpay::{Attempt, Code, Outcome};

use crate::handle::read;
use crate::texts::Texts;
use crate::user_data::UserData;

/// One HTTP attempt of a call, for a log: one request and its response. It contains no key, signature, body,
/// account or name. It belongs to the library and is valid until the callback returns.
pub struct mpay_attempt {
    number: u32,
    http_status: i32,
    elapsed_ms: u64,
    code: i32,
    outcome: i32,
    texts: Texts<{ Text::COUNT }>,
}

/// A text of an attempt, and its index.
#[derive(Clone, Copy)]
enum Text {
    Line,
    Operation,
    OrderId,
    Number,
    HttpStatus,
    ElapsedMs,
    CodeName,
    OutcomeName,
}

impl Text {
    const COUNT: usize = Text::OutcomeName as usize + 1;
}

impl mpay_attempt {
    fn text(&self, text: Text) -> *const c_char {
        self.texts.get(text as usize)
    }

    pub(crate) fn fields(&self) -> &[u8] {
        self.texts.from(Text::Line as usize)
    }
}

/// A callback that gets every HTTP attempt after the attempt's end, on the thread that makes the call.
/// Several threads can call the callback at once. It must return normally: it must not throw or call longjmp.
pub type mpay_log_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, attempt: *const mpay_attempt)>;

/// The callback and its user data.
#[derive(Clone)]
pub(crate) struct Log {
    callback: unsafe extern "C" fn(*mut c_void, *const mpay_attempt),
    user_data: Arc<UserData>,
}

impl Log {
    pub(crate) fn new(
        callback: unsafe extern "C" fn(*mut c_void, *const mpay_attempt),
        user_data: UserData,
    ) -> Log {
        Log { callback, user_data: Arc::new(user_data) }
    }

    pub(crate) fn report(&self, attempt: &Attempt<'_>) {
        let attempt = mpay_attempt::from(attempt);
        // SAFETY: the caller's function with the caller's data; the attempt lives until it returns.
        unsafe { (self.callback)(self.user_data.pointer(), &raw const attempt) }
    }
}

impl From<&Attempt<'_>> for mpay_attempt {
    fn from(attempt: &Attempt<'_>) -> mpay_attempt {
        let http_status = attempt.http_status.map_or(0, i32::from);
        let elapsed_ms = u64::try_from(attempt.elapsed.as_millis()).unwrap_or(u64::MAX);
        let line = attempt.to_string();
        let [number, status, elapsed] =
            [u64::from(attempt.number), u64::from(attempt.http_status.unwrap_or(0)), elapsed_ms]
                .map(|number| number.to_string());
        let mut texts = [None; Text::COUNT];
        for (text, value) in [
            (Text::Line, Some(line.as_str())),
            (Text::Operation, Some(attempt.operation)),
            (Text::OrderId, attempt.order_id),
            (Text::Number, Some(&number)),
            (Text::HttpStatus, Some(&status)),
            (Text::ElapsedMs, Some(&elapsed)),
            (Text::CodeName, attempt.code.map(Code::name)),
            (Text::OutcomeName, attempt.outcome.map(Outcome::name)),
        ] {
            texts[text as usize] = value;
        }
        mpay_attempt {
            number: attempt.number,
            http_status,
            elapsed_ms,
            code: attempt.code.map_or(0, Code::number),
            outcome: attempt.outcome.map_or(0, Outcome::number),
            texts: Texts::new(texts),
        }
    }
}

/// The operation's name in the contract, such as "newPayment". Borrowed from the attempt. The callback's
/// thread only. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_attempt_operation(attempt: Option<&mpay_attempt>) -> *const c_char {
    read(attempt, |attempt| attempt.text(Text::Operation))
}

/// The order id of the request, or NULL. Borrowed from the attempt. The callback's thread only. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_attempt_order_id(attempt: Option<&mpay_attempt>) -> *const c_char {
    read(attempt, |attempt| attempt.text(Text::OrderId))
}

/// The number of the attempt within the call, counted from 1. The callback's thread only. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_attempt_number(attempt: Option<&mpay_attempt>) -> u32 {
    read(attempt, |attempt| attempt.number)
}

/// The HTTP status if a reply came, else 0. The callback's thread only. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_attempt_http_status(attempt: Option<&mpay_attempt>) -> i32 {
    read(attempt, |attempt| attempt.http_status)
}

/// The duration in whole milliseconds. The callback's thread only. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_attempt_elapsed_ms(attempt: Option<&mpay_attempt>) -> u64 {
    read(attempt, |attempt| attempt.elapsed_ms)
}

/// The error code, as from mpay_error_code; MPAY_OK for a success. The callback's thread only. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_attempt_code(attempt: Option<&mpay_attempt>) -> i32 {
    read(attempt, |attempt| attempt.code)
}

/// Shows whether the request may have taken effect, as mpay_error_outcome does; 0 for a success. The
/// callback's thread only. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_attempt_outcome(attempt: Option<&mpay_attempt>) -> i32 {
    read(attempt, |attempt| attempt.outcome)
}

/// The whole attempt as one line of text without a line break, such as "getStatus o-1: attempt 1, HTTP 200,
/// 12 ms, ok". The wording may change. Borrowed from the attempt. The callback's thread only. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_attempt_line(attempt: Option<&mpay_attempt>) -> *const c_char {
    read(attempt, |attempt| attempt.text(Text::Line))
}
