//! Runs many cases concurrently: most of them only wait.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::case::{Case, Exchange, Mode, Transport};
use crate::operation::{Call, OPERATIONS};
use crate::oracle;
use crate::proxy::Listeners;
use crate::report::Report;
use crate::trial::{self, Observation};

/// Every exchange, with its layout on the wire.
pub(crate) fn exchanges() -> io::Result<Vec<Exchange>> {
    let listeners = Listeners::new()?;
    let mut exchanges = Vec::new();
    for operation in &OPERATIONS {
        for transport in Transport::ALL {
            for mode in Mode::ALL {
                let exchange = trial::measure(&listeners, operation, transport, mode)?;
                let again = trial::measure(&listeners, operation, transport, mode)?;
                if (exchange.marks, &exchange.ends) != (again.marks, &again.ends) {
                    return Err(io::Error::other(format!(
                        "{} over {transport} is not always as long",
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
    listeners: &Arc<Listeners>,
    case: &Case<'_>,
    call: Call,
) -> io::Result<(Observation, Vec<String>)> {
    let mut seen = trial::observe(listeners, case, call, false)?;
    let mut violations = oracle::violations(case, &seen);
    if case.closes_between_exchanges() && !violations.is_empty() {
        // The close may not have arrived yet when the client checked its connection. To wait for the close
        // takes time, so only these cases are run again with the wait.
        seen = trial::observe(listeners, case, call, true)?;
        violations = oracle::violations(case, &seen);
    }
    Ok((seen, violations))
}

pub(crate) fn run(cases: &[Case<'_>], threads: usize) -> io::Result<Report> {
    let next = AtomicUsize::new(0);
    let worker = || -> io::Result<Report> {
        let mut listeners = Listeners::new()?;
        let mut report = Report::default();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            match judge(&listeners, case, case.exchange.operation.call) {
                Ok((seen, violations)) => {
                    report.add(case, &seen);
                    violations.iter().for_each(|rule| report.violation(case, rule));
                }
                Err(error) => {
                    report.violation(case, format_args!("the harness failed: {error}"));
                    // The listeners are replaced, because a proxy that did not end may still use the old
                    // listeners.
                    listeners = Listeners::new()?;
                }
            }
        }
        Ok(report)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().try_fold(Report::default(), |mut all, thread| {
            all.merge(thread.join().map_err(|_| io::Error::other("a thread panicked"))??);
            Ok(all)
        })
    })
}
