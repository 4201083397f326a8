//! One connection. It counts the bytes in each direction, and its fault happens after exactly the planned number of bytes.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use merchantpay::Client;
use socket2::SockRef;

use crate::PATIENCE;
use crate::client::lock;
use crate::fault::{Direction, Fault, Plan, Recurrence};

/// In bytes, at most.
const REPEATED: usize = 16;

/// How often a reader that holds bytes looks whether the fault has ended.
const BRIEF: Duration = Duration::from_millis(5);

/// Of all connections of a trial.
#[derive(Default)]
pub(crate) struct Events {
    pub(crate) faulted: AtomicUsize,
    pub(crate) hung: AtomicBool,
    /// The client whose calls an interruption ends.
    pub(crate) interrupted: Mutex<Option<Client>>,
}

impl Events {
    /// `false` if the fault was for one connection only, and another one already had it.
    fn count_faulted(&self, plan: Plan) -> bool {
        let next = |count| (count == 0 || plan.recurrence == Recurrence::Always).then_some(count + 1);
        self.faulted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

pub(crate) struct Link {
    pub(crate) client_port: u16,
    /// Only the service's thread owns the socket: a reset is sent when that thread drops it.
    stream: Weak<TcpStream>,
    events: Arc<Events>,
    state: Mutex<State>,
}

/// Arrays have the value towards the service first, then the one towards the client.
#[derive(Default)]
struct State {
    passed: [Vec<u8>; 2],
    received_from_client: usize,
    /// Passed, and not yet read by the service.
    inbox: VecDeque<u8>,
    plan: Option<Plan>,
    /// How much had passed before the planned exchange.
    base: [usize; 2],
    /// The fault that has closed the connection. Nothing passes any more.
    closed: Option<Fault>,
    stalled: Option<Direction>,
    /// What arrived after the stall in its direction.
    held: Vec<u8>,
}

#[derive(Clone)]
pub(crate) struct Traffic {
    pub(crate) base: [usize; 2],
    pub(crate) passed: [Vec<u8>; 2],
    pub(crate) received_from_client: usize,
}

impl Link {
    pub(crate) fn new(client_port: u16, stream: &Arc<TcpStream>, events: Arc<Events>) -> Link {
        Link { client_port, stream: Arc::downgrade(stream), events, state: Mutex::default() }
    }

    /// For the next exchange on this connection.
    pub(crate) fn arm(&self, plan: Option<Plan>) {
        let mut state = lock(&self.state);
        state.plan = plan;
        state.base = [state.passed[0].len(), state.passed[1].len()];
        let at_once = plan.filter(|plan| plan.is_at_once());
        if let (Some(plan), Some(stream)) = (at_once, self.stream.upgrade()) {
            self.apply(&mut state, &stream, plan, &[]);
        }
    }

    /// Ends the fault. Bytes that a stalled direction held pass, if the client is still connected.
    pub(crate) fn end_fault(&self) {
        let mut state = lock(&self.state);
        state.plan = None;
        let held = std::mem::take(&mut state.held);
        if let (Some(direction), Some(stream)) = (state.stalled.take(), self.stream.upgrade())
            && !has_left(&stream)
        {
            state.pass(&stream, direction, &held);
        }
    }

    pub(crate) fn was_closed(&self) -> bool {
        lock(&self.state).closed.is_some()
    }

    pub(crate) fn traffic(&self) -> Traffic {
        let State { base, passed, received_from_client, .. } = &*lock(&self.state);
        Traffic { base: *base, passed: passed.clone(), received_from_client: *received_from_client }
    }

    /// Reads what passes towards the service; 0 when the client has left.
    pub(crate) fn read(&self, mut stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
        let end = Instant::now() + PATIENCE;
        let mut part = [0; 16 * 1024];
        loop {
            let holds = {
                let mut state = lock(&self.state);
                if !state.inbox.is_empty() {
                    return state.inbox.read(buffer);
                }
                if state.closed == Some(Fault::Reset) {
                    return Ok(0);
                }
                !state.held.is_empty()
            };
            stream.set_read_timeout(Some(if holds { BRIEF } else { PATIENCE }))?;
            match stream.read(&mut part) {
                Ok(0) => return Ok(0),
                Ok(count) => self.arrived(stream, &part[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if Instant::now() >= end {
                        self.events.hung.store(true, Ordering::Relaxed);
                        return Ok(0);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn arrived(&self, stream: &TcpStream, bytes: &[u8]) {
        let mut state = lock(&self.state);
        state.received_from_client += bytes.len();
        self.forward(&mut state, stream, Direction::ToService, bytes);
    }

    pub(crate) fn write(&self, stream: &TcpStream, bytes: &[u8]) {
        self.forward(&mut lock(&self.state), stream, Direction::ToClient, bytes);
    }

    pub(crate) fn has_more(&self, stream: &TcpStream) -> bool {
        let state = lock(&self.state);
        let passes = state.closed.is_none() && state.stalled != Some(Direction::ToService);
        !state.inbox.is_empty() || passes && peek(stream).is_ok_and(|count| count > 0)
    }

    /// Ends the connection: sends the end, unless the fault keeps it back, and reads until the client's end, so that no
    /// sent byte is lost by a reset.
    pub(crate) fn close(&self, stream: &TcpStream) {
        let state = lock(&self.state);
        if state.closed.is_none() && state.stalled != Some(Direction::ToClient) {
            let _ = stream.shutdown(Shutdown::Write);
        }
        drop(state);
        while self.read(stream, &mut [0; 1024]).is_ok_and(|count| count > 0) {}
    }

    fn forward(&self, state: &mut State, stream: &TcpStream, direction: Direction, bytes: &[u8]) {
        if state.closed.is_some() {
            return;
        }
        if state.stalled == Some(direction) {
            state.held.extend_from_slice(bytes);
            return;
        }
        match state.plan.filter(|plan| plan.direction == direction && state.reaches(*plan, bytes.len())) {
            // A disconnected client receives only the end of its connection.
            Some(_) if direction == Direction::ToClient && has_left(stream) => {}
            Some(plan) => self.apply(state, stream, plan, bytes),
            None => state.pass(stream, direction, bytes),
        }
    }

    /// The place of the fault is within these bytes or at one of their ends.
    fn apply(&self, state: &mut State, stream: &TcpStream, plan: Plan, bytes: &[u8]) {
        state.plan = None;
        if !self.events.count_faulted(plan) {
            return state.pass(stream, plan.direction, bytes);
        }
        let (passing, rest) = bytes.split_at(plan.offset - state.position(plan.direction));
        if plan.fault == Fault::Repeat {
            return state.repeat(stream, plan.direction, passing, rest);
        }
        state.pass(stream, plan.direction, passing);
        match plan.fault {
            Fault::Cut | Fault::Repeat => {
                state.closed = Some(plan.fault);
                let _ = stream.shutdown(Shutdown::Write);
            }
            Fault::Reset => {
                state.closed = Some(plan.fault);
                // Reading stops, so that the service's thread drops the socket.
                let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
                let _ = stream.shutdown(Shutdown::Read);
            }
            Fault::Stall | Fault::Interrupt => {
                state.stalled = Some(plan.direction);
                state.held = rest.to_vec();
                if plan.fault == Fault::Interrupt
                    && let Some(client) = &*lock(&self.events.interrupted)
                {
                    client.interrupt();
                }
            }
        }
    }
}

/// Looks at the next byte without waiting; 0 if the client has left.
fn peek(stream: &TcpStream) -> io::Result<usize> {
    stream.set_nonblocking(true)?;
    let peeked = stream.peek(&mut [0]);
    stream.set_nonblocking(false)?;
    peeked
}

fn has_left(stream: &TcpStream) -> bool {
    match peek(stream) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

impl State {
    fn position(&self, direction: Direction) -> usize {
        self.passed[direction as usize].len() - self.base[direction as usize]
    }

    fn reaches(&self, plan: Plan, count: usize) -> bool {
        let position = self.position(plan.direction);
        (position..=position + count).contains(&plan.offset)
    }

    fn pass(&mut self, stream: &TcpStream, direction: Direction, bytes: &[u8]) {
        self.passed[direction as usize].extend_from_slice(bytes);
        self.deliver(stream, direction, bytes);
    }

    fn deliver(&mut self, mut stream: &TcpStream, direction: Direction, bytes: &[u8]) {
        match direction {
            Direction::ToService => self.inbox.extend(bytes),
            // A write fails if the client has closed its connection, which reading detects.
            Direction::ToClient => drop(stream.write_all(bytes)),
        }
    }

    /// Delivers all bytes by one write, so that the repeated bytes have arrived when the client checks its connection.
    fn repeat(&mut self, stream: &TcpStream, direction: Direction, passing: &[u8], rest: &[u8]) {
        let passed = &mut self.passed[direction as usize];
        passed.extend_from_slice(passing);
        let first = passed.len() - REPEATED.min(passed.len() - self.base[direction as usize]);
        let bytes = [passing, &passed[first..], rest].concat();
        passed.extend_from_slice(rest);
        self.deliver(stream, direction, &bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    const SENT: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";

    /// The bytes of `SENT` that arrive before the end of the connection, with a fault at the offset.
    fn arrived(direction: Direction, fault: Fault, offset: usize) -> Vec<u8> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let stream = Arc::new(listener.accept().unwrap().0);
        let link = Link::new(0, &stream, Arc::default());
        link.arm(Some(Plan { fault, direction, offset, recurrence: Recurrence::Once }));
        let mut bytes = Vec::new();
        if direction == Direction::ToService {
            // If the connection is closed before the last byte, writing the remaining bytes may fail.
            let _ = client.write_all(SENT);
            let _ = client.shutdown(Shutdown::Write);
            let mut part = [0; 7];
            while let Ok(count @ 1..) = link.read(&stream, &mut part) {
                bytes.extend_from_slice(&part[..count]);
            }
        } else {
            link.write(&stream, SENT);
            let _ = stream.shutdown(Shutdown::Write);
            drop(stream);
            let _ = client.read_to_end(&mut bytes);
        }
        bytes
    }

    #[test]
    fn closes_at_the_planned_byte() {
        for direction in Direction::ALL {
            for offset in [0, 1, 17, SENT.len()] {
                for fault in [Fault::Cut, Fault::Reset] {
                    let bytes = arrived(direction, fault, offset);
                    assert_eq!(bytes, SENT[..offset], "{direction:?} {fault:?} {offset}");
                }
            }
        }
    }

    #[test]
    fn repeats_bytes_before_offset() {
        for direction in Direction::ALL {
            for offset in [1, 16, 17, SENT.len()] {
                let expected = [&SENT[..offset], &SENT[offset.saturating_sub(REPEATED)..]].concat();
                assert_eq!(arrived(direction, Fault::Repeat, offset), expected, "{direction:?} {offset}");
            }
        }
    }
}
