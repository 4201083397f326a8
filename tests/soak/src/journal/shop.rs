//! The merchant: what every process does with a payment, and what the merchant has written down.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use merchantpay_crash::{Kind, Place, Proxy, Servers};
use serde_json::{Value, json};

use super::adapter::{Adapter, Answer};
use super::hooks::{Hooks, random};
use crate::AnyResult;
use crate::receiver::Hook;
use crate::service::Service;

pub(crate) struct Shop {
    pub(crate) hooks: Hooks,
    pub(crate) place: Place,
    kind: Kind,
    /// In front of the server, to cut connections.
    pub(crate) proxy: Option<Proxy>,
    pub(crate) open: Value,
    next: AtomicU32,
    book: Mutex<Book>,
}

#[derive(Default)]
pub(crate) struct Book {
    /// The orders whose credentials a customer got, by reference.
    pub(crate) shown: BTreeMap<String, BTreeSet<String>>,
    /// What was shipped because `acknowledge` said so.
    pub(crate) shipped: Vec<String>,
    /// The process was killed while it acknowledged: whoever acknowledges first and ships later cannot know.
    pub(crate) perhaps: BTreeSet<String>,
    /// News that were handled, by language.
    pub(crate) news: BTreeMap<String, u32>,
}

pub(crate) fn reference(number: u32) -> String {
    format!("order-{number}")
}

pub(crate) fn number_of(reference: &str) -> u32 {
    reference.strip_prefix("order-").and_then(|number| number.parse().ok()).unwrap_or_default()
}

pub(crate) fn account(number: u32) -> &'static str {
    match number % 40 {
        3 => "no-credentials",
        5 => "pays-less",
        9 => "payment-fails",
        _ => "79001234567",
    }
}

pub(crate) fn must_succeed(reference: &str) -> bool {
    account(number_of(reference)).starts_with('7')
}

/// In kopecks; each payment has another one.
pub(crate) fn sum(number: u32) -> i64 {
    10_010 + 10 * i64::from(number)
}

impl Shop {
    pub(crate) fn new(service: &Service, servers: &Servers, hooks: Hooks) -> AnyResult<Shop> {
        let place = servers.place();
        let proxy = (servers.kind() != Kind::Sqlite).then(|| place.proxy());
        let url = proxy.as_ref().map_or_else(|| place.url(), |proxy| place.url_behind(proxy));
        let settings = json!({"callback_url": hooks.url, "timeout_ms": "15000", "pay_wait_ms": "1000"});
        let open = json!({
            "do": "journal_open", "place": url, "settings": settings, "client": service.client_settings(),
        });
        let (next, book) = (AtomicU32::new(0), Mutex::default());
        let shop = Shop { hooks, place, kind: servers.kind(), proxy, open, next, book };
        shop.journal(service, true)?;
        shop.place.sql("CREATE TABLE shipped (reference VARCHAR(64))");
        Ok(shop)
    }

    /// The journal in this process, without the proxy.
    pub(crate) fn journal(&self, service: &Service, create: bool) -> AnyResult<merchantpay_journal::Journal> {
        let config = merchantpay_journal::JournalConfig::new(self.place.url()).create(create);
        let config = config.callback_url(&self.hooks.url).timeout(std::time::Duration::from_secs(15));
        Ok(merchantpay_journal::Journal::open(&service.client()?, config)?)
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many payments were begun.
    pub(crate) fn taken(&self) -> u32 {
        self.next.load(Ordering::SeqCst)
    }

    /// Takes a payment, mostly a new one; else a customer clicks again.
    pub(crate) fn sell(&self, adapter: &mut Adapter<'_>) -> AnyResult<()> {
        let taken = self.taken();
        let number = match random(5) {
            0 if taken > 0 => random(taken),
            _ => self.next.fetch_add(1, Ordering::SeqCst),
        };
        let pay = if number.is_multiple_of(2) { "pay" } else { "pay_async" };
        let answer = adapter
            .steadily(&json!({"do": pay, "reference": reference(number), "request": request(number)}))?;
        let Some(answer) = answer else { return Err("the request of a payment has changed".into()) };
        let fields = &answer["entry"]["fields"];
        if fields["standing"] == "unknown" && number.is_multiple_of(3) {
            return self.replace(adapter, fields);
        }
        self.serve(adapter, fields)
    }

    fn replace(&self, adapter: &mut Adapter<'_>, fields: &Value) -> AnyResult<()> {
        let (reference, attempt) = (&fields["reference"], &fields["attempt"]);
        let request = request(number_of(reference.as_str().unwrap_or_default()));
        let replace =
            json!({"do": "replace", "reference": reference, "attempt": attempt, "request": request});
        match adapter.steadily(&replace)? {
            Some(answer) => self.serve(adapter, &answer["entry"]["fields"]),
            None => Ok(()),
        }
    }

    /// Shows the credentials, if there are some, to a customer who pays at once. Of fifty customers one cancels.
    fn serve(&self, adapter: &mut Adapter<'_>, fields: &Value) -> AnyResult<()> {
        let (Some(order_id), true) = (fields["order_id"].as_str(), fields["credentials"].is_object()) else {
            return Ok(());
        };
        let reference = fields["reference"].as_str().unwrap_or_default();
        self.book().shown.entry(reference.to_owned()).or_default().insert(order_id.to_owned());
        let instruct = |what: &str| json!({"do": what, "reference": reference, "attempt": fields["attempt"]});
        if number_of(reference) % 50 == 7 && fields["attempt"] == 1 {
            let answer = adapter.steadily(&instruct("cancel"))?.unwrap_or_default();
            let cancelled = &answer["entry"]["fields"];
            if cancelled["intent"] == "cancel" && cancelled["intent_state"] == "accepted" {
                return self.replace(adapter, cancelled);
            }
        } else if fields["intent"].is_null() {
            adapter.steadily(&instruct("confirm"))?;
        }
        Ok(())
    }

    /// Gives a webhook to the journal.
    pub(crate) fn receive(&self, adapter: &mut Adapter<'_>, hook: Hook) -> AnyResult<()> {
        let body: String = hook.body.iter().map(|byte| format!("{byte:02x}")).collect();
        let command = json!({
            "do": "receive", "path": hook.path, "body": body, "signature": hook.signature, "key_id": hook.key_id,
        });
        let status = match adapter.ask(&command)? {
            Answer::Ok(answer) => answer["http_status"].as_u64(),
            _ => None,
        };
        match status {
            Some(200) => Ok(()),
            // A payment's second order, or nobody's: the service never sends such a webhook here.
            Some(status @ (400 | 404 | 409)) => Err(format!("{}: {status}", hook.path).into()),
            _ => {
                self.hooks.put_back(hook);
                Ok(())
            }
        }
    }

    /// Handles news. Returns whether there were some.
    pub(crate) fn ship(&self, adapter: &mut Adapter<'_>, language: &str) -> AnyResult<bool> {
        let Some(answer) = adapter.steadily(&json!({"do": "news", "limit": 5}))? else { return Ok(false) };
        let (process, entries) =
            (adapter.process(), answer["entries"].as_array().cloned().unwrap_or_default());
        for entry in &entries {
            let fields = &entry["fields"];
            self.serve(adapter, fields)?;
            let reference = fields["reference"].as_str().unwrap_or_default().to_owned();
            if fields["succeeded"] == true && number_of(&reference).is_multiple_of(2) {
                self.ship_in_a_transaction(adapter, process, entry, &reference)?;
            } else {
                self.acknowledge(adapter, fields, reference)?;
            }
            *self.book().news.entry(language.to_owned()).or_default() += 1;
        }
        Ok(!entries.is_empty())
    }

    /// Ships in the shop's own transaction, by the statement that the entry gives.
    fn ship_in_a_transaction(
        &self,
        adapter: &mut Adapter<'_>,
        process: u32,
        entry: &Value,
        reference: &str,
    ) -> AnyResult<()> {
        let style =
            if matches!(self.kind, Kind::Postgresql | Kind::Pgbouncer) { "dollar" } else { "question" };
        let command = json!({"do": "acknowledge_sql", "entry": entry["entry"], "style": style});
        // After a kill the news come again.
        let Answer::Ok(sql) = adapter.ask_process(process, &command)? else { return Ok(()) };
        let mut update = sql["text"].as_str().unwrap_or_default().to_owned();
        for (place, value) in sql["parameters"].as_array().into_iter().flatten().enumerate() {
            let mark = if style == "dollar" { format!("${}", place + 1) } else { "?".to_owned() };
            let value = value.as_str().map_or_else(|| value.to_string(), |text| format!("'{text}'"));
            update = update.replacen(&mark, &value, 1);
        }
        let insert = format!("INSERT INTO shipped SELECT '{reference}'");
        let whole = match self.kind {
            Kind::Postgresql | Kind::Pgbouncer => {
                format!("WITH done AS ({update} RETURNING 1) {insert} FROM done")
            }
            Kind::Mariadb => format!("BEGIN; {update}; {insert} FROM DUAL WHERE ROW_COUNT() > 0; COMMIT"),
            Kind::Sqlite => format!("BEGIN IMMEDIATE; {update}; {insert} WHERE changes() > 0; COMMIT"),
        };
        // Both or nothing: after a failure the news come again, if they were not acknowledged.
        let _ = self.place.try_sql(&whole);
        Ok(())
    }

    fn acknowledge(&self, adapter: &mut Adapter<'_>, fields: &Value, reference: String) -> AnyResult<()> {
        let (attempt, news) = (&fields["attempt"], &fields["news"]);
        let command = json!({"do": "acknowledge", "reference": reference, "attempt": attempt, "news": news});
        let answer = adapter.ask(&command)?;
        if fields["succeeded"] == true {
            match answer {
                Answer::Ok(answer) if answer["changed"] == true => self.book().shipped.push(reference),
                Answer::Ok(_) => {}
                Answer::Error(_) | Answer::Lost => drop(self.book().perhaps.insert(reference)),
            }
        }
        Ok(())
    }
}

fn request(number: u32) -> Value {
    let sum = merchantpay::Amount::from_minor(sum(number)).to_string();
    json!({"sum": sum, "payment_method": "sbp", "customer_account": account(number)})
}
