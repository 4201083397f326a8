//! The queue of planned faults.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::base::lock::lock;
use crate::model::fault::{Fault, PlannedFault};

/// The planned faults, in the order in which they were planned.
#[derive(Default)]
pub(crate) struct FaultQueue(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    last_id: u64,
    planned: VecDeque<PlannedFault>,
}

impl FaultQueue {
    pub(crate) fn add(&self, fault: Fault, operation: Option<&str>, times: u32) {
        self.plan(PlannedFault {
            id: 0,
            fault,
            operation: operation.map(str::to_owned),
            times: Some(times),
            happened: 0,
            chance: None,
        });
    }

    /// Adds a fault, and assigns its id.
    pub(crate) fn plan(&self, mut planned: PlannedFault) -> PlannedFault {
        let mut queue = lock(&self.0);
        queue.last_id += 1;
        planned.id = queue.last_id;
        queue.planned.push_back(planned.clone());
        planned
    }

    /// The fault for this request, if any. Only a request whose signature verifies may take a fault: a page of
    /// another site can send requests too.
    pub(crate) fn take(&self, operation: &str) -> Option<Fault> {
        let mut queue = lock(&self.0);
        if queue.planned.is_empty() {
            return None;
        }
        queue.planned.retain(|planned| planned.left() != Some(0));
        let mut wanted = queue
            .planned
            .iter_mut()
            .filter(|planned| planned.operation.as_deref().is_none_or(|wanted| wanted == operation));
        wanted.find_map(|planned| planned.happens().then(|| planned.fault.clone()))
    }

    pub(crate) fn all(&self) -> Vec<PlannedFault> {
        lock(&self.0).planned.iter().filter(|planned| planned.left() != Some(0)).cloned().collect()
    }

    pub(crate) fn clear(&self) {
        lock(&self.0).planned.clear();
    }

    /// Removes a fault. Returns `true` if it existed.
    pub(crate) fn remove(&self, id: u64) -> bool {
        let mut queue = lock(&self.0);
        let before = queue.planned.len();
        queue.planned.retain(|planned| planned.id != id);
        queue.planned.len() < before
    }
}
