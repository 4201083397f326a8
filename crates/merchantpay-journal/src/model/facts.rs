//! What decides a transition beside the record and the event.

use crate::model::guards::Guards;

/// What a transition needs to know beside the record and the event.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// The database's clock, in milliseconds.
    pub now: i64,
    /// The rules that hold.
    pub guards: Guards,
}
