//! The client of a connection.

use std::net::{IpAddr, SocketAddr};

/// A client's address. An IPv4 client of a socket that listens on `::` has its IPv4 address here.
#[derive(Clone, Copy)]
pub(crate) struct Peer(IpAddr);

impl Peer {
    pub(crate) fn new(address: SocketAddr) -> Peer {
        Peer(address.ip().to_canonical())
    }

    pub(crate) fn address(self) -> IpAddr {
        self.0
    }

    pub(crate) fn is_this_machine(self) -> bool {
        self.0.is_loopback()
    }
}
