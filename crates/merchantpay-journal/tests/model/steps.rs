//! Everything that can happen next.

use merchantpay_journal::internals::{Answer, Call, CallEnd, Done, Event, Guards, Instruction, Run, Step, Task, apply as transition};
use merchantpay_journal::{IntentState, Level, Standing};

use crate::service::problem;
use crate::world::{FOREIGN, Hook, News, Process, Request, State, World, Zombie, apply, facts, fresh, is_creation, pay, report};

/// What a model is allowed beside its budget.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub guards: Guards,
    pub synchronous: bool,
    pub asynchronous: bool,
    /// A cancelled payment still reads as pending.
    pub mute_cancel: bool,
}

/// The most attempts and payments that are looked at.
const MOST: usize = 3;

pub struct Steps<'a> {
    world: &'a World,
    rules: Rules,
    found: Vec<(String, World)>,
}

/// Every state that can follow, with what happened.
pub fn steps(world: &World, rules: Rules) -> Vec<(String, World)> {
    let mut steps = Steps { world, rules, found: Vec::new() };
    for process in 0..2 {
        steps.process(process);
    }
    steps.service();
    steps.webhooks();
    steps.rows();
    steps.shop();
    steps.found
}

impl Steps<'_> {
    fn add(&mut self, label: impl Into<String>, world: World) {
        let mut world = world;
        for row in &world.rows {
            if row.standing == Standing::Final {
                world.finals.insert(row.attempt);
            }
        }
        self.found.push((label.into(), world));
    }

    /// A copy of the world, in which the thing has happened once more; `None` if it may not.
    fn with(&self, part: impl Fn(&mut World) -> &mut u8) -> Option<World> {
        let mut world = World { fault: None, ..self.world.clone() };
        let left = part(&mut world);
        *left = left.checked_sub(1)?;
        Some(world)
    }

    fn copy(&self) -> World {
        World { fault: None, ..self.world.clone() }
    }

    fn process(&mut self, p: usize) {
        let process = &self.world.processes[p];
        let Some(run) = process.run.clone() else { return self.begin(p) };
        if let Some(mut world) = self.with(|world| &mut world.left.crash) {
            stop(&mut world, p);
            self.add(format!("{p} dies"), world);
        }
        match process.waiting.clone() {
            Some(reply) => self.wait(p, reply),
            None => self.step(p, &run),
        }
    }

    fn begin(&mut self, p: usize) {
        if p == 1 && self.world.processes[0].serial == 0 && self.world.left.slow_webhook == 0 {
            // The two are alike: the first to begin is the first.
            return;
        }
        let kinds = [(self.rules.synchronous, false), (self.rules.asynchronous, true)];
        for asynchronous in kinds.into_iter().filter(|(allowed, _)| *allowed).map(|(_, kind)| kind) {
            if let Some(world) = self.with(|world| &mut world.left.pay) {
                self.start(world, p, pay(None, asynchronous), "pays");
            }
            if let Some(world) = self.with(|world| &mut world.left.replace).filter(|world| !world.rows.is_empty()) {
                self.start(world, p, pay(Some(1), asynchronous), "replaces 1");
            }
        }
        let last = self.world.rows.last().filter(|row| row.order_id.is_some()).map(|row| row.attempt);
        let paid = self.world.rows.iter().find(|row| self.world.order_of(row).is_some_and(|order| self.world.orders[order].paid));
        if let (Some(world), Some(row)) = (self.with(|world| &mut world.left.confirm), paid) {
            let attempt = row.attempt;
            self.start(world, p, apply(attempt, Event::Wanted(Instruction::Confirm)), "confirms");
        }
        if let (Some(world), Some(last)) = (self.with(|world| &mut world.left.cancel), last) {
            self.start(world, p, apply(last, Event::Wanted(Instruction::Cancel)), "cancels");
        }
        if let Some(world) = self.with(|world| &mut world.left.slow_webhook) {
            for hook in &self.world.hooks {
                let task = Task::Apply(merchantpay_journal::internals::Key::Token(hook.token.clone()), Box::new(self.world.event_of(hook)));
                self.start(world.clone(), p, task, "takes a webhook");
            }
        }
    }

    fn start(&mut self, mut world: World, p: usize, task: Task, what: &str) {
        let process = &mut world.processes[p];
        process.run = Some(Box::new(Run::new(task, facts(self.rules.guards))));
        process.serial += 1;
        process.steps = 0;
        self.add(format!("{p} {what}"), world);
    }

    /// One step of a process.
    fn step(&mut self, p: usize, run: &Run) {
        let guards = self.rules.guards;
        match run.step() {
            Step::Load(key) => {
                let answer = Answer::Loaded(self.world.load(&key));
                self.answer(self.copy(), p, answer, "loads");
            }
            Step::Insert(record) => {
                let mut world = self.copy();
                let answer = if world.insert(&record) { Answer::Written } else { Answer::Duplicate };
                let is_new = answer == Answer::Written;
                if is_new && record.attempt as usize > MOST {
                    return;
                }
                self.answer(world.clone(), p, answer, "inserts");
                self.unclear(p, world, is_new, Zombie { record, is_insert: true });
            }
            Step::Update(record) => {
                let mut world = self.copy();
                let answer = match world.update(&record, guards) {
                    Some(true) => Answer::Written,
                    Some(false) => Answer::Lost,
                    None => Answer::Duplicate,
                };
                let is_new = answer == Answer::Written;
                self.answer(world.clone(), p, answer, "updates");
                self.unclear(p, world, is_new, Zombie { record, is_insert: false });
            }
            Step::StoreOrphan(misplaced) => {
                let mut world = self.copy();
                world.orphans.insert(misplaced.report.order_id.clone());
                self.answer(world, p, Answer::Written, "stores an orphan");
            }
            Step::Call(record, call) if is_creation(call) => {
                let mut world = self.copy();
                let serial = world.processes[p].serial;
                world.requests.insert(Request { token: record.token.clone(), process: p, serial, asynchronous: record.asynchronous });
                world.processes[p].waiting = Some(None);
                self.add(format!("{p} sends attempt {}", record.attempt), world);
                if let Some(world) = self.with(|world| &mut world.left.not_sent) {
                    self.answer(world, p, Answer::Called(Event::NotCreated(CallEnd::NotSent, problem())), "cannot send");
                }
            }
            Step::Call(record, call) => self.call(p, &record, call),
            Step::Done(done) => self.end(p, &done),
        }
    }

    /// The answer of a write is lost: it was done, was not, or will be.
    fn unclear(&mut self, p: usize, done: World, is_new: bool, zombie: Zombie) {
        if self.world.left.store == 0 {
            return;
        }
        let spend = |mut world: World| {
            world.left.store -= 1;
            world
        };
        if is_new {
            self.answer(spend(done), p, Answer::Unclear, "writes, and the answer is lost");
        }
        self.answer(spend(self.copy()), p, Answer::Unclear, "does not write, and the answer is lost");
        let mut later = spend(self.copy());
        later.zombies.push(zombie);
        self.answer(later, p, Answer::Unclear, "writes later, and the answer is lost");
    }

    fn answer(&mut self, mut world: World, p: usize, answer: Answer, what: &str) {
        let has_writers = world.has_writers;
        let Process { run, serial, steps, .. } = &mut world.processes[p];
        let Some(run) = run else { return };
        let fresh = fresh(has_writers, p, *serial, *steps);
        *steps += u8::from(has_writers);
        run.answer(answer, facts(self.rules.guards), &fresh);
        self.add(format!("{p} {what}"), world);
    }

    fn wait(&mut self, p: usize, reply: Option<Event>) {
        if let Some(event) = reply {
            let mut world = self.copy();
            world.processes[p].waiting = None;
            self.answer(world, p, Answer::Called(event), "has its reply");
        }
        if let Some(mut world) = self.with(|world| &mut world.left.lose) {
            world.processes[p].waiting = None;
            self.answer(world, p, Answer::Called(Event::NotCreated(CallEnd::Unclear, problem())), "gets no reply");
        }
    }

    /// A call other than the one that makes a payment. It is answered, lost on the way there, or lost on the way back.
    fn call(&mut self, p: usize, record: &merchantpay_journal::internals::Record, call: Call) {
        let mute = self.rules.mute_cancel;
        let order: usize = record.order_id.as_deref().and_then(|id| id.parse().ok()).unwrap_or(FOREIGN);
        let Call::Instruct(instruction, number) = call else {
            let told = self.world.status(order, mute);
            self.answer(self.copy(), p, Answer::Called(told), "asks for the status");
            if let Some(world) = self.with(|world| &mut world.left.lose) {
                self.answer(world, p, Answer::Called(Event::StatusFailed(false, problem())), "asks in vain");
            }
            return;
        };
        let answered = |end| Answer::Called(Event::Answered(instruction, number, end, None));
        let mut world = self.copy();
        let before = world.clone();
        let end = world.instruct(order, instruction, mute);
        note_call(&mut world, &before, record, order, instruction, end);
        self.answer(world.clone(), p, answered(end), "tells the service");
        if self.world.left.lose > 0 {
            for mut lost in [world, {
                let mut world = before.clone();
                note_call(&mut world, &before, record, order, instruction, CallEnd::Unclear);
                world
            }] {
                lost.left.lose -= 1;
                self.answer(lost, p, answered(CallEnd::Unclear), "tells the service, without an answer");
            }
        }
    }

    /// A process returns what it found to its caller, who shows credentials where there are some.
    fn end(&mut self, p: usize, done: &Done) {
        let mut world = self.copy();
        stop(&mut world, p);
        let Some(record) = &done.record else { return self.add(format!("{p} returns nothing"), world) };
        if record.shows_credentials(&self.rules.guards) {
            match record.standing {
                Standing::Refused => world.fault = Some("credentials of a refused attempt were shown"),
                Standing::Superseded => world.fault = Some("credentials of a superseded attempt were shown"),
                _ if record.cancel.state.is_some_and(|state| state != IntentState::Refused) => {
                    world.fault = Some("credentials were shown though a cancel is stored");
                }
                _ => {}
            }
            if let Some(order) = self.world.order_of(record) {
                world.handed.insert(order);
            }
        }
        self.add(format!("{p} returns attempt {} {}", record.attempt, record.standing_at(0)), world);
    }

    fn service(&mut self) {
        for request in &self.world.requests {
            let took = |mut world: World| {
                world.requests.remove(request);
                world
            };
            if let Some(world) = self.with(|world| &mut world.left.lose) {
                self.add("the request is lost", took(world));
            }
            if let Some(world) = self.with(|world| &mut world.left.refuse) {
                self.add("the service refuses", reply(took(world), request, Event::NotCreated(CallEnd::Refused, problem())));
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
                world.make_order(&request.token, State::Finding, false);
                self.add("the service makes a payment and refuses", reply(world, request, Event::NotCreated(CallEnd::Refused, problem())));
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
            let done =
                if zombie.is_insert { world.insert(&zombie.record) } else { world.update(&zombie.record, self.rules.guards) == Some(true) };
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
                    world.hook(number, if order.asynchronous { News::CredentialsFailed } else { News::Status(State::Fail) });
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
        let can_be_paid = order.state == State::Awaiting || order.state == State::Cancelled && self.world.left.dispute > 0;
        if is_shown
            && !order.paid
            && can_be_paid
            && let Some(mut world) = self.with(|world| &mut world.left.customer)
        {
            world.orders[number].paid = true;
            self.add(format!("the customer pays order {number}"), world);
        }
    }

    /// Webhooks come at any time, in any order, any number of times.
    fn webhooks(&mut self) {
        for hook in self.world.hooks.clone() {
            let mut world = self.copy();
            deliver(&mut world, &hook, self.rules.guards);
            if world != *self.world {
                self.add(format!("a webhook tells {:?} of order {}", hook.news, hook.order), world);
            }
        }
        for token in self.world.rows.iter().map(|row| row.token.clone()).collect::<Vec<_>>() {
            for news in [News::CredentialsFailed, News::Status(State::Fail)] {
                if let Some(mut world) = self.with(|world| &mut world.left.forged) {
                    deliver(&mut world, &Hook { token: token.clone(), order: FOREIGN, news }, self.rules.guards);
                    self.add("an old genuine webhook comes to a known token", world);
                }
            }
        }
    }

    fn rows(&mut self) {
        let guards = self.rules.guards;
        for place in 0..self.world.rows.len() {
            let row = self.world.rows[place].clone();
            let attempt = row.attempt;
            if row.due_at.is_some() && row.standing != Standing::Sending {
                // Any of the two processes, or a third: one that is idle.
                for p in 0..2 {
                    if self.world.processes[p].run.is_none()
                        && let Some(world) = self.with(|world| &mut world.left.settle)
                    {
                        self.start(world, p, apply(attempt, Event::Claimed(true)), "settles");
                        break;
                    }
                }
            }
            if row.standing_at(0) == Standing::Sending
                && let Some(mut world) = self.with(|world| &mut world.left.skew)
            {
                world.rows[place].due_at = Some(0);
                self.add(format!("the lease of {attempt} ends"), world);
            }
            let is_unknown = row.standing_at(0) == Standing::Unknown;
            if is_unknown && let Some(mut world) = self.with(|world| &mut world.left.resolve) {
                run_now(&mut world, apply(attempt, Event::NoPayment(String::new())), guards);
                self.add(format!("a person says that there is no payment of {attempt}"), world);
            }
            if is_unknown && let Some(mut world) = self.with(|world| &mut world.left.resolve_wrong) {
                let told = report(FOREIGN, Some("pending"), true);
                run_now(&mut world, apply(attempt, Event::Found(told, String::new())), guards);
                self.add(format!("a person names a wrong order for {attempt}"), world);
            }
        }
        if let Some(mut world) = self.with(|world| &mut world.left.failover).filter(|world| !world.rows.is_empty()) {
            world.rows.pop();
            stop(&mut world, 0);
            stop(&mut world, 1);
            self.add("the database forgets its newest row", world);
        }
    }

    /// The merchant's loop over the news, and the operator.
    fn shop(&mut self) {
        let guards = self.rules.guards;
        match self.world.shop {
            None => {
                for (attempt, level) in news(self.world, guards) {
                    if let Some(mut world) = self.with(|world| &mut world.left.news) {
                        world.shop = Some((attempt, level, false));
                        self.add(format!("the shop is told {level} of {attempt}"), world);
                    }
                }
                if let Some(mut world) = self.with(|world| &mut world.left.purge) {
                    purge(&mut world, guards);
                    self.add("an operator purges", world);
                }
            }
            Some((attempt, level, false)) => {
                let mut world = self.copy();
                world.told.insert((attempt, level));
                world.shop = Some((attempt, level, true));
                self.add("the shop acts", world);
            }
            Some((attempt, level, true)) => {
                let mut world = self.copy();
                acknowledge(&mut world, attempt, level, guards);
                world.shop = None;
                self.add("the shop acknowledges", world);
            }
        }
    }
}

fn stop(world: &mut World, p: usize) {
    let process = &mut world.processes[p];
    (process.run, process.waiting, process.steps) = (None, None, 0);
}

fn reply(mut world: World, request: &Request, event: Event) -> World {
    let process = &mut world.processes[request.process];
    if process.serial == request.serial && process.waiting == Some(None) {
        process.waiting = Some(Some(event));
    }
    world
}

/// What a call shows that should not be.
fn note_call(
    world: &mut World,
    before: &World,
    record: &merchantpay_journal::internals::Record,
    order: usize,
    instruction: Instruction,
    end: CallEnd,
) {
    let Some(told) = before.orders.get(order) else { return };
    match instruction {
        Instruction::Confirm => {
            world.confirmed.insert(order);
            if !told.paid {
                world.fault = Some("a payment was confirmed that nobody has paid");
            }
        }
        Instruction::Cancel => {
            world.confirmed.remove(&order);
            let is_confirmed = record.confirm.state == Some(IntentState::Stored);
            if end == CallEnd::Accepted && told.paid && is_confirmed {
                world.fault = Some("a payment was cancelled that was paid and whose confirm is stored");
            }
        }
    }
}

pub fn deliver(world: &mut World, hook: &Hook, guards: Guards) {
    let task = Task::Apply(merchantpay_journal::internals::Key::Token(hook.token.clone()), Box::new(world.event_of(hook)));
    run_now(world, task, guards);
}

/// Does a task that makes no calls, in one go.
pub fn run_now(world: &mut World, task: Task, guards: Guards) {
    run_with(world, task, guards, &mut |_, _, _| None);
}

/// Does a task in one go; `call` answers its calls, or `None` for none.
pub fn run_with(
    world: &mut World,
    task: Task,
    guards: Guards,
    call: &mut dyn FnMut(&mut World, &merchantpay_journal::internals::Record, Call) -> Option<Event>,
) {
    let mut run = Run::new(task, facts(guards));
    for step in 0..50 {
        let answer = match run.step() {
            Step::Load(key) => Answer::Loaded(world.load(&key)),
            Step::Insert(record) => {
                if world.insert(&record) {
                    Answer::Written
                } else {
                    Answer::Duplicate
                }
            }
            Step::Update(record) => match world.update(&record, guards) {
                Some(true) => Answer::Written,
                Some(false) => Answer::Lost,
                None => Answer::Duplicate,
            },
            Step::StoreOrphan(misplaced) => {
                world.orphans.insert(misplaced.report.order_id.clone());
                Answer::Written
            }
            Step::Call(record, asked) => match call(world, &record, asked) {
                Some(event) => Answer::Called(event),
                None => return,
            },
            Step::Done(_) => return,
        };
        run.answer(answer, facts(guards), &fresh(true, 9, 0, step));
    }
    panic!("a task does not end: {:?}", run.step());
}

/// What there is to report, and at which level.
pub fn news(world: &World, guards: Guards) -> Vec<(u32, Level)> {
    let last = world.rows.last().map(|row| row.attempt);
    let is_news = |row: &&merchantpay_journal::internals::Record| row.is_news(Some(row.attempt) == last, &guards);
    world.rows.iter().filter(is_news).map(|row| (row.attempt, row.reported)).collect()
}

pub fn acknowledge(world: &mut World, attempt: u32, level: Level, guards: Guards) {
    if let Some(row) = world.rows.iter_mut().find(|row| row.attempt == attempt) {
        row.acknowledged = row.acknowledged_after(level, &guards);
    }
}

/// Deletes the details of what is final and acknowledged.
fn purge(world: &mut World, guards: Guards) {
    let is_over = |row: &merchantpay_journal::internals::Record| row.standing == Standing::Final && row.acknowledged >= row.reported;
    if !guards.keep_keys {
        world.rows.retain(|row| !is_over(row));
    } else if world.rows.last().is_some_and(is_over) {
        for row in &mut world.rows {
            *row = transition(row, &Event::Purged, facts(guards)).record;
        }
    }
    let was_paid = world.orders.iter().any(|order| order.state == State::Success);
    let reads_refused = world.rows.last().is_some_and(|row| row.standing == Standing::Refused);
    if was_paid && reads_refused {
        world.fault = Some("after purging, the entry of a paid reference reads refused");
    }
}
