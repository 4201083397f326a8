//! The promises, as conditions on a state.

use std::cell::RefCell;
use std::collections::HashSet;

use merchantpay_journal::model::attempt::{Intent, IntentState, Reason, State};
use merchantpay_journal::model::decision::Call;
use merchantpay_journal::model::report::MessageKind;

use crate::process::kill;
use crate::row::{NO, Row, Told, When};
use crate::search::fingerprint;
use crate::transitions::{Event, ORDERS, Outcome, may_claim};
use crate::world::{Model, Order, Process, ROWS, Stored, World};

/// The states of rows and orders whose end is known to be good.
pub type Drained = RefCell<HashSet<u64>>;

impl Model {
    pub fn broken_promise(&self, world: &World) -> Option<String> {
        if let Some(fault) = world.fault {
            return Some(fault.to_owned());
        }
        (0..self.scenario.references)
            .find_map(|reference| self.reference_violation(world, reference))
            .or_else(|| (0..ROWS).find_map(|i| self.row_violation(world, i)))
            .or_else(|| self.end_violation(world))
    }

    fn reference_violation(&self, world: &World, reference: usize) -> Option<String> {
        let payable = |order: &&Order| {
            let is_shown = order.shown & (1 << reference) != 0 && order.told == Told::Pending;
            let owner = usize::from(order.owner);
            let is_paid = order.told == Told::Success && owner < ROWS && self.reference(owner) == reference;
            (is_shown || is_paid) && !self.is_excused(world, order)
        };
        let count = world.orders.iter().filter(payable).count();
        if count > 1 && world.exempt & (1 << reference) == 0 {
            return Some(format!("I1 reference {reference} has {count} payable orders that were shown"));
        }
        let succeeded = self.of(reference).filter(|&i| world.rows[i].succeeded).count();
        if succeeded > 1 {
            return Some(format!("I14 {succeeded} attempts of reference {reference} have succeeded"));
        }
        // A restore or a lost commit takes the shop's own rows with it, so the ghosts say nothing then.
        if world.spent.loses + world.spent.restores > 0 {
            return None;
        }
        let allowed = if self.scenario.file { world.spent.crashes } else { 0 };
        if world.doubled_news > allowed {
            return Some("I13 one number of news was acted on twice".to_owned());
        }
        let again =
            if self.scenario.ships_once { 0 } else { world.withdrawn[reference] + world.doubled_news };
        (world.shipped[reference] > 1 + again)
            .then(|| format!("I15 reference {reference} was shipped {} times", world.shipped[reference]))
    }

    fn is_excused(&self, world: &World, order: &Order) -> bool {
        let owner = usize::from(order.owner);
        let is_own = owner < ROWS && world.is_own(owner, order);
        let was_open = is_own && world.ghosts[owner].replaced_as == Some(State::Open);
        self.scenario.excuses_flipped && order.flipped || self.scenario.excuses_open && was_open
    }

    fn row_violation(&self, world: &World, i: usize) -> Option<String> {
        let (row, ghost) = (&world.rows[i], &world.ghosts[i]);
        row.state?;
        let is_shown_twice = world.orders.iter().any(|order| order.shown.count_ones() > 1);
        if i == 0 && is_shown_twice && !self.scenario.excuses_foreign {
            return Some("I1b an order was shown to two references".to_owned());
        }
        let is_acknowledged = row.news <= row.acked;
        if row.status == Told::Success
            && is_acknowledged
            && (ghost.seen != Told::Success || ghost.saw_success != row.succeeded)
        {
            return Some(format!("I16 the success of row{i} is no news, and nobody saw it"));
        }
        let is_exempt = world.exempt & (1 << self.reference(i)) != 0;
        if row.is(State::Refused) && !row.replaced && !row.restored && !is_exempt {
            let shown = 1 << self.reference(i);
            let can_pay = |order: &&Order| {
                order.told == Told::Pending && world.is_own(i, order) && order.shown & shown != 0
            };
            if world.orders.iter().any(|order| can_pay(&order)) {
                return Some(format!("I5 row{i} is refused, and its order can be paid"));
            }
        }
        let is_final = matches!(row.status, Told::Success | Told::Fail) && ghost.seen != Told::Nothing;
        if is_final && row.news > 0 && row.news == row.acked && is_end(ghost.seen) && ghost.seen != row.status
        {
            return Some(format!("I6 news of row{i} were acknowledged that nobody saw"));
        }
        if row.order != NO && world.is_taken(row.order, i) {
            return Some("I7 an order belongs to two rows".to_owned());
        }
        let has_order = row.order != NO;
        let is_coherent = match row.state? {
            State::Sent => !has_order && row.call != When::Never,
            State::Open | State::Final => has_order && row.call == When::Never,
            State::Refused => row.call == When::Never,
        };
        if !is_coherent || row.succeeded && !row.is(State::Final) {
            return Some(format!("I22 row{i} contradicts its state"));
        }
        let order = has_order.then(|| &world.orders[usize::from(row.order)]);
        if row.succeeded && order.is_some_and(|order| order.other_sum) {
            return Some(format!("I21 row{i} has succeeded with another sum"));
        }
        None
    }

    /// Whether the outcome binds another order although the attempt's own is known.
    pub fn takes_a_strangers(&self, t: &World, process: &Process, i: usize, outcome: &Outcome) -> bool {
        let is_own = |order: u8| t.is_own(i, &t.orders[usize::from(order)]);
        let knows_own =
            (0..ORDERS as u8).any(|order| is_own(order) && process.answers[usize::from(order)].is_some());
        outcome.new_row.is_some_and(|row| row.order != NO && !is_own(row.order)) && knows_own
    }

    /// Conditions on the end: all processes die, every deadline passes, and `settle` works until nothing
    /// changes. With `hooks` each genuine webhook comes once more.
    fn end_violation(&self, world: &World) -> Option<String> {
        let ghosts =
            world.ghosts.map(|ghost| (ghost.seen, ghost.forgotten, ghost.owes_receipt, ghost.attached_apart));
        let key = fingerprint(&(&world.rows, &ghosts, &world.orders, world.tick));
        if self.drained.borrow().contains(&key) {
            return None;
        }
        for hooks in [false, true] {
            // A webhook that a failover has lost was answered with 200.
            if self.scenario.loses > 0 && !hooks {
                continue;
            }
            if let Some(why) = self.drained_violation(&self.drain(world, hooks), hooks) {
                return Some(why);
            }
        }
        self.drained.borrow_mut().insert(key);
        None
    }

    fn drained_violation(&self, end: &World, hooks: bool) -> Option<String> {
        for (number, order) in end.orders.iter().enumerate() {
            let i = usize::from(order.owner);
            if order.told == Told::Receipt && i < ROWS && end.rows[i].order == number as u8 {
                let (row, ghost) = (&end.rows[i], &end.ghosts[i]);
                // A receipt that is required again leaves no other trace than its webhook.
                if row.news <= row.acked && !ghost.owes_receipt && (hooks || !ghost.attached_apart) {
                    return Some(format!(
                        "I25 order {number} requires a receipt, and nobody hears of it ({hooks})"
                    ));
                }
            }
            if order.told != Told::Success || i >= ROWS || !hooks && order.shown == 0 {
                continue;
            }
            let row = &end.rows[i];
            // An orphan; or a reference that is forgotten, so that only the webhook of a late success counts.
            if row.state.is_none() || !end.is_own(i, order) || end.ghosts[i].forgotten && !hooks {
                continue;
            }
            let is_news = row.news > row.acked || end.ghosts[i].seen == Told::Success;
            let is_told = row.status == Told::Success && is_news || row.attention != 0;
            if row.order == number as u8 && !is_told {
                return Some(format!("I3 order {number} succeeded, and row{i} does not report it ({hooks})"));
            }
            if row.order != number as u8 && !row.is(State::Sent) && row.attention == 0 && hooks {
                return Some(format!("I3 order {number} succeeded, and nobody hears of it"));
            }
        }
        (0..self.scenario.references).find_map(|reference| self.stuck(end, reference))
    }

    fn stuck(&self, end: &World, reference: usize) -> Option<String> {
        let last = &end.rows[self.last(end, reference)?];
        let is_success = self.has_success(end, reference);
        let is_forgotten = |row: &Row| {
            let is_stuck = u32::from(row.attention) & Reason::Stuck.bit() != 0;
            let is_cancelled = row.intent == Some((Intent::Cancel, IntentState::Accepted));
            let is_payable = row.is(State::Open) && end.orders[usize::from(row.order)].told == Told::Pending;
            is_payable && (row.replaced || is_success) && !is_cancelled && !is_stuck
        };
        if let Some(i) = self.of(reference).find(|&i| is_forgotten(&end.rows[i])) {
            return Some(format!(
                "I17 row{i} stays open beside a later attempt or a success, and is not cancelled"
            ));
        }
        if is_success && !self.of(reference).any(|i| end.rows[i].succeeded || end.rows[i].attention != 0) {
            return Some(format!(
                "I18 reference {reference} has a success that is neither succeeded nor seen"
            ));
        }
        // Unknown is attention. Open waits for the service; after refused and final `pay` goes on, or a
        // person decides.
        let is_waiting = last.due != When::Never || last.attention != 0;
        (last.is(State::Open) && !is_waiting || last.is(State::Sent) && last.call == When::Ahead)
            .then(|| format!("I4 reference {reference} is stuck"))
    }

    fn drain(&self, world: &World, hooks: bool) -> World {
        let mut end = world.clone();
        for n in 0..2 {
            kill(&mut end, n);
        }
        end.before_last_write = None;
        for order in &mut end.orders {
            order.hidden = false;
        }
        for row in &mut end.rows {
            // A time far ahead stays there: the journal itself must take it for passed.
            if row.call == When::Ahead {
                row.call = When::Passed;
            }
        }
        if hooks {
            for number in 0..ORDERS as u8 {
                let order = end.orders[usize::from(number)];
                let i = usize::from(order.owner);
                if order.exists() && i < ROWS && end.rows[i].state.is_some() && end.is_own(i, &order) {
                    let kind = if order.told == Told::Pending {
                        MessageKind::Credentials
                    } else {
                        MessageKind::Status
                    };
                    self.receive(&mut end, i, number, kind);
                }
            }
        }
        for _ in 0..12 {
            let before = end.rows;
            for i in (0..ROWS).filter(|&i| before[i].state.is_some()) {
                self.settle(&mut end, i);
            }
            if end.rows == before {
                break;
            }
        }
        end
    }

    /// One turn of `settle` for a row, without anything between its steps.
    fn settle(&self, end: &mut World, i: usize) {
        if !may_claim(&end.rows[i], end.tick) {
            return;
        }
        let claimed = self.transitions.apply(&end.rows[i], Event::Claim, end.tick);
        self.store(end, None, i, &claimed);
        let answers =
            std::array::from_fn(|order| end.orders[order].seen().filter(|_| end.orders[order].exists()));
        let others = self.others(end, i);
        let event = match end.rows[i].order {
            NO => self.hinted(end, i, answers, others),
            order => Event::Answered(answers[usize::from(order)], others),
        };
        let outcome = self.transitions.apply(&end.rows[i], event, end.tick);
        let stored = self.store(end, None, i, &outcome);
        if let (Stored::Yes, Some(Call::Instruct(intent))) = (stored, outcome.call) {
            let event = Event::Instructed(intent, Ok(()), others);
            let outcome = self.transitions.apply(&end.rows[i], event, end.tick);
            self.store(end, None, i, &outcome);
        }
    }
}

fn is_end(told: Told) -> bool {
    matches!(told, Told::Success | Told::Fail)
}
