//! The state of a running sandbox, as the merchant API and the control API share it.

use std::net::IpAddr;
use std::sync::Arc;

use crate::exchange_log::ExchangeLog;
use crate::fault_queue::FaultQueue;
use crate::merchant::Merchant;
use crate::reply_signer::ReplySigner;
use crate::request_counts::RequestCounts;
use crate::service::Service;
use crate::stall::StalledRequests;

pub(crate) struct AppState {
    pub(crate) service: Arc<Service>,
    pub(crate) merchant: Merchant,
    pub(crate) signer: ReplySigner,
    pub(crate) faults: Arc<FaultQueue>,
    pub(crate) stalled: StalledRequests,
    pub(crate) request_counts: RequestCounts,
    pub(crate) exchanges: ExchangeLog,
    /// The address that the sandbox listens on, which a `Host` header has to name.
    pub(crate) listens_on: IpAddr,
}
