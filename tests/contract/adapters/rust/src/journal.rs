//! The commands of a journal, in a file.

use std::time::Duration;

use merchantpay::{Client, Result};
use merchantpay_journal::{
    Attention, Entry, Journal, JournalConfig, Orphan, Problem, Resolution, Settled, Standing, Until,
};
use serde_json::{Map, Value, json};

use crate::{client, failure, fields, needed, of_payment, text, unhex};

/// The returned objects, by number.
enum Given {
    Entry(Box<Entry>),
    Orphan(Orphan),
}

/// The open journal, and the objects that it returned.
#[derive(Default)]
pub struct Journals {
    journal: Option<(Client, Journal)>,
    given: Vec<Given>,
}

impl Journals {
    pub fn answer(&mut self, command: &Value) -> Result<Value> {
        match needed(command, "do") {
            "journal_open" => {
                let client = client(&command["client"])?;
                let journal = Journal::open(&client, config(&command["place"], &command["settings"]))?;
                self.journal = Some((client, journal));
                return Ok(json!({}));
            }
            "journal_close" => {
                *self = Journals::default();
                return Ok(json!({}));
            }
            _ => {}
        }
        // The journal is taken out of `self`, because `ask` also changes `self`.
        let (client, journal) = self.journal.take().expect("an open journal");
        let answer = self.ask(&journal, command);
        self.journal = Some((client, journal));
        answer
    }

    fn ask(&mut self, journal: &Journal, command: &Value) -> Result<Value> {
        let (reference, limit) = (needed(command, "reference"), number(command, "limit").unwrap_or(100));
        match needed(command, "do") {
            "pay" | "pay_async" => {
                let request = fields(&command["request"]).payment_request()?;
                let is_async = command["do"] == "pay_async";
                let entry = match (number(command, "replace"), is_async) {
                    (Some(attempt), true) => journal.replace_async(reference, &request, attempt),
                    (Some(attempt), false) => journal.replace(reference, &request, attempt),
                    (None, true) => journal.pay_async(reference, &request),
                    (None, false) => journal.pay(reference, &request),
                };
                Ok(self.one(Some(entry?)))
            }
            "confirm" => journal.confirm(self.entry(command, "entry")).map(|entry| self.one(Some(entry))),
            "cancel" => journal.cancel(self.entry(command, "entry")).map(|entry| self.one(Some(entry))),
            "wait" => {
                let timeout = Duration::from_millis(number(command, "timeout_ms").unwrap_or(0).into());
                let until = if command["until"] == "final" { Until::Final } else { Until::Credentials };
                journal.wait(reference, timeout, until).map(|entry| self.one(Some(entry)))
            }
            "find" => journal.find(reference).map(|entry| self.one(entry)),
            "list" => {
                let standing = text(command, "standing").and_then(Standing::from_name);
                let before = (!command["before"].is_null()).then(|| self.entry(command, "before"));
                journal.list(standing, limit, before).map(|entries| self.many(entries))
            }
            "news" => {
                let claim = number(command, "claim_ms").map(|ms| Duration::from_millis(ms.into()));
                claim
                    .map_or_else(|| journal.news(limit), |claim| journal.news_for(limit, claim))
                    .map(|entries| self.many(entries))
            }
            "attention" => {
                let items = journal.attention(limit)?.into_iter().map(|item| match item {
                    Attention::Entry(entry) => self.shown(*entry),
                    Attention::Orphan(orphan) => self.message(orphan),
                    _ => panic!("an item that is neither an attempt nor a message"),
                });
                Ok(json!({"entries": items.collect::<Vec<_>>()}))
            }
            "acknowledge" => {
                journal.acknowledge(self.entry(command, "entry")).map(|changed| json!({"changed": changed}))
            }
            "settle" => journal.settle(limit).map(|settled| of_settled(&settled)),
            "resolve" => self.resolve(journal, command),
            "stats" => {
                let stats = journal.stats()?.to_json();
                Ok(json!({"stats": serde_json::from_str::<Value>(&stats).expect("JSON")}))
            }
            "purge" => {
                let before = command["before_ms"].as_i64().expect("a time");
                journal.purge(before).map(|count| json!({"count": count}))
            }
            "forget" => journal.forget(reference).map(|count| json!({"count": count})),
            "export" => {
                let lines = journal.export_lines().collect::<Result<Vec<_>>>()?;
                Ok(json!({"lines": lines}))
            }
            "import" => journal.import(needed(command, "line")).map(|changed| json!({"changed": changed})),
            "pause" => journal.pause(needed(command, "note")).map(|()| json!({})),
            "resume" => journal.resume(needed(command, "note")).map(|()| json!({})),
            "backup" => journal.backup(needed(command, "file")).map(|()| json!({})),
            "receive" => {
                let body = unhex(needed(command, "body"));
                let (path, signature) = (needed(command, "path"), needed(command, "signature"));
                let received = journal.receive(path, &body, signature, text(command, "key_id"));
                let mut answer = self.one(received.entry);
                answer["http_status"] = received.http_status.into();
                if let Some(error) = received.error {
                    answer["error"] = failure(&error);
                }
                Ok(answer)
            }
            unknown => panic!("unknown command {unknown}"),
        }
    }

    fn resolve(&self, journal: &Journal, command: &Value) -> Result<Value> {
        let note = needed(command, "note");
        let resolution = match text(command, "order_id") {
            Some(order_id) => Resolution::OrderId(order_id.to_owned()),
            None if command["no_payment"] == true => Resolution::NoPayment,
            None => Resolution::Seen,
        };
        match self.item(command, "entry") {
            Given::Entry(entry) => journal.resolve(entry, &resolution, note).map(|_| json!({})),
            Given::Orphan(orphan) if resolution == Resolution::Seen => {
                journal.resolve_orphan(&orphan.order_id, note).map(|_| json!({}))
            }
            Given::Orphan(_) => Ok(json!({"cannot": "another word about a message than that it was seen"})),
        }
    }

    fn item(&self, command: &Value, name: &str) -> &Given {
        let number = command[name].as_u64().and_then(|number| usize::try_from(number).ok());
        &self.given[number.expect("the number of an entry")]
    }

    fn entry(&self, command: &Value, name: &str) -> &Entry {
        match self.item(command, name) {
            Given::Entry(entry) => entry,
            Given::Orphan(_) => panic!("a message is no entry"),
        }
    }

    fn one(&mut self, entry: Option<Entry>) -> Value {
        json!({"entry": entry.map(|entry| self.shown(entry))})
    }

    fn many(&mut self, entries: Vec<Entry>) -> Value {
        let shown: Vec<_> = entries.into_iter().map(|entry| self.shown(entry)).collect();
        json!({"entries": shown})
    }

    fn shown(&mut self, entry: Entry) -> Value {
        let (fields, json, number) = (of_entry(&entry), entry.to_json(), self.given.len());
        let earlier = entry.earlier().to_vec();
        self.given.push(Given::Entry(Box::new(entry)));
        let earlier: Vec<_> = earlier.into_iter().map(|entry| self.shown(entry)).collect();
        json!({"entry": number, "fields": fields, "is_orphan": false, "earlier": earlier, "json": json})
    }

    fn message(&mut self, orphan: Orphan) -> Value {
        let fields = json!({"order_id": orphan.order_id});
        let (json, number) = (orphan.to_json(), self.given.len());
        self.given.push(Given::Orphan(orphan));
        json!({"entry": number, "fields": fields, "is_orphan": true, "earlier": [], "json": json})
    }
}

fn number(of: &Value, name: &str) -> Option<u32> {
    of[name].as_u64().and_then(|number| number.try_into().ok())
}

fn config(place: &Value, settings: &Value) -> JournalConfig {
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let mut config = JournalConfig::new(needed(place, "file"));
    for (name, value) in settings.as_object().expect("settings") {
        let value = value.as_str().expect("a text");
        config = match name.as_str() {
            "callback_url" => config.callback_url(value),
            "account" => config.account(value),
            "timeout_ms" => config.timeout(Duration::from_millis(number(value).into())),
            "calls_per_second" => config.calls_per_second(number(value)),
            "create" => config.create(value == "1"),
            unknown => panic!("unknown setting {unknown}"),
        };
    }
    config
}

fn of_settled(settled: &Settled) -> Value {
    let mut answer = json!({"done": settled.done});
    if let Some(next) = settled.next_due {
        answer["next_due_ms"] = u64::try_from(next.as_millis()).expect("a number of 64 bits").into();
    }
    answer
}

fn of_problem(problem: &Problem) -> Value {
    present(json!({"code": problem.code, "outcome": problem.outcome, "description": problem.description}))
}

fn of_entry(entry: &Entry) -> Value {
    let payment = |payment| Value::clone(&of_payment(payment)["payment"]);
    present(json!({
        "reference": entry.reference(),
        "attempt": entry.attempt(),
        "standing": entry.standing().name(),
        "order_id": entry.order_id(),
        "sum_asked": entry.sum_asked().to_string(),
        "paid": entry.paid().map(|paid| paid.name()),
        "succeeded": entry.succeeded(),
        "credentials": entry.credentials().map(payment),
        "payment": entry.payment().map(payment),
        "confirm": entry.confirm().map(|state| state.name()),
        "cancel": entry.cancel().map(|state| state.name()),
        "reported": entry.reported().name(),
        "acknowledged": entry.acknowledged().name(),
        "error": entry.error().map(of_problem),
        "attention": entry.attention().iter().map(|reason| reason.name()).collect::<Vec<_>>(),
        "created_at": entry.created_at(),
        "updated_at": entry.updated_at(),
        "due_at": entry.due_at(),
    }))
}

/// The present members of an object.
pub fn present(object: Value) -> Value {
    let Value::Object(fields) = object else { unreachable!() };
    Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
}
