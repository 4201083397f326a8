//! Measures the exchanges, and judges a case.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use crate::case::{Case, Exchange, Mode, Transport};
use crate::operation::OPERATIONS;
use crate::oracle;
use crate::server::listener;
use crate::trial;

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

pub(crate) fn judge(listener: &Arc<TcpListener>, case: &Case<'_>) -> io::Result<Vec<String>> {
    let violations = oracle::violations(case, &trial::observe(listener, case, false)?);
    if case.closes_between_exchanges() && !violations.is_empty() {
        // Perhaps the close had not arrived when the client checked its connection. Waiting for it takes time, so only
        // these cases run again with the wait.
        return Ok(oracle::violations(case, &trial::observe(listener, case, true)?));
    }
    Ok(violations)
}
