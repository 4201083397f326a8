//! The calls to the service, and what their ends mean.

use std::time::{Duration, Instant};

use merchantpay::{Client, Code, Error, Outcome, Payment, PaymentRequest, Reason, Result};

use crate::api::journal::Journal;
use crate::model::attempt::{Attempt, Intent};
use crate::model::call::CallEnd;
use crate::model::report::{Answer, Problem, Report};

/// The end of the call that makes a payment, and the order that a reply names which is signed but not as the
/// contract says.
pub(crate) struct Made {
    pub(crate) end: CallEnd,
    pub(crate) malformed: Option<String>,
}

impl Journal {
    pub(crate) fn make(&self, row: &Attempt, request: &PaymentRequest, deadline: Instant) -> Made {
        let called = self.within(deadline, |client| match row.asynchronous {
            true => client.new_payment_async(request),
            false => client.new_payment(request),
        });
        let end = end_of(called.as_ref().map(Report::from));
        let malformed = called
            .err()
            .filter(|error| error.code() == Code::Malformed && error.outcome() == Outcome::Unknown);
        Made { end, malformed: malformed.and_then(|error| error.order_id().map(str::to_owned)) }
    }

    pub(crate) fn ask(&self, order_id: &str, deadline: Instant) -> (Answer, Option<Error>) {
        match self.within(deadline, |client| client.get_status(order_id)) {
            Ok(payment) => (Answer::Report(Report::from(&payment)), None),
            Err(error) if error.reason() == Some(Reason::OrderNotFound) => {
                (Answer::NotFound(problem(&error)), Some(error))
            }
            Err(error) => (Answer::Failed(problem(&error)), Some(error)),
        }
    }

    pub(crate) fn instruct(
        &self,
        order_id: &str,
        intent: Intent,
        deadline: Instant,
    ) -> (CallEnd<()>, Option<Error>) {
        let called = self.within(deadline, |client| match intent {
            Intent::Confirm => client.confirm(order_id),
            Intent::Cancel => client.cancel(order_id),
        });
        (end_of(called.as_ref().map(|_| ())), called.err())
    }

    /// Calls with what remains of the deadline. After it nothing is sent, whatever the database's clock says.
    fn within(&self, deadline: Instant, call: impl FnOnce(&Client) -> Result<Payment>) -> Result<Payment> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left < Duration::from_millis(1) {
            return Err(Error::transport("the deadline had passed before the call"));
        }
        call(&self.client.derive(left))
    }

    /// The deadline of an operation that begins now.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.config.timeout
    }
}

fn end_of<T>(called: std::result::Result<T, &Error>) -> CallEnd<T> {
    match called {
        Ok(reply) => CallEnd::Accepted(reply),
        Err(error) => match error.outcome() {
            Outcome::NotSent => CallEnd::NotSent(problem(error)),
            Outcome::Rejected => CallEnd::Refused(problem(error)),
            _ => CallEnd::Unclear(problem(error)),
        },
    }
}

pub(crate) fn problem(error: &Error) -> Problem {
    Problem {
        code: error.code().name().to_owned(),
        outcome: error.outcome().name().to_owned(),
        description: error.description().map(str::to_owned),
    }
}
