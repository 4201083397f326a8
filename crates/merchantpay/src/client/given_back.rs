//! The placeholder for a connection that ureq no longer has, because the connection was returned to the call.

use std::io;

use ureq::Error;
use ureq::unversioned::transport::{Buffers, NextTimeout, Transport};

/// Takes the place of a connection that was returned. Every read and every write fails.
#[derive(Debug)]
pub(super) struct GivenBack;

impl Transport for GivenBack {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self
    }

    fn transmit_output(&mut self, _: usize, _: NextTimeout) -> Result<(), Error> {
        Err(Error::Io(io::ErrorKind::NotConnected.into()))
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        Err(Error::Io(io::ErrorKind::NotConnected.into()))
    }

    fn is_open(&mut self) -> bool {
        false
    }
}

impl Buffers for GivenBack {
    fn output(&mut self) -> &mut [u8] {
        &mut []
    }

    fn tmp_and_output(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut [], &mut [])
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        &mut []
    }

    fn input_appended(&mut self, _: usize) {}

    fn input_consume(&mut self, _: usize) {}

    fn input(&self) -> &[u8] {
        &[]
    }

    fn can_use_input(&self) -> bool {
        false
    }
}
