//! What each statement does, the same over every place.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use merchantpay_databases::Servers;
use merchantpay_journal::model::attempt::{Attempt, Intent, IntentState, Standing, State};
use merchantpay_journal::store::{Failure, Written};

use crate::rows::{attempt, change, edited, insert, journal, last, opened, paid};

const HOUR: i64 = 3_600_000;

pub fn look(servers: &Servers) {
    let (_place, database) = journal(servers);
    let look = database.look("order").unwrap();
    assert!(look.now > 1_700_000_000_000 && look.attempt.is_none() && look.pause.is_none());
    let first = insert(&database, "order");
    let whole = change(&database, &first, |attempt| {
        opened(attempt);
        attempt.due_at = Some(5);
        attempt.tries = 3;
        attempt.asking_since = Some(4);
        attempt.error = Some("{\"code\":20}".to_owned());
        attempt.intent = Some(Intent::Confirm);
        attempt.intent_state = Some(IntentState::Stored);
        attempt.intent_calls = 2;
        attempt.attention = 5;
        attempt.seen = 8;
        attempt.refusals = 1;
        attempt.restored = true;
        attempt.sum_paid = Some("1500.5".parse().unwrap());
    });
    database.set_pause(Some("backup")).unwrap();
    let look = database.look("order").unwrap();
    assert_eq!(look.pause.as_deref(), Some("backup"));
    let found = look.attempt.unwrap();
    assert!(found.news_due.is_some_and(|due| due <= look.now), "news are handed out now");
    assert_eq!(found, Attempt { news_due: found.news_due, ..whole.clone() });
    let same = |other: Option<Attempt>| assert_eq!(other.as_ref(), Some(&found));
    same(database.by_token(&whole.token).unwrap().attempts.pop());
    same(database.by_order(whole.order_id.as_deref().unwrap()).unwrap().attempts.pop());
    same(database.attempts("order").unwrap().attempts.pop());
    assert!(database.by_token("other").unwrap().attempts.is_empty());
    database.set_pause(None).unwrap();
    database.insert(&attempt(&database, "order", 2)).unwrap();
    assert_eq!(last(&database, "order").attempt, 2);
}

pub fn keys(servers: &Servers) {
    let (_place, database) = journal(servers);
    let references = ["order", "Order", "order ", "ordér", "orde\u{301}r", "заказ", "заказ '\\\"?$1%s", "😀"];
    for reference in references {
        insert(&database, reference);
        assert_eq!(
            database.insert(&attempt(&database, reference, 1)),
            Err(Failure::Duplicate),
            "{reference:?}"
        );
    }
    for reference in references {
        assert_eq!(last(&database, reference).reference, reference);
        assert_eq!(database.attempts(reference).unwrap().attempts.len(), 1);
    }
    for order in ["o", "O", "o "] {
        let row = insert(&database, &format!("of {order}"));
        change(&database, &row, |row| row.order_id = Some(order.to_owned()));
    }
}

pub fn guards(servers: &Servers) {
    let (_place, database) = journal(servers);
    let reuse = |row: &Attempt| {
        let next = edited(row, |row| {
            row.token = format!("{}2", row.token);
            row.sum_asked = "10".parse().unwrap();
            row.asynchronous = true;
        });
        (database.reuse(&next, &row.stamp), next)
    };
    let row = insert(&database, "order");
    database.set_pause(Some("backup")).unwrap();
    assert_eq!(database.insert(&attempt(&database, "order", 2)), Ok(Written::Not));
    assert_eq!(reuse(&row).0, Ok(Written::Not), "a paused journal sends nothing again");
    database.set_pause(None).unwrap();
    let (written, row) = reuse(&row);
    assert_eq!((written, &last(&database, "order")), (Ok(Written::Reported), &row));
    assert_eq!(database.insert(&attempt(&database, "order", 2)), Ok(Written::Reported));
    let row = change(&database, &row, paid);
    assert_eq!(database.insert(&attempt(&database, "order", 3)), Ok(Written::Not));
    assert_eq!(reuse(&row).0, Ok(Written::Not), "a paid reference sends nothing again");
    assert_eq!(database.insert(&attempt(&database, "other", 1)), Ok(Written::Reported));
}

pub fn stamps(servers: &Servers) {
    let (_place, database) = journal(servers);
    let row = insert(&database, "order");
    let next = change(&database, &row, |row| row.tries = 1);
    let stale = edited(&row, |row| row.tries = 2);
    assert_eq!(database.store(&stale, &row.stamp), Ok(Written::Not));
    assert_eq!(database.reuse(&stale, &row.stamp), Ok(Written::Not));
    assert_eq!(database.claim(&row, "s"), Ok(false));
    assert_eq!(last(&database, "order"), next);
    assert_eq!(database.claim(&next, "claim"), Ok(true));
    assert_eq!(database.claim(&next, "again"), Ok(false));
    let look = database.look("order").unwrap();
    let claimed = look.attempt.unwrap();
    let due = claimed.due_at.unwrap() - look.now;
    assert!(claimed.stamp == "claim" && (55_000..=60_000).contains(&due), "{due}");
}

pub fn uniqueness(servers: &Servers) {
    let (_place, database) = journal(servers);
    let one = change(&database, &insert(&database, "one"), opened);
    let two = insert(&database, "two");
    let taken = edited(&two, |row| row.order_id.clone_from(&one.order_id));
    assert_eq!(database.store(&taken, &two.stamp), Err(Failure::Duplicate));
    assert_eq!(last(&database, "two"), two);
    let second = attempt(&database, "one", 2);
    database.insert(&second).unwrap();
    change(&database, &one, paid);
    let also = edited(&second, |row| {
        opened(row);
        paid(row);
    });
    assert_eq!(database.store(&also, &second.stamp), Err(Failure::Duplicate));
    assert_eq!(
        database.store(&edited(&also, |row| row.success_of = None), &second.stamp),
        Ok(Written::Reported)
    );
    // Many rows without an order, and without a success.
    (0..3).for_each(|number| drop(insert(&database, &format!("none-{number}"))));
}

pub fn news(servers: &Servers) {
    let (_place, database) = journal(servers);
    let old = change(&database, &insert(&database, "old"), opened);
    let new = change(&database, &insert(&database, "new"), |row| {
        opened(row);
        row.news += 5;
    });
    assert!(database.news(0).unwrap().attempts.is_empty());
    let found = database.news(10).unwrap().attempts;
    let references: Vec<&str> = found.iter().map(|row| row.reference.as_str()).collect();
    assert_eq!(references, ["old", "new"]);
    assert!(database.news(10).unwrap().attempts.is_empty(), "both are leased");
    let leased = last(&database, "old");
    // A write that was decided before the lease and the acknowledgement takes neither back.
    assert_eq!(database.acknowledge("old", 1, old.news), Ok(true));
    let later = change(&database, &old, |row| row.tries = 1);
    let stored = last(&database, "old");
    assert_eq!((stored.acked, stored.news_due), (old.news, leased.news_due));
    assert_eq!(database.acknowledge("old", 1, old.news), Ok(false));
    let later = change(&database, &later, |row| row.news += 1);
    assert_eq!(database.acknowledge("old", 1, old.news), Ok(false), "an old number covers no new change");
    assert_eq!(database.acknowledge("old", 1, later.news + 1), Ok(false));
    assert_eq!(database.news(10).unwrap().attempts.len(), 1, "a new number ends the lease");
    let newest = change(&database, &later, |row| row.news += 1);
    assert_eq!(database.acknowledge("old", 1, later.news), Ok(false), "a change that nobody has read");
    assert!(newest.news > later.news);
    assert_eq!(database.acknowledge("new", 1, new.news), Ok(true));
    assert_eq!(database.counts().unwrap().news, 1);
}

pub fn lease(servers: &Servers) {
    let (place, database) = journal(servers);
    for number in 0..40 {
        change(&database, &insert(&database, &format!("order-{number}")), opened);
    }
    let read = |count: &AtomicUsize, barrier: &Barrier| {
        barrier.wait();
        count.fetch_add(database.news(100).unwrap().attempts.len(), Ordering::Relaxed);
    };
    // A lease that has passed, and one that lies ahead because the clock was set back, count no more.
    for lease in ["NULL", "1", "news_due + 7 * 3600000"] {
        place.sql(&format!("UPDATE merchantpay_attempts SET news_due = {lease}"));
        let (count, barrier) = (AtomicUsize::new(0), Barrier::new(4));
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(|| read(&count, &barrier)))));
        assert_eq!(count.into_inner(), 40, "{lease}");
        assert!(database.news(100).unwrap().attempts.is_empty(), "{lease}");
    }
}

pub fn replace(servers: &Servers) {
    let (_place, database) = journal(servers);
    let first = insert(&database, "order");
    let replaced = edited(&first, |row| row.replaced = true);
    let next = attempt(&database, "order", 2);
    assert_eq!(database.replace(&replaced, "stale", &next), Ok(Written::Not));
    database.set_pause(Some("backup")).unwrap();
    assert_eq!(database.replace(&replaced, &first.stamp, &next), Ok(Written::Not));
    database.set_pause(None).unwrap();
    let all = database.attempts("order").unwrap().attempts;
    assert_eq!(all, std::slice::from_ref(&first), "nothing of it stays");
    let taken = Attempt { token: first.token.clone(), ..next.clone() };
    assert_eq!(database.replace(&replaced, &first.stamp, &taken), Err(Failure::Duplicate));
    assert_eq!(last(&database, "order"), first);
    assert_eq!(database.replace(&replaced, &first.stamp, &next), Ok(Written::Reported));
    assert_eq!(database.attempts("order").unwrap().attempts, [next, replaced]);
}

pub fn due(servers: &Servers) {
    let (_place, database) = journal(servers);
    let now = database.look("order").unwrap().now;
    let stored = |reference: &str, state, due_at| {
        let row = insert(&database, reference);
        change(&database, &row, |row| (row.state, row.due_at) = (state, due_at))
    };
    stored("late", State::Open, Some(now - 10));
    stored("later", State::Open, Some(now - 6));
    stored("last", State::Open, Some(now - 3));
    stored("earliest", State::Final, Some(now - 20));
    stored("hinted", State::Sent, Some(now));
    stored("soon", State::Open, Some(now + HOUR - 60_000));
    stored("watched", State::Final, Some(now + 19 * 24 * HOUR));
    stored("never", State::Refused, None);
    stored("open, clock set back", State::Open, Some(now + 2 * HOUR));
    stored("watched, clock set back", State::Refused, Some(now + 21 * 24 * HOUR));
    let found = |limit| -> Vec<String> {
        database.due(limit).unwrap().attempts.into_iter().map(|row| row.reference).collect()
    };
    let ahead = ["open, clock set back", "watched, clock set back"];
    assert_eq!(found(10), [&["earliest", "late", "later", "last", "hinted"], &ahead[..]].concat());
    assert_eq!(found(2), ["earliest", "late"]);
    assert!(database.next_due().unwrap().is_some_and(|due| due < 0));
    assert_eq!(database.counts().unwrap().due, 7);
}

pub fn other_state(servers: &Servers) {
    let (place, database) = journal(servers);
    let now = database.look("order").unwrap().now;
    let due = || {
        let counts = database.counts().unwrap();
        (counts.due, database.next_due().unwrap())
    };
    for reference in ["newer", "damaged"] {
        change(&database, &insert(&database, reference), |row| {
            (row.state, row.due_at, row.call_until) = (State::Open, Some(now - 10), None);
        });
    }
    assert_eq!(due().0, 2);
    place.sql("UPDATE merchantpay_attempts SET state = 'disputed' WHERE reference = 'newer'");
    place.sql("UPDATE merchantpay_attempts SET sum_asked = '?' WHERE reference = 'damaged'");
    assert_eq!(due(), (0, None));
    let (needed, others) = database.unreadable(10).unwrap();
    let names: Vec<_> = others.iter().map(|row| (row.reference.as_str(), row.column)).collect();
    assert_eq!((needed.len(), names), (0, vec![("damaged", "sum_asked"), ("newer", "state")]));
    let far = change(&database, &insert(&database, "ahead"), |row| {
        (row.state, row.due_at) = (State::Open, Some(now + HOUR / 2));
    });
    assert!(due().0 == 0 && due().1.is_some_and(|due| due > HOUR / 4));
    change(&database, &far, |row| row.due_at = Some(now + 5 * HOUR));
    assert_eq!(due(), (1, Some(0)), "the clock was set back");
}

pub fn attention(servers: &Servers) {
    let (_place, database) = journal(servers);
    let now = database.look("order").unwrap().now;
    let called = |reference: &str, until: i64, seen| {
        let row = insert(&database, reference);
        change(&database, &row, |row| (row.call_until, row.seen) = (Some(until), seen));
    };
    called("running", now + 40_000, 0);
    called("just over", now - 60_000, 0);
    called("unknown", now - 180_000, 0);
    called("seen", now - 180_000, 1);
    called("clock set back", now + 2 * HOUR, 0);
    let row = change(&database, &insert(&database, "raised"), |row| row.attention = 4);
    let references = |found: Vec<Attempt>| found.into_iter().map(|row| row.reference).collect::<Vec<_>>();
    assert_eq!(references(database.unknown(10).unwrap().attempts), ["unknown", "clock set back"]);
    assert_eq!(references(database.attention(10).unwrap().attempts), ["raised"]);
    let sending = references(database.sending(10).unwrap().attempts);
    assert_eq!(sending, ["running", "raised", "clock set back"]);
    let counts = database.counts().unwrap();
    assert_eq!((counts.sending, counts.unknown, counts.attention), (2, 4, 3));
    let listed = |filter| {
        let mut found = references(database.list(filter, None, 10).unwrap().attempts);
        found.sort();
        found
    };
    assert_eq!(listed(Some(Standing::Sending)), ["raised", "running"]);
    assert_eq!(listed(Some(Standing::Unknown)), ["clock set back", "just over", "seen", "unknown"]);
    change(&database, &row, |row| row.attention = 0);
    assert!(database.attention(10).unwrap().attempts.is_empty());
    change(&database, &last(&database, "unknown"), |row| row.replaced = true);
    assert_eq!(references(database.unknown(10).unwrap().attempts), ["clock set back"]);
    let counts = database.counts().unwrap();
    assert_eq!((counts.unknown, counts.attention), (3, 1));
}

pub fn list(servers: &Servers) {
    let (_place, database) = journal(servers);
    for number in 0..7 {
        let row = attempt(&database, &format!("order-{number}"), 1);
        // Three at each time.
        database.insert(&Attempt { created_at: 1_000 + i64::from(number / 3), ..row }).unwrap();
    }
    let second = Attempt { created_at: 2_000, ..attempt(&database, "order-0", 2) };
    database.insert(&second).unwrap();
    let first = database.attempts("order-0").unwrap().attempts.pop().unwrap();
    change(&database, &first, |row| row.replaced = true);
    let (mut all, mut position) = (Vec::new(), None);
    loop {
        let after = position.as_ref().map(|(at, reference): &(i64, String)| (*at, reference.as_str()));
        let page = database.list(None, after, 3).unwrap().attempts;
        let Some(row) = page.last() else { break };
        position = Some((row.created_at, row.reference.clone()));
        all.extend(page.into_iter().map(|row| (row.reference, row.attempt)));
    }
    let mut expected = vec![("order-0".to_owned(), 2)];
    expected.extend((1..7).rev().map(|number| (format!("order-{number}"), 1)));
    assert_eq!(all, expected);
    let count = |standing: &Standing| database.list(Some(*standing), None, 100).unwrap().attempts.len();
    let counts: Vec<(&str, usize)> = Standing::ALL.iter().map(|of| (of.name(), count(of))).collect();
    let (sending, others) = counts.split_first().unwrap();
    assert_eq!(*sending, ("sending", 7));
    assert!(others.iter().all(|(name, count)| *count == usize::from(*name == "superseded")), "{counts:?}");
}
