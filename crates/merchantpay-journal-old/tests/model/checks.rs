//! Conditions that every state must satisfy, and conditions after a drain. A drain restarts every process,
//! delivers every webhook, and settles and acknowledges every attempt.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard};

use merchantpay_journal_old::internals::{Call, Event, Record, Step};
use merchantpay_journal_old::{IntentState, Reason, Standing};

use crate::service::problem;
use crate::steps::Rules;
use crate::tasks::{acknowledge, deliver, news, run_with};
use crate::world::{Budget, FOREIGN, NOW, News, OF_OTHER_SUM, Process, State, World, apply};

/// The conditions of a scenario, in addition to the conditions that hold in every scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Without `replace` a customer can pay at most one payment.
    OnePayable,
    /// If the service made a payment, the journal does not show the attempt as refused without an order id.
    NotRefused,
    /// One decision to replace an attempt makes one new attempt.
    OneReplacement,
    /// If a caller got an attempt's credentials, another order's failure does not refuse the attempt.
    NotRefusedByAnother,
    /// Another order does not refuse an attempt while the attempt's own call runs.
    ReplyKept,
    /// After all remaining events: a failed payment with a lost response needs no operator.
    ExpiryCloses,
    /// No attempt is bound to an order with a different sum.
    SumFits,
    /// A payment of a sum other than the requested sum is never shown as paid exactly.
    SumKnown,
    /// A reference that is paid gets no second payment.
    PaidOnce,
    /// An intent whose first call took effect is never shown as refused.
    IntentTrue,
    /// A failure before credentials makes an attempt refused, not final.
    RefusedStays,
    /// After all remaining events: each paid order is shown in an entry, in the news or in the attention list.
    MoneySeen,
    /// After all remaining events: no superseded attempt is payable.
    SupersededEnds,
    /// After all remaining events: the news has reported every final status.
    FinalReported,
    /// After all remaining events: `pay` or `replace` can still make a payment.
    NotStuck,
    /// After all remaining events: the news has reported a required receipt.
    ReceiptReported,
    /// After all remaining events: every row agrees with the service.
    Converges,
    /// After all remaining events: every orphan was stored.
    OrphansStored,
    /// After all remaining events: the journal has not forgotten a confirm that was sent.
    ConfirmKept,
    /// After all remaining events: an operator sees the payment of a refused attempt.
    FoundSeen,
    /// After all remaining events: an operator sees a status that contradicts the stored final status.
    ContradictionSeen,
}

pub use Check::*;

/// The conditions after the drain for every scenario.
pub const AFTERWARDS: &[Check] =
    &[MoneySeen, SupersededEnds, FinalReported, NotStuck, ReceiptReported, Converges, OrphansStored];

const DRAINED: &[Check] = &[
    MoneySeen,
    SupersededEnds,
    FinalReported,
    NotStuck,
    ReceiptReported,
    Converges,
    OrphansStored,
    ExpiryCloses,
    ConfirmKept,
    ContradictionSeen,
    FoundSeen,
];

/// Results of drained states. Two states share a result if they are equal after a restart.
#[derive(Debug, Default)]
pub struct Drained {
    found: Mutex<HashMap<u64, Option<&'static str>>>,
    hasher: RandomState,
}

impl Drained {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Option<&'static str>>> {
        self.found.lock().unwrap()
    }

    fn hasher(&self) -> &RandomState {
        &self.hasher
    }
}

/// A condition that the state violates; `None` if there is no such condition.
pub fn violation(world: &World, rules: Rules, checks: &[Check], drained: &Drained) -> Option<&'static str> {
    let found =
        world.fault.or_else(|| always(world)).or_else(|| checks.iter().find_map(|check| now(world, *check)));
    let is_drained = checks.iter().any(|check| DRAINED.contains(check));
    found.or_else(|| {
        if !is_drained {
            return None;
        }
        let world = restarted(world);
        let key = drained.hasher().hash_one(&world);
        if let Some(found) = drained.lock().get(&key) {
            return *found;
        }
        let after = drain(world, rules);
        let found = after.fault.or_else(|| checks.iter().find_map(|check| afterwards(&after, *check)));
        drained.lock().insert(key, found);
        found
    })
}

fn always(world: &World) -> Option<&'static str> {
    let live = world.payable().filter(|order| world.handed.contains(order)).count();
    if live > 1 {
        return Some("a customer has the credentials of two live payments");
    }
    let ids: Vec<&String> = world.rows.iter().filter_map(|row| row.order_id.as_ref()).collect();
    if ids.iter().collect::<BTreeSet<_>>().len() < ids.len() {
        return Some("two attempts have one order id");
    }
    let left = world
        .finals
        .iter()
        .any(|attempt| world.row(*attempt).is_some_and(|row| row.standing != Standing::Final));
    if left {
        return Some("a final status was left");
    }
    let is_overwritten = |(attempt, order_id, is_confirm): &(u32, Option<String>, bool)| {
        // A purged attempt no longer has its instructions.
        let row = world.row(*attempt).filter(|row| row.order_id == *order_id && !row.purged);
        row.is_some_and(|row| {
            let intent = if *is_confirm { &row.confirm } else { &row.cancel };
            intent.state != Some(IntentState::Accepted)
        })
    };
    if world.accepted.iter().any(is_overwritten) {
        return Some("an accepted confirm or cancel was overwritten");
    }
    let is_hidden =
        |row: &Record| row.seen.iter().any(|reason| !world.read.contains(&(row.attempt, *reason)));
    world.rows.iter().any(is_hidden).then_some("a reason that no operator has read went off the list")
}

fn now(world: &World, check: Check) -> Option<&'static str> {
    match check {
        OnePayable => {
            let credentials = |order: usize| {
                let is_reported =
                    world.hooks.iter().any(|hook| hook.order == order && hook.news == News::Credentials);
                !world.orders[order].asynchronous || is_reported
            };
            (world.payable().filter(|order| credentials(*order)).count() > 1)
                .then_some("two payments can be paid without replace")
        }
        NotRefused => {
            let is_wrong = |order: &crate::world::Order| {
                let row = world.rows.iter().find(|row| row.token == order.token);
                row.is_none_or(|row| row.standing == Standing::Refused && row.order_id.is_none())
            };
            world
                .orders
                .iter()
                .any(is_wrong)
                .then_some("the service made a payment, and its entry reads refused")
        }
        NotRefusedByAnother => world.rows.iter().find_map(|row| {
            let is_shown = |order: &usize| world.orders[*order].token == row.token;
            (is_refused_by_another(world, row) && world.handed.iter().any(is_shown))
                .then_some("another order's failure refused an attempt whose credentials were handed out")
        }),
        ReplyKept => world.processes.iter().find_map(|process| {
            let Step::Call(record, Call::Create) = process.run.as_ref()?.step() else { return None };
            let row = world.row(record.attempt)?;
            is_refused_by_another(world, row)
                .then_some("another order's failure refused an attempt that is being made")
        }),
        SumFits => world.rows.iter().find_map(|row| {
            let has_other_sum = row.order_id == Some(crate::world::order_id(OF_OTHER_SUM));
            (has_other_sum && row.order_id_confirmed).then_some("an attempt is of an order of another sum")
        }),
        SumKnown => world.rows.iter().find_map(|row| {
            let is_less = world.orders[world.order_of(row)?].is_less;
            (row.succeeded() && is_less).then_some("a payment of another sum reads as paid exactly")
        }),
        OneReplacement => (world.rows.len() > 2).then_some("one decision to replace made two attempts"),
        PaidOnce => {
            let first = world.orders.iter().position(|order| order.state == State::Success && order.paid);
            let is_followed = first.is_some_and(|first| first + 1 < world.orders.len());
            is_followed.then_some("a paid reference has a second payment")
        }
        IntentTrue => world.rows.iter().find_map(|row| {
            let state = world.orders[world.order_of(row)?].state;
            let confirmed = matches!(state, State::Verifying | State::Success | State::Receipt);
            let is_wrong = row.confirm.state == Some(IntentState::Refused) && confirmed
                || row.cancel.state == Some(IntentState::Refused) && state == State::Cancelled;
            is_wrong.then_some("an intent reads refused whose first call took effect")
        }),
        RefusedStays => world.rows.iter().find_map(|row| {
            let is_failure = row.standing == Standing::Final && row.status.as_deref() != Some("doneSuccess");
            (is_failure && !row.has_credentials)
                .then_some("a failure before credentials turned refused into final")
        }),
        _ => None,
    }
}

/// Finds a paid order that has no row and is not shown. An orphan stays on the attention list until an
/// operator has read its status.
fn hidden_orphan(world: &World, number: usize) -> Option<&'static str> {
    let Some(orphan) = world.orphans.get(&number.to_string()) else {
        return Some("money is lost: a paid order is nowhere");
    };
    let is_known =
        world.orders[number].state != State::Success || orphan.state.status.as_deref() == Some("doneSuccess");
    let read = (number.to_string(), orphan.state.status.clone());
    (!is_known || orphan.is_seen && !world.read_orphans.contains(&read))
        .then_some("money is hidden: no operator reads that the order of an orphan was paid")
}

fn is_refused_by_another(world: &World, row: &Record) -> bool {
    let is_another = row.order_id.is_some() && world.order_of(row).is_none();
    row.standing == Standing::Refused && is_another
}

fn afterwards(world: &World, check: Check) -> Option<&'static str> {
    let needs_a_person = |row: &Record| !row.attention.is_empty();
    let last = world.rows.last();
    match check {
        MoneySeen => (0..world.orders.len()).find_map(|number| {
            let order = &world.orders[number];
            let is_forgotten =
                world.left.failover == 0 && !world.rows.iter().any(|row| row.token == order.token);
            let can_be_known = !is_forgotten || world.hooks.iter().any(|hook| hook.order == number);
            if !order.paid || matches!(order.state, State::Fail | State::Cancelled) || !can_be_known {
                return None;
            }
            let Some(row) = world.row_of_order(number) else {
                return hidden_orphan(world, number);
            };
            let is_reported = world
                .reported
                .iter()
                .any(|(attempt, level)| *attempt == row.attempt && level.name() == "final");
            let is_last = last.is_some_and(|last| last.attempt == row.attempt);
            (!is_last && !needs_a_person(row) && !is_reported)
                .then_some("money is hidden: a paid order is in no entry, news or attention")
        }),
        SupersededEnds => world.rows.iter().find_map(|row| {
            let state = world.orders[world.order_of(row)?].state;
            (row.standing == Standing::Superseded && state == State::Awaiting)
                .then_some("a superseded payment stays alive")
        }),
        FinalReported => world.rows.iter().find_map(|row| {
            let is_reported = world
                .reported
                .iter()
                .any(|(attempt, level)| *attempt == row.attempt && level.name() == "final");
            (row.standing == Standing::Final && !is_reported).then_some("a final status was never reported")
        }),
        NotStuck => {
            let last = last?;
            let keeps = |replace| {
                merchantpay_journal_old::internals::decide(Some(last), replace, NOW)
                    == merchantpay_journal_old::internals::Decision::Keep
            };
            let is_stuck = last.standing == Standing::Superseded && keeps(None) && keeps(Some(last.attempt));
            is_stuck.then_some("the last attempt is superseded, and neither pay nor replace goes on")
        }
        ReceiptReported => world.rows.iter().find_map(|row| {
            let state = world.orders[world.order_of(row)?].state;
            let is_reported =
                world.reported.iter().any(|(attempt, level)| *attempt == row.attempt && level.number() >= 2);
            (state == State::Receipt && !is_reported && !needs_a_person(row))
                .then_some("a receipt is required, and it was reported to nobody")
        }),
        ExpiryCloses => world.rows.iter().find_map(|row| {
            let number = world.orders.iter().position(|order| order.token == row.token)?;
            let is_failed = world.orders[number].state == State::Fail && !world.handed.contains(&number);
            (is_failed && needs_a_person(row)).then_some("an expired payment is left to an operator")
        }),
        Converges => world.rows.iter().find_map(|row| {
            let state = world.orders[world.order_of(row)?].state;
            let is_final = row.status.as_deref().is_some_and(|status| status.starts_with("done"))
                || row.standing == Standing::Refused;
            (matches!(state, State::Success | State::Fail) && !is_final)
                .then_some("an order is final, and its entry does not say so")
        }),
        OrphansStored => world.hooks.iter().find_map(|hook| {
            let is_placed = world.row_of_order(hook.order).is_some();
            let is_stored = world.orphans.contains_key(&hook.order.to_string());
            let is_noted = world.rows.iter().any(|row| row.attention.contains(&Reason::OrderDiffers));
            (!is_placed && !is_stored && !is_noted)
                .then_some("an orphan is not stored, and it is reported to nobody")
        }),
        ConfirmKept => world.confirmed.iter().find_map(|order| {
            let is_forgotten = world.orders[*order].paid && world.orders[*order].state == State::Awaiting;
            is_forgotten.then_some("a confirm that had left was forgotten")
        }),
        FoundSeen => world.rows.iter().find_map(|row| {
            let is_alive = world.orders[world.order_of(row)?].state == State::Awaiting;
            let is_hidden =
                row.standing == Standing::Refused && !row.attention.contains(&Reason::FoundAfterRefused);
            (is_alive && is_hidden).then_some("a payment of a refused attempt is shown to nobody")
        }),
        ContradictionSeen => world.rows.iter().find_map(|row| {
            let is_success = world.orders[world.order_of(row)?].state == State::Success;
            let says_success = row.status.as_deref() == Some("doneSuccess");
            let differs = row.standing == Standing::Final && is_success && !says_success;
            (differs && !row.attention.contains(&Reason::FinalContradicted))
                .then_some("a contradicted final status is shown to nobody")
        }),
        _ => None,
    }
}

/// The world after all processes have died and started again, without their memory.
fn restarted(world: &World) -> World {
    let mut world = world.clone();
    world.fault = None;
    for process in &mut world.processes {
        *process = Process { run: None, waiting: None, serial: 0, steps: 0 };
    }
    world.requests.clear();
    world.zombies.clear();
    world.handed.clear();
    world.finals.clear();
    world.accepted.clear();
    world.shop = None;
    world.operator = None;
    world.read.clear();
    world.left = Budget { failover: world.left.failover, ..Budget::default() };
    for row in world.rows.iter_mut().filter(|row| row.standing == Standing::Sending) {
        row.due_at = Some(0);
    }
    for row in &mut world.rows {
        row.call_until = Some(0);
    }
    world
}

/// Drains a state. Until nothing changes, the function delivers every webhook, settles every attempt, acts on
/// the news, and makes the service finish its payments.
fn drain(mut world: World, rules: Rules) -> World {
    for _ in 0..20 {
        let before = progress(&world);
        for hook in world.hooks.clone() {
            deliver(&mut world, &hook);
        }
        for attempt in world.rows.iter().map(|row| row.attempt).collect::<Vec<_>>() {
            settle(&mut world, attempt, rules);
        }
        for (attempt, level) in news(&world) {
            world.reported.insert((attempt, level));
            acknowledge(&mut world, attempt, level);
        }
        if progress(&world) == before && !service_goes_on(&mut world) {
            break;
        }
    }
    world
}

/// The part of a state that shows whether a drain still changes anything. Versions and call counts are left
/// out, because they grow without end.
fn progress(world: &World) -> impl PartialEq + use<> {
    let states: Vec<State> = world.orders.iter().map(|order| order.state).collect();
    let rows = world.rows.iter().map(|row| {
        (
            row.standing,
            row.order_id.clone(),
            row.status.clone(),
            row.reported,
            row.acknowledged,
            row.confirm.state,
            row.cancel.state,
        )
    });
    (states, rows.collect::<Vec<_>>(), world.orphans.len(), world.reported.len())
}

/// Makes the service continue with its payments. Returns `true` if anything changed.
fn service_goes_on(world: &mut World) -> bool {
    let mut has_moved = false;
    for number in 0..world.orders.len() {
        let next = match world.orders[number].state {
            State::Verifying => State::Success,
            State::Finding => State::Awaiting,
            _ => continue,
        };
        has_moved = true;
        world.move_to(number, next);
        if next == State::Awaiting && world.orders[number].asynchronous {
            world.hook(number, News::Credentials);
        }
    }
    has_moved
}

fn settle(world: &mut World, attempt: u32, rules: Rules) {
    if world.row(attempt).is_none_or(|row| row.due_at.is_none()) {
        return;
    }
    let mute = rules.mute_cancel;
    run_with(world, apply(attempt, Event::Due), &mut |world, record, call| {
        let order = record.order_id.as_deref().and_then(|id| id.parse().ok()).unwrap_or(FOREIGN);
        Some(match call {
            Call::Instruct(instruction, number) => Event::Answered(
                instruction,
                number,
                world.instruct(order, instruction, mute),
                Some(problem()),
            ),
            _ => world.status(order, mute),
        })
    });
}
