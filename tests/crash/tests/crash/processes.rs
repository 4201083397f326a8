//! Forks with an open journal, and clocks that jump ahead. The crate's own tests set clocks back.

use std::process::Command;
use std::time::Duration;

use fork::Fork;
use merchantpay_crash::Servers;
use merchantpay_journal::{Journal, JournalConfig, Standing};

use crate::adapter::{Answer, Language};
use crate::shop::{Shop, asks, request, request_of};

const CHILDREN: u32 = 4;
const PAYMENTS: u32 = 3;

fn complete(journal: &Journal, reference: &str) {
    let entry = journal.pay(reference, &request()).unwrap();
    assert!(entry.credentials.is_some());
    journal.confirm(&entry).unwrap();
}

fn take(journal: &Journal, who: &str) {
    (0..PAYMENTS).for_each(|number| complete(journal, &format!("{who}-{number}")));
}

/// Forks in the middle of payments, which the children complete.
pub fn play_parent() {
    let opens = serde_json::from_str(&std::env::var("OPENS").unwrap()).unwrap();
    let (_, journal) = merchantpay_contract::open_journal(&opens, JournalConfig::new).unwrap();
    let mut children = Vec::new();
    for number in 0..CHILDREN {
        let begun = format!("begun-{number}");
        assert!(journal.pay(&begun, &request()).unwrap().credentials.is_some());
        match fork::fork().unwrap() {
            Fork::Child => {
                complete(&journal, &begun);
                take(&journal, &format!("child-{number}"));
                drop(journal);
                std::process::exit(0);
            }
            Fork::Parent(child) => children.push(child),
        }
        take(&journal, &format!("parent-{number}"));
    }
    for child in children {
        assert_eq!(fork::waitpid(child).unwrap(), 0, "how a child ended");
    }
    take(&journal, "after");
}

pub fn forked(servers: &Servers) {
    let mut shop = Shop::new(servers);
    let mut parent = Command::new(std::env::current_exe().unwrap());
    parent.env("CRASH_ROLE", "parent").env("OPENS", shop.opens(&shop.place.url()).to_string());
    assert!(parent.status().unwrap().success());
    let journal = shop.journal();
    let names = (0..CHILDREN).flat_map(|number| {
        let of = |who: &str| (0..PAYMENTS).map(|n| format!("{who}-{number}-{n}")).collect::<Vec<_>>();
        [vec![format!("begun-{number}")], of("child"), of("parent")].concat()
    });
    let names: Vec<String> = names.chain((0..PAYMENTS).map(|number| format!("after-{number}"))).collect();
    let sent = shop.sandbox.requests("newPayment");
    names.iter().for_each(|name| shop.finish(&journal, name));
    assert_eq!([sent, shop.sandbox.requests("newPayment")], [names.len() as u64; 2], "each was paid once");
    shop.audit(&journal);
}

/// By a clock that is hours ahead a running call is over, and a lease too.
pub fn clock_ahead(servers: &Servers) {
    let mut shop = Shop::with(servers, Duration::from_secs(3));
    let journal = shop.journal();
    let language = Language::rust(&[]);
    let mut adapter = shop.adapter(&language, &shop.place.url());
    let said = std::thread::scope(|scope| {
        let call = scope.spawn(|| {
            adapter.ask(&asks("pay", "order", "slow-credentials")).map_err(|error| error.to_string())
        });
        while shop.sandbox.requests("newPayment") == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        shop.let_time_pass();
        let entry = journal.pay("order", &request_of("slow-credentials")).unwrap();
        assert_eq!((entry.standing, entry.credentials), (Standing::Unknown, None));
        call.join().unwrap().unwrap()
    });
    let Answer::Ok(said) = said else { panic!("{said:?}") };
    let shown = shop.note_answer(&said);
    assert!(shown.is_some(), "the reply of a call that seemed over is used");
    let entry = journal.find("order").unwrap().unwrap();
    assert_eq!((entry.standing, entry.order_id.as_deref()), (Standing::Open, shown.as_deref()));
    assert_eq!(shop.sandbox.requests("newPayment"), 1);

    let first = journal.news(10).unwrap();
    shop.let_time_pass();
    let second = journal.news(10).unwrap();
    assert_eq!([first.len(), second.len()], [1, 1], "the lease seems over");
    let acknowledged = [&first[0], &second[0]].map(|entry| journal.acknowledge(entry).unwrap());
    assert_eq!(acknowledged, [true, false], "two workers have the news, and one of them acts");
    shop.finish(&journal, "order");
    shop.audit(&journal);
}
