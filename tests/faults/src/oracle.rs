//! Whether the observed results of a call are allowed. A violated rule is a sentence.

use merchantpay::{Error, Outcome};

use crate::case::{Case, Transport};
use crate::expectation::Phase;
use crate::fault::Fault;
use crate::trial::{Observation, Seen};

pub(crate) fn violations(case: &Case<'_>, seen: &Observation) -> Vec<String> {
    let mut found = Vec::new();
    if seen.hung {
        found.push("expected every wait to end, saw a connection on which nothing happened".to_owned());
    }
    if seen.unexpected > 0 {
        found.push(format!(
            "expected only effects of the calls that were made, saw {} others",
            seen.unexpected
        ));
    }
    found.extend(sent_too_often(case, &seen.disturbed));
    found.extend(attempts(case, seen));
    found.extend(match &seen.disturbed.result {
        Ok(_) => success(case, seen),
        Err(failure) => error(case, seen, failure).or_else(|| outcome(case, seen, failure)),
    });
    found.extend(clean(&seen.clean).map(|rule| format!("the next call: {rule}")));
    found
}

/// At most one effect, or one for each HTTP attempt of an operation that can be repeated safely.
fn sent_too_often(case: &Case<'_>, seen: &Seen) -> Option<String> {
    let most = if case.exchange.operation.repeatable { case.exchange.mode.most_attempts() } else { 1 };
    let count = seen.effects.len();
    (count > most).then(|| format!("expected at most {most} effects, saw {count}"))
}

fn attempts(case: &Case<'_>, seen: &Observation) -> Option<String> {
    let (attempts, most) = (&seen.disturbed.attempts, case.exchange.mode.most_attempts());
    // A client that was interrupted before the call makes no attempt.
    let least = if case.fault == Fault::Interrupt { 0 } else { 1 };
    if attempts.len() < least || attempts.len() > most {
        return Some(format!("expected {least} to {most} attempts, saw {}", attempts.len()));
    }
    let (_, before) = attempts.split_last().unwrap_or((&None, &[]));
    if !case.exchange.operation.repeatable && before.iter().any(|outcome| *outcome != Some(Outcome::NotSent))
    {
        return Some(format!("expected another attempt only of what was not sent, saw {attempts:?}"));
    }
    let is_short = case.is_tried_again() && seen.disturbed.result.is_err() && attempts.len() < most;
    is_short.then(|| format!("expected {most} attempts before the call fails, saw {}", attempts.len()))
}

fn success(case: &Case<'_>, seen: &Observation) -> Option<String> {
    let Ok(terms) = &seen.disturbed.result else { return None };
    if !seen.disturbed.effects.contains(terms) {
        return Some(format!(
            "expected the terms that the service signed, {:?}, saw {terms:?}",
            seen.disturbed.effects
        ));
    }
    let expected = case.expectation();
    // A further connection resumes the TLS session, so its handshake is shorter. The same offset may then be
    // after the reply.
    let may_lie_elsewhere = case.exchange.transport == Transport::Tls && seen.disturbed.attempts.len() > 1;
    (!expected.success && !seen.ended_undisturbed() && !may_lie_elsewhere)
        .then(|| format!("expected {:?}, saw a success", expected.codes))
}

fn error(case: &Case<'_>, seen: &Observation, failure: &Error) -> Option<String> {
    let expected = case.expectation();
    if seen.ended_undisturbed() {
        return Some(format!("expected a success of an attempt that met no fault, saw {}", shown(failure)));
    }
    let success = if expected.success { "a success or " } else { "" };
    (!expected.codes.contains(&failure.code()))
        .then(|| format!("expected {success}{:?}, saw {}", expected.codes, shown(failure)))
}

fn outcome(case: &Case<'_>, seen: &Observation, failure: &Error) -> Option<String> {
    let (effects, bytes) = (seen.disturbed.effects.len(), seen.request_bytes);
    let evidence = format!("{effects} effects and {bytes} bytes of the request at the service");
    match failure.outcome() {
        Outcome::NotSent if effects > 0 || bytes > 0 => {
            Some(format!("expected the outcome unknown, with {evidence}, saw {}", shown(failure)))
        }
        // Repeated bytes of the client's first TLS messages may reach the server after its answer. Then the
        // client has already sent its request to a server that does not complete the handshake.
        Outcome::Unknown if case.phase() == Phase::Opening && bytes == 0 => Some(format!(
            "expected the outcome not_sent, as no handshake was completed, with {evidence}, saw {}",
            shown(failure)
        )),
        Outcome::NotSent | Outcome::Unknown => None,
        _ => Some(format!(
            "expected the outcome not_sent or unknown, as the service refused nothing, saw {}",
            shown(failure)
        )),
    }
}

fn clean(seen: &Seen) -> Option<String> {
    match &seen.result {
        Ok(terms) if seen.effects == [terms.clone()] && seen.attempts == [None] => None,
        Ok(terms) => Some(format!(
            "expected one attempt and the one effect {terms:?}, saw {:?} and {:?}",
            seen.attempts, seen.effects
        )),
        Err(failure) => Some(format!("expected a success, saw {}", shown(failure))),
    }
}

fn shown(failure: &Error) -> String {
    format!("{}, {} ({failure})", failure.code(), failure.outcome())
}

/// That the harness can fail.
#[cfg(test)]
mod tests {
    use merchantpay::{Error, Outcome};

    use crate::case::{Case, Mode, Transport};
    use crate::fault::{Direction, Fault};
    use crate::operation::{OPERATIONS, Operation, Terms};
    use crate::server::listener;
    use crate::trial::{Observation, Seen, measure};

    use super::violations;

    fn operation(name: &str) -> &'static Operation {
        OPERATIONS.iter().find(|operation| operation.name == name).unwrap()
    }

    fn terms(order: &str) -> Terms {
        Terms { order_id: Some(order.to_owned()), sum: None, json: format!(r#"{{"orderId":"{order}"}}"#) }
    }

    fn failure(outcome: Outcome) -> Result<Terms, Error> {
        Err(Error::transport("no reply").with_outcome(outcome))
    }

    /// A correct observation of a payment: the connection was cut after the request was sent.
    fn lost_reply() -> Observation {
        Observation {
            disturbed: Seen {
                result: failure(Outcome::Unknown),
                attempts: vec![Some(Outcome::Unknown)],
                effects: vec![terms("1")],
            },
            faulted: 1,
            request_bytes: 400,
            clean: Seen { result: Ok(terms("2")), attempts: vec![None], effects: vec![terms("2")] },
            unexpected: 0,
            hung: false,
        }
    }

    type Change = fn(&mut Observation);

    const WRONG: &[(&str, Change)] = &[
        ("not_sent with an effect", |seen| seen.disturbed.result = failure(Outcome::NotSent)),
        ("not_sent with bytes of the request", |seen| {
            seen.disturbed.effects.clear();
            seen.disturbed.result = failure(Outcome::NotSent);
        }),
        ("rejected", |seen| seen.disturbed.result = failure(Outcome::Rejected)),
        ("another code", |seen| {
            seen.disturbed.result = Err(Error::internal(Outcome::Unknown, "another"));
        }),
        ("two effects", |seen| seen.disturbed.effects.push(terms("3"))),
        ("a second attempt of what was sent", |seen| seen.disturbed.attempts.push(Some(Outcome::Unknown))),
        ("a success where no reply came", |seen| seen.disturbed.result = Ok(terms("1"))),
        ("a success with another order id", |seen| {
            seen.faulted = 0;
            seen.disturbed.result = Ok(terms("3"));
        }),
        ("an error without a fault", |seen| seen.faulted = 0),
        ("an effect that nobody asked for", |seen| seen.unexpected = 1),
        ("a connection that hangs", |seen| seen.hung = true),
        ("a next call that fails", |seen| seen.clean.result = failure(Outcome::Unknown)),
        ("a next call that takes effect twice", |seen| seen.clean.effects.push(terms("2"))),
        ("a next call that needs two attempts", |seen| seen.clean.attempts.insert(0, Some(Outcome::NotSent))),
    ];

    #[test]
    fn reports_wrong_results_only() {
        let listener = listener().unwrap();
        let exchange = measure(&listener, operation("newPayment"), Transport::Plain, Mode::OneFault).unwrap();
        let offset = exchange.marks.request_end;
        let case = Case { exchange: &exchange, direction: Direction::ToService, fault: Fault::Cut, offset };
        assert_eq!(violations(&case, &lost_reply()), [] as [&str; 0]);
        for (what, change) in WRONG {
            let mut seen = lost_reply();
            change(&mut seen);
            assert_ne!(violations(&case, &seen), [] as [&str; 0], "{what}");
        }
    }

    #[test]
    fn unknown_needs_sent_bytes() {
        let listener = listener().unwrap();
        let exchange = measure(&listener, operation("newPayment"), Transport::Tls, Mode::NoRetries).unwrap();
        let (direction, fault) = (Direction::ToService, Fault::Repeat);
        let case = Case { exchange: &exchange, direction, fault, offset: 1 };
        for (request_bytes, is_right) in [(380, true), (0, false)] {
            let mut seen = Observation { request_bytes, ..lost_reply() };
            seen.disturbed.effects.clear();
            let found = violations(&case, &seen);
            assert_eq!(found.is_empty(), is_right, "{request_bytes} bytes: {found:?}");
        }
    }
}
