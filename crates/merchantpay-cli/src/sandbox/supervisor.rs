//! Runs a command as an `init` does: forwards signals, reaps every child, and ends with the command.

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

    /// Ends with the command, and returns its exit status: 128 and the number of the signal that ended it.
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
                            // It cannot fail before the command is reaped, even if the command has ended.
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

    /// The signals that are passed to the command. From here on none of them ends this process.
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

    /// `nohup` ignores SIGHUP for a command, which inherits that only if nobody handles the signal.
    fn hang_up_is_ignored() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
    }

    /// A key of the terminal sends SIGINT and SIGQUIT to its whole foreground group: the command has the signal
    /// already, and a second one would end a program that cleans up after the first.
    fn from_terminal(signal: Signal) -> bool {
        let group = || tcgetpgrp(std::fs::File::open("/dev/tty").ok()?).ok();
        matches!(signal, Signal::INT | Signal::QUIT) && group() == Some(rustix::process::getpgrp())
    }

    /// Reaps every child that has ended: process 1 of a container gets the orphans of others. Returns the
    /// command's status if it is among them.
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

    /// Ends with the command, and returns its exit status, or 255 for one that does not fit. The console sends
    /// Ctrl-C and Ctrl-Break to the command as well.
    pub(crate) fn run(mut command: Command) -> io::Result<u8> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let _entered = runtime.enter();
        let _handled = crate::interrupts::interrupts()?;
        let status = command.status()?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
    }
}
