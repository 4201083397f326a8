//! A socket in front of a server's, which cuts a connection at a request or at its answer.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::server::Folder;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The request does not arrive.
    Before,
    /// The request takes effect, and its answer does not arrive.
    After,
}

/// Called at each request.
type Plan = Box<dyn FnMut() -> Option<Moment> + Send>;
/// Called before the client can notice a cut.
type Action = Box<dyn FnMut() + Send>;

struct State {
    server: PathBuf,
    plan: Mutex<(Plan, Action)>,
    cuts: AtomicU32,
}

/// Forwards to a server's socket until the process ends.
pub struct Proxy {
    folder: Folder,
    socket: PathBuf,
    state: Arc<State>,
}

impl Proxy {
    pub(crate) fn new(server: &Path) -> Proxy {
        let folder = Folder::new();
        let socket = folder.path().join(server.file_name().unwrap_or_default());
        let listener = UnixListener::bind(&socket).expect("a socket");
        let state = Arc::new(State {
            server: server.to_owned(),
            plan: Mutex::new((Box::new(|| None), Box::new(|| {}))),
            cuts: AtomicU32::new(0),
        });
        let shared = state.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A server that restarts refuses the connection, and so does the proxy.
                if let Ok(server) = UnixStream::connect(&shared.server) {
                    connect(&client, &server, &shared);
                }
            }
        });
        Proxy { folder, socket, state }
    }

    pub(crate) fn socket(&self) -> &Path {
        debug_assert!(self.socket.starts_with(self.folder.path()));
        &self.socket
    }

    /// From now on. The action runs before the client can notice a cut.
    pub fn cut(
        &self,
        plan: impl FnMut() -> Option<Moment> + Send + 'static,
        action: impl FnMut() + Send + 'static,
    ) {
        *self.state.plan.lock().unwrap_or_else(PoisonError::into_inner) = (Box::new(plan), Box::new(action));
    }

    /// Cuts once; the first request from now on is 1.
    pub fn cut_at(&self, request: u32, moment: Moment, action: impl FnMut() + Send + 'static) {
        let mut count = 0;
        let plan = move || {
            count += 1;
            (count == request).then_some(moment)
        };
        self.cut(plan, action);
    }

    /// How many connections were cut. Waits until the actions are over.
    pub fn cuts(&self) -> u32 {
        drop(self.state.plan.lock());
        self.state.cuts.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    /// The threads go on, but what the action holds ends: that can be the servers.
    fn drop(&mut self) {
        self.cut(|| None, || {});
    }
}

impl State {
    fn is_cut_at_request(&self, cut_answer: &AtomicBool) -> bool {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        match plan.0() {
            Some(Moment::Before) => {
                self.act(&mut plan.1);
                true
            }
            moment => {
                cut_answer.store(moment.is_some(), Ordering::SeqCst);
                false
            }
        }
    }

    fn is_cut_at_answer(&self, cut_answer: &AtomicBool) -> bool {
        let is_cut = cut_answer.swap(false, Ordering::SeqCst);
        if is_cut {
            self.act(&mut self.plan.lock().unwrap_or_else(PoisonError::into_inner).1);
        }
        is_cut
    }

    fn act(&self, action: &mut Action) {
        // Counted first: if the action kills the server, the client notices that before it is over.
        self.cuts.fetch_add(1, Ordering::SeqCst);
        action();
    }
}

/// A request and an answer are what one read gets: drivers send each by one write.
fn connect(client: &UnixStream, server: &UnixStream, state: &Arc<State>) {
    let cut_answer = Arc::new(AtomicBool::new(false));
    for (from, to, is_request) in [(client, server, true), (server, client, false)] {
        let (mut from, mut to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
        let (state, cut_answer) = (state.clone(), cut_answer.clone());
        std::thread::spawn(move || {
            let mut buffer = [0; 65_536];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                let is_cut = match is_request {
                    true => state.is_cut_at_request(&cut_answer),
                    false => state.is_cut_at_answer(&cut_answer),
                };
                if is_cut || to.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
            let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
        });
    }
}
