//! One connection through the proxy. The proxy counts the bytes in each direction. The connection's fault
//! happens after exactly the planned number of bytes.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use merchantpay::Client;
use socket2::SockRef;

use crate::client::lock;
use crate::fault::{Direction, Fault, Plan, Recurrence};

/// The largest number of forwarded bytes that a repetition sends again.
const REPEATED: usize = 16;

/// The events on the connections of one proxy.
#[derive(Default)]
pub(crate) struct Events {
    /// The number of connections that had the fault.
    pub(crate) faulted: AtomicUsize,
    /// `true` if a connection waited too long.
    pub(crate) hung: AtomicBool,
    /// The client whose calls an interruption ends.
    pub(crate) interrupted: Mutex<Option<Client>>,
}

impl Events {
    /// Counts one more connection with the fault. Returns `false` if the fault was for one connection only,
    /// and another connection already had it.
    fn count_faulted(&self, plan: Plan) -> bool {
        let next = |count| (count == 0 || plan.recurrence == Recurrence::Always).then_some(count + 1);
        self.faulted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

/// Both sockets. They are closed when no thread forwards between them any more.
pub(crate) struct Sockets {
    pub(crate) client: TcpStream,
    pub(crate) service: TcpStream,
}

impl Sockets {
    fn ends(&self, direction: Direction) -> (&TcpStream, &TcpStream) {
        match direction {
            Direction::ToService => (&self.client, &self.service),
            Direction::ToClient => (&self.service, &self.client),
        }
    }
}

pub(crate) struct Link {
    /// The client's port.
    pub(crate) client_port: u16,
    sockets: Weak<Sockets>,
    events: Arc<Events>,
    state: Mutex<State>,
}

/// The state of a link. Arrays have the value for the direction towards the service first, then the value for
/// the direction towards the client.
#[derive(Default)]
struct State {
    forwarded: [Vec<u8>; 2],
    received_from_client: usize,
    plan: Option<Plan>,
    /// The number of bytes that were forwarded before the planned exchange.
    base: [usize; 2],
    closed: bool,
    stalled: Option<Direction>,
    /// The bytes that arrived after the stall in the stalled direction.
    held: Vec<u8>,
    client_has_left: bool,
}

/// The observed traffic of a connection.
pub(crate) struct Traffic {
    pub(crate) base: [usize; 2],
    pub(crate) forwarded: [Vec<u8>; 2],
    pub(crate) received_from_client: usize,
}

impl Link {
    pub(crate) fn new(client_port: u16, sockets: &Arc<Sockets>, events: Arc<Events>) -> Link {
        Link { client_port, sockets: Arc::downgrade(sockets), events, state: Mutex::default() }
    }

    /// Plans the fault for the next exchange on this connection.
    pub(crate) fn arm(&self, plan: Option<Plan>) {
        let mut state = lock(&self.state);
        state.plan = plan;
        state.base = [state.forwarded[0].len(), state.forwarded[1].len()];
        let at_once = plan.filter(|plan| plan.is_at_once());
        if let (Some(plan), Some(sockets)) = (at_once, self.sockets.upgrade()) {
            self.apply(&mut state, &sockets, plan, &[]);
        }
    }

    /// Ends the fault. Bytes that a stalled direction held are forwarded, if the receiver is still connected.
    pub(crate) fn end_fault(&self) {
        let mut state = lock(&self.state);
        state.plan = None;
        let held = std::mem::take(&mut state.held);
        if let (Some(direction), Some(sockets), false) =
            (state.stalled.take(), self.sockets.upgrade(), state.client_has_left)
        {
            state.write(&sockets, direction, &held);
        }
    }

    pub(crate) fn was_closed(&self) -> bool {
        lock(&self.state).closed
    }

    pub(crate) fn traffic(&self) -> Traffic {
        let state = lock(&self.state);
        Traffic {
            base: state.base,
            forwarded: state.forwarded.clone(),
            received_from_client: state.received_from_client,
        }
    }

    /// Forwards in one direction until the end of the connection.
    pub(crate) fn pump(&self, sockets: &Sockets, direction: Direction) {
        let (mut from, to) = sockets.ends(direction);
        let mut part = [0; 16 * 1024];
        loop {
            match from.read(&mut part) {
                Ok(count) if count > 0 => self.forward(sockets, direction, &part[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                ended => {
                    let waited = ended.is_err_and(|error| {
                        matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
                    });
                    self.events.hung.fetch_or(waited, Ordering::Relaxed);
                    break;
                }
            }
        }
        let mut state = lock(&self.state);
        state.client_has_left |= direction == Direction::ToService;
        // In a stalled direction nothing is forwarded, not even the end of the connection, until the client
        // has disconnected.
        if !state.closed && state.stalled.is_none_or(|stalled| stalled != direction || state.client_has_left)
        {
            let _ = to.shutdown(Shutdown::Write);
        }
    }

    fn forward(&self, sockets: &Sockets, direction: Direction, bytes: &[u8]) {
        // The state is locked while bytes are forwarded, so that after a fault nothing is forwarded in the
        // other direction either.
        let mut state = lock(&self.state);
        if direction == Direction::ToService {
            state.received_from_client += bytes.len();
        }
        if state.closed {
            return;
        }
        if state.stalled == Some(direction) {
            state.held.extend_from_slice(bytes);
            return;
        }
        match state.plan.filter(|plan| plan.direction == direction && state.reaches(*plan, bytes.len())) {
            Some(plan) => self.apply(&mut state, sockets, plan, bytes),
            None => state.write(sockets, direction, bytes),
        }
    }

    /// Applies a fault with a place within these bytes or at one of their ends.
    fn apply(&self, state: &mut State, sockets: &Sockets, plan: Plan, bytes: &[u8]) {
        state.plan = None;
        if !self.events.count_faulted(plan) {
            return state.write(sockets, plan.direction, bytes);
        }
        let (passing, rest) = bytes.split_at(plan.offset - state.position(plan.direction));
        match plan.fault {
            Fault::Cut => {
                state.close(sockets, plan.direction, passing);
                both(sockets, |socket| drop(socket.shutdown(Shutdown::Write)));
            }
            Fault::Reset => {
                state.close(sockets, plan.direction, passing);
                // Reading stops, so that no thread still uses the sockets. Closing the sockets then sends the
                // reset.
                both(sockets, |socket| {
                    let _ = SockRef::from(socket).set_linger(Some(Duration::ZERO));
                    let _ = socket.shutdown(Shutdown::Read);
                });
            }
            Fault::Stall | Fault::Interrupt => {
                state.write(sockets, plan.direction, passing);
                state.stalled = Some(plan.direction);
                state.held = rest.to_vec();
                if plan.fault == Fault::Interrupt
                    && let Some(client) = &*lock(&self.events.interrupted)
                {
                    client.interrupt();
                }
            }
            // All bytes are sent with one write, so that the repeated bytes have arrived when the client
            // checks its connection.
            Fault::Repeat => state.repeat(sockets, plan.direction, passing, rest),
        }
    }
}

fn both(sockets: &Sockets, each: impl Fn(&TcpStream)) {
    [&sockets.client, &sockets.service].into_iter().for_each(each);
}

impl State {
    fn position(&self, direction: Direction) -> usize {
        self.forwarded[direction as usize].len() - self.base[direction as usize]
    }

    fn reaches(&self, plan: Plan, count: usize) -> bool {
        let position = self.position(plan.direction);
        // A disconnected client receives only the end of its connection.
        !self.client_has_left && (position..=position + count).contains(&plan.offset)
    }

    fn write(&mut self, sockets: &Sockets, direction: Direction, bytes: &[u8]) {
        self.forwarded[direction as usize].extend_from_slice(bytes);
        // A write fails if the receiver has closed its connection. The error is ignored, because reading
        // detects the close.
        let (_, mut to) = sockets.ends(direction);
        let _ = to.write_all(bytes);
    }

    /// Forwards these bytes. After them nothing more is forwarded in either direction.
    fn close(&mut self, sockets: &Sockets, direction: Direction, bytes: &[u8]) {
        self.write(sockets, direction, bytes);
        self.closed = true;
    }

    fn repeat(&mut self, sockets: &Sockets, direction: Direction, passing: &[u8], rest: &[u8]) {
        let forwarded = &mut self.forwarded[direction as usize];
        forwarded.extend_from_slice(passing);
        let first = forwarded.len() - REPEATED.min(forwarded.len() - self.base[direction as usize]);
        let bytes = [passing, &forwarded[first..], rest].concat();
        forwarded.extend_from_slice(rest);
        let (_, mut to) = sockets.ends(direction);
        let _ = to.write_all(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::thread::scope;

    use crate::proxy::Listeners;

    use super::*;

    const SENT: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";

    /// The bytes of `SENT` that arrive before the end of the connection, with a fault at the offset.
    fn arrived(direction: Direction, fault: Fault, offset: usize) -> Vec<u8> {
        let listeners = Listeners::new().unwrap();
        let ((client, near_client), (near_service, service)) =
            (listeners.pair().unwrap(), listeners.pair().unwrap());
        let sockets = Arc::new(Sockets { client: near_client, service: near_service });
        let link = Link::new(0, &sockets, Arc::default());
        link.arm(Some(Plan { fault, direction, offset, recurrence: Recurrence::Once }));
        let (mut from, mut to) = match direction {
            Direction::ToService => (client, service),
            Direction::ToClient => (service, client),
        };
        scope(|scope| {
            for direction in Direction::ALL {
                let sockets = Arc::clone(&sockets);
                let link = &link;
                scope.spawn(move || link.pump(&sockets, direction));
            }
            drop(sockets);
            // If the connection is closed before the last byte, writing the remaining bytes may fail.
            let _ = from.write_all(SENT);
            let _ = from.shutdown(Shutdown::Write);
            let mut bytes = Vec::new();
            let _ = to.read_to_end(&mut bytes);
            drop((from, to));
            bytes
        })
    }

    #[test]
    fn exactly_so_many_bytes_arrive_before_the_connection_is_closed() {
        for direction in Direction::ALL {
            for offset in [0, 1, 17, SENT.len()] {
                for fault in [Fault::Cut, Fault::Reset] {
                    let bytes = arrived(direction, fault, offset);
                    assert_eq!(bytes, SENT[..offset], "{direction} {fault} {offset}");
                }
            }
        }
    }

    #[test]
    fn the_bytes_before_the_offset_are_repeated_and_the_rest_follows() {
        for direction in Direction::ALL {
            for offset in [1, 16, 17, SENT.len()] {
                let expected = [&SENT[..offset], &SENT[offset.saturating_sub(REPEATED)..]].concat();
                assert_eq!(arrived(direction, Fault::Repeat, offset), expected, "{direction} {offset}");
            }
        }
    }

    #[test]
    fn a_stalled_direction_is_silent_until_the_client_has_left() {
        for offset in [0, 1, 17, SENT.len()] {
            assert_eq!(arrived(Direction::ToService, Fault::Stall, offset), SENT[..offset], "{offset}");
        }
    }
}
