//! What an operator does, the same over every place.

use merchantpay_databases::Servers;
use merchantpay_journal::model::attempt::State;
use merchantpay_journal::store::{Database, Failure, Message, Options};

use crate::rows::{change, create, insert, journal, last, message, opened, paid};

pub fn messages(servers: &Servers) {
    let (_place, database) = journal(servers);
    let row = insert(&database, "order");
    let early = message(&row.token, "o-1");
    assert_eq!(database.insert_message(&early), Ok(true));
    assert_eq!(database.insert_message(&early), Ok(false), "the same message again");
    let hints = database.hints(&row.token).unwrap();
    assert_eq!((hints.len(), hints[0].order_id.as_str(), hints[0].tokens), (1, "o-1", 1));
    assert!(database.orphans(10).unwrap().is_empty(), "while the call runs it is a hint");
    database.insert_message(&message("leaked", "o-1")).unwrap();
    assert_eq!(database.hints(&row.token).unwrap()[0].tokens, 2);
    assert_eq!(database.orphans(10).unwrap().len(), 1);
    let row = change(&database, &row, |row| {
        opened(row);
        row.order_id = Some("o-1".to_owned());
    });
    assert!(!database.hints(&row.token).unwrap()[0].is_taken, "it is this attempt's own");
    assert!(database.hints("leaked").unwrap()[0].is_taken && database.orphans(10).unwrap().is_empty());
    for digest in ["d-1", "d-1", "d-2"] {
        database.insert_note("note", digest, "o-1", "asked support").unwrap();
    }
    database.insert_note(&row.token, "d-3", "", "asked support").unwrap();
    assert_eq!(database.hints("leaked").unwrap()[0].tokens, 2, "a note names no order");
    assert_eq!(database.hints(&row.token).unwrap().len(), 1);
    assert!(database.hints("note").unwrap().is_empty(), "nor one at a token of its own");
    database.insert_message(&message(&row.token, "o-1")).unwrap();
    let stored = database.messages_of_order("o-1").unwrap();
    let seen = stored.iter().filter(|message| message.kind == "status" && message.seen).count();
    assert_eq!((stored.len(), seen), (5, 1), "an order that is bound needs nobody");
    assert!(stored.iter().all(|message| message.received_at > 1_700_000_000_000));
    database.see_bound_messages().unwrap();
    assert!(database.messages_of_order("o-1").unwrap().iter().all(|message| message.seen));

    // Only what a person has read is seen.
    database.insert_message(&message("nobody", "o-2")).unwrap();
    let read = database.messages_of_order("o-2").unwrap();
    database.insert_message(&message("nobody", "o-2")).unwrap();
    database.see(&read).unwrap();
    let left = database.messages_of_order("o-2").unwrap();
    assert_eq!(left.iter().filter(|message| !message.seen).count(), 1);
    assert_eq!((left.len(), database.orphans(10).unwrap().len()), (2, 1));
    assert_eq!(database.counts().unwrap().orphans, 1);
}

pub fn orphans(servers: &Servers) {
    let (_place, database) = journal(servers);
    let row = change(&database, &insert(&database, "order"), |row| {
        opened(row);
        paid(row);
    });
    for number in 0..7 {
        database.insert_message(&message(&format!("0-invented-{number}"), "repeated")).unwrap();
    }
    database.insert_message(&message(&row.token, "repeated")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(5));
    database.insert_message(&message("z", "later")).unwrap();
    let found = database.orphans(2).unwrap();
    let names: Vec<&str> = found.iter().map(|orphan| orphan.order_id.as_str()).collect();
    assert_eq!(names, ["repeated", "later"], "one order takes one place");
    let tokens: Vec<_> = found.iter().map(|orphan| orphan.token.as_deref()).collect();
    assert_eq!(tokens, [Some(row.token.as_str()), None]);

    // A purge leaves the status of an orphan until a person has read it.
    let at_token = || {
        let all = database.messages_of_order("repeated").unwrap();
        all.into_iter().find(|message| message.token == row.token).unwrap()
    };
    database.empty_messages(&row).unwrap();
    assert!(!at_token().body.is_empty());
    change(&database, &row, |row| (row.details, row.asked) = (None, None));
    database.see(&[at_token()]).unwrap();
    assert_eq!((at_token().seen, at_token().body.as_str()), (true, ""));
}

pub fn copies(servers: &Servers) {
    let (_place, database) = journal(servers);
    let row = insert(&database, "order");
    let genuine = message("invented", "o-1");
    let is_stored = |token: &str| {
        database.insert_message(&Message { token: token.to_owned(), ..genuine.clone() }).unwrap()
    };
    let count = (0..30).filter(|number| is_stored(&format!("invented-{number}"))).count();
    assert_eq!((count, database.messages_of_order("o-1").unwrap().len()), (20, 20));
    assert!(is_stored(&row.token), "at an attempt's own token it is always stored");
    assert_eq!(database.insert_message(&message("invented", "o-1")), Ok(true), "another message");
}

pub fn strangers(servers: &Servers) {
    let (_place, database) = journal(servers);
    let now = database.look("order").unwrap().now;
    let row = change(&database, &insert(&database, "order"), opened);
    let own = row.order_id.as_deref().unwrap();
    for (token, order_id) in
        [("nobody", "seen"), ("nobody", "unseen"), ("nobody", own), (&row.token, "other")]
    {
        database.insert_message(&message(token, order_id)).unwrap();
        if order_id != "unseen" {
            database.see(&database.messages_of_order(order_id).unwrap()).unwrap();
        }
    }
    let is_empty = |order_id: &str| database.messages_of_order(order_id).unwrap()[0].body.is_empty();
    database.empty_orphans(now - 60_000).unwrap();
    assert!(!is_empty("seen"), "it is too new");
    database.empty_orphans(now + 60_000).unwrap();
    assert_eq!(["seen", "unseen", own, "other"].map(is_empty), [true, false, false, false]);
    // The attempt was emptied while these messages were on their way to it, and no purge meets it again.
    change(&database, &row, |row| (row.asked, row.details) = (None, None));
    database.empty_orphans(now + 60_000).unwrap();
    assert_eq!(["unseen", own, "other"].map(is_empty), [false, true, true]);
}

pub fn settings(servers: &Servers) {
    let (_place, database) = journal(servers);
    assert_eq!(database.set_once("base_url", "https://pay.example").unwrap(), "https://pay.example");
    assert_eq!(database.set_once("base_url", "https://other.example").unwrap(), "https://pay.example");
    database.set_once("key_id.b", "2").unwrap();
    database.set_once("key_id.a", "1").unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(database.settings("key_id").unwrap(), [pair("key_id.a", "1"), pair("key_id.b", "2")]);
    let (now, value) = database.setting("none").unwrap();
    assert!(now > 1_700_000_000_000 && value.is_none());
    for note in ["one", "one", "two"] {
        database.set_pause(Some(note)).unwrap();
        assert_eq!(database.setting("pause").unwrap().1.as_deref(), Some(note));
    }
    database.set_pause(None).unwrap();
    database.set_pause(None).unwrap();
    assert_eq!(database.setting("pause").unwrap().1, None);
}

pub fn restored(servers: &Servers) {
    let (_place, database) = journal(servers);
    database.mark_restored("empty", "s-0").unwrap();
    assert!(database.look("order").unwrap().pause.is_some());
    database.set_pause(None).unwrap();
    let row = insert(&database, "order");
    for _ in 0..2 {
        database.mark_restored("restored", "s-1").unwrap();
        let look = database.look("order").unwrap();
        let marked = look.attempt.unwrap();
        assert_eq!(
            (look.pause.as_deref(), marked.restored, marked.stamp.as_str()),
            (Some("restored"), true, "s-1")
        );
    }
    assert_eq!(database.store(&row, &row.stamp), Ok(merchantpay_journal::store::Written::Not));
}

pub fn purge(servers: &Servers) {
    let (_place, database) = journal(servers);
    let now = database.look("order").unwrap().now;
    let mut finished = Vec::new();
    for number in 0..5 {
        let row = change(&database, &insert(&database, &format!("paid-{number}")), opened);
        database.insert_message(&message(&row.token, row.order_id.as_deref().unwrap())).unwrap();
        let row = change(&database, &row, paid);
        assert_eq!(database.acknowledge(&row.reference, 1, row.news), Ok(true));
        finished.push(row);
    }
    change(&database, &insert(&database, "unread"), |row| {
        opened(row);
        paid(row);
    });
    change(&database, &insert(&database, "open"), |row| row.state = State::Open);
    change(&database, &insert(&database, "watched"), |row| {
        (row.state, row.due_at) = (State::Refused, Some(now))
    });
    change(&database, &insert(&database, "stuck"), |row| (row.state, row.attention) = (State::Refused, 1));
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = database.purgeable(now + 60_000, after.as_ref(), 2).unwrap().attempts;
        let Some(row) = page.last() else { break };
        after = Some(row.clone());
        found.extend(page.into_iter().map(|row| row.reference));
    }
    assert_eq!(found, ["paid-0", "paid-1", "paid-2", "paid-3", "paid-4"]);
    assert!(database.purgeable(now - 60_000, None, 10).unwrap().attempts.is_empty());
    let row = last(&database, "paid-0");
    database.empty_messages(&row).unwrap();
    let bodies = |row: &merchantpay_journal::model::attempt::Attempt| {
        database.messages_of_order(row.order_id.as_deref().unwrap()).unwrap()[0].body.clone()
    };
    assert!(bodies(&row).is_empty() && !bodies(&finished[1]).is_empty());
    change(&database, &row, |row| (row.details, row.asked) = (None, None));
    assert_eq!(database.purgeable(now + 60_000, None, 10).unwrap().attempts.len(), 4);
}

pub fn export(servers: &Servers) {
    let (_place, database) = journal(servers);
    for number in 0..130 {
        let row = insert(&database, &format!("order-{number:03}"));
        if number % 3 == 0 {
            let row = change(&database, &row, opened);
            database.insert_message(&message(&row.token, "o")).unwrap();
            database.acknowledge(&row.reference, 1, row.news).unwrap();
        }
    }
    let everything = |database: &Database| {
        let (mut attempts, mut messages) = (Vec::new(), Vec::new());
        let (mut key, mut token) = ((String::new(), 0), (String::new(), String::new()));
        loop {
            let page = database.export((&key.0, key.1), 50).unwrap().attempts;
            let Some(row) = page.last() else { break };
            key = (row.reference.clone(), row.attempt);
            attempts.extend(page);
        }
        loop {
            let page = database.export_messages((&token.0, &token.1), 20).unwrap();
            let Some(message) = page.last() else { break };
            token = (message.token.clone(), message.digest.clone());
            messages.extend(page);
        }
        (attempts, messages)
    };
    let exported = everything(&database);
    assert_eq!((exported.0.len(), exported.1.len()), (130, 44));
    let (_other, copy) = journal(servers);
    copy.import(&exported.0, &exported.1).unwrap();
    assert_eq!(everything(&copy), exported);
    assert_eq!(copy.import(&exported.0[..1], &[]), Err(Failure::Duplicate));
}

pub fn without_tables(servers: &Servers) {
    let place = servers.place();
    // Each time with other options, so that the process has no connection that was checked before.
    let open = |vouched: &[&str]| {
        let durability_vouched = vouched.iter().map(|name| (*name).to_owned()).collect();
        let options = Options { durability_vouched, ..Options::default() };
        let database = Database::open(&place.url(), &options)?;
        database.check().map_err(|failure| database.error(&failure, merchantpay::Outcome::NotSent))
    };
    let error = open(&[]).unwrap_err();
    let (text, init) = (error.message(), "only for a new shop: `merchantpay journal init");
    assert!(!error.is_transient() && text.contains(init), "{text}");
    assert!(text.starts_with("the journal ") && text.contains("existed before"), "{text}");
    assert!(!text.contains("user=") && !text.contains("root"), "{text}");
    create(&place);
    open(&[]).unwrap();
    create(&place);
    // A first creation that was cut short.
    place.sql("DELETE FROM merchantpay_settings WHERE name = 'layout'");
    assert!(open(&["fsync"]).unwrap_err().message().contains("not made completely"));
    place.sql("INSERT INTO merchantpay_settings (name, value) VALUES ('layout', '4')");
    assert!(open(&["fuse"]).unwrap_err().message().contains("layout 4"));
}
