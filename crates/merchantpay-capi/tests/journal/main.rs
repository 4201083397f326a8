//! The journal in a host's own database, whose callback fails in every way: no request is sent twice, and the
//! journal continues to work.

mod host;
mod shop;
mod texts;

use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering;

use merchantpay_capi::*;

use crate::host::{Fault, callback, host};
use crate::shop::{Shop, close, reported};

/// Sets a value that must be refused.
type Setter = fn(Option<&mut mpay_journal_config>) -> i32;

/// Each kind of failure, the payment's standing during it, and the standing of the same payment afterwards.
#[test]
fn whatever_the_callback_does_to_a_payment_nothing_is_sent_twice() {
    let open = Ok((MPAY_STANDING_OPEN, 1, true));
    for (fault, of, times) in [
        (Fault::None, "", 0),
        (Fault::UnknownNumber, "INSERT", 2),
        (Fault::UnknownNumber, "UPDATE", 2),
        (Fault::Unclear, "INSERT", 1),
        (Fault::Unclear, "UPDATE", 1),
        (Fault::Unclear, "SELECT", 1),
        (Fault::Duplicate, "INSERT", 1),
        (Fault::Counts(0), "", u32::MAX),
        (Fault::Counts(1), "", u32::MAX),
        (Fault::Counts(u64::MAX), "", u32::MAX),
        (Fault::CallsBack, "", u32::MAX),
        (Fault::NullRow, "UPDATE", 1),
        (Fault::Failed, "UPDATE", 1),
    ] {
        let (shop, host) = (Shop::new(), host(fault, of, 0));
        let journal = shop.open(&host).unwrap();
        host.left.store(times, Ordering::SeqCst);
        assert_eq!(shop.pay(journal), open, "{fault:?} of {of}");
        assert_eq!(shop.pay(journal), open, "{fault:?} of {of}, again");
        assert_eq!(shop.sandbox.requests("newPayment"), 1, "{fault:?} of {of}");
        close(journal);
    }
}

#[test]
fn what_the_callback_cannot_store_or_read_is_not_sent() {
    for (fault, of) in [
        (Fault::Failed, "INSERT"),
        (Fault::Failed, "SELECT"),
        (Fault::DoesNothing, "INSERT"),
        (Fault::DoesNothing, "SELECT"),
        (Fault::ShortRows, "SELECT"),
        (Fault::NotUtf8, "SELECT"),
    ] {
        let (shop, host) = (Shop::new(), host(fault, of, 0));
        let journal = shop.open(&host).unwrap();
        host.left.store(u32::MAX, Ordering::SeqCst);
        let (code, message) = shop.pay(journal).unwrap_err();
        assert_eq!(code, MPAY_STORAGE, "{fault:?} of {of}: {message}");
        assert!(fault != Fault::Failed || message.contains("no such connection"), "{message}");
        assert_eq!(shop.sandbox.requests("newPayment"), 0, "{fault:?} of {of}");
        host.left.store(0, Ordering::SeqCst);
        assert_eq!(shop.pay(journal), Ok((MPAY_STANDING_OPEN, 1, true)), "{fault:?} of {of}");
        assert_eq!(shop.sandbox.requests("newPayment"), 1, "{fault:?} of {of}");
        close(journal);
    }
}

#[test]
fn a_database_that_gives_no_rows_is_refused_when_the_journal_is_opened() {
    for fault in [
        Fault::DoesNothing,
        Fault::NullRow,
        Fault::EmptyRow,
        Fault::LongRow,
        Fault::ShortRows,
        Fault::NotUtf8,
        Fault::UnknownNumber,
        Fault::Failed,
        Fault::Duplicate,
    ] {
        let (shop, host) = (Shop::new(), host(fault, "SELECT", u32::MAX));
        let (code, message) = shop.open(&host).unwrap_err();
        assert_eq!(code, MPAY_STORAGE, "{fault:?}: {message}");
    }
}

#[test]
fn invalid_settings_are_refused_when_they_are_set_and_when_the_journal_is_opened() {
    let shop = Shop::new();
    let set: [(&str, Setter); 5] = [
        ("a dialect", |config| {
            mpay_journal_config_set_database(config, 9, 1, Some(callback), null_mut(), None)
        }),
        ("placeholders", |config| {
            mpay_journal_config_set_database(config, 1, 0, Some(callback), null_mut(), None)
        }),
        ("no callback", |config| mpay_journal_config_set_database(config, 1, 1, None, null_mut(), None)),
        // SAFETY: NULL is allowed.
        ("no file", |config| unsafe { mpay_journal_config_set_file(config, null()) }),
        // SAFETY: a text that ends with NUL.
        ("an empty file", |config| unsafe { mpay_journal_config_set_file(config, c"".as_ptr()) }),
    ];
    for (what, set) in set {
        let config = mpay_journal_config_new();
        let (mut journal, mut error) = (null_mut(), null_mut());
        // SAFETY: handles of the library.
        unsafe {
            assert_eq!(set(config.as_mut()), MPAY_INVALID_ARGUMENT, "{what}");
            let code =
                mpay_journal_open(shop.client.as_ref(), config.as_ref(), &raw mut journal, &raw mut error);
            assert_eq!(reported(code, error).unwrap_err().0, MPAY_INVALID_ARGUMENT, "{what}");
            mpay_journal_config_free(Some(Box::from_raw(config)));
        }
        assert!(journal.is_null());
    }
}

#[test]
fn without_a_journal_every_function_fails_and_every_getter_has_nothing() {
    let (mut error, mut entry, mut entries) = (null_mut(), null_mut(), null_mut());
    let (mut number, mut changed, mut status, mut next) = (7_u32, 7_i32, 7_i32, 7_i64);
    // SAFETY: NULL, or pointers to the test's own variables.
    unsafe {
        let codes = [
            mpay_journal_find(None, c"r".as_ptr(), &raw mut entry, &raw mut error),
            mpay_journal_pay(None, c"r".as_ptr(), None, 0, &raw mut entry, null_mut()),
            mpay_journal_pay_async(None, c"r".as_ptr(), None, 0, &raw mut entry, null_mut()),
            mpay_journal_confirm(None, None, &raw mut entry, null_mut()),
            mpay_journal_cancel(None, None, &raw mut entry, null_mut()),
            mpay_journal_wait(None, c"r".as_ptr(), 1, 1, &raw mut entry, null_mut()),
            mpay_journal_list(None, 0, 1, None, &raw mut entries, null_mut()),
            mpay_journal_news(None, 1, 0, &raw mut entries, null_mut()),
            mpay_journal_attention(None, 1, &raw mut entries, null_mut()),
            mpay_journal_settle(None, 1, &raw mut number, &raw mut next, null_mut()),
            mpay_journal_acknowledge(None, None, &raw mut changed, null_mut()),
            mpay_journal_acknowledge_with(None, None, None, null_mut(), &raw mut changed, null_mut()),
            mpay_journal_resolve(None, None, 3, null(), c"n".as_ptr(), null_mut()),
            mpay_journal_receive(
                None,
                null(),
                null(),
                0,
                null(),
                null(),
                &raw mut status,
                &raw mut entry,
                null_mut(),
            ),
        ];
        assert_eq!(codes, [MPAY_INVALID_ARGUMENT; 14]);
        mpay_error_free(Some(Box::from_raw(error)));
    }
    assert!(entry.is_null() && entries.is_null());
    assert_eq!((number, changed, status, next), (0, 0, 503, -1));
    assert_eq!((mpay_entry_standing(None), mpay_entry_attempt(None), mpay_entry_succeeded(None)), (0, 0, 0));
    assert!(mpay_entry_json(None).is_null() && mpay_entry_credentials(None).is_null());
    assert!(mpay_entries_get(None, 0).is_null() && mpay_entries_count(None) == 0);
}
