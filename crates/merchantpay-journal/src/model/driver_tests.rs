//! Tests of single steps of the driver. The model tries their orders.

use std::sync::Arc;

use crate::model::driver::{Answer, Key, Run, Step, Task};
use crate::model::event::{Call, CallEnd, Event, Instruction, Report};
use crate::model::json::Fields;
use crate::model::record::Record;
use crate::model::transition_tests::{after, report, sending, texts};

#[test]
fn the_result_of_a_call_changes_nothing_if_the_attempt_got_another_order() {
    let texts = texts();
    let webhook = Report { has_credentials: false, fields: Fields::new(), ..report(Some("pending"), "10") };
    let named = after(&sending(), Event::WebhookReported(webhook), 0);
    for order in [None, Some("o-2".to_owned())] {
        let mut run =
            Run::new(Task::Apply(Key::of(&named), Box::new(Event::Instructed(Instruction::Confirm))));
        run.answer(Answer::Loaded(Some(Arc::new(named.clone())), false), 0, &texts);
        run.answer(Answer::Written, 0, &texts);
        let Step::Call(_, Call::Instruct(instruction, number)) = run.step() else { panic!("{run:?}") };
        let now = Record { order_id: order, writer: "another".to_owned(), ..named.clone() };
        run.answer(Answer::Called(Event::Answered(instruction, number, CallEnd::Accepted, None)), 0, &texts);
        run.answer(Answer::Lost, 0, &texts);
        run.answer(Answer::Loaded(Some(Arc::new(now.clone())), false), 0, &texts);
        let Step::Done(done) = run.step() else { panic!("{run:?}") };
        assert_eq!((done.record.as_deref(), now.confirm.state), (Some(&now), None));
    }
}
