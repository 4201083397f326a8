//! Runs a command as `init` does: it forwards signals, reaps every child, and ends with the command.

use std::io;
use std::process::Command;

#[cfg(unix)]
pub(crate) use unix::run;
#[cfg(windows)]
pub(crate) use windows::run;

#[cfg(unix)]
mod unix {
    use super::{Command, io};

    use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};
    use rustix::termios::tcgetpgrp;
    use tokio::signal::unix::{SignalKind, signal};
    use tokio::sync::mpsc;

    /// Runs the command to its end and returns its exit status. For a command that a signal ended, this is
    /// 128 plus the signal's number.
    pub(crate) fn run(mut command: Command) -> io::Result<u8> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        runtime.block_on(async {
            let mut signals = forwarded_signals()?;
            let mut children = signal(SignalKind::child())?;
            let id = i32::try_from(command.spawn()?.id()).ok().and_then(Pid::from_raw);
            let command = id.ok_or_else(|| io::Error::other("it has an invalid process id"))?;
            loop {
                tokio::select! {
                    Some(signal) = signals.recv() => {
                        if !from_terminal(signal) {
                            // Sending a signal cannot fail before the command is reaped, even if the command
                            // has ended.
                            let _ = kill_process(command, signal);
                        }
                    }
                    _ = children.recv() => {
                        if let Some(status) = reap(command)? {
                            return Ok(status);
                        }
                    }
                }
            }
        })
    }

    /// Returns the signals that are forwarded to the command. After this call none of them ends this process.
    fn forwarded_signals() -> io::Result<mpsc::UnboundedReceiver<Signal>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let forwarded = [Signal::INT, Signal::TERM, Signal::QUIT, Signal::USR1, Signal::USR2, Signal::ALARM];
        let hang_up = (!hang_up_is_ignored()).then_some(Signal::HUP);
        for forwarded in forwarded.into_iter().chain(hang_up) {
            let mut arrivals = signal(SignalKind::from_raw(forwarded.as_raw()))?;
            let sender = sender.clone();
            tokio::spawn(async move {
                while arrivals.recv().await.is_some() {
                    let _ = sender.send(forwarded);
                }
            });
        }
        Ok(receiver)
    }

    /// Returns `true` if SIGHUP is ignored, as `nohup` arranges. The command inherits this only if this
    /// process does not handle the signal.
    fn hang_up_is_ignored() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
    }

    /// Returns `true` if the signal comes from a key of the terminal. The terminal sends SIGINT and SIGQUIT
    /// to the whole foreground group, so the command has already received it. A second signal would end a
    /// program that is still cleaning up.
    fn from_terminal(signal: Signal) -> bool {
        let group = || tcgetpgrp(std::fs::File::open("/dev/tty").ok()?).ok();
        matches!(signal, Signal::INT | Signal::QUIT) && group() == Some(rustix::process::getpgrp())
    }

    /// Reaps every child that has ended. Process 1 of a container also gets the children that other processes
    /// have left. Returns the command's status if the command is one of the ended children.
    fn reap(command: Pid) -> io::Result<Option<u8>> {
        let mut ended = None;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((child, status))) if child == command => {
                    let code = status.exit_status().or_else(|| Some(128 + status.terminating_signal()?));
                    ended = code.map(|code| u8::try_from(code).unwrap_or(u8::MAX)).or(ended);
                }
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) | Err(rustix::io::Errno::CHILD) => return Ok(ended),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(windows)]
mod windows {
    use super::{Command, io};

    /// Runs the command to its end and returns its exit status, or 255 if the status does not fit in a byte.
    /// The console sends Ctrl-C and Ctrl-Break to the command as well.
    pub(crate) fn run(mut command: Command) -> io::Result<u8> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let _entered = runtime.enter();
        let _handled = crate::interrupts::interrupts()?;
        let status = command.status()?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
    }
}
