//! Measures the exchanges, and judges a case.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use crate::case::{Case, Exchange, Mode, Transport};
use crate::operation::{Call, OPERATIONS};
use crate::oracle;
use crate::server::listener;
use crate::trial::{self, Observation};

/// Every exchange, with its layout on the wire.
pub(crate) fn exchanges() -> io::Result<Vec<Exchange>> {
    let listener = listener()?;
    let mut exchanges = Vec::new();
    for operation in &OPERATIONS {
        for transport in Transport::ALL {
            for mode in Mode::ALL {
                let exchange = trial::measure(&listener, operation, transport, mode)?;
                let again = trial::measure(&listener, operation, transport, mode)?;
                if (exchange.marks, &exchange.ends) != (again.marks, &again.ends) {
                    return Err(io::Error::other(format!(
                        "{} over {transport:?} is not always as long",
                        operation.name
                    )));
                }
                exchanges.push(exchange);
            }
        }
    }
    Ok(exchanges)
}

/// The observation of a case, and the violated rules.
pub(crate) fn judge(
    listener: &Arc<TcpListener>,
    case: &Case<'_>,
    call: Call,
) -> io::Result<(Observation, Vec<String>)> {
    let mut seen = trial::observe(listener, case, call, false)?;
    let mut violations = oracle::violations(case, &seen);
    if case.closes_between_exchanges() && !violations.is_empty() {
        // The close may not have arrived yet when the client checked its connection. To wait for the close
        // takes time, so only these cases are run again with the wait.
        seen = trial::observe(listener, case, call, true)?;
        violations = oracle::violations(case, &seen);
    }
    Ok((seen, violations))
}
