//! The threads of `settle`, which call the service concurrently. Every statement runs on the caller's thread,
//! as some drivers and hosts demand, and no thread outlives `settle`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Result as Caught, Scope};
use std::time::Duration;

use merchantpay::Error;

use crate::api::journal::Journal;
use crate::api::progress::Progress;
use crate::model::event::{Call, Event};
use crate::model::record::Record;

/// A call to make.
struct Job {
    progress: Progress,
    record: Arc<Record>,
    call: Call,
}

/// A call that has ended.
struct End {
    progress: Progress,
    brought: Caught<(Event, Option<Error>)>,
}

/// Makes calls, with a limit for concurrent calls.
pub(crate) struct Workers<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    journal: &'env Journal,
    most: u32,
    threads: u32,
    running: u32,
    jobs: Sender<Job>,
    queue: Arc<Mutex<Receiver<Job>>>,
    ends: Sender<End>,
    ended: Receiver<End>,
}

impl<'scope, 'env> Workers<'scope, 'env> {
    pub(crate) fn new(scope: &'scope Scope<'scope, 'env>, journal: &'env Journal, most: u32) -> Self {
        let ((jobs, queue), (ends, ended)) = (channel(), channel());
        let queue = Arc::new(Mutex::new(queue));
        Workers { scope, journal, most, threads: 0, running: 0, jobs, queue, ends, ended }
    }

    pub(crate) fn running(&self) -> u32 {
        self.running
    }

    pub(crate) fn has_room(&self) -> bool {
        self.running < self.most
    }

    /// Makes a call on a worker's thread. Makes the call on this thread if calls are not concurrent, or if
    /// the system refuses a new thread.
    pub(crate) fn make(&mut self, progress: Progress, record: Arc<Record>, call: Call) {
        let job = Job { progress, record, call };
        self.running += 1;
        if self.most > 1 && self.threads < self.running {
            self.hire();
        }
        let refused =
            if self.threads > 0 { self.jobs.send(job).err().map(|refused| refused.0) } else { Some(job) };
        if let Some(job) = refused {
            // Sending fails only if the receiver is gone, and then nobody needs the result.
            let _ = self.ends.send(end(self.journal, job));
        }
    }

    fn hire(&mut self) {
        let (journal, queue, ends) = (self.journal, self.queue.clone(), self.ends.clone());
        let work = move || {
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(job) = job else { return };
                if ends.send(end(journal, job)).is_err() {
                    return;
                }
            }
        };
        let name = "merchantpay settle".to_owned();
        match Builder::new().name(name).spawn_scoped(self.scope, work) {
            Ok(_) => self.threads += 1,
            Err(_) => self.most = self.threads.max(1),
        }
    }

    /// Waits at most this long for the end of a call. Returns the task, which has the call's result.
    pub(crate) fn next_end(&mut self, within: Duration) -> Option<Progress> {
        let End { mut progress, brought } = self.ended.recv_timeout(within).ok()?;
        self.running -= 1;
        match brought {
            Ok(brought) => progress.take(brought),
            Err(panic) => resume_unwind(panic),
        }
        Some(progress)
    }
}

fn end(journal: &Journal, Job { progress, record, call }: Job) -> End {
    // A panic of the call is caught. Otherwise the caller's thread would wait for ever for the call's result.
    let brought = catch_unwind(AssertUnwindSafe(|| journal.call(&record, call, None, progress.deadline())));
    End { progress, brought }
}
