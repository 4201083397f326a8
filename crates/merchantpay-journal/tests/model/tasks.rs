//! What is done in one go: webhooks, a person's word, and what the merchant's shop does.

use merchantpay_journal::internals::{
    Answer, Call, Event, Guards, Key, Record, Run, Step, Task, apply as transition, is_over,
};
use merchantpay_journal::{Level, Standing};

use crate::world::{Hook, State, World, facts, random_texts};

pub fn deliver(world: &mut World, hook: &Hook, guards: Guards) {
    let task = Task::Apply(Key::Token(hook.token.clone()), Box::new(world.event_of(hook)));
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
    call: &mut dyn FnMut(&mut World, &Record, Call) -> Option<Event>,
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
                world.store_orphan(&misplaced.report);
                Answer::Written
            }
            Step::Call(record, asked) => match call(world, &record, asked) {
                Some(event) => Answer::Called(event),
                None => return,
            },
            Step::Done(_) => return,
        };
        run.answer(answer, facts(guards), &random_texts(true, 9, 0, step));
    }
    panic!("a task does not end: {:?}", run.step());
}

/// What there is to report, and at which level.
pub fn news(world: &World, guards: Guards) -> Vec<(u32, Level)> {
    let last = world.rows.last().map(|row| row.attempt);
    let is_news = |row: &&Record| row.is_news(Some(row.attempt) == last, &guards);
    world.rows.iter().filter(is_news).map(|row| (row.attempt, row.reported)).collect()
}

pub fn acknowledge(world: &mut World, attempt: u32, level: Level, guards: Guards) {
    if let Some(row) = world.rows.iter_mut().find(|row| row.attempt == attempt) {
        row.acknowledged = row.acknowledged_after(level, &guards);
    }
}

/// Deletes the details of attempts of which nothing more is expected.
pub fn purge(world: &mut World, guards: Guards) {
    if !guards.keep_keys {
        world.rows.retain(|row| !is_over(row));
    }
    for row in world.rows.iter_mut().filter(|row| is_over(row)) {
        *row = transition(row, &Event::Purged, facts(guards)).record;
    }
    let was_paid = world.orders.iter().any(|order| order.state == State::Success);
    let reads_refused = world.rows.last().is_some_and(|row| row.standing == Standing::Refused);
    if was_paid && reads_refused {
        world.fault = Some("after purging, the entry of a paid reference reads refused");
    }
}
