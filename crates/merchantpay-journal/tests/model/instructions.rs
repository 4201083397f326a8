//! Confirm and cancel of one open attempt: two processes, lost replies, requests that arrive late, over the
//! product's transitions.

use merchantpay_journal::model::attempt::{Intent, IntentState, State};
use merchantpay_journal::model::decision::Call;

use crate::row::{Row, Seen, Sum, Told, When};
use crate::search::{Next, System, search};
use crate::transitions::{Event, Others, Outcome, Transitions};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
enum Service {
    Awaits,
    Verifies,
    Cancelled,
}

impl Service {
    fn seen(self) -> Seen {
        let told = if self == Service::Cancelled { Told::Fail } else { Told::Pending };
        Seen { told, sum: Sum::Asked, credentials: told == Told::Pending }
    }

    /// The answer to an instruction. Nobody knows whether a second confirm is accepted.
    fn serve(self, intent: Intent, accepts_again: bool) -> (bool, Service) {
        match (intent, self) {
            (Intent::Confirm, Service::Awaits) => (true, Service::Verifies),
            (Intent::Confirm, Service::Verifies) => (accepts_again, self),
            (Intent::Cancel, Service::Awaits) => (true, Service::Cancelled),
            _ => (false, self),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
enum Pc {
    Idle,
    Ask,
    Asked(Seen),
    Send(Intent),
    Wait(Intent),
    Refused(Intent),
    Answered(Intent, Result<(), Option<Seen>>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct World {
    row: Row,
    service: Service,
    /// The accepted instructions: confirm, cancel.
    accepted: [bool; 2],
    processes: [(Pc, bool); 2],
    /// Instructions on their way, with the process that waits.
    flights: [Option<(Intent, Option<usize>)>; 2],
    asked: u8,
    crashes: u8,
}

struct Model {
    transitions: Transitions,
    accepts_again: bool,
}

fn place(intent: Intent) -> usize {
    usize::from(intent == Intent::Cancel)
}

impl Model {
    /// `is_reader`: the writer has read the row before, and the write fails if the row has changed since.
    fn store(&self, world: &mut World, writer: usize, is_reader: bool, outcome: &Outcome) -> bool {
        let Some(row) = outcome.new_row else { return true };
        if is_reader && world.processes[writer].1 {
            return false;
        }
        world.row = row;
        world.processes[writer].1 = false;
        world.processes[1 - writer].1 |= world.processes[1 - writer].0 != Pc::Idle;
        true
    }

    fn event(&self, world: &World, event: Event) -> Outcome {
        self.transitions.apply(&world.row, event, 0)
    }

    fn follow(&self, world: &mut World, n: usize, outcome: &Outcome) {
        world.processes[n].0 = match outcome.call {
            Some(Call::Instruct(intent)) => Pc::Send(intent),
            Some(Call::Ask) => Pc::Ask,
            _ => Pc::Idle,
        };
        if world.processes[n].0 == Pc::Idle {
            world.processes[n].1 = false;
        }
    }

    fn steps(&self, world: &World, next: &mut Next<World>) {
        for n in 0..2 {
            let (pc, _) = world.processes[n];
            let mut t = *world;
            if pc != Pc::Idle && world.crashes == 0 {
                let mut t = *world;
                t.crashes = 1;
                give_up(&mut t, n);
                next.push(|| format!("p{n} dies"), t);
            }
            match pc {
                Pc::Idle => self.begin(world, n, next),
                Pc::Ask => {
                    t.processes[n].0 = Pc::Asked(world.service.seen());
                    next.push(|| format!("p{n} asks: {:?}", world.service), t);
                }
                Pc::Asked(seen) => {
                    let outcome = self.event(world, Event::Answered(Some(seen), Others::default()));
                    let is_stored = self.store(&mut t, n, outcome.drops, &outcome);
                    let none = Outcome { call: None, ..outcome };
                    self.follow(&mut t, n, if is_stored { &outcome } else { &none });
                    next.push(|| format!("p{n} stores the status: {is_stored}"), t);
                }
                Pc::Send(intent) => {
                    if let Some(free) = t.flights.iter_mut().find(|flight| flight.is_none()) {
                        *free = Some((intent, Some(n)));
                        t.processes[n].0 = Pc::Wait(intent);
                        next.push(|| format!("p{n} sends {intent}"), t);
                    }
                }
                Pc::Wait(_) => {
                    give_up(&mut t, n);
                    next.push(|| format!("p{n} gets no reply"), t);
                }
                Pc::Refused(intent) => {
                    t.processes[n].0 = Pc::Answered(intent, Err(Some(world.service.seen())));
                    next.push(|| format!("p{n} asks after the refusal: {:?}", world.service), t);
                }
                Pc::Answered(intent, result) => {
                    let outcome = self.event(world, Event::Instructed(intent, result, Others::default()));
                    let is_stored = self.store(&mut t, n, outcome.drops, &outcome);
                    t.processes[n] = (Pc::Idle, false);
                    next.push(|| format!("p{n} stores {intent} {}: {is_stored}", result.is_ok()), t);
                }
            }
        }
        for (k, flight) in world.flights.iter().enumerate() {
            let Some((intent, waiter)) = *flight else { continue };
            let mut t = *world;
            t.flights[k] = None;
            next.push(|| format!("{intent} is lost"), t);
            let (is_accepted, service) = world.service.serve(intent, self.accepts_again);
            t.service = service;
            t.accepted[place(intent)] |= is_accepted;
            if let Some(n) = waiter {
                t.processes[n].0 =
                    if is_accepted { Pc::Answered(intent, Ok(())) } else { Pc::Refused(intent) };
            }
            next.push(|| format!("the service: {intent} {is_accepted}"), t);
        }
    }

    fn begin(&self, world: &World, n: usize, next: &mut Next<World>) {
        let mut try_event = |what: String, event: Event, asked: u8| {
            let mut t = *world;
            let outcome = self.event(world, event);
            if outcome.new_row.is_none() {
                return;
            }
            t.asked += asked;
            self.store(&mut t, n, false, &outcome);
            self.follow(&mut t, n, &outcome);
            if event == Event::Claim {
                t.processes[n].0 = Pc::Ask;
            }
            next.push(|| what, t);
        };
        if world.asked < 3 {
            for intent in [Intent::Confirm, Intent::Cancel] {
                try_event(format!("p{n} {intent}"), Event::Instruct(intent), 1);
            }
        }
        if world.row.is(State::Open) {
            try_event(format!("p{n} claims"), Event::Claim, 0);
        }
    }

    /// Everything in flight is lost, and `settle` works alone.
    fn quiet(&self, world: &World) -> World {
        let mut t = World { processes: [(Pc::Idle, false); 2], flights: [None; 2], ..*world };
        for _ in 0..6 {
            if !t.row.is(State::Open) {
                break;
            }
            let seen = t.service.seen();
            let outcome = self.event(&t, Event::Answered(Some(seen), Others::default()));
            self.store(&mut t, 0, false, &outcome);
            let Some(Call::Instruct(intent)) = outcome.call else { break };
            let (is_accepted, service) = t.service.serve(intent, self.accepts_again);
            t.service = service;
            t.accepted[place(intent)] |= is_accepted;
            let result = if is_accepted { Ok(()) } else { Err(Some(t.service.seen())) };
            let outcome = self.event(&t, Event::Instructed(intent, result, Others::default()));
            self.store(&mut t, 0, false, &outcome);
        }
        t
    }

    fn broken_promise(&self, world: &World) -> Option<&'static str> {
        let is_true = |row: &Row, accepted: &[bool; 2]| match row.intent {
            Some((intent, IntentState::Accepted)) => accepted[place(intent)] || row.is(State::Final),
            _ => true,
        };
        if !is_true(&world.row, &world.accepted) {
            return Some("J1 an instruction is shown as accepted that was not");
        }
        let is_quiet = world.processes.iter().all(|(pc, _)| *pc == Pc::Idle) && world.flights == [None; 2];
        if !is_quiet {
            return None;
        }
        let end = self.quiet(world);
        let (row, is_final) = (&end.row, end.row.is(State::Final));
        let is_unseen = !is_final && row.attention == 0;
        match row.intent {
            Some((Intent::Confirm, _)) if is_unseen && end.service != Service::Verifies => {
                Some("J2 a confirm is lost")
            }
            Some((Intent::Confirm, IntentState::Refused)) if is_unseen && end.accepted[0] => {
                Some("J3 an accepted confirm is shown as refused, and nobody looks")
            }
            Some((Intent::Cancel, IntentState::Refused)) if end.service == Service::Cancelled => {
                Some("J4 an accepted cancel is shown as refused")
            }
            _ => None,
        }
    }
}

impl System for Model {
    type World = World;

    fn start(&self) -> World {
        let row = Row {
            state: Some(State::Open),
            token: 1,
            order: 0,
            status: Told::Pending,
            sum: Sum::Asked,
            credentials: true,
            due: When::Passed,
            ..Row::default()
        };
        World {
            row,
            service: Service::Awaits,
            accepted: [false; 2],
            processes: [(Pc::Idle, false); 2],
            flights: [None; 2],
            asked: 0,
            crashes: 0,
        }
    }

    fn next(&self, world: &World, next: &mut Next<World>) {
        self.steps(world, next);
    }

    fn violation(&self, world: &World) -> Option<String> {
        self.broken_promise(world).map(str::to_owned)
    }
}

fn give_up(world: &mut World, n: usize) {
    for (_, waiter) in world.flights.iter_mut().flatten() {
        if *waiter == Some(n) {
            *waiter = None;
        }
    }
    world.processes[n] = (Pc::Idle, false);
}

#[test]
fn instructions_are_neither_lost_nor_misreported() {
    for accepts_again in [true, false] {
        let name = format!("a second confirm is accepted: {accepts_again}");
        let found = search(&Model { transitions: Transitions::default(), accepts_again }, &name, usize::MAX);
        assert!(found.is_exhausted || found.violation.is_some());
        found.assert_holds(&name);
    }
}
