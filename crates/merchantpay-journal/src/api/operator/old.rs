//! The import of an export of version 0.3.0.

use std::collections::{BTreeMap, BTreeSet};

use merchantpay::{Amount, Error, Payment, Result, Status};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Operator;
use super::transfer::{Filling, Imported, no_line};
use crate::api::attention::NOTE;
use crate::api::journal::BASE_URL;
use crate::api::random::{random, text_digest};
use crate::model::attempt::{Attempt, Intent, IntentState, Reason, State};
use crate::model::report::MessageKind;
use crate::store::Message;

const IMPORTING: &str =
    "an export of version 0.3.0 is being imported: if the import was cut short, repeat it";

type Fields = BTreeMap<String, Box<RawValue>>;

/// A line: all values of a row are text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Orphan { orphan: OldOrphan },
    Attempt(Box<OldAttempt>),
}

#[derive(Deserialize)]
struct OldOrphan {
    order_id: String,
    received_at: String,
    reference: Option<String>,
    attempt: Option<String>,
    seen: String,
    record: String,
}

#[derive(Deserialize)]
struct OldAttempt {
    reference: String,
    attempt: String,
    account: String,
    standing: String,
    order_id: Option<String>,
    status: Option<String>,
    sum_asked: String,
    sum_paid: Option<String>,
    reported: String,
    acknowledged: String,
    attention: Option<String>,
    created_at: String,
    updated_at: String,
    token: String,
    record: String,
    restored: Option<String>,
}

/// The JSON of an attempt.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Record {
    purged: bool,
    request_hash: String,
    asynchronous: bool,
    payment: Fields,
    has_credentials: bool,
    confirm: OldIntent,
    cancel: OldIntent,
    seen: Vec<String>,
    notes: Vec<String>,
    error: Option<OldError>,
    call_until: Option<i64>,
    call_ended: bool,
    refusals: u32,
    asking_since: i64,
    tries: u32,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OldIntent {
    state: Option<String>,
    calls: u32,
    since: i64,
}

#[derive(Deserialize)]
struct OldError {
    outcome: String,
    #[serde(flatten)]
    rest: BTreeMap<String, String>,
}

impl Operator {
    /// Stores the lines of an export of a journal of version 0.3.0. It must be paused for ever: it could
    /// otherwise go on paying from its own tables. An export does not show that, so the operator vouches for
    /// it with `is_paused_for_ever`. Tokens and request hashes stay, so webhooks that are on their way and
    /// repeated calls of `pay` find their attempts.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if nobody vouches for the pause, for a line that is none of such an export, for an
    /// export of several accounts or of another one, or if a call that makes a payment may still run: pause
    /// the old journal, and export it again. `storage` if the journal failed; every error of `lines`.
    pub fn import_from_0_3(
        &self,
        is_paused_for_ever: bool,
        lines: impl IntoIterator<Item = Result<String>>,
    ) -> Result<Imported> {
        if !is_paused_for_ever {
            return Err(Error::invalid_argument(
                "the journal of version 0.3.0 could go on paying from its own tables: run its program's `merchantpay journal pause --note \
                 \"moved to 0.4.0\"`, export it after that, never resume it, and say that it is paused for ever",
            ));
        }
        let (now, before) = self.tell(self.database.setting("pause"))?;
        self.tell(self.repeatedly(|| self.database.set_pause(Some(IMPORTING))))?;
        let mut filling = Filling::new(self);
        let (mut account, mut succeeded) = (None, BTreeSet::new());
        let mut tokens = BTreeMap::new();
        for (line, number) in lines.into_iter().zip(1..) {
            match serde_json::from_str(&line?).map_err(|_| no_line(number))? {
                Line::Attempt(old) => {
                    if account.as_ref() != Some(&old.account) {
                        self.take_old_account(&old.account)?;
                        account = Some(old.account.clone());
                    }
                    let read = read(&old, now).ok_or_else(|| no_line(number))?;
                    let (mut row, notes) = read?;
                    if row.success_of.is_some() && !succeeded.insert(row.reference.clone()) {
                        row.success_of = None;
                        row.attention |= Reason::PaidUnasked.bit();
                    }
                    tokens.insert((row.reference.clone(), row.attempt), row.token.clone());
                    for (place, note) in notes.into_iter().enumerate() {
                        filling.add_message(note_of(&row, place, note))?;
                    }
                    filling.add(row)?;
                }
                Line::Orphan { orphan } => {
                    filling.add_message(message(&orphan, &tokens).ok_or_else(|| no_line(number))?)?;
                }
            }
        }
        let imported = filling.end()?;
        let before = before.filter(|note| note != IMPORTING);
        self.tell(self.repeatedly(|| self.database.set_pause(before.as_deref())))?;
        Ok(imported)
    }

    /// Stores whose attempts are imported. The account of 0.3.0 was the base URL, unless it had a name.
    fn take_old_account(&self, account: &str) -> Result<()> {
        let url = account.contains("://").then_some(BASE_URL);
        for name in ["imported_from_0_3"].into_iter().chain(url) {
            let stored = self.tell(self.database.set_once(name, account))?;
            let known = self.tell(self.database.settings(name))?;
            if stored != account && !known.iter().any(|(_, known)| known == account) {
                return Err(Error::invalid_argument("the export has attempts of another account"));
            }
        }
        Ok(())
    }
}

/// The row and the notes of an old attempt. `None` if it cannot be read.
fn read(old: &OldAttempt, now: i64) -> Option<Result<(Attempt, Vec<String>)>> {
    let record: Record = serde_json::from_str(&old.record).ok()?;
    let number = |text: &str| text.parse::<i64>().ok();
    let (created_at, updated_at) = (number(&old.created_at)?, number(&old.updated_at)?);
    let status = old.status.clone().map(Status::from);
    let (is_final, is_success) =
        (status.as_ref().is_some_and(Status::is_final), status == Some(Status::DoneSuccess));
    let (sum_asked, sum_paid): (Amount, Option<Amount>) =
        (old.sum_asked.parse().ok()?, old.sum_paid.as_deref().map(str::parse).transpose().ok()?);
    let is_known_refused = record.error.as_ref().is_some_and(|error| error.outcome != "unknown");
    let state = match (old.standing.as_str(), &old.order_id) {
        ("final", _) => State::Final,
        ("superseded", Some(_)) if is_final => State::Final,
        ("open" | "superseded", Some(_)) => State::Open,
        ("superseded", None) if is_known_refused => State::Refused,
        ("refused", _) => State::Refused,
        ("sending" | "unknown" | "superseded", None) => State::Sent,
        // A reply or a webhook had named the order, and nothing ended it.
        ("sending" | "unknown", Some(_)) => State::Open,
        _ => return None,
    };
    let call_until = record.call_until.unwrap_or(updated_at);
    if old.standing == "sending" && !record.call_ended && call_until > now {
        return Some(Err(Error::invalid_argument(format!(
            "the call of attempt {} of {} may still run: pause the journal of version 0.3.0 with its program, never resume it, and export \
             it again",
            old.attempt, old.reference
        ))));
    }
    let (reported, acknowledged) = (number(&old.reported)?, number(&old.acknowledged)?);
    let news = if reported > 0 { updated_at.max(1) } else { 0 };
    let success =
        (state == State::Final && is_success && sum_paid == Some(sum_asked)).then(|| old.reference.clone());
    let is_watched =
        state == State::Final && is_final && !is_success && old.order_id.is_some() && !record.purged;
    let is_asked = matches!(state, State::Open | State::Sent) || is_watched;
    let (intent, intent_state) = intent(&record);
    let attempt = Attempt {
        reference: old.reference.clone(),
        attempt: old.attempt.parse().ok()?,
        token: old.token.clone(),
        stamp: random().ok()?,
        state,
        call_until: (state == State::Sent).then_some(call_until.min(updated_at)),
        order_id: old.order_id.clone(),
        status: old.status.clone(),
        receipt_given: false,
        sum_asked,
        sum_paid,
        details: details(&record),
        asked: (!record.purged).then(|| record.request_hash.clone()),
        due_at: is_asked.then_some(now),
        tries: record.tries,
        asking_since: is_asked.then_some(if is_watched {
            updated_at
        } else {
            record.asking_since.max(created_at)
        }),
        news,
        acked: if acknowledged == reported { news } else { 0 },
        news_due: None,
        success_of: success,
        error: record.error.as_ref().and_then(error),
        intent,
        intent_state,
        intent_calls: record.confirm.calls.saturating_add(record.cancel.calls),
        attention: old.attention.as_deref().map_or(0, |names| mask(names.split(','))),
        seen: mask(record.seen.iter().map(String::as_str)) | seen_unknown(&record),
        replaced: old.standing == "superseded",
        restored: old.restored.as_deref() == Some("1"),
        not_sent: false,
        refusals: record.refusals,
        asynchronous: record.asynchronous,
        created_at,
        updated_at,
    };
    Some(Ok((attempt, record.notes)))
}

/// The reported fields. Credentials for another sum are left out: they must not be shown.
fn details(record: &Record) -> Option<String> {
    let is_credential = |name: &str| ["payeeAccount", "deeplink"].contains(&name);
    let kept = record.payment.iter().filter(|(name, _)| record.has_credentials || !is_credential(name));
    let kept: BTreeMap<&String, &Box<RawValue>> = kept.collect();
    (!kept.is_empty()).then(|| serde_json::to_string(&kept).ok()).flatten()
}

fn error(error: &OldError) -> Option<String> {
    let mut fields = error.rest.clone();
    fields.insert("outcome".to_owned(), error.outcome.clone());
    serde_json::to_string(&fields).ok()
}

/// The newest instruction; an accepted cancel stays.
fn intent(record: &Record) -> (Option<Intent>, Option<IntentState>) {
    let state = |intent: &OldIntent| {
        intent.state.as_deref().map(|state| match state {
            "stored" => IntentState::Stored,
            "accepted" => IntentState::Accepted,
            _ => IntentState::Refused,
        })
    };
    let (confirm, cancel) = (state(&record.confirm), state(&record.cancel));
    let is_cancel_newer = confirm.is_none() || record.cancel.since >= record.confirm.since;
    match cancel {
        Some(state) if state == IntentState::Accepted || is_cancel_newer => {
            (Some(Intent::Cancel), Some(state))
        }
        _ => (confirm.map(|_| Intent::Confirm), confirm),
    }
}

/// The fifteen reasons as six.
fn mask<'a>(names: impl Iterator<Item = &'a str>) -> u32 {
    let reason = |name: &str| match name {
        // Derived from the row.
        "" | "unknown" | "server_changed" => None,
        "found_after_refused" | "superseded_paid" => Some(Reason::PaidUnasked),
        "final_contradicted" => Some(Reason::StatusChanged),
        "paid_differs" | "sum_missing" | "credentials_differ" => Some(Reason::SumDiffers),
        "order_differs" | "order_unproven" => Some(Reason::OrderUnproven),
        _ => Some(Reason::Stuck),
    };
    names.filter_map(reason).fold(0, |mask, reason| mask | reason.bit())
}

fn seen_unknown(record: &Record) -> u32 {
    if record.seen.iter().any(|name| name == "unknown") { Reason::Unknown.bit() } else { 0 }
}

fn note_of(row: &Attempt, place: usize, note: String) -> Message {
    Message {
        token: row.token.clone(),
        digest: text_digest(format!("note {place}")),
        order_id: row.order_id.clone().unwrap_or_default(),
        kind: NOTE.to_owned(),
        body: note,
        received_at: row.updated_at,
        seen: true,
    }
}

/// An orphan, with the token of the attempt to whose URL it came. Its bytes are not those that were signed,
/// so a message that comes again is stored beside it.
fn message(old: &OldOrphan, tokens: &BTreeMap<(String, u32), String>) -> Option<Message> {
    let attempt = old.attempt.as_deref().and_then(|attempt| attempt.parse().ok());
    let token = old.reference.clone().zip(attempt).and_then(|key| tokens.get(&key).cloned());
    let kind = match Payment::carried(&old.record).is_some_and(|payment| payment.status().is_some()) {
        true => MessageKind::Status,
        false => MessageKind::Credentials,
    };
    Some(Message {
        token: token.unwrap_or_default(),
        digest: text_digest(format!("orphan {}", old.order_id)),
        order_id: old.order_id.clone(),
        kind: kind.name().to_owned(),
        body: old.record.clone(),
        received_at: old.received_at.parse().ok()?,
        seen: old.seen == "1",
    })
}
