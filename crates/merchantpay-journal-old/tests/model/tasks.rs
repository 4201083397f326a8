//! Tasks that run from beginning to end, without steps of other processes in between: webhooks, an operator's
//! resolution, and the shop's actions.

use merchantpay_journal_old::internals::{
    Answer, Call, Event, Key, Record, Run, Step, Task, apply as transition,
};
use merchantpay_journal_old::{Level, Standing};

use crate::world::{Hook, NOW, State, World, random_texts};

pub fn deliver(world: &mut World, hook: &Hook) {
    let task = Task::Apply(Key::Token(hook.token.clone()), Box::new(world.event_of(hook)));
    run_now(world, task);
}

/// Runs a task to its end. The task makes no calls.
pub fn run_now(world: &mut World, task: Task) {
    run_with(world, task, &mut |_, _, _| None);
}

/// Runs a task to its end. `call` returns the result of each call of the task, or `None` if the task must
/// make no call.
pub fn run_with(
    world: &mut World,
    task: Task,
    call: &mut dyn FnMut(&mut World, &Record, Call) -> Option<Event>,
) {
    let mut run = Run::new(task);
    for step in 0..50 {
        let answer = match run.step() {
            Step::Load(key) => Answer::Loaded(world.load(&key), world.is_paused),
            Step::Insert(record) => {
                if world.insert(&record) {
                    Answer::Written
                } else {
                    Answer::Duplicate
                }
            }
            Step::Update(record) => match world.update(&record) {
                Some(true) => Answer::Written,
                Some(false) => Answer::Lost,
                None => Answer::Duplicate,
            },
            Step::StoreOrphan(misplaced) => {
                world.store_orphan(&misplaced.report);
                Answer::Written
            }
            Step::Check(_) if world.is_paused => Answer::Paused,
            Step::Check(_) => Answer::Written,
            Step::Call(record, asked) => match call(world, &record, asked) {
                Some(event) => Answer::Called(event),
                None => return,
            },
            Step::Done(_) => return,
        };
        run.answer(answer, NOW, &random_texts(true, 9, 0, step));
    }
    panic!("a task does not end: {:?}", run.step());
}

/// The attempts whose level is above the acknowledged level (the news of the journal), with their levels.
pub fn news(world: &World) -> Vec<(u32, Level)> {
    let is_news = |row: &&Record| row.reported > row.acknowledged;
    world.rows.iter().filter(is_news).map(|row| (row.attempt, row.reported)).collect()
}

pub fn acknowledge(world: &mut World, attempt: u32, level: Level) {
    if let Some(row) = world.rows.iter_mut().find(|row| row.attempt == attempt) {
        row.acknowledged = row.acknowledged.max(level);
    }
}

/// Deletes the details of finished attempts.
pub fn purge(world: &mut World) {
    for row in world.rows.iter_mut().filter(|row| row.is_over()) {
        *row = transition(row, &Event::Purged, NOW).record;
        // The database stores fewer fields of a purged attempt, so the row is read back from its JSON.
        row.read_json(&row.clone().to_json());
    }
    let was_paid = world.orders.iter().any(|order| order.state == State::Success);
    let reads_refused = world.rows.last().is_some_and(|row| row.standing == Standing::Refused);
    if was_paid && reads_refused {
        world.fault = Some("after purging, the entry of a paid reference reads refused");
    }
}
