//! The steps of the shop's processes. Between two steps of a process anything else may happen; it may also
//! die.

use merchantpay_journal::model::attempt::Intent;
use merchantpay_journal::model::decision::Call;

use crate::row::{NO, Row, Seen, Told, When};
use crate::transitions::{
    End, Event, Hinted, ORDERS, Others, Outcome, Paying, acknowledges, may_claim, may_lease, new_row,
};
use crate::world::{Flight, Model, Next, Pc, Process, ROWS, Stored, World};

/// The bound of the search: no row is used again after so many tokens.
const MOST_TOKENS: u8 = 5;

impl Model {
    pub fn process_steps(&self, world: &World, n: usize, next: &mut Next) {
        let process = world.processes[n];
        let i = usize::from(process.row);
        if process.pc == Pc::Idle {
            return self.begin(world, n, next);
        }
        if world.spent.crashes < self.scenario.crashes {
            let mut t = world.clone();
            t.spent.crashes += 1;
            kill(&mut t, n);
            next.push(|| format!("p{n} dies"), t);
        }
        let mut t = world.clone();
        match process.pc {
            Pc::Idle => {}
            Pc::Insert => self.insert(t, n, i, next),
            Pc::Reuse => self.reuse(t, n, i, next),
            Pc::Check => {
                // The own clock says that the deadline has passed before the first byte.
                let is_late = world.rows[i].is_over();
                t.processes[n].pc = if is_late { Pc::Store } else { Pc::Send };
                t.processes[n].flight = if is_late { Flight::NotSent } else { Flight::None };
                next.push(|| format!("p{n} {}", if is_late { "is late" } else { "is in time" }), t);
            }
            Pc::Send => {
                if self.scenario.unsent {
                    let mut t = world.clone();
                    (t.processes[n].pc, t.processes[n].flight) = (Pc::Store, Flight::NotSent);
                    next.push(|| format!("p{n} cannot send"), t);
                }
                (t.processes[n].pc, t.processes[n].flight) = (Pc::Await, Flight::Sent);
                if t.pause_returned {
                    t.fault = Some("I19 a request was sent after the pause had returned");
                }
                next.push(|| format!("p{n} sends row{i}"), t);
            }
            Pc::Await => self.wait_for_reply(world, n, next),
            Pc::Store => self.store_end(t, n, i, next),
            Pc::Show => {
                let reference = self.reference(i);
                show(&mut t, process.order, reference);
                t.processes[n] = Process::IDLE;
                next.push(|| format!("p{n} shows order {}", process.order), t);
            }
            Pc::Ask | Pc::ReplaceAsk => {
                let is_claim = process.pc == Pc::Ask;
                let asked = self.transitions.questions(&world.rows[i]);
                for order in (0..ORDERS as u8).filter(|order| asked & (1 << order) != 0) {
                    let place = usize::from(order);
                    t.processes[n].answers[place] = world.orders[place].seen();
                    t.processes[n].age = world.orders[place].age;
                }
                t.processes[n].others = self.others(world, i);
                t.processes[n].order = world.rows[i].order;
                t.processes[n].pc = if is_claim { Pc::Apply } else { Pc::Replace };
                next.push(|| format!("p{n} asks about row{i}: {:?}", told(world, asked)), t);
            }
            Pc::Apply => self.apply_answer(t, n, i, next),
            Pc::Instruct => self.instruct(world, n, i, next),
            Pc::Replace => self.replace(t, n, i, next),
            Pc::Ship => {
                if process.told == Told::Success && process.saw_success {
                    self.ship(&mut t, i, process.number);
                }
                t.processes[n].pc = Pc::Acknowledge;
                next.push(|| format!("p{n} acts on row{i}, number {}", process.number), t);
            }
            Pc::Acknowledge => self.acknowledge(t, n, i, next),
        }
    }

    fn begin(&self, world: &World, n: usize, next: &mut Next) {
        for reference in 0..self.scenario.references {
            self.begin_pay(world, n, reference, next);
            let Some(last) = self.last(world, reference) else { continue };
            let is_left = last + 1 < self.place(reference + 1, 0).min(ROWS);
            let attempts = self.attempts(world, reference);
            let may = world.spent.replaces < self.scenario.replaces && is_left;
            if may && self.transitions.may_replace(&attempts, world.tick) {
                let mut t = world.clone();
                t.spent.replaces += 1;
                let pc = if world.rows[last].order == NO { Pc::Replace } else { Pc::ReplaceAsk };
                t.processes[n] = Process { pc, row: last as u8, ..Process::IDLE };
                next.push(|| format!("p{n} begins to replace row{last}"), t);
            }
        }
        for i in 0..ROWS {
            let row = world.rows[i];
            if row.state.is_none() {
                continue;
            }
            if may_claim(&row, world.tick) {
                let mut t = world.clone();
                t.processes[n] = Process { pc: Pc::Ask, row: i as u8, token: row.token, ..Process::IDLE };
                let outcome = self.transitions.apply(&row, Event::Claim, world.tick);
                self.store(&mut t, Some(n), i, &outcome);
                next.push(|| format!("p{n} claims row{i}"), t);
            }
            let is_worker = |process: &&Process| matches!(process.pc, Pc::Ship | Pc::Acknowledge);
            let workers = world.processes.iter().filter(is_worker).count();
            let is_free = workers < self.scenario.workers && world.spent.news < self.scenario.news;
            if is_free && row.news > row.acked && may_lease(&row, world.tick) {
                let mut t = world.clone();
                t.spent.news += 1;
                if self.scenario.lease {
                    t.rows[i].lease = When::Ahead;
                }
                let pc = if self.scenario.file { Pc::Ship } else { Pc::Acknowledge };
                let (number, told, saw_success) = (row.news, row.status, row.succeeded);
                t.processes[n] = Process { pc, row: i as u8, number, told, saw_success, ..Process::IDLE };
                next.push(|| format!("p{n} reads news of row{i}: number {number}, {told:?}"), t);
            }
        }
    }

    fn begin_pay(&self, world: &World, n: usize, reference: usize, next: &mut Next) {
        let attempts = self.attempts(world, reference);
        let mut t = world.clone();
        let token = world.tokens + 1;
        match self.transitions.pay(&attempts, token, world.tick) {
            Paying::Insert(number) => {
                let place = number as usize - 1;
                if place >= self.scenario.attempts {
                    return;
                }
                let row = self.place(reference, place) as u8;
                t.processes[n] = Process { pc: Pc::Insert, row, ..Process::IDLE };
                next.push(|| format!("p{n} pay: will insert row{row}"), t);
            }
            Paying::Reuse(_) => {
                if world.tokens >= MOST_TOKENS {
                    return;
                }
                let Some(last) = self.last(world, reference) else { return };
                t.processes[n] = Process { pc: Pc::Reuse, row: last as u8, ..Process::IDLE };
                next.push(|| format!("p{n} pay: will use row{last} again"), t);
            }
            Paying::Raise(outcome) => {
                let Some(last) = self.last(world, reference) else { return };
                if outcome.new_row.is_some() {
                    self.store(&mut t, None, last, &outcome);
                    next.push(|| format!("p{n} pay: raises attention for row{last}"), t);
                }
            }
            Paying::Return(number, true) => {
                let i = self.place(reference, number as usize - 1);
                let order = world.rows[i].order;
                if world.orders[usize::from(order)].shown & (1 << reference) == 0 {
                    if self.has_success(world, reference) {
                        t.fault = Some("I11 credentials were returned beside a success");
                    }
                    show(&mut t, order, reference);
                    next.push(|| format!("p{n} pay: shows order {order}"), t);
                }
            }
            Paying::Return(_, false) | Paying::Nothing => {}
        }
    }

    fn insert(&self, mut t: World, n: usize, i: usize, next: &mut Next) {
        let is_guarded = t.paused || self.has_success(&t, self.reference(i));
        if t.rows[i].state.is_some() || is_guarded {
            t.processes[n] = Process::IDLE;
            next.push(|| format!("p{n} INSERT row{i}: refused"), t);
            return;
        }
        self.insert_row(&mut t, n, i);
        next.push(|| format!("p{n} INSERT row{i}"), t);
    }

    fn insert_row(&self, t: &mut World, n: usize, i: usize) {
        t.tokens += 1;
        let row = new_row(t.tokens);
        if self.has_success(t, self.reference(i)) {
            t.fault = Some("I12 an attempt was made beside a success");
        }
        t.ghosts[i] = Default::default();
        t.processes[n] = Process { pc: Pc::Check, row: i as u8, token: t.tokens, ..Process::IDLE };
        self.write(t, Some(n), i, row);
    }

    fn reuse(&self, mut t: World, n: usize, i: usize, next: &mut Next) {
        let attempts = self.attempts(&t, self.reference(i));
        let was_success = self.has_success(&t, self.reference(i));
        t.tokens += 1;
        // The decision was made when the row was read; if the stamp is the same, it is still the same but for
        // the others' successes.
        let blind = attempts.map(|row| Row { status: Told::Nothing, succeeded: false, ..row });
        let stored = match self.transitions.pay(&blind, t.tokens, t.tick) {
            Paying::Reuse(outcome) if !t.processes[n].stale => self.store(&mut t, Some(n), i, &outcome),
            _ => Stored::Changed,
        };
        if matches!(stored, Stored::Yes) {
            if was_success {
                t.fault = Some("I12 an attempt was made beside a success");
            }
            let token = t.rows[i].token;
            t.processes[n] = Process { pc: Pc::Check, row: i as u8, token, ..Process::IDLE };
            next.push(|| format!("p{n} uses row{i} again"), t);
        } else {
            t.tokens -= 1;
            t.processes[n] = Process::IDLE;
            next.push(|| format!("p{n} does not use row{i} again"), t);
        }
    }

    fn wait_for_reply(&self, world: &World, n: usize, next: &mut Next) {
        let process = world.processes[n];
        if self.scenario.lost {
            let mut t = world.clone();
            if process.flight == Flight::Sent {
                drift(&mut t, &process);
            }
            (t.processes[n].pc, t.processes[n].flight) = (Pc::Store, Flight::Lost);
            next.push(|| format!("p{n} gets no reply"), t);
        }
        if process.flight != Flight::Sent {
            let mut t = world.clone();
            t.processes[n].pc = Pc::Store;
            next.push(|| format!("p{n} gets the reply, order {}", process.order), t);
        }
    }

    fn store_end(&self, mut t: World, n: usize, i: usize, next: &mut Next) {
        let process = t.processes[n];
        t.processes[n] = Process::IDLE;
        let end = match process.flight {
            Flight::Made => {
                let order = process.order;
                let seen = process.answers[usize::from(order)].expect("a reply");
                End::Reply { order, seen, is_taken: t.is_taken(order, i) }
            }
            Flight::Refused => End::Refused,
            Flight::NotSent => End::NotSent,
            Flight::None | Flight::Sent | Flight::Lost => End::Unclear,
        };
        if t.rows[i].state.is_some() {
            let outcome = self.transitions.apply(&t.rows[i], Event::Ended(process.token, end), t.tick);
            self.store(&mut t, None, i, &outcome);
            let place = (i - self.place(self.reference(i), 0)) as u8;
            let attempts = self.attempts(&t, self.reference(i));
            let is_reply = process.flight == Flight::Made;
            if is_reply && self.transitions.shows_reply(&attempts, place, process.token, process.order) {
                if self.has_success(&t, self.reference(i)) {
                    t.fault = Some("I11 credentials were returned beside a success");
                }
                t.processes[n] =
                    Process { pc: Pc::Show, row: i as u8, order: process.order, ..Process::IDLE };
            }
        }
        next.push(|| format!("p{n} stores in row{i}: {:?}", process.flight), t);
    }

    fn apply_answer(&self, mut t: World, n: usize, i: usize, next: &mut Next) {
        let process = t.processes[n];
        let row = t.rows[i];
        if row.state.is_none() || row.token != process.token {
            t.processes[n] = Process::IDLE;
            next.push(|| format!("p{n} drops an answer about row{i}"), t);
            return;
        }
        let mut outcome = self.decide_answer(&t, &process, i, process.others);
        if row.order == NO && self.takes_a_strangers(&t, &process, i, &outcome) {
            t.fault = Some("I24 a stranger's order was bound beside the attempt's own");
        }
        // An answer that may be older than the row is dropped; another decision would be made again.
        let by = if outcome.drops { Some(n) } else { None };
        let mut stored = self.store(&mut t, by, i, &outcome);
        if matches!(stored, Stored::Duplicate) {
            outcome = self.decide_answer(&t, &process, i, self.others(&t, i));
            stored = self.store(&mut t, by, i, &outcome);
        }
        let is_stored = matches!(stored, Stored::Yes) && outcome.new_row.is_some();
        t.processes[n] = Process::IDLE;
        if is_stored && t.rows[i].order != NO && process.order == t.rows[i].order {
            if process.age < t.ghosts[i].age {
                t.fault = Some("I8 an older answer was stored over a newer one");
            }
            t.ghosts[i].age = t.ghosts[i].age.max(process.age);
        }
        if row.restored && row.order != t.rows[i].order {
            t.fault = Some("I23 a webhook bound a restored row");
        }
        if is_stored && outcome.call == Some(Call::Instruct(Intent::Cancel)) {
            let others = self.others(&t, i);
            t.processes[n] =
                Process { pc: Pc::Instruct, row: i as u8, token: row.token, others, ..Process::IDLE };
        }
        next.push(|| format!("p{n} stores an answer in row{i}: {is_stored}"), t);
    }

    fn decide_answer(&self, t: &World, process: &Process, i: usize, others: Others) -> Outcome {
        let row = t.rows[i];
        let event = match row.order {
            NO => self.hinted(t, i, process.answers, others),
            order => Event::Answered(process.answers[usize::from(order)], others),
        };
        self.transitions.apply(&row, event, t.tick)
    }

    pub fn hinted(&self, t: &World, i: usize, answers: [Option<Seen>; ORDERS], others: Others) -> Event {
        let mut found = [None; ORDERS];
        let asked = self.transitions.questions(&t.rows[i]);
        for order in (0..ORDERS as u8).filter(|order| asked & (1 << order) != 0) {
            let (tokens, is_taken) = (t.tokens_of(order), t.is_taken(order, i));
            let seen = answers[usize::from(order)];
            found[usize::from(order)] = Some(Hinted { order, seen, tokens, is_taken });
        }
        Event::Hinted(found, others)
    }

    fn instruct(&self, world: &World, n: usize, i: usize, next: &mut Next) {
        let order = world.rows[i].order;
        let seen = (order != NO).then(|| world.orders[usize::from(order)].seen()).flatten();
        let is_pending = seen.is_some_and(|seen| seen.told == Told::Pending);
        let mut results = Vec::new();
        if is_pending {
            results.push(Ok(()));
        }
        if !is_pending || world.spent.refusals < self.scenario.refusals {
            results.push(Err(seen));
        }
        for result in results {
            let mut t = world.clone();
            t.spent.refusals += u8::from(result.is_err() && is_pending);
            let process = t.processes[n];
            let event = Event::Instructed(Intent::Cancel, result, process.others);
            let outcome = self.transitions.apply(&t.rows[i], event, t.tick);
            let by = if outcome.drops { Some(n) } else { None };
            if let Stored::Duplicate = self.store(&mut t, by, i, &outcome) {
                let event = Event::Instructed(Intent::Cancel, result, self.others(&t, i));
                let outcome = self.transitions.apply(&t.rows[i], event, t.tick);
                self.store(&mut t, by, i, &outcome);
            }
            t.processes[n] = Process::IDLE;
            next.push(
                || format!("p{n} cancels row{i}: {}", if result.is_ok() { "accepted" } else { "refused" }),
                t,
            );
        }
    }

    fn replace(&self, mut t: World, n: usize, i: usize, next: &mut Next) {
        let process = t.processes[n];
        let reference = self.reference(i);
        // A success of another attempt that is stored after the look is found by the statement alone.
        let blind = self.attempts(&t, reference).map(|row| match row.token == t.rows[i].token {
            true => row,
            false => Row { status: Told::Nothing, succeeded: false, ..row },
        });
        let seen = if process.order == NO { None } else { process.answers[usize::from(process.order)] };
        let is_last = self.last(&t, reference) == Some(i);
        let outcome = self.transitions.replace(&blind, seen, t.tick).filter(|_| is_last);
        let was = t.rows[i];
        t.processes[n].order = NO;
        let stored = outcome.map(|outcome| self.store(&mut t, Some(n), i, &outcome));
        let is_replaced = matches!(stored, Some(Stored::Yes)) && t.rows[i].replaced;
        t.processes[n] = Process::IDLE;
        if is_replaced {
            t.ghosts[i].replaced_as = was.state;
            t.ghosts[i].age = t.ghosts[i].age.max(process.age);
            // One transaction: a lost commit loses both.
            let before = t.before_last_write.take();
            self.insert_row(&mut t, n, i + 1);
            t.before_last_write = t.before_last_write.take().and(before);
        }
        next.push(|| format!("p{n} replaces row{i}: {is_replaced}"), t);
    }

    fn ship(&self, t: &mut World, i: usize, number: u8) {
        t.doubled_news += u8::from(t.ghosts[i].shipped == number);
        t.ghosts[i].shipped = number;
        t.shipped[self.reference(i)] += 1;
    }

    fn acknowledge(&self, mut t: World, n: usize, i: usize, next: &mut Next) {
        let process = t.processes[n];
        t.processes[n] = Process::IDLE;
        let row = t.rows[i];
        let is_acknowledged = row.state.is_some() && acknowledges(&row, process.number);
        if is_acknowledged {
            // Not a write of the whole row: no stamp, and nobody's view is stale.
            t.rows[i].acked = process.number;
            (t.ghosts[i].seen, t.ghosts[i].saw_success) = (process.told, process.saw_success);
            t.ghosts[i].owes_receipt |= process.told == Told::Receipt;
            if process.told == Told::Success && process.saw_success {
                if !self.scenario.file {
                    self.ship(&mut t, i, process.number);
                }
                let order = row.order;
                let is_true = order != NO && {
                    let order = &t.orders[usize::from(order)];
                    usize::from(order.owner) == i && order.was_success && !order.other_sum
                };
                if !is_true {
                    t.fault = Some("I2 a success was acknowledged that never was");
                }
            }
        }
        next.push(|| format!("p{n} acknowledges row{i}, number {}: {is_acknowledged}", process.number), t);
    }
}

fn show(t: &mut World, order: u8, reference: usize) {
    let order = &mut t.orders[usize::from(order)];
    order.shown |= 1 << reference;
    if order.other_sum && order.told == Told::Pending {
        t.fault = Some("I20 credentials for another sum were shown");
    }
}

/// A process dies or gives up: its request may still arrive.
fn drift(t: &mut World, process: &Process) {
    if let Some(free) = t.flights.iter_mut().find(|flight| flight.is_none()) {
        *free = Some((process.row, process.token));
    }
}

pub fn kill(t: &mut World, n: usize) {
    let process = t.processes[n];
    if process.flight == Flight::Sent {
        drift(t, &process);
    }
    t.processes[n] = Process::IDLE;
}

fn told(world: &World, asked: u8) -> Vec<(u8, Option<Told>)> {
    let is_asked = |order: &u8| asked & (1 << order) != 0;
    let told = |order: u8| (order, world.orders[usize::from(order)].seen().map(|seen| seen.told));
    (0..ORDERS as u8).filter(is_asked).map(told).collect()
}
