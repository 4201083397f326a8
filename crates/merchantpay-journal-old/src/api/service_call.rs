//! Makes the calls to the service, and turns their results into events.

use std::time::{Duration, Instant};

use merchantpay::{Amount, Client, Code, Error, Outcome, Payment, PaymentRequest, Reason, Result};

use crate::api::journal::Journal;
use crate::model::event::{Call, CallEnd, Event, Instruction, Report};
use crate::model::json::Fields;
use crate::model::record::{Problem, Record};

impl Journal {
    /// Makes a call to the service. Returns the resulting event, and the call's error, if any.
    pub(crate) fn call(
        &self,
        record: &Record,
        call: Call,
        request: Option<&PaymentRequest>,
        deadline: Instant,
    ) -> (Event, Option<Error>) {
        let (event, error) = self.make_call(record, call, request, deadline);
        self.counters.count_call(call, record.asynchronous, error.as_ref());
        (event, error)
    }

    fn make_call(
        &self,
        record: &Record,
        call: Call,
        request: Option<&PaymentRequest>,
        deadline: Instant,
    ) -> (Event, Option<Error>) {
        let order_id = record.order_id.as_deref().unwrap_or_default();
        match call {
            Call::Create => {
                let called = self.create(record, request, deadline);
                (created(&called), called.err())
            }
            Call::Status => match self.within(deadline, |client| client.get_status(order_id)) {
                Ok(payment) => (Event::StatusReported(Report::from(&payment)), None),
                Err(error) => {
                    let not_found = error.reason() == Some(Reason::OrderNotFound);
                    (Event::StatusFailed(not_found, Problem::of(&error)), Some(error))
                }
            },
            Call::Instruct(instruction, number) => {
                let called = self.within(deadline, |client| match instruction {
                    Instruction::Confirm => client.confirm(order_id),
                    Instruction::Cancel => client.cancel(order_id),
                });
                let end = end(&called);
                let error = called.err();
                (Event::Answered(instruction, number, end, error.as_ref().map(Problem::of)), error)
            }
        }
    }

    fn create(
        &self,
        record: &Record,
        request: Option<&PaymentRequest>,
        deadline: Instant,
    ) -> Result<Payment> {
        let request =
            request.ok_or_else(|| Error::internal(Outcome::NotSent, "there is no request to send"))?;
        let request = self.request_of(record, request);
        self.within(deadline, |client| match record.asynchronous {
            true => client.new_payment_async(&request),
            false => client.new_payment(&request),
        })
    }

    /// Makes a call with the remaining time of the deadline.
    pub(crate) fn within(
        &self,
        deadline: Instant,
        call: impl FnOnce(&Client) -> Result<Payment>,
    ) -> Result<Payment> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left < Duration::from_millis(1) {
            return Err(Error::transport("the deadline had passed before the call"));
        }
        call(&self.client.derive(left))
    }
}

/// The event for the result of `/new` or `/new-async`.
fn created(called: &Result<Payment>) -> Event {
    match called {
        Ok(payment) => Event::Created(Report::from(payment)),
        Err(error) => match verified_order(error) {
            // The reply is verified and names an order, but is malformed. So the order is confirmed only when
            // `getStatus` has reported about the order.
            Some(order_id) => Event::WebhookReported(Report {
                order_id: order_id.to_owned(),
                status: None,
                sum: None::<Amount>,
                currency: None,
                has_credentials: false,
                fields: Fields::new(),
            }),
            None => Event::NotCreated(end(called), Problem::of(error)),
        },
    }
}

fn verified_order(error: &Error) -> Option<&str> {
    error.order_id().filter(|_| error.code() == Code::Malformed && error.outcome() == Outcome::Unknown)
}

fn end(called: &Result<Payment>) -> CallEnd {
    match called {
        Ok(_) => CallEnd::Accepted,
        Err(error) => match error.outcome() {
            Outcome::NotSent => CallEnd::NotSent,
            Outcome::Rejected => CallEnd::Refused,
            _ => CallEnd::Unclear,
        },
    }
}
