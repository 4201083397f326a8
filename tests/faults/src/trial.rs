//! One call, disturbed or not, the clean call after it, and the observations of both.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Client, Code, Error, Outcome};

use crate::PATIENCE;
use crate::case::{Case, Exchange, Mode, Transport};
use crate::channel::Marks;
use crate::client::{self, SHORT};
use crate::fault::{Direction, Plan};
use crate::link::Traffic;
use crate::operation::{Operation, Terms};
use crate::server::Server;
use crate::service::{CLEAN, DISTURBED, Effect, Service, WARM_UP};
use crate::wire::record_ends;

#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) result: Result<Terms, Error>,
    /// The outcome of each HTTP attempt; `None` for a success.
    pub(crate) attempts: Vec<Option<Outcome>>,
    /// The service's replies to the requests of this call that could take effect.
    pub(crate) effects: Vec<Terms>,
}

#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) disturbed: Seen,
    /// How many connections of the call had the fault.
    pub(crate) faulted: usize,
    /// At least so many bytes of the request reached the server.
    pub(crate) request_bytes: usize,
    pub(crate) clean: Seen,
    /// Effects that belong to no call.
    pub(crate) unexpected: usize,
    /// A connection did not change for longer than any call may take.
    pub(crate) hung: bool,
}

impl Observation {
    /// The last HTTP attempt had no fault.
    pub(crate) fn ended_undisturbed(&self) -> bool {
        self.faulted < self.disturbed.attempts.len()
    }

    /// A call has passed its deadline although its last HTTP attempt had no fault.
    fn is_late(&self) -> bool {
        self.ended_undisturbed() && self.disturbed.timed_out() || self.clean.timed_out()
    }
}

impl Seen {
    fn timed_out(&self) -> bool {
        self.result.as_ref().is_err_and(|failure| failure.code() == Code::Timeout)
    }
}

/// `closes_arrive`: no call starts before the client's operating system knows of each closed connection.
pub(crate) fn observe(
    listener: &Arc<TcpListener>,
    case: &Case<'_>,
    closes_arrive: bool,
) -> io::Result<Observation> {
    let &Exchange { operation, transport, mode, marks, .. } = case.exchange;
    let trial = Trial { operation, transport, mode, closes_arrive };
    let before_request = if marks.handshake.is_some() { marks.request_start } else { 0 };
    let mut deadline = if case.may_time_out() { SHORT } else { PATIENCE };
    loop {
        let ran = trial.run(listener, Some(case.plan()), deadline);
        let seen = ran.map(|ran| ran.observation(before_request));
        let is_late = match &seen {
            Ok(seen) => seen.is_late(),
            Err(error) => error.kind() == io::ErrorKind::TimedOut,
        };
        if deadline >= PATIENCE || !is_late {
            return seen;
        }
        // The machine is so busy that a call without a fault did not end in time.
        deadline *= 4;
    }
}

pub(crate) fn measure(
    listener: &Arc<TcpListener>,
    operation: &'static Operation,
    transport: Transport,
    mode: Mode,
) -> io::Result<Exchange> {
    let trial = Trial { operation, transport, mode, closes_arrive: false };
    let ran = trial.run(listener, None, PATIENCE)?;
    let effect = ran.effects.iter().find(|effect| effect.reference == Some(DISTURBED));
    let effect = effect.ok_or_else(|| {
        io::Error::other(format!("{} was not carried out: {:?}", operation.name, ran.disturbed.result))
    })?;
    let traffic =
        ran.traffic.get(effect.connection).ok_or_else(|| io::Error::other("there is no such connection"))?;
    let [request_base, reply_base] = traffic.base;
    let marks = Marks {
        handshake: effect.marks.handshake,
        request_start: effect.marks.request_start - request_base,
        request_end: effect.marks.request_end - request_base,
        reply_start: effect.marks.reply_start - reply_base,
        reply_end: effect.marks.reply_end - reply_base,
    };
    let ends = |direction: Direction, end: usize| {
        let bytes = &traffic.passed[direction as usize][traffic.base[direction as usize]..][..end];
        match transport {
            Transport::Tls => record_ends(bytes),
            Transport::Plain | Transport::Chunked => line_ends(bytes),
        }
    };
    let ends = [ends(Direction::ToService, marks.request_end), ends(Direction::ToClient, marks.reply_end)];
    Ok(Exchange { operation, transport, mode, marks, ends })
}

/// The ends of the head, of each line after it, and of everything.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(0, |head| head + 2);
    let lines = bytes
        .windows(2)
        .enumerate()
        .skip(head)
        .filter(|(_, two)| *two == b"\r\n")
        .map(|(place, _)| place + 2);
    lines.chain([bytes.len()]).collect()
}

struct Trial {
    operation: &'static Operation,
    transport: Transport,
    mode: Mode,
    closes_arrive: bool,
}

struct Ran {
    disturbed: Seen,
    clean: Seen,
    /// Effects that belong to no call.
    unexpected: usize,
    faulted: usize,
    hung: bool,
    /// The number of bytes of the call that the client had sent on each earlier connection.
    sent_on_kept: Vec<usize>,
    /// The number of connections before the clean call.
    connections: usize,
    traffic: Vec<Traffic>,
    effects: Vec<Effect>,
}

impl Trial {
    /// Runs the calls of a client, each with this deadline.
    fn run(&self, listener: &Arc<TcpListener>, plan: Option<Plan>, deadline: Duration) -> io::Result<Ran> {
        let tls = self.transport == Transport::Tls;
        let service = Arc::new(Service::new(self.transport));
        let server = Server::start(listener, Arc::clone(&service))?;
        let (client, attempts) = client::client(server.port(), tls, deadline, self.mode.max_retries())
            .map_err(io::Error::other)?;
        // The disturbed call uses a separate client, so that an interruption does not affect the calls before
        // and after it.
        let disturbed = client.derive(Duration::ZERO);
        server.interrupts(disturbed.clone());
        let call_by = |client: &Client, reference| {
            let result = (self.operation.call)(client, reference);
            Seen { result, attempts: attempts.take(), effects: Vec::new() }
        };
        let call = |reference| call_by(&client, reference);
        if self.mode == Mode::Kept {
            let warm_up = call(WARM_UP);
            if let Err(failure) = &warm_up.result {
                let kind = if warm_up.timed_out() { io::ErrorKind::TimedOut } else { io::ErrorKind::Other };
                let error = io::Error::new(kind, failure.clone());
                drop((client, disturbed));
                server.finish()?;
                return Err(error);
            }
        }
        let kept = server.traffic().len();
        server.arm(plan);
        if self.closes_arrive {
            server.wait_until_noticed()?;
        }
        let mut disturbed_call = call_by(&disturbed, DISTURBED);
        if self.closes_arrive {
            server.wait_until_noticed()?;
        }
        let connections = server.end_fault()?;
        let faulted = server.faulted();
        let sent_on_kept = server
            .traffic()
            .iter()
            .take(kept)
            .map(|traffic| traffic.received_from_client - traffic.base[0])
            .collect();
        let mut clean = call(CLEAN);
        drop((client, disturbed));
        let (traffic, hung) = server.finish()?;
        let effects = service.effects();
        let of = |reference| {
            let wanted =
                |effect: &&Effect| effect.reference == Some(reference) && effect.path == self.operation.path;
            effects.iter().filter(wanted).map(|effect| effect.terms.clone()).collect::<Vec<_>>()
        };
        (disturbed_call.effects, clean.effects) = (of(DISTURBED), of(CLEAN));
        let expected = disturbed_call.effects.len() + clean.effects.len() + of(WARM_UP).len();
        Ok(Ran {
            disturbed: disturbed_call,
            clean,
            unexpected: effects.len() - expected,
            faulted,
            hung,
            sent_on_kept,
            connections,
            traffic,
            effects,
        })
    }
}

impl Ran {
    fn observation(self, before_request: usize) -> Observation {
        let opened = self.traffic.iter().take(self.connections).skip(self.sent_on_kept.len());
        let sent = opened
            .map(|traffic| traffic.received_from_client.saturating_sub(before_request))
            .chain(self.sent_on_kept.iter().copied());
        Observation {
            request_bytes: sent.sum(),
            disturbed: self.disturbed,
            faulted: self.faulted,
            clean: self.clean,
            unexpected: self.unexpected,
            hung: self.hung,
        }
    }
}
