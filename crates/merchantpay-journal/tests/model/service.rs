//! What happens outside the shop's processes: the service, its webhooks, customers, clocks, persons, and the
//! database.

use merchantpay_journal::model::attempt::{Intent, State};
use merchantpay_journal::model::report::MessageKind;

use crate::process::kill;
use crate::row::{NO, Told, When};
use crate::transitions::{Event, ORDERS, has_paused, restored};
use crate::world::{Flight, Model, Next, Order, Pc, ROWS, World};

impl Model {
    pub fn outside_steps(&self, world: &World, next: &mut Next) {
        self.make_orders(world, next);
        for order in 0..ORDERS as u8 {
            if world.orders[usize::from(order)].exists() {
                self.order_steps(world, order, next);
                self.webhooks(world, order, next);
            }
        }
        for i in (0..ROWS).filter(|&i| world.rows[i].state.is_some()) {
            self.time_passes(world, i, next);
            self.persons(world, i, next);
        }
        self.database(world, next);
    }

    fn make_orders(&self, world: &World, next: &mut Next) {
        let scenario = &self.scenario;
        let free = (0..scenario.orders).find(|&order| !world.orders[order].exists());
        let made = |owner: u8, token: u8| Order {
            told: Told::Pending,
            owner,
            token,
            credentials: !scenario.asynchronous,
            ..Order::NONE
        };
        for n in 0..2 {
            let process = world.processes[n];
            if process.pc != Pc::Await || process.flight != Flight::Sent {
                continue;
            }
            if scenario.refused {
                let mut t = world.clone();
                t.processes[n].flight = Flight::Refused;
                next.push(|| format!("the service refuses row{}", process.row), t);
            }
            let Some(place) = free else { continue };
            let plain = made(process.row, process.token);
            let mut variants = vec![("", plain)];
            if world.spent.hides < scenario.hides {
                variants.push((", not found yet", Order { hidden: true, ..plain }));
            }
            if world.spent.other_sums < scenario.other_sums {
                variants.push((" for another sum", Order { other_sum: true, ..plain }));
            }
            for (kind, order) in variants {
                let mut t = world.clone();
                t.spent.hides += u8::from(order.hidden);
                t.spent.other_sums += u8::from(order.other_sum);
                t.orders[place] = order;
                t.processes[n].answers[place] = Order { hidden: false, ..order }
                    .seen()
                    .map(|seen| crate::row::Seen { told: Told::Nothing, ..seen });
                (t.processes[n].flight, t.processes[n].order) = (Flight::Made, place as u8);
                if world.spent.doubles < scenario.doubles
                    && let Some(second) =
                        (place + 1..scenario.orders).find(|&order| !t.orders[order].exists())
                {
                    let mut t = t.clone();
                    t.spent.doubles += 1;
                    t.orders[second] = order;
                    next.push(
                        || format!("the service makes orders {place} and {second} for row{}", process.row),
                        t,
                    );
                }
                next.push(|| format!("the service makes order {place} for row{}{kind}", process.row), t);
            }
        }
        for (k, flight) in world.flights.iter().enumerate() {
            let Some((row, token)) = *flight else { continue };
            let mut t = world.clone();
            t.flights[k] = None;
            next.push(|| format!("the request of row{row} is lost"), t);
            if let Some(place) = free {
                let mut t = world.clone();
                t.flights[k] = None;
                t.orders[place] = made(row, token);
                next.push(|| format!("the service makes order {place} for row{row}, nobody waits"), t);
            }
        }
        if scenario.foreign != Told::Nothing && !world.orders[scenario.orders].exists() {
            let ends = if scenario.foreign == Told::Pending {
                vec![Told::Pending]
            } else {
                vec![Told::Success, Told::Fail]
            };
            for told in ends {
                let mut t = world.clone();
                let credentials = told == Told::Pending;
                let foreign = Order { told, credentials, delivered: true, shown: 0x80, ..Order::NONE };
                t.orders[scenario.orders] = Order { was_success: told == Told::Success, ..foreign };
                next.push(|| format!("another journal has an order: {told:?}"), t);
            }
        }
    }

    fn order_steps(&self, world: &World, number: u8, next: &mut Next) {
        let (scenario, place) = (&self.scenario, usize::from(number));
        let order = world.orders[place];
        let mut to = |what: &str, order: Order, change: &dyn Fn(&mut World)| {
            let mut t = world.clone();
            t.orders[place] = order;
            change(&mut t);
            next.push(|| format!("order {number} {what}"), t);
        };
        if order.hidden {
            to("is found", Order { hidden: false, ..order }, &|_| {});
        }
        let ended = |told| Order {
            told,
            age: order.age + 1,
            was_success: order.was_success | (told == Told::Success),
            ..order
        };
        if order.told == Told::Pending {
            if !order.credentials {
                to("has credentials", Order { credentials: true, ..order }, &|_| {});
                if !order.no_credentials && world.spent.no_credentials < scenario.no_credentials {
                    let without = Order { no_credentials: true, ..order };
                    to("has no credentials", without, &|t| t.spent.no_credentials += 1);
                }
            }
            // A customer can pay only with credentials that were shown.
            if order.shown != 0 {
                to("is paid", ended(Told::Success), &|_| {});
                if world.spent.other_sums < scenario.other_sums {
                    let other = Order { other_sum: true, ..ended(Told::Success) };
                    to("is paid with another sum", other, &|t| t.spent.other_sums += 1);
                }
            }
            to("fails", ended(Told::Fail), &|_| {});
            if order.shown != 0 && world.spent.receipts < scenario.receipts {
                to("requires a receipt", ended(Told::Receipt), &|t| t.spent.receipts += 1);
            }
        } else if order.told == Told::Receipt {
            to("is paid", ended(Told::Success), &|_| {});
            to("fails", ended(Told::Fail), &|_| {});
        } else if world.spent.flips < scenario.flips
            && (order.shown != 0 || scenario.flip_unshown && order.told == Told::Fail)
            && (!order.flipped || scenario.reflip)
        {
            let told = if order.told == Told::Success { Told::Fail } else { Told::Success };
            to("is turned by an arbitration", Order { flipped: true, ..ended(told) }, &|t| {
                t.spent.flips += 1
            });
        }
    }

    fn webhooks(&self, world: &World, number: u8, next: &mut Next) {
        let order = world.orders[usize::from(number)];
        let owner = usize::from(order.owner);
        let mut kinds = Vec::new();
        if order.no_credentials {
            // It may be late: the service may have found credentials since.
            kinds.push(MessageKind::NoCredentials);
        }
        match order.told {
            Told::Pending if order.credentials => kinds.push(MessageKind::Credentials),
            Told::Pending => {}
            _ => kinds.push(MessageKind::Status),
        }
        for kind in kinds {
            if owner < ROWS && world.is_own(owner, &order) && world.rows[owner].state.is_some() {
                self.webhook(world, owner, number, kind, true, next);
            } else if owner < ROWS && !order.delivered {
                let mut t = world.clone();
                t.orders[usize::from(number)].delivered = true;
                next.push(|| format!("the webhook of order {number} becomes an orphan"), t);
            }
            // A leaked URL, and a genuine body from a log.
            if world.spent.attacks < self.scenario.attacks && order.delivered {
                for i in (0..ROWS).filter(|&i| world.rows[i].state.is_some() && i != owner) {
                    self.webhook(world, i, number, kind, false, next);
                }
            }
        }
    }

    fn webhook(
        &self,
        world: &World,
        i: usize,
        number: u8,
        kind: MessageKind,
        genuine: bool,
        next: &mut Next,
    ) {
        let mut t = world.clone();
        t.spent.attacks += u8::from(!genuine);
        t.orders[usize::from(number)].delivered = true;
        self.receive(&mut t, i, number, kind);
        let name = if genuine { "webhook" } else { "replayed webhook" };
        next.push(|| format!("{name} of order {number} at row{i}: {}", kind.name()), t);
    }

    /// The message and the row's write; a process that dies between them has not answered, and the webhook
    /// comes again.
    pub fn receive(&self, t: &mut World, i: usize, number: u8, kind: MessageKind) {
        let told = t.orders[usize::from(number)].told;
        let is_new = t.rows[i].hints & (1 << number) == 0;
        t.rows[i].hints |= 1 << number;
        t.rows[i].no_credentials |= kind == MessageKind::NoCredentials && t.rows[i].order == number;
        let event = Event::Received { order: number, kind, told, is_new };
        let outcome = self.transitions.apply(&t.rows[i], event, t.tick);
        self.store(t, None, i, &outcome);
    }

    fn time_passes(&self, world: &World, i: usize, next: &mut Next) {
        let row = world.rows[i];
        let serves = |process: &crate::world::Process| {
            usize::from(process.row) == i && matches!(process.pc, Pc::Check | Pc::Send | Pc::Await)
        };
        // The margin of ten seconds: with a pause, a call that runs has its deadline before `call_until`.
        let is_held = self.scenario.pauses > 0 && world.processes.iter().any(serves);
        if row.is(State::Sent) && row.call == When::Ahead && self.scenario.lost && !is_held {
            let mut t = world.clone();
            t.rows[i].call = When::Passed;
            next.push(|| format!("the deadline of row{i} passes"), t);
        }
        if row.lease == When::Ahead {
            let mut t = world.clone();
            t.rows[i].lease = When::Passed;
            next.push(|| format!("the lease of row{i} passes"), t);
        }
        if self.scenario.reask && row.is(State::Final) && row.due == When::Never {
            let mut t = world.clone();
            t.rows[i].due = When::Passed;
            next.push(|| format!("somebody waits for row{i}"), t);
        }
    }

    fn persons(&self, world: &World, i: usize, next: &mut Next) {
        let (scenario, row) = (&self.scenario, world.rows[i]);
        let order = if row.order == NO { None } else { world.orders[usize::from(row.order)].seen() };
        let is_pending = order.is_some_and(|seen| seen.told == Told::Pending);
        if world.spent.cancels < scenario.cancels && row.is(State::Open) && is_pending {
            let outcome = self.transitions.apply(&row, Event::Instruct(Intent::Cancel), world.tick);
            if let Some(instructed) = outcome.new_row {
                let answered = Event::Instructed(Intent::Cancel, Ok(()), self.others(world, i));
                let outcome = self.transitions.apply(&instructed, answered, world.tick);
                let mut t = world.clone();
                t.spent.cancels += 1;
                self.store(&mut t, None, i, &outcome);
                next.push(|| format!("the cancel of row{i} is accepted"), t);
            }
        }
        let is_required = order.is_some_and(|seen| seen.told == Told::Receipt);
        if is_required && world.ghosts[i].owes_receipt {
            let mut t = world.clone();
            let order = &mut t.orders[usize::from(row.order)];
            (order.told, order.age) = (Told::Pending, order.age + 1);
            t.ghosts[i].owes_receipt = false;
            let mut apart = t.clone();
            apart.ghosts[i].attached_apart = true;
            next.push(|| format!("the shop attaches a receipt for row{i} without the journal"), apart);
            let outcome = self.transitions.apply(&row, Event::ReceiptAttached, world.tick);
            self.store(&mut t, None, i, &outcome);
            next.push(|| format!("the shop attaches a receipt for row{i}"), t);
        }
        let mut act = |what: &str, event: Event, spend: &dyn Fn(&mut World)| {
            let outcome = self.transitions.apply(&row, event, world.tick);
            if outcome.new_row.is_some() {
                let mut t = world.clone();
                self.store(&mut t, None, i, &outcome);
                spend(&mut t);
                next.push(|| format!("{what} row{i}"), t);
            }
        };
        if world.spent.purges < scenario.purges {
            act("the program purges", Event::Purge, &|t| t.spent.purges += 1);
            act("the program forgets", Event::Forget, &|t| {
                t.spent.purges += 1;
                t.ghosts[i].forgotten = true;
            });
        }
        if world.spent.persons >= scenario.persons {
            return;
        }
        let person = |t: &mut World| t.spent.persons += 1;
        let is_of_row = |order: &Order| order.exists() && world.is_own(i, order);
        let is_of_reference = |order: &Order| {
            usize::from(order.owner) < ROWS && self.reference(usize::from(order.owner)) == self.reference(i)
        };
        let is_live = |order: &Order| matches!(order.told, Told::Pending | Told::Success);
        // Support is asked about every merchantId of the reference, and its answer is true for what has
        // arrived.
        let live: Vec<u8> = (0..ORDERS as u8)
            .filter(|order| {
                let order = &world.orders[usize::from(*order)];
                is_live(order) && is_of_reference(order)
            })
            .collect();
        if !world.orders.iter().any(is_of_row) {
            act("a person: no payment for", Event::NoPayment, &person);
        }
        for number in 0..ORDERS as u8 {
            let order = world.orders[usize::from(number)];
            let is_alone = live.iter().all(|other| *other == number);
            let is_own = order.exists() && usize::from(order.owner) == i && is_alone;
            if let Some(seen) = order.seen().filter(|_| is_own && !world.is_taken(number, i)) {
                let others = self.others(world, i);
                let event = Event::HasOrder { order: number, seen, is_taken: false, others };
                act("a person names the order of", event, &person);
            }
        }
        if row.restored && live.iter().all(|order| world.owner_of(*order).is_some()) {
            act("a person trusts", Event::Trusted, &person);
        }
    }

    fn database(&self, world: &World, next: &mut Next) {
        let scenario = &self.scenario;
        if scenario.restores > world.spent.restores {
            if world.backup.is_none() {
                let mut t = world.clone();
                t.backup = Some(world.save());
                next.push(|| "a backup".to_owned(), t);
            } else {
                next.push(|| "a restore".to_owned(), self.restore(world));
            }
        }
        if scenario.loses > world.spent.loses
            && let Some(before) = &world.before_last_write
        {
            let mut t = world.clone();
            t.spent.loses += 1;
            (t.rows, t.ghosts, t.before_last_write) = (before.rows, before.ghosts, None);
            t.processes.iter_mut().for_each(|process| process.stale = true);
            next.push(|| "a failover loses the last commit".to_owned(), t);
        }
        if !world.paused && world.spent.pauses < scenario.pauses {
            let mut t = world.clone();
            t.spent.pauses += 1;
            t.paused = true;
            next.push(|| "pause is stored".to_owned(), t);
        }
        if world.paused && !world.pause_returned && has_paused(&world.rows, world.tick) {
            let mut t = world.clone();
            t.pause_returned = true;
            next.push(|| "pause returns".to_owned(), t);
        }
        if world.spent.setbacks < scenario.setbacks {
            let mut t = world.clone();
            t.spent.setbacks += 1;
            let far = |when: &mut When| {
                if *when != When::Never {
                    *when = When::Far;
                }
            };
            for row in &mut t.rows {
                far(&mut row.call);
                far(&mut row.due);
                far(&mut row.lease);
            }
            next.push(|| "the clock is set back".to_owned(), t);
        }
    }

    /// All processes are stopped, the backup takes the place of the tables, and its rows are marked.
    fn restore(&self, world: &World) -> World {
        let mut t = world.clone();
        let Some(backup) = t.backup.take() else { return t };
        t.spent.restores += 1;
        t.before_last_write = None;
        for n in 0..2 {
            kill(&mut t, n);
        }
        for i in 0..ROWS {
            let is_lost = t.rows[i].state.is_some() && backup.rows[i].state.is_none();
            let reference = self.reference(i);
            // `pay` stops at a restored last row, so only a reference without any row looks new.
            let is_first = i == self.place(reference, 0) || backup.rows[i - 1].state.is_none();
            if is_lost && is_first {
                t.exempt |= 1 << reference.min(7);
            }
            t.rows[i] = backup.rows[i];
            t.ghosts[i] = backup.ghosts[i];
            if t.rows[i].state.is_some() {
                t.rows[i] = restored(&t.rows[i]);
                // The backup's times are in the past.
                if t.rows[i].call == When::Ahead {
                    t.rows[i].call = When::Passed;
                }
            }
        }
        t
    }
}
