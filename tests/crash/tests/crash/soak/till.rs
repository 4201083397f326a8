//! The merchant: what every process does with a payment, and what the merchant has written down.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use merchantpay_crash::{Kind, Proxy, Servers};
use merchantpay_sandbox::Options;
use merchantpay_services::Hook;
use serde_json::{Value, json};

use super::hooks::{Hooks, random};
use crate::adapter::{Adapter, Answer};
use crate::audit::{AnyResult, Shown, agent};
use crate::shop::Shop;
use crate::statements::receives;

/// Of replies to new payments. Without `wrongOrder`, because the service has signed such a reply.
const SPOILED: [&str; 11] = [
    "unsigned",
    "malformedSignature",
    "wrongKey",
    "tampered",
    "reflected",
    "htmlBadGateway",
    "duplicateKeys",
    "redirect",
    "oversized",
    "dropBeforeCommit",
    "dropAfterCommit",
];

/// Of other replies. In half of these cases the request takes no effect either.
const LOST: [&str; 2] = ["dropBeforeCommit", "dropAfterCommit"];

/// The probability of each fault.
const PART: f64 = 0.005;

pub struct Till {
    pub shop: Shop,
    pub hooks: Hooks,
    /// In front of the server, to cut connections.
    pub proxy: Option<Proxy>,
    kind: Kind,
    next: AtomicU32,
    book: Mutex<Book>,
}

#[derive(Default)]
pub struct Book {
    pub shown: Shown,
    /// What was shipped because `acknowledge` said so.
    pub shipped: Vec<String>,
    /// The process was killed while it acknowledged: whoever acknowledges first and ships later cannot know.
    pub perhaps: BTreeSet<String>,
    /// Handled, by language.
    pub news: BTreeMap<String, u32>,
}

pub fn reference(number: u32) -> String {
    format!("order-{number}")
}

pub fn number_of(reference: &str) -> u32 {
    reference.strip_prefix("order-").and_then(|number| number.parse().ok()).unwrap_or_default()
}

pub fn account(number: u32) -> &'static str {
    match number % 40 {
        3 => "no-credentials",
        5 => "pays-less",
        9 => "payment-fails",
        _ => "79001234567",
    }
}

pub fn must_succeed(reference: &str) -> bool {
    account(number_of(reference)).starts_with('7')
}

/// In kopecks; each payment has another one.
pub fn sum(number: u32) -> i64 {
    10_010 + 10 * i64::from(number)
}

impl Till {
    pub fn new(servers: &Servers) -> AnyResult<Till> {
        let (hooks, credentials_wait) = (Hooks::start()?, Duration::from_millis(300));
        let webhook_retries = vec![Duration::from_millis(100); 50];
        let options = Options { credentials_wait, webhook_retries, ..Options::default() };
        let shop = Shop::over(servers, options, &hooks.url, 1000);
        shop.place.sql("CREATE TABLE shipped (reference VARCHAR(64))");
        let kind = servers.kind();
        let proxy = (kind != Kind::Sqlite).then(|| shop.place.proxy());
        Ok(Till { shop, hooks, proxy, kind, next: AtomicU32::new(0), book: Mutex::default() })
    }

    pub fn opens(&self) -> Value {
        let place = &self.shop.place;
        self.shop.opens(&self.proxy.as_ref().map_or_else(|| place.url(), |proxy| place.url_behind(proxy)))
    }

    fn faults(&self) -> String {
        format!("{}/sandbox/faults", self.shop.sandbox.url())
    }

    pub fn spoil_replies(&self) -> AnyResult<()> {
        let (new, others) = (["newPayment", "newPaymentAsync"], ["confirm", "cancel", "getStatus"]);
        let spoiled = new.into_iter().flat_map(|operation| SPOILED.map(|kind| (operation, kind)));
        let lost = others.into_iter().flat_map(|operation| LOST.map(|kind| (operation, kind)));
        for ((operation, kind), seed) in spoiled.chain(lost).zip(1..) {
            let mut fault = json!({"kind": kind, "operation": operation, "probability": PART, "seed": seed});
            if kind == "oversized" {
                fault["bytes"] = 2_000_000.into();
            }
            agent().post(self.faults()).content_type("application/json").send(fault.to_string())?;
        }
        Ok(())
    }

    pub fn spoil_no_more(&self) -> AnyResult<()> {
        agent().delete(self.faults()).call()?;
        Ok(())
    }

    pub fn spoiled(&self) -> AnyResult<u64> {
        let found: Value =
            serde_json::from_reader(agent().get(self.faults()).call()?.body_mut().as_reader())?;
        let faults = found["faults"].as_array().ok_or("no faults")?.iter();
        Ok(faults.filter_map(|fault| fault["happened"].as_u64()).sum())
    }

    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn taken(&self) -> u32 {
        self.next.load(Ordering::SeqCst)
    }

    /// Mostly a new payment; else a customer clicks again.
    pub fn sell(&self, adapter: &mut Adapter<'_>) -> AnyResult<()> {
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
        self.book().shown.note(reference, order_id);
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

    pub fn receive(&self, adapter: &mut Adapter<'_>, hook: Hook) -> AnyResult<()> {
        let command = receives(&hook.path, &hook.body, &hook.signature, Some(&hook.key_id));
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

    /// Returns whether there were news.
    pub fn ship(&self, adapter: &mut Adapter<'_>, language: &str) -> AnyResult<bool> {
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

    /// By the statement that the entry gives.
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
        let _ = self.shop.place.try_sql(&whole);
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
