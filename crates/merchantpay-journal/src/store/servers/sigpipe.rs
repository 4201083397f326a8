//! Keeps SIGPIPE away from a host whose action for it is the default, which is to end.
//!
//! Only the driver `mysql` over TLS needs this: rustls writes with `writev`, which has no MSG_NOSIGNAL. Other
//! systems than Linux have a flag of the socket for it, which the standard library sets.

#[cfg(target_os = "linux")]
pub(super) fn without_sigpipe<T>(work: impl FnOnce() -> T) -> T {
    use nix::sys::signal::{SigSet, SigmaskHow, Signal};
    use nix::sys::signalfd::{SfdFlags, SignalFd};

    let pipe = SigSet::from(Signal::SIGPIPE);
    let Ok(before) = pipe.thread_swap_mask(SigmaskHow::SIG_BLOCK) else { return work() };
    let result = work();
    // The signal of a failed write is pending for this thread. Taken from here, it is never delivered. If it
    // cannot be taken, the thread keeps it blocked.
    if let Ok(pending) = SignalFd::with_flags(&pipe, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
        && pending.read_signal().is_ok()
    {
        let _ = before.thread_set_mask();
    }
    result
}

#[cfg(not(target_os = "linux"))]
pub(super) fn without_sigpipe<T>(work: impl FnOnce() -> T) -> T {
    work()
}
