//! What a search may do, and how often.

use crate::row::Told;

#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    pub name: &'static str,
    pub references: usize,
    pub attempts: usize,
    pub orders: usize,
    /// A process dies.
    pub crashes: u8,
    pub restores: u8,
    /// An arbitration turns a final status.
    pub flips: u8,
    pub replaces: u8,
    /// A genuine body is replayed to the leaked URL of another attempt.
    pub attacks: u8,
    /// `getStatus` does not know an order for a while.
    pub hides: u8,
    /// A person decides.
    pub persons: u8,
    /// A failover loses the last commit.
    pub loses: u8,
    /// An entry of the news is read.
    pub news: u8,
    /// The merchant's cancel of an open attempt is accepted.
    pub cancels: u8,
    /// The journal's own cancel is refused.
    pub refusals: u8,
    pub other_sums: u8,
    pub no_credentials: u8,
    pub purges: u8,
    pub pauses: u8,
    /// The clock is set back by years.
    pub setbacks: u8,
    /// The service makes two orders for one request.
    pub doubles: u8,
    /// The service requires a receipt.
    pub receipts: u8,
    /// Another journal of the account has an order with this status.
    pub foreign: Told,
    pub asynchronous: bool,
    /// An arbitration may also turn an order that nobody was shown.
    pub flip_unshown: bool,
    /// The same order may be turned more than once.
    pub reflip: bool,
    pub processes: usize,
    /// A request may not be sent at all.
    pub unsent: bool,
    /// A request or a reply may be lost, and a deadline may pass.
    pub lost: bool,
    /// The service may refuse a request.
    pub refused: bool,
    /// News are leased.
    pub lease: bool,
    /// The shop's goods and the journal are not in one transaction.
    pub file: bool,
    pub workers: usize,
    /// A final attempt is asked about again.
    pub reask: bool,
    /// Two payable orders are excused if one was turned by an arbitration, or was replaced while open.
    pub excuses_flipped: bool,
    pub excuses_open: bool,
    /// An order of another journal may be shown.
    pub excuses_foreign: bool,
    /// The shop ships once a reference, whatever is taken away.
    pub ships_once: bool,
}

pub const BASE: Scenario = Scenario {
    name: "",
    references: 1,
    attempts: 2,
    orders: 2,
    crashes: 0,
    restores: 0,
    flips: 0,
    replaces: 0,
    attacks: 0,
    hides: 0,
    persons: 0,
    loses: 0,
    news: 0,
    cancels: 0,
    refusals: 0,
    other_sums: 0,
    no_credentials: 0,
    purges: 0,
    pauses: 0,
    setbacks: 0,
    doubles: 0,
    receipts: 0,
    foreign: Told::Nothing,
    asynchronous: false,
    flip_unshown: false,
    reflip: false,
    processes: 2,
    unsent: true,
    lost: true,
    refused: true,
    lease: false,
    file: false,
    workers: 2,
    reask: false,
    excuses_flipped: true,
    excuses_open: false,
    excuses_foreign: false,
    ships_once: false,
};

/// Each request is sent in time and answered with an order: deeper runs.
pub const PLAIN: Scenario = Scenario { unsent: false, lost: false, refused: false, ..BASE };
