//! What a search may do, and how often.

use crate::row::Told;

/// Each event has a limit in [`Scenario`] and a count in [`Spent`]; each circumstance has the value of [`BASE`].
macro_rules! scenario {
    (
        events { $($(#[doc = $event_doc:literal])* $event:ident,)+ }
        circumstances { $($(#[doc = $doc:literal])* $name:ident: $type:ty = $value:expr,)+ }
    ) => {
        #[derive(Clone, Copy, Debug)]
        pub struct Scenario {
            pub name: &'static str,
            $($(#[doc = $event_doc])* pub $event: u8,)+
            $($(#[doc = $doc])* pub $name: $type,)+
        }

        /// How often each event has happened.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub struct Spent {
            $(pub $event: u8,)+
        }

        pub const BASE: Scenario = Scenario { name: "", $($event: 0,)+ $($name: $value,)+ };
    };
}

scenario! {
    events {
        /// A process dies.
        crashes,
        restores,
        /// An arbitration turns a final status.
        flips,
        replaces,
        /// A genuine body is replayed to the leaked URL of another attempt.
        attacks,
        /// `getStatus` does not know an order for a while.
        hides,
        /// A person decides.
        persons,
        /// A failover loses the last commit.
        loses,
        /// An entry of the news is read.
        news,
        /// The merchant's cancel of an open attempt is accepted.
        cancels,
        /// The journal's own cancel is refused.
        refusals,
        other_sums,
        no_credentials,
        purges,
        pauses,
        /// The clock is set back by years.
        setbacks,
        /// The service makes two orders for one request.
        doubles,
        /// The service requires a receipt.
        receipts,
    }
    circumstances {
        references: usize = 1,
        attempts: usize = 2,
        orders: usize = 2,
        processes: usize = 2,
        workers: usize = 2,
        /// Another journal of the account has an order with this status.
        foreign: Told = Told::Nothing,
        asynchronous: bool = false,
        /// An arbitration may also turn an order that nobody was shown.
        flip_unshown: bool = false,
        /// The same order may be turned more than once.
        reflip: bool = false,
        /// A request may not be sent at all.
        unsent: bool = true,
        /// A request or a reply may be lost, and a deadline may pass.
        lost: bool = true,
        /// The service may refuse a request.
        refused: bool = true,
        /// News are leased.
        lease: bool = false,
        /// The shop's goods and the journal are not in one transaction.
        file: bool = false,
        /// A final attempt is asked about again.
        reask: bool = false,
        /// Two payable orders are excused if one was turned by an arbitration, or was replaced while open.
        excuses_flipped: bool = true,
        excuses_open: bool = false,
        /// An order of another journal may be shown.
        excuses_foreign: bool = false,
        /// The shop ships once a reference, whatever is taken away.
        ships_once: bool = false,
    }
}

/// Each request is sent in time and answered with an order: deeper runs.
pub const PLAIN: Scenario = Scenario { unsent: false, lost: false, refused: false, ..BASE };
