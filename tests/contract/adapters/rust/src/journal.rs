//! The commands of a journal.

use std::time::Duration;

use merchantpay::{Client, Error, Result};
use merchantpay_journal::{
    Attention, Entry, Journal, JournalConfig, NewsKey, Orphan, Problem, Resolution, Settled, Standing, Style,
    Until,
};
use serde_json::{Value, json};

use crate::callbacks::interrupted;
use crate::{failure, fields, needed, of_payment, present, set_all, text, unhex};

enum Given {
    Entry(Box<Entry>),
    Orphan(Orphan),
    Unreadable,
}

pub struct Journals {
    config: fn(String) -> JournalConfig,
    journal: Option<(Client, Journal)>,
    given: Items,
}

/// Returned objects, by number.
#[derive(Default)]
struct Items(Vec<Given>);

impl Journals {
    pub fn new(config: fn(String) -> JournalConfig) -> Journals {
        Journals { config, journal: None, given: Items::default() }
    }

    pub fn answer(&mut self, command: &Value) -> Result<Value> {
        match needed(command, "do") {
            "journal_open" => self.journal = Some(crate::open_journal(command, self.config)?),
            "journal_close" => *self = Journals::new(self.config),
            _ => {
                let (_, journal) = self.journal.as_ref().expect("an open journal");
                return self.given.ask(journal, command);
            }
        }
        Ok(json!({}))
    }
}

impl Items {
    fn ask(&mut self, journal: &Journal, command: &Value) -> Result<Value> {
        let (reference, limit) = (needed(command, "reference"), number(command, "limit").unwrap_or(100));
        let attempt = number(command, "attempt").unwrap_or_default();
        let request = || fields(&command["request"]).payment_request();
        match needed(command, "do") {
            "pay" => self.one(journal.pay(reference, &request()?)),
            "pay_async" => self.one(journal.pay_async(reference, &request()?)),
            "replace" => self.one(journal.replace(reference, attempt, &request()?)),
            "confirm" => self.one(match self.named(command, "entry") {
                Some(entry) => journal.confirm(entry),
                None => journal.confirm((reference, attempt)),
            }),
            "cancel" => self.one(match self.named(command, "entry") {
                Some(entry) => journal.cancel(entry),
                None => journal.cancel((reference, attempt)),
            }),
            "wait" => {
                let timeout = Duration::from_millis(number(command, "timeout_ms").unwrap_or(0).into());
                let until = text(command, "until").and_then(Until::from_name).unwrap_or_default();
                let derived = journal.derive();
                let wait = || derived.wait(reference, until, timeout);
                self.one(interrupted(command, || derived.interrupt(), wait))
            }
            "find" => Ok(match journal.find(reference)? {
                Some(entry) => json!({"entry": self.shown(entry, &[])}),
                None => json!({"entry": null}),
            }),
            "list" => {
                let standing = text(command, "standing").and_then(Standing::from_name);
                let entries = journal.list(standing, limit, self.named(command, "before"))?;
                Ok(self.many(entries))
            }
            "news" => journal.news(limit).map(|entries| self.many(entries)),
            "attention" => {
                let items: Vec<_> =
                    journal.attention(limit)?.into_iter().map(|item| self.item_shown(item)).collect();
                Ok(json!({"entries": items}))
            }
            "acknowledge" => {
                let key = match self.named(command, "entry") {
                    Some(entry) => NewsKey::from(entry),
                    None => NewsKey::from((reference, attempt, command["news"].as_i64().unwrap_or_default())),
                };
                journal.acknowledge(key).map(|changed| json!({"changed": changed}))
            }
            "acknowledge_sql" => {
                let style = text(command, "style").and_then(Style::from_name).expect("a style");
                let entry = self.named(command, "entry").expect("an entry");
                let sql = entry.acknowledge_sql(style);
                let parameters = match style {
                    Style::Colon | Style::At => {
                        json!({"reference": sql.reference, "attempt": sql.attempt, "news": sql.news})
                    }
                    _ => json!([sql.reference, sql.attempt, sql.news]),
                };
                Ok(json!({"text": sql.text, "parameters": parameters}))
            }
            "settle" => {
                let derived = journal.derive();
                interrupted(command, || derived.interrupt(), || derived.settle(limit))
                    .map(|settled| of_settled(&settled))
            }
            "resolve" => self.resolve(journal, command),
            "stats" => {
                let stats = journal.stats()?.to_json();
                Ok(json!({"stats": serde_json::from_str::<Value>(&stats).expect("JSON")}))
            }
            "receive" => {
                let body = unhex(needed(command, "body"));
                let (path, signature) = (needed(command, "path"), needed(command, "signature"));
                let received = journal.receive(path, &body, signature, text(command, "key_id"));
                let entry = received.entry.map(|entry| self.shown(entry, &[]));
                let error = received.error.map(|error| failure(&error));
                let mut answer = present(json!({"http_status": received.http_status, "error": error}));
                answer["entry"] = entry.into();
                Ok(answer)
            }
            unknown => panic!("unknown command {unknown}"),
        }
    }

    fn resolve(&mut self, journal: &Journal, command: &Value) -> Result<Value> {
        let note = needed(command, "note");
        let sum = |text: &str| text.parse().map_err(|_| Error::invalid_argument("sum is no amount"));
        let resolution = match text(command, "order_id") {
            Some(order_id) => {
                let sum = text(command, "sum").map(sum).transpose()?;
                Some(Resolution::Order(order_id.to_owned(), sum))
            }
            None if command["no_payment"] == true => Some(Resolution::NoPayment),
            None if command["trusted"] == true => Some(Resolution::Trusted),
            None => None,
        };
        match (self.item(command, "entry"), resolution) {
            (Some(Given::Entry(entry)), resolution) => {
                let seen = || Resolution::Seen(entry.attention.clone());
                let entry = journal.resolve(&**entry, &resolution.unwrap_or_else(seen), note);
                self.one(entry)
            }
            (Some(Given::Orphan(orphan)), None) => {
                journal.resolve_orphan(&orphan.order_id, orphan.status.as_deref(), note)?;
                Ok(json!({"entry": null}))
            }
            _ => Ok(json!({"cannot": "another word about a message than that it was seen"})),
        }
    }

    fn item(&self, command: &Value, name: &str) -> Option<&Given> {
        let number = command[name].as_u64().and_then(|number| usize::try_from(number).ok());
        self.0.get(number?)
    }

    fn named(&self, command: &Value, name: &str) -> Option<&Entry> {
        match self.item(command, name)? {
            Given::Entry(entry) => Some(entry),
            _ => panic!("a message is no entry"),
        }
    }

    fn one(&mut self, entry: Result<Entry>) -> Result<Value> {
        entry.map(|entry| json!({"entry": self.shown(entry, &[])}))
    }

    fn many(&mut self, entries: Vec<Entry>) -> Value {
        let shown: Vec<_> = entries.into_iter().map(|entry| self.shown(entry, &[])).collect();
        json!({"entries": shown})
    }

    fn item_shown(&mut self, item: Attention) -> Value {
        let json = item.to_json();
        match item {
            Attention::Entry { entry, details } => {
                let mut shown = self.shown(*entry, &details);
                shown["json"] = json.into();
                shown
            }
            Attention::Orphan(orphan) => {
                let fields = present(json!({
                    "order_id": orphan.order_id,
                    "status": orphan.status,
                    "created_at": orphan.received_at,
                    "reference": orphan.reference,
                    "attempt": orphan.attempt,
                    "is_orphan": true,
                }));
                self.give(Given::Orphan(orphan), json!({"fields": fields, "json": json}))
            }
            Attention::Unreadable { reference, attempt, column } => {
                let fields = json!({"reference": reference, "attempt": attempt, "unreadable": column});
                self.give(Given::Unreadable, json!({"fields": fields, "json": json}))
            }
            _ => panic!("another item for a person"),
        }
    }

    fn shown(&mut self, entry: Entry, details: &[String]) -> Value {
        let mut shown = json!({"fields": of_entry(&entry), "json": entry.to_json()});
        shown["fields"]["details"] = details.into();
        self.give(Given::Entry(Box::new(entry)), shown)
    }

    fn give(&mut self, given: Given, mut shown: Value) -> Value {
        shown["entry"] = self.0.len().into();
        self.0.push(given);
        shown
    }
}

fn number(of: &Value, name: &str) -> Option<u32> {
    of[name].as_u64().and_then(|number| number.try_into().ok())
}

pub fn config(new: fn(String) -> JournalConfig, command: &Value) -> Result<JournalConfig> {
    let mut config = new(needed(command, "place").to_owned());
    set_all(&command["settings"], |name, text| config.set(name, text))?;
    Ok(config)
}

fn of_settled(settled: &Settled) -> Value {
    let next_due = settled.next_due.map(|next| u64::try_from(next.as_millis()).expect("a number of 64 bits"));
    present(json!({"done": settled.done, "next_due_ms": next_due}))
}

fn of_problem(problem: &Problem) -> Value {
    present(json!({"code": problem.code, "outcome": problem.outcome, "description": problem.description}))
}

fn of_entry(entry: &Entry) -> Value {
    let payment = |payment| Value::clone(&of_payment(payment)["payment"]);
    present(json!({
        "reference": entry.reference,
        "attempt": entry.attempt,
        "standing": entry.standing.name(),
        "order_id": entry.order_id,
        "status": entry.status.as_ref().map(|status| status.as_str()),
        "sum_asked": entry.sum_asked.to_string(),
        "sum_paid": entry.sum_paid.map(|sum| sum.to_string()),
        "succeeded": entry.succeeded,
        "credentials": entry.credentials.as_ref().map(payment),
        "news": entry.news,
        "acknowledged": entry.acknowledged,
        "intent": entry.intent.map(|intent| intent.name()),
        "intent_state": entry.intent_state.map(|state| state.name()),
        "attention": entry.attention.iter().map(|reason| reason.name()).collect::<Vec<_>>(),
        "error": entry.error.as_ref().map(of_problem),
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
    }))
}
