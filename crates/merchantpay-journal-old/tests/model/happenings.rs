//! Events outside the processes: of the service, its webhooks, persons, clocks, and the shop.

use merchantpay_journal_old::internals::{CallEnd, Event, Reasons, Record};
use merchantpay_journal_old::{Level, Standing};

use crate::service::problem;
use crate::steps::{MOST, Steps, stop};
use crate::tasks::{acknowledge, deliver, news, purge, run_now};
use crate::world::{
    FOREIGN, Hook, NOW, News, OF_OTHER_SUM, Orphan, Read, Request, State, World, apply, report,
};

impl Steps<'_> {
    pub fn service(&mut self) {
        for request in &self.world.requests {
            let took = |mut world: World| {
                world.requests.remove(request);
                world
            };
            if let Some(world) = self.with(|world| &mut world.left.lose) {
                self.add("the request is lost", took(world));
            }
            if let Some(world) = self.with(|world| &mut world.left.refuse) {
                self.add(
                    "the service refuses",
                    reply(took(world), request, Event::NotCreated(CallEnd::Refused, problem())),
                );
            }
            if self.world.orders.len() >= MOST {
                continue;
            }
            if let Some(mut world) = self.with(|world| &mut world.left.doubled) {
                let order = world.make_order(&request.token, State::Awaiting, true);
                world.hook(order, News::Credentials);
                self.add("the request reaches the service twice", world);
            }
            if let Some(world) = self.with(|world| &mut world.left.late_refusal) {
                let mut world = took(world);
                world.make_order(&request.token, State::Finding, request.asynchronous);
                self.add(
                    "the service makes a payment and refuses",
                    reply(world, request, Event::NotCreated(CallEnd::Refused, problem())),
                );
            }
            let mut world = took(self.copy());
            let state = if request.asynchronous { State::Finding } else { State::Awaiting };
            let order = world.make_order(&request.token, state, request.asynchronous);
            let event = Event::Created(report(order, None, !request.asynchronous));
            self.add(format!("the service makes order {order}"), reply(world, request, event));
        }
        for order in 0..self.world.orders.len() {
            self.order(order);
        }
        for (place, zombie) in self.world.zombies.iter().enumerate() {
            let mut world = self.copy();
            world.zombies.remove(place);
            let done = if zombie.is_insert {
                world.insert(&zombie.record)
            } else {
                world.update(&zombie.record) == Some(true)
            };
            if done {
                self.add("a write whose writer is gone is done", world);
            }
        }
    }

    fn order(&mut self, number: usize) {
        let order = self.world.orders[number].clone();
        let is_shown = self.world.handed.contains(&number);
        match order.state {
            State::Finding => {
                let mut world = self.copy();
                world.move_to(number, State::Awaiting);
                if order.asynchronous {
                    world.hook(number, News::Credentials);
                }
                self.add(format!("order {number} has credentials"), world);
                if let Some(mut world) = self.with(|world| &mut world.left.credentials_fail) {
                    world.orders[number].state = State::Fail;
                    world.hook(
                        number,
                        if order.asynchronous { News::CredentialsFailed } else { News::Status(State::Fail) },
                    );
                    self.add(format!("order {number} finds no credentials"), world);
                }
            }
            State::Awaiting => {
                if let Some(mut world) = self.with(|world| &mut world.left.expire) {
                    world.move_to(number, State::Fail);
                    self.add(format!("order {number} expires"), world);
                }
            }
            State::Verifying => {
                let mut world = self.copy();
                world.move_to(number, State::Success);
                self.add(format!("order {number} succeeds"), world);
                if let Some(mut world) = self.with(|world| &mut world.left.receipt) {
                    world.move_to(number, State::Receipt);
                    self.add(format!("order {number} needs a receipt"), world);
                }
            }
            State::Cancelled | State::Fail if order.paid => {
                if let Some(mut world) = self.with(|world| &mut world.left.dispute) {
                    world.move_to(number, State::Success);
                    self.add(format!("order {number} succeeds after all"), world);
                }
            }
            _ => {}
        }
        let can_be_paid =
            order.state == State::Awaiting || order.state == State::Cancelled && self.world.left.dispute > 0;
        if is_shown && !order.paid && can_be_paid {
            if let Some(mut world) = self.with(|world| &mut world.left.customer) {
                world.orders[number].paid = true;
                self.add(format!("the customer pays order {number}"), world);
            }
            if let Some(mut world) = self.with(|world| &mut world.left.less) {
                (world.orders[number].paid, world.orders[number].is_less) = (true, true);
                self.add(format!("the customer pays less than order {number} asks"), world);
            }
        }
    }

    /// Adds the webhooks that can arrive. Webhooks come at any time, in any order, any number of times.
    pub fn webhooks(&mut self) {
        for hook in self.world.hooks.clone() {
            let mut world = self.copy();
            deliver(&mut world, &hook);
            if world != *self.world {
                self.add(format!("a webhook reports {:?} of order {}", hook.news, hook.order), world);
            }
        }
        for token in self.world.rows.iter().map(|row| row.token.clone()).collect::<Vec<_>>() {
            let old = [
                (FOREIGN, News::CredentialsFailed),
                (FOREIGN, News::Status(State::Fail)),
                (OF_OTHER_SUM, News::Status(State::Success)),
            ];
            for (order, news) in old {
                if let Some(mut world) = self.with(|world| &mut world.left.forged) {
                    deliver(&mut world, &Hook { token: token.clone(), order, news });
                    self.add("an old genuine webhook comes to a known token", world);
                }
            }
        }
    }

    pub fn rows(&mut self) {
        for place in 0..self.world.rows.len() {
            let row = self.world.rows[place].clone();
            let attempt = row.attempt;
            if row.due_at.is_some() && row.standing != Standing::Sending {
                // The first idle process settles the attempt.
                for p in 0..2 {
                    if self.world.processes[p].run.is_none()
                        && let Some(world) = self.with(|world| &mut world.left.settle)
                    {
                        self.start(world, p, apply(attempt, Event::Due), "settles");
                        break;
                    }
                }
            }
            if row.standing_at(0) == Standing::Sending
                && let Some(mut world) = self.with(|world| &mut world.left.skew)
            {
                world.rows[place].due_at = Some(0);
                world.rows[place].call_until = Some(0);
                self.add(format!("the lease of {attempt} ends"), world);
            }
            let is_unknown = row.standing_at(0) == Standing::Unknown;
            if !row.attention.is_empty()
                && self.world.operator.is_none()
                && let Some(mut world) = self.with(|world| &mut world.left.look)
            {
                world.read.extend(row.attention.iter().map(|reason| (attempt, *reason)));
                let reasons = Reasons { known: row.attention.clone(), newer: Vec::new() };
                world.operator = Some(Read::Attempt(attempt, reasons));
                self.add(format!("an operator reads of {attempt}"), world);
            }
            if is_unknown && let Some(mut world) = self.with(|world| &mut world.left.resolve) {
                run_now(&mut world, apply(attempt, Event::NoPayment(String::new())));
                self.add(format!("a person says that there is no payment of {attempt}"), world);
            }
            if is_unknown && let Some(mut world) = self.with(|world| &mut world.left.resolve_wrong) {
                let found = report(FOREIGN, Some("pending"), true);
                run_now(&mut world, apply(attempt, Event::Found(found, String::new())));
                self.add(format!("a person names a wrong order for {attempt}"), world);
            }
        }
        if let Some(mut world) = self.with(|world| &mut world.left.restore) {
            for row in &mut world.rows {
                *row = restored(row);
            }
            world.accepted.clear();
            stop(&mut world, 0);
            stop(&mut world, 1);
            self.add("the database is restored", world);
        }
        if let Some(mut world) =
            self.with(|world| &mut world.left.failover).filter(|world| !world.rows.is_empty())
        {
            world.rows.pop();
            stop(&mut world, 0);
            stop(&mut world, 1);
            self.add("the database forgets its newest row", world);
        }
    }

    /// An operator pauses the journal. `pause` returns when no payment call is running.
    fn pause(&mut self) {
        if !self.world.is_paused {
            if let Some(mut world) = self.with(|world| &mut world.left.pause) {
                world.is_paused = true;
                self.add("an operator pauses", world);
            }
        } else if !self.world.pause_has_returned && !self.world.rows.iter().any(|row| row.is_being_made(NOW))
        {
            let mut world = self.copy();
            world.pause_has_returned = true;
            self.add("pause returns", world);
        }
    }

    /// Adds the events of the merchant's loop over the news, and of the operator.
    pub fn shop(&mut self) {
        self.pause();
        if let Some(read) = self.world.operator.clone() {
            let mut world = self.copy();
            world.operator = None;
            match read {
                Read::Attempt(attempt, reasons) => {
                    run_now(&mut world, apply(attempt, Event::Seen(reasons, String::new())));
                }
                Read::Orphan(order_id, status) => {
                    let read = |orphan: &&mut Orphan| orphan.state.status == status;
                    if let Some(orphan) = world.orphans.get_mut(&order_id).filter(read) {
                        orphan.is_seen = true;
                    }
                }
            }
            self.add("the operator has seen it", world);
        } else {
            for (order_id, orphan) in self.world.orphans.iter().filter(|(_, orphan)| !orphan.is_seen) {
                if let Some(mut world) = self.with(|world| &mut world.left.look) {
                    let status = orphan.state.status.clone();
                    world.read_orphans.insert((order_id.clone(), status.clone()));
                    world.operator = Some(Read::Orphan(order_id.clone(), status));
                    self.add("an operator reads of an orphan", world);
                }
            }
        }
        match self.world.shop {
            None => {
                for (attempt, level) in news(self.world) {
                    if let Some(mut world) = self.with(|world| &mut world.left.news) {
                        world.shop = Some((attempt, level, false));
                        self.add(format!("{level} is reported to the shop of {attempt}"), world);
                    }
                }
                if let Some(mut world) = self.with(|world| &mut world.left.purge) {
                    purge(&mut world);
                    self.add("an operator purges", world);
                }
            }
            Some((attempt, level, false)) => {
                let mut world = self.copy();
                world.reported.insert((attempt, level));
                world.shop = Some((attempt, level, true));
                self.add("the shop acts", world);
            }
            Some((attempt, level, true)) => {
                let mut world = self.copy();
                acknowledge(&mut world, attempt, level);
                world.shop = None;
                self.add("the shop acknowledges", world);
            }
        }
    }
}

/// The row after a restore. The backup was made before the row's call, and the call has ended since.
fn restored(row: &Record) -> Record {
    Record {
        standing: Standing::Sending,
        order_id: None,
        order_id_confirmed: false,
        status: None,
        sum_paid: None,
        payment: Default::default(),
        has_credentials: false,
        confirm: Default::default(),
        cancel: Default::default(),
        reported: Level::None,
        acknowledged: Level::None,
        attention: Vec::new(),
        seen: Vec::new(),
        due_at: Some(0),
        call_until: Some(0),
        call_ended: false,
        restored: true,
        ..row.clone()
    }
}

fn reply(mut world: World, request: &Request, event: Event) -> World {
    let process = &mut world.processes[request.process];
    if process.serial == request.serial && process.waiting == Some(None) {
        process.waiting = Some(Some(event));
    }
    world
}
