//! What each event makes of a record. No clock, no input or output, no randomness: they come in as arguments. The model walks through
//! these very functions.

use merchantpay::{Currency, Paid, Status};

use crate::event::{Call, CallEnd, Change, Event, Instruction, Report, Source};
use crate::guards::Guards;
use crate::record::{Intent, Record};
use crate::schedule::{self, CLAIM, DAY, NOT_FOUND, SOON};
use crate::standing::{IntentState, Level, Reason, Standing};

/// What `/status` never replaces: it writes the name in Latin letters, and has no currency.
const NOT_FROM_STATUS: &[&str] = &["payeeName", "currency", "dealCurrency"];

/// What a transition needs to know beside the record and the event.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// The database's clock, in milliseconds.
    pub now: i64,
    /// The rules that hold.
    pub guards: Guards,
}

/// What `event` makes of `record`.
pub fn apply(record: &Record, event: &Event, facts: Facts) -> Change {
    let mut next = record.clone();
    let mut call = None;
    let mut conflict = false;
    match event {
        Event::Created(report) => conflict = !tell(&mut next, report, Source::Creation, facts),
        Event::WebhookTold(report) => conflict = !tell(&mut next, report, Source::Webhook, facts),
        Event::CredentialsFailed(report) => conflict = !credentials_failed(&mut next, report, facts),
        Event::Found(report, note) => {
            if next.order_id.is_none() && next.standing_at(facts.now) != Standing::Sending {
                conflict = !tell(&mut next, report, Source::Status, facts);
                next.notes.push(note.clone());
            }
        }
        Event::StatusTold(report) => match tell(&mut next, report, Source::Status, facts) {
            true => call = after_status(&mut next, facts),
            false => conflict = true,
        },
        Event::StatusFailed(not_found, problem) => {
            next.error = Some(problem.clone());
            ask_later(&mut next, facts);
            if *not_found {
                count_not_found(&mut next, facts.now);
            }
        }
        Event::NotCreated(end, problem) => {
            if not_created(&mut next, *end, facts) {
                next.error = Some(problem.clone());
            }
        }
        Event::Claimed(at_once) => call = claim(&mut next, *at_once, facts),
        Event::Wanted(instruction) => call = want(&mut next, *instruction, facts),
        Event::Answered(instruction, number, end, problem) => {
            answered(&mut next, *instruction, *number, *end, facts);
            next.error = problem.clone().or(next.error);
        }
        Event::NoPayment(note) => {
            if next.standing_at(facts.now) == Standing::Unknown {
                refuse(&mut next, true);
                next.notes.push(note.clone());
            }
        }
        Event::Seen(note) => see(&mut next, note, facts.now),
        Event::Purged => purge(&mut next),
    }
    if conflict {
        next = record.clone();
    }
    Change { record: next, call, conflict }
}

/// What `pay` does about the last attempt of a reference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The entry as it is.
    Keep,
    /// First this record, the last attempt's as a superseded one, then another attempt.
    Seal(Box<Record>),
    /// A new attempt of this number.
    Insert(u32),
}

/// What `pay` does: a new attempt only where nobody can pay the last one, or where a person replaces it by its number.
pub fn decide(last: Option<&Record>, replace: Option<u32>, facts: Facts) -> Decision {
    let Some(last) = last else { return Decision::Insert(1) };
    let guards = facts.guards;
    let replaces = match replace {
        Some(attempt) if attempt != last.attempt && guards.replace_names_attempt => return Decision::Keep,
        replace => replace.is_some(),
    };
    let is_due = match last.standing_at(facts.now) {
        Standing::Refused => true,
        Standing::Superseded => guards.heal_superseded,
        Standing::Unknown => replaces || !guards.unknown_waits,
        Standing::Open => replaces && last.cancel.state == Some(IntentState::Accepted),
        Standing::Final => replaces && !last.is_success(),
        Standing::Sending => false,
    };
    let is_closed = matches!(last.standing, Standing::Final | Standing::Superseded);
    match is_due {
        false => Decision::Keep,
        true if is_closed || !guards.seal => Decision::Insert(last.attempt + 1),
        true => Decision::Seal(Box::new(sealed(last, facts.now))),
    }
}

fn sealed(record: &Record, now: i64) -> Record {
    let mut next = record.clone();
    next.standing = Standing::Superseded;
    drop_reason(&mut next, Reason::Unknown);
    let is_final = next.status().is_some_and(|status| status.is_final());
    next.due_at = (next.order_id.is_some() && !is_final).then_some(now);
    next
}

/// Applies what the service told. `false` if it is about an order that cannot be this attempt's.
fn tell(record: &mut Record, report: &Report, source: Source, facts: Facts) -> bool {
    if !bind(record, report, source, facts.now) {
        return false;
    }
    let by_webhook_alone = source == Source::Webhook && !record.order_id_confirmed;
    if report.is_final() && by_webhook_alone && facts.guards.webhook_asks_first {
        // A token from an access log and an old genuine webhook must not end an order: getStatus decides.
        open(record);
        record.due_at = (record.standing != Standing::Final).then_some(facts.now).or(record.due_at);
        return true;
    }
    match record.standing {
        Standing::Final => tell_final(record, report, facts),
        Standing::Superseded => tell_superseded(record, report, source, facts),
        Standing::Refused => tell_refused(record, report, source, facts),
        Standing::Sending | Standing::Unknown | Standing::Open => tell_current(record, report, source, facts),
    }
    if record.status().is_some_and(|status| status.is_final()) {
        status_decides(record);
    }
    true
}

/// Makes the order this attempt's, or says that it cannot be.
fn bind(record: &mut Record, report: &Report, source: Source, now: i64) -> bool {
    match &record.order_id {
        Some(order_id) if *order_id != report.order_id => {
            // What a webhook alone had named ends nothing and was shown to nobody: the reply decides.
            if source != Source::Creation || record.order_id_confirmed || record.has_credentials {
                return false;
            }
            record.notes.push(format!("a webhook had named the order {order_id}"));
            record.order_id = Some(report.order_id.clone());
            record.payment.clear();
            (record.status, record.sum_paid) = (None, None);
            raise(record, Reason::OrderDiffers);
        }
        Some(_) => {}
        None => {
            record.order_id = Some(report.order_id.clone());
            record.asking_since = now;
            if record.standing != Standing::Final {
                record.due_at = Some(if source == Source::Webhook { now } else { now + SOON });
            }
        }
    }
    record.order_id_confirmed |= source != Source::Webhook;
    record.not_found = (0, 0);
    true
}

fn open(record: &mut Record) {
    if matches!(record.standing, Standing::Sending | Standing::Unknown) {
        record.standing = Standing::Open;
        drop_reason(record, Reason::Unknown);
    }
}

fn tell_current(record: &mut Record, report: &Report, source: Source, facts: Facts) {
    let had_credentials = record.has_credentials;
    let was_told = source == Source::Creation && record.standing_at(facts.now) != Standing::Unknown;
    merge(record, report, source);
    if !report.is_final() {
        open(record);
        note_credentials(record, report);
        if record.has_credentials {
            raise_level(record, Level::Credentials);
        }
        if report.status() == Some(Status::ReceiptRequired) && facts.guards.report_receipt {
            raise_level(record, Level::ReceiptRequired);
        }
        ask_at(record, facts.now + SOON);
    } else if !report.is_success() && !had_credentials && facts.guards.stay_refused {
        refuse(record, !was_told);
    } else {
        finish(record);
    }
}

fn tell_refused(record: &mut Record, report: &Report, source: Source, facts: Facts) {
    let was_final = record.status().is_some_and(|status| status.is_final());
    match report.is_final() {
        true if report.is_success() || !facts.guards.stay_refused => {
            merge(record, report, source);
            if report.is_success() {
                raise(record, Reason::FoundAfterRefused);
            }
            finish(record);
        }
        true => {
            merge(record, report, source);
            record.due_at = None;
        }
        // An old message that came late.
        false if was_final => {}
        false => {
            merge(record, report, source);
            note_credentials(record, report);
            raise(record, Reason::FoundAfterRefused);
            ask_at(record, facts.now + SOON);
        }
    }
}

fn tell_superseded(record: &mut Record, report: &Report, source: Source, facts: Facts) {
    let was_final = record.status().is_some_and(|status| status.is_final());
    if report.is_final() && report.is_success() {
        raise(record, Reason::SupersededPaid);
    }
    match report.is_final() {
        true if was_final => contradict(record, report, facts.guards),
        true => {
            merge(record, report, source);
            record.due_at = None;
        }
        false if was_final => {}
        false => {
            merge(record, report, source);
            note_credentials(record, report);
            if report.status() == Some(Status::ReceiptRequired) {
                raise(record, Reason::SupersededAlive);
            }
            ask_at(record, facts.now);
        }
    }
}

fn tell_final(record: &mut Record, report: &Report, facts: Facts) {
    if !facts.guards.final_stays {
        merge(record, report, Source::Status);
        record.standing = if report.is_final() { Standing::Final } else { Standing::Open };
        record.due_at = (!report.is_final()).then_some(facts.now);
    } else if report.is_final() {
        contradict(record, report, facts.guards);
    }
}

/// A final status is never left: what contradicts it is for a person.
fn contradict(record: &mut Record, report: &Report, guards: Guards) {
    let was_success = record.status.as_deref() == Some(Status::DoneSuccess.as_str());
    let other_sum = report.sum.is_some_and(|sum| record.sum_paid.is_some_and(|paid| paid != sum));
    if guards.report_contradiction && (was_success != report.is_success() || was_success && other_sum) {
        raise(record, Reason::FinalContradicted);
    }
}

fn finish(record: &mut Record) {
    record.standing = Standing::Final;
    record.due_at = None;
    drop_reason(record, Reason::Unknown);
    raise_level(record, Level::Final);
    if record.is_success() && record.paid() != Some(Paid::Exactly) {
        raise(record, Reason::PaidDiffers);
    }
}

/// Nobody can pay it. `report` where the call that made it does not tell its caller.
fn refuse(record: &mut Record, report: bool) {
    record.standing = Standing::Refused;
    record.due_at = None;
    drop_reason(record, Reason::Unknown);
    if report {
        raise_level(record, Level::Refused);
    }
}

/// Whether anything was changed.
fn not_created(record: &mut Record, end: CallEnd, facts: Facts) -> bool {
    let was_unknown = record.standing_at(facts.now) == Standing::Unknown;
    match (record.standing, end) {
        (Standing::Sending | Standing::Unknown, CallEnd::NotSent | CallEnd::Refused) => refuse(record, was_unknown),
        (Standing::Sending, _) => {
            record.standing = Standing::Unknown;
            record.due_at = None;
            raise(record, Reason::Unknown);
        }
        _ => return false,
    }
    true
}

fn credentials_failed(record: &mut Record, report: &Report, facts: Facts) -> bool {
    if !bind(record, report, Source::Webhook, facts.now) {
        return false;
    }
    let by_webhook_alone = !record.order_id_confirmed && facts.guards.webhook_asks_first;
    match record.standing {
        Standing::Sending | Standing::Unknown | Standing::Open if by_webhook_alone => {
            open(record);
            record.due_at = Some(facts.now);
        }
        Standing::Sending | Standing::Unknown => refuse(record, true),
        Standing::Open if !record.has_credentials => refuse(record, true),
        _ => {}
    }
    true
}

/// Takes over what the service told: a field that is absent erases nothing.
fn merge(record: &mut Record, report: &Report, source: Source) {
    for (name, value) in &report.fields {
        let is_kept = source != Source::Creation && NOT_FROM_STATUS.contains(&name.as_str()) && record.payment.contains_key(name);
        if name != "success" && value != "null" && !is_kept {
            record.payment.insert(name.clone(), value.clone());
        }
    }
    if let Some(sum) = report.sum {
        record.sum_paid = Some(sum);
    }
    if let Some(status) = &report.status
        && record.status.as_ref() != Some(status)
    {
        record.status = Some(status.clone());
        record.tries = 0;
    }
}

/// Notes credentials that the customer could pay, if they are for what was asked.
fn note_credentials(record: &mut Record, report: &Report) {
    if record.has_credentials || !report.has_credentials || !matches!(report.status(), None | Some(Status::Free | Status::Pending)) {
        return;
    }
    let is_asked_sum = report.sum.is_none_or(|sum| sum == record.sum_asked);
    let is_asked_currency = report.currency.as_deref().is_none_or(|currency| currency == Currency::Rub.as_str());
    if is_asked_sum && is_asked_currency {
        record.has_credentials = true;
    } else {
        raise(record, Reason::CredentialsDiffer);
    }
}

/// What was unclear about an instruction is decided by a final status.
fn status_decides(record: &mut Record) {
    let is_success = record.status.as_deref() == Some(Status::DoneSuccess.as_str());
    let is_undecided = |intent: &Intent| matches!(intent.state, Some(IntentState::Stored | IntentState::Unclear));
    if is_undecided(&record.cancel) {
        record.cancel.state = Some(if is_success { IntentState::Refused } else { IntentState::Accepted });
    }
    if is_undecided(&record.confirm) {
        record.confirm.state = Some(if is_success { IntentState::Accepted } else { IntentState::Unclear });
    }
    for reason in [Reason::ConfirmUnclear, Reason::ConfirmRefused, Reason::OrderNotFound, Reason::StillOpen, Reason::SupersededAlive] {
        drop_reason(record, reason);
    }
}

/// What `settle` does next after a status that is not final.
fn after_status(record: &mut Record, facts: Facts) -> Option<Call> {
    if record.status().is_some_and(|status| status.is_final()) {
        return None;
    }
    ask_later(record, facts);
    let awaits_payment = matches!(record.status(), None | Some(Status::Free | Status::Pending));
    match record.standing {
        Standing::Open if record.cancel.state == Some(IntentState::Stored) => Some(call_again(record, Instruction::Cancel)),
        Standing::Open => {
            let is_undecided = matches!(record.confirm.state, Some(IntentState::Stored | IntentState::Unclear));
            if is_undecided && facts.now - record.confirm.since >= DAY {
                raise(record, Reason::ConfirmUnclear);
            }
            let says_again = record.confirm.state == Some(IntentState::Stored) && awaits_payment;
            says_again.then(|| call_again(record, Instruction::Confirm))
        }
        Standing::Superseded if awaits_payment => cancel_superseded(record, facts),
        _ => None,
    }
}

/// Cancels what a newer attempt has replaced, again and again: a refusal while it is `free` says nothing about a moment later.
fn cancel_superseded(record: &mut Record, facts: Facts) -> Option<Call> {
    if record.cancel.calls == 0 {
        record.cancel.since = facts.now;
    } else if facts.now - record.cancel.since >= DAY {
        raise(record, Reason::SupersededAlive);
    }
    let is_undecided = matches!(record.cancel.state, None | Some(IntentState::Stored));
    (is_undecided || facts.guards.cancel_until_final).then(|| call_again(record, Instruction::Cancel))
}

fn call_again(record: &mut Record, instruction: Instruction) -> Call {
    let intent = intent(record, instruction);
    intent.state = intent.state.or(Some(IntentState::Stored));
    intent.calls += 1;
    Call::Instruct(instruction, intent.calls)
}

fn intent(record: &mut Record, instruction: Instruction) -> &mut Intent {
    match instruction {
        Instruction::Confirm => &mut record.confirm,
        Instruction::Cancel => &mut record.cancel,
    }
}

/// Stores an instruction before its call. One that is stored already may have arrived: then the status is asked first.
fn want(record: &mut Record, instruction: Instruction, facts: Facts) -> Option<Call> {
    let guards = facts.guards;
    let is_accepted = |intent: &Intent| intent.state == Some(IntentState::Accepted) && guards.accepted_stays;
    if record.standing != Standing::Open || is_accepted(&record.cancel) || is_accepted(intent(record, instruction)) {
        return None;
    }
    let other = match instruction {
        Instruction::Confirm => Instruction::Cancel,
        Instruction::Cancel => Instruction::Confirm,
    };
    let replaced = intent(record, other);
    if replaced.state == Some(IntentState::Stored) && guards.newest_intent {
        replaced.state = (replaced.calls > 0).then_some(IntentState::Unclear);
    }
    let wanted = intent(record, instruction);
    match wanted.state {
        Some(IntentState::Stored) => return Some(Call::Status),
        Some(IntentState::Unclear) => {}
        _ => *wanted = Intent { since: facts.now, ..Intent::default() },
    }
    if !guards.intent_first {
        return Some(Call::Instruct(instruction, wanted.calls + 1));
    }
    wanted.state = Some(IntentState::Stored);
    wanted.calls += 1;
    let call = Call::Instruct(instruction, wanted.calls);
    record.due_at = Some(facts.now + SOON);
    record.tries = 0;
    Some(call)
}

fn answered(record: &mut Record, instruction: Instruction, number: u32, end: CallEnd, facts: Facts) {
    let guards = facts.guards;
    let intent = intent(record, instruction);
    let was_accepted = intent.state == Some(IntentState::Accepted) && guards.accepted_stays;
    let is_only_call = intent.calls <= 1 && number <= 1;
    match end {
        CallEnd::Accepted => intent.state = Some(IntentState::Accepted),
        CallEnd::Refused if was_accepted || intent.state != Some(IntentState::Stored) && guards.accepted_stays => {}
        CallEnd::Refused if is_only_call || !guards.repeated_refusal_is_unclear => {
            intent.state = Some(IntentState::Refused);
            if instruction == Instruction::Confirm {
                raise(record, Reason::ConfirmRefused);
            }
        }
        CallEnd::Refused => intent.state = Some(IntentState::Unclear),
        CallEnd::NotSent if is_only_call => intent.calls = 0,
        CallEnd::NotSent | CallEnd::Unclear => {}
    }
    if end == CallEnd::Accepted && instruction == Instruction::Confirm {
        drop_reason(record, Reason::ConfirmRefused);
        drop_reason(record, Reason::ConfirmUnclear);
    }
    if record.due_at.is_some() && record.standing == Standing::Open {
        ask_at(record, facts.now + SOON);
    }
}

/// Takes it for asking about it, so that another process does not at the same time.
fn claim(record: &mut Record, at_once: bool, facts: Facts) -> Option<Call> {
    let is_due = record.due_at.is_some_and(|due_at| due_at <= facts.now);
    if record.standing == Standing::Sending {
        if is_due {
            record.standing = Standing::Unknown;
            record.due_at = None;
            raise(record, Reason::Unknown);
        }
        return None;
    }
    let is_final = record.standing == Standing::Final || record.status().is_some_and(|status| status.is_final());
    let can_be_asked = record.order_id.is_some() && !is_final;
    if !can_be_asked || !(is_due || at_once) {
        return None;
    }
    record.due_at = Some(facts.now + CLAIM);
    Some(Call::Status)
}

fn see(record: &mut Record, note: &str, now: i64) {
    if record.standing_at(now) == Standing::Unknown && record.standing == Standing::Sending {
        record.standing = Standing::Unknown;
        record.due_at = None;
        raise(record, Reason::Unknown);
    }
    if record.attention.is_empty() {
        return;
    }
    let seen = std::mem::take(&mut record.attention);
    record.seen.extend(seen);
    record.seen.sort_unstable();
    record.seen.dedup();
    record.notes.push(note.to_owned());
}

fn purge(record: &mut Record) {
    record.payment.clear();
    record.unknown_fields.clear();
    record.notes.clear();
    record.error = None;
    record.request_hash.clear();
    record.payment_method.clear();
    record.purged = true;
}

fn count_not_found(record: &mut Record, now: i64) {
    let (since, tries) = record.not_found;
    record.not_found = (if tries == 0 { now } else { since }, tries.saturating_add(1));
    let (time, count) = NOT_FOUND;
    if now - record.not_found.0 >= time && record.not_found.1 >= count {
        raise(record, Reason::OrderNotFound);
    }
}

fn ask_at(record: &mut Record, at: i64) {
    record.due_at = Some(record.due_at.map_or(at, |due_at| due_at.min(at)));
}

fn ask_later(record: &mut Record, facts: Facts) {
    record.due_at = schedule::next(facts.now, record.asking_since, record.tries);
    record.tries = record.tries.saturating_add(1);
    if record.due_at.is_none() {
        raise(record, Reason::StillOpen);
    }
}

fn raise_level(record: &mut Record, level: Level) {
    record.reported = record.reported.max(level);
}

fn raise(record: &mut Record, reason: Reason) {
    if !record.seen.contains(&reason) && !record.attention.contains(&reason) {
        record.attention.push(reason);
        record.attention.sort_unstable();
    }
}

fn drop_reason(record: &mut Record, reason: Reason) {
    record.attention.retain(|kept| *kept != reason);
    record.seen.retain(|kept| *kept != reason);
}
