//! Accepts the client's connections, and causes their faults.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use merchantpay::Client;

use crate::PATIENCE;
use crate::client::lock;
use crate::fault::Plan;
use crate::kernel;
use crate::link::{Events, Link, Traffic};
use crate::service::Service;

/// Shared by consecutive trials: with a port each, the machine would run out of ports.
pub(crate) fn listener() -> io::Result<Arc<TcpListener>> {
    TcpListener::bind(("127.0.0.1", 0)).map(Arc::new)
}

pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: JoinHandle<io::Result<()>>,
    accepted: Receiver<()>,
}

#[derive(Default)]
struct Shared {
    events: Arc<Events>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    links: Vec<Arc<Link>>,
    plan: Option<Plan>,
    /// The server's own connection: once it is accepted, all earlier ones are.
    marker: Option<SocketAddr>,
    ending: bool,
}

impl Server {
    pub(crate) fn start(listener: &Arc<TcpListener>, service: Arc<Service>) -> io::Result<Server> {
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let (accept, accepted) = channel();
        let acceptor = {
            let (listener, shared) = (Arc::clone(listener), Arc::clone(&shared));
            std::thread::spawn(move || shared.accept(&listener, &service, &accept))
        };
        Ok(Server { address, shared, acceptor, accepted })
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn interrupts(&self, client: Client) {
        *lock(&self.shared.events.interrupted) = Some(client);
    }

    /// For the next exchange. A fault that waits for no byte happens at once on the existing connections, or on the next
    /// one if there are none.
    pub(crate) fn arm(&self, plan: Option<Plan>) {
        let mut state = lock(&self.shared.state);
        state.plan = plan.filter(|plan| !plan.is_at_once() || state.links.is_empty());
        state.links.iter().for_each(|link| link.arm(plan));
    }

    /// Waits until the client's side has noticed the end of each connection that a fault has closed.
    pub(crate) fn wait_until_noticed(&self) -> io::Result<()> {
        let closed: Vec<_> =
            lock(&self.shared.state).links.iter().filter(|link| link.was_closed()).map(Arc::clone).collect();
        closed.iter().try_for_each(|link| kernel::wait_for_end(link.client_port, self.port()))
    }

    /// Ends the fault. Returns the number of connections, all of which have been accepted.
    pub(crate) fn end_fault(&self) -> io::Result<usize> {
        self.wait_until_accepted(false)?;
        let mut state = lock(&self.shared.state);
        state.plan = None;
        state.links.iter().for_each(|link| link.end_fault());
        Ok(state.links.len())
    }

    pub(crate) fn faulted(&self) -> usize {
        self.shared.events.faulted.load(Ordering::Relaxed)
    }

    pub(crate) fn traffic(&self) -> Vec<Traffic> {
        lock(&self.shared.state).links.iter().map(|link| link.traffic()).collect()
    }

    /// The client must be dropped before. Returns the traffic of each connection, and whether one hung.
    pub(crate) fn finish(self) -> io::Result<(Vec<Traffic>, bool)> {
        drop(lock(&self.shared.events.interrupted).take());
        self.wait_until_accepted(true)?;
        self.acceptor.join().map_err(|_| io::Error::other("the server panicked"))??;
        let traffic = lock(&self.shared.state).links.iter().map(|link| link.traffic()).collect();
        Ok((traffic, self.shared.events.hung.load(Ordering::Relaxed)))
    }

    fn wait_until_accepted(&self, ending: bool) -> io::Result<()> {
        let marker = {
            // The acceptor checks for the marker under the same lock.
            let mut state = lock(&self.shared.state);
            let marker = TcpStream::connect(self.address)?;
            state.marker = Some(marker.local_addr()?);
            state.ending = ending;
            marker
        };
        self.accepted.recv_timeout(PATIENCE).map_err(io::Error::other)?;
        drop(marker);
        Ok(())
    }
}

impl Shared {
    fn accept(
        &self,
        listener: &TcpListener,
        service: &Arc<Service>,
        accepted: &Sender<()>,
    ) -> io::Result<()> {
        let mut threads = Vec::new();
        loop {
            let (stream, peer) = listener.accept()?;
            let mut state = lock(&self.state);
            if state.marker == Some(peer) {
                // The client may later get the same port.
                state.marker = None;
                let ending = state.ending;
                drop(state);
                let _ = accepted.send(());
                if ending {
                    break;
                }
                continue;
            }
            stream.set_nodelay(true)?;
            stream.set_write_timeout(Some(PATIENCE))?;
            let stream = Arc::new(stream);
            let link = Arc::new(Link::new(peer.port(), &stream, Arc::clone(&self.events)));
            let number = state.links.len();
            link.arm(state.plan);
            state.plan = state.plan.map(Plan::behind);
            state.links.push(Arc::clone(&link));
            drop(state);
            let service = Arc::clone(service);
            threads.push(std::thread::spawn(move || service.serve(stream, link, number)));
        }
        threads.into_iter().try_for_each(|thread| {
            thread.join().map_err(|_| io::Error::other("a thread of the server panicked"))
        })
    }
}
