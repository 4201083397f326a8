//! Runs a command, forwards signals to it, and ends with it.

use std::io;
use std::process::{Command, ExitStatus};

/// Runs the command to its end and returns its exit status. For a command that a signal ended, this is 128
/// plus the signal's number; 255 stands for a status that does not fit in a byte.
pub(crate) fn run(command: Command) -> io::Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let mut child = tokio::process::Command::from(command).spawn()?;
        let id = child.id();
        loop {
            tokio::select! {
                status = child.wait() => return Ok(code(status?)),
                () = signals.forward(id) => {}
            }
        }
    })
}

fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let by_signal = std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal);
    #[cfg(windows)]
    let by_signal = None;
    status.code().or(by_signal).and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(unix)]
use unix::Signals;
#[cfg(windows)]
use windows::Signals;

#[cfg(unix)]
mod unix {
    use std::io;

    use rustix::process::{Pid, Signal, getpgrp, kill_process};
    use rustix::termios::tcgetpgrp;
    use tokio::signal::unix::{SignalKind, signal};
    use tokio::sync::mpsc;

    /// The signals that are forwarded. None of them ends this process.
    pub(crate) struct Signals(mpsc::UnboundedReceiver<Signal>);

    impl Signals {
        pub(crate) fn listen() -> io::Result<Signals> {
            let (sender, receiver) = mpsc::unbounded_channel();
            let forwarded =
                [Signal::INT, Signal::TERM, Signal::QUIT, Signal::USR1, Signal::USR2, Signal::ALARM];
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
            Ok(Signals(receiver))
        }

        /// Forwards the next signal to the process, which is not reaped before `run` ends.
        pub(crate) async fn forward(&mut self, id: Option<u32>) {
            let Some(signal) = self.0.recv().await else { return std::future::pending().await };
            let process = id.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
            if let Some(process) = process.filter(|_| !from_terminal(signal)) {
                let _ = kill_process(process, signal);
            }
        }
    }

    /// SIGHUP is ignored under `nohup`. The command inherits this only if this process does not handle the
    /// signal.
    fn hang_up_is_ignored() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
    }

    /// The terminal sends SIGINT and SIGQUIT to the whole foreground group, so the command has already received
    /// them. A second signal would end a program that is still cleaning up.
    fn from_terminal(signal: Signal) -> bool {
        let group = || tcgetpgrp(std::fs::File::open("/dev/tty").ok()?).ok();
        matches!(signal, Signal::INT | Signal::QUIT) && group() == Some(getpgrp())
    }
}

#[cfg(windows)]
mod windows {
    use std::io;
    use std::pin::Pin;

    /// Ctrl-C and Ctrl-Break do not end this process as long as this value exists. The console sends them to the
    /// command as well.
    pub(crate) struct Signals(#[expect(dead_code)] Pin<Box<dyn Future<Output = ()>>>);

    impl Signals {
        pub(crate) fn listen() -> io::Result<Signals> {
            Ok(Signals(Box::pin(crate::interrupts::interrupts()?)))
        }

        pub(crate) async fn forward(&mut self, _: Option<u32>) {
            std::future::pending().await
        }
    }
}
