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

    /// The fault for this request, if any.
    pub(crate) fn take(&self, operation: &str) -> Option<Fault> {
        self.take_if(operation, |fault| *fault != Fault::StallUnread)
    }

    /// Returns `true` if this unread request must stay unread.
    pub(crate) fn take_unread(&self, operation: &str) -> bool {
        self.take_if(operation, |fault| *fault == Fault::StallUnread).is_some()
    }

    /// Returns `true` if any planned fault leaves a request unread.
    pub(crate) fn wants_unread(&self) -> bool {
        lock(&self.0)
            .planned
            .iter()
            .any(|planned| planned.fault == Fault::StallUnread && planned.left() != Some(0))
    }

    fn take_if(&self, operation: &str, kind: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let mut queue = lock(&self.0);
        if queue.planned.is_empty() {
            return None;
        }
        queue.planned.retain(|planned| planned.left() != Some(0));
        let wanted = queue
            .planned
            .iter_mut()
            .filter(|planned| planned.operation.as_deref().is_none_or(|wanted| wanted == operation));
        wanted
            .filter(|planned| kind(&planned.fault))
            .find_map(|planned| planned.happens().then(|| planned.fault.clone()))
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
