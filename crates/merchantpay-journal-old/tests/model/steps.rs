//! Lists all events that are possible next in a state of the model.

use merchantpay_journal_old::internals::{
    Answer, Call, CallEnd, Done, Event, Instruction, Key, Record, Run, Step, Task,
};
use merchantpay_journal_old::{IntentState, Standing};

use crate::service::problem;
use crate::world::{FOREIGN, NOW, Process, Request, World, Zombie, apply, is_creation, pay, random_texts};

/// The behaviour that a model allows, in addition to the number of events in its budget.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub synchronous: bool,
    pub asynchronous: bool,
    /// `true` if a cancelled payment still has the status `pending`.
    pub mute_cancel: bool,
}

/// The largest number of attempts in a model, and also of payments.
pub const MOST: usize = 3;

pub struct Steps<'a> {
    pub world: &'a World,
    pub rules: Rules,
    found: Vec<(String, World)>,
}

/// Every possible next state, with its event.
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
    pub fn add(&mut self, label: impl Into<String>, world: World) {
        let mut world = world;
        for row in &world.rows {
            if row.standing == Standing::Final {
                world.finals.insert(row.attempt);
            }
            for (intent, is_confirm) in [(&row.confirm, true), (&row.cancel, false)] {
                if intent.state == Some(IntentState::Accepted) {
                    world.accepted.insert((row.attempt, row.order_id.clone(), is_confirm));
                }
            }
        }
        self.found.push((label.into(), world));
    }

    /// A copy of the world with one more event of this kind; `None` if the budget is used up.
    pub fn with(&self, part: impl Fn(&mut World) -> &mut u8) -> Option<World> {
        let mut world = World { fault: None, ..self.world.clone() };
        let left = part(&mut world);
        *left = left.checked_sub(1)?;
        Some(world)
    }

    pub fn copy(&self) -> World {
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
            // The processes are equal, so it is enough to search the case that the first process begins.
            return;
        }
        let kinds = [(self.rules.synchronous, false), (self.rules.asynchronous, true)];
        for asynchronous in kinds.into_iter().filter(|(allowed, _)| *allowed).map(|(_, kind)| kind) {
            if let Some(world) = self.with(|world| &mut world.left.pay) {
                self.start(world, p, pay(None, asynchronous), "pays");
            }
            if let Some(world) =
                self.with(|world| &mut world.left.replace).filter(|world| !world.rows.is_empty())
            {
                self.start(world, p, pay(Some(1), asynchronous), "replaces 1");
            }
        }
        let last = self.world.rows.last().filter(|row| row.order_id.is_some()).map(|row| row.attempt);
        let paid = self
            .world
            .rows
            .iter()
            .find(|row| self.world.order_of(row).is_some_and(|order| self.world.orders[order].paid));
        if let (Some(world), Some(row)) = (self.with(|world| &mut world.left.confirm), paid) {
            let attempt = row.attempt;
            self.start(world, p, apply(attempt, Event::Instructed(Instruction::Confirm)), "confirms");
        }
        if let (Some(world), Some(last)) = (self.with(|world| &mut world.left.cancel), last) {
            self.start(world, p, apply(last, Event::Instructed(Instruction::Cancel)), "cancels");
        }
        if let Some(world) = self.with(|world| &mut world.left.slow_webhook) {
            for hook in &self.world.hooks {
                let task = Task::Apply(Key::Token(hook.token.clone()), Box::new(self.world.event_of(hook)));
                self.start(world.clone(), p, task, "takes a webhook");
            }
        }
    }

    pub fn start(&mut self, mut world: World, p: usize, task: Task, what: &str) {
        let process = &mut world.processes[p];
        process.run = Some(Box::new(Run::new(task)));
        process.serial += 1;
        process.steps = 0;
        self.add(format!("{p} {what}"), world);
    }

    /// One step of a process.
    fn step(&mut self, p: usize, run: &Run) {
        match run.step() {
            Step::Load(key) => {
                let answer = Answer::Loaded(self.world.load(&key), self.world.is_paused);
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
                let answer = match world.update(&record) {
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
                world.store_orphan(&misplaced.report);
                self.answer(world, p, Answer::Written, "stores an orphan");
            }
            Step::Check(_) => {
                let answer = if self.world.is_paused { Answer::Paused } else { Answer::Written };
                self.answer(self.copy(), p, answer, "looks before it sends");
            }
            Step::Call(record, call) if is_creation(call) => {
                let mut world = self.copy();
                if world.pause_has_returned {
                    world.fault = Some("a request was sent after pause had returned");
                }
                let serial = world.processes[p].serial;
                world.requests.insert(Request {
                    token: record.token.clone(),
                    process: p,
                    serial,
                    asynchronous: record.asynchronous,
                });
                world.processes[p].waiting = Some(None);
                self.add(format!("{p} sends attempt {}", record.attempt), world);
                if let Some(world) = self.with(|world| &mut world.left.not_sent) {
                    self.answer(
                        world,
                        p,
                        Answer::Called(Event::NotCreated(CallEnd::NotSent, problem())),
                        "cannot send",
                    );
                }
            }
            Step::Call(record, call) => self.call(p, &record, call),
            Step::Done(done) => self.end(p, &done),
        }
    }

    /// The answer to a write is lost. The write took effect, did not take effect, or takes effect later.
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
        let random_texts = random_texts(has_writers, p, *serial, *steps);
        *steps += u8::from(has_writers);
        run.answer(answer, NOW, &random_texts);
        self.add(format!("{p} {what}"), world);
    }

    fn wait(&mut self, p: usize, reply: Option<Event>) {
        if let Some(event) = reply {
            let mut world = self.copy();
            if world.pause_has_returned {
                world.fault = Some("pause had returned while a call ran");
            }
            world.processes[p].waiting = None;
            self.answer(world, p, Answer::Called(event), "has its reply");
        }
        if let Some(mut world) = self.with(|world| &mut world.left.lose) {
            world.processes[p].waiting = None;
            self.answer(
                world,
                p,
                Answer::Called(Event::NotCreated(CallEnd::Unclear, problem())),
                "gets no reply",
            );
        }
    }

    /// A call that does not create a payment. The service answers, or the request is lost, or the reply is
    /// lost.
    fn call(&mut self, p: usize, record: &Record, call: Call) {
        let mute = self.rules.mute_cancel;
        let order: usize = record.order_id.as_deref().and_then(|id| id.parse().ok()).unwrap_or(FOREIGN);
        let Call::Instruct(instruction, number) = call else {
            let reply = self.world.status(order, mute);
            self.answer(self.copy(), p, Answer::Called(reply), "asks for the status");
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
        self.answer(world.clone(), p, answered(end), "reports to the service");
        if self.world.left.lose > 0 {
            for mut lost in [world, {
                let mut world = before.clone();
                note_call(&mut world, &before, record, order, instruction, CallEnd::Unclear);
                world
            }] {
                lost.left.lose -= 1;
                self.answer(lost, p, answered(CallEnd::Unclear), "reports to the service, without an answer");
            }
        }
    }

    /// A process returns its result to its caller, who shows the credentials, if any.
    fn end(&mut self, p: usize, done: &Done) {
        let mut world = self.copy();
        stop(&mut world, p);
        let Some(record) = &done.record else { return self.add(format!("{p} returns nothing"), world) };
        if record.shows_credentials() {
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
}

/// Records the effect of a call in the world. If the call shows a fault, also records the fault.
fn note_call(
    world: &mut World,
    before: &World,
    record: &Record,
    order: usize,
    instruction: Instruction,
    end: CallEnd,
) {
    let Some(before) = before.orders.get(order) else { return };
    match instruction {
        Instruction::Confirm => {
            world.confirmed.insert(order);
            if !before.paid {
                world.fault = Some("a payment was confirmed that nobody has paid");
            }
        }
        Instruction::Cancel => {
            world.confirmed.remove(&order);
            let is_confirmed = record.confirm.state == Some(IntentState::Stored);
            if end == CallEnd::Accepted && before.paid && is_confirmed {
                world.fault = Some("a payment was cancelled that was paid and whose confirm is stored");
            }
        }
    }
}

pub fn stop(world: &mut World, p: usize) {
    let process = &mut world.processes[p];
    (process.run, process.waiting, process.steps) = (None, None, 0);
}
