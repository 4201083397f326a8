//! Signals that end the program or its command, and their equivalents on Windows.

use std::io;
use std::process::{Command, ExitStatus};

use merchantpay::{Client, Error, Result};
use tokio::runtime::{Builder, Runtime};

/// Ends with SIGINT or SIGTERM. After this call neither signal ends the program by itself.
#[cfg(unix)]
pub(crate) fn interrupts() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let is_ignored = is_ignored(SignalKind::interrupt().as_raw_value());
    let mut interrupt = if is_ignored { None } else { Some(signal(SignalKind::interrupt())?) };
    let mut terminate = signal(SignalKind::terminate())?;
    let interrupted = async move {
        match &mut interrupt {
            Some(interrupt) => interrupt.recv().await,
            None => std::future::pending().await,
        }
    };
    Ok(async move {
        tokio::select! {
            _ = interrupted => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Whether the parent process ignored the signal: a shell without job control ignores SIGINT for a background job,
/// and `nohup` SIGHUP. The program then goes on ignoring it. Only Linux reports this in a file.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

/// After this call none of the four events ends the program immediately. After a closing of the console or a shutdown,
/// Windows ends the program some seconds later.
#[cfg(windows)]
pub(crate) fn interrupts() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

    let (mut key, mut other_key) = (ctrl_c()?, ctrl_break()?);
    let (mut close, mut shutdown) = (ctrl_close()?, ctrl_shutdown()?);
    Ok(async move {
        tokio::select! {
            _ = key.recv() => {}
            _ = other_key.recv() => {}
            _ = close.recv() => {}
            _ = shutdown.recv() => {}
        }
    })
}

pub(crate) fn interruption() -> io::Result<(Runtime, impl Future<Output = ()>)> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let interrupted = {
        let _entered = runtime.enter();
        interrupts()?
    };
    Ok((runtime, interrupted))
}

/// From now on SIGINT and SIGTERM interrupt the client, so that a running call ends and its outcome can be stored.
pub(crate) fn interrupt_on_signal(client: &Client) -> Result<()> {
    let cannot =
        |error: io::Error| Error::invalid_argument(format!("the program cannot wait for signals: {error}"));
    let (runtime, interrupted) = interruption().map_err(cannot)?;
    let client = client.clone();
    let wait = move || {
        runtime.block_on(interrupted);
        client.interrupt();
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(cannot)?;
    Ok(())
}

/// Runs the command to its end and forwards signals to it. The status of a command that a signal ended is 128 plus the
/// signal's number; 255 stands for a status that does not fit in a byte.
pub(crate) fn supervise(command: Command) -> io::Result<u8> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
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

    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::WithOrigin;
    use signal_hook::low_level::siginfo::{Cause, Origin};
    use tokio::sync::mpsc;

    use super::is_ignored;

    /// None of the forwarded signals ends this process.
    pub(crate) struct Signals(mpsc::UnboundedReceiver<Signal>);

    impl Signals {
        pub(crate) fn listen() -> io::Result<Signals> {
            let forwarded =
                [Signal::INT, Signal::TERM, Signal::QUIT, Signal::USR1, Signal::USR2, Signal::ALARM];
            // The command inherits that SIGHUP is ignored only if this process does not handle it.
            let hang_up = (!is_ignored(Signal::HUP.as_raw())).then_some(Signal::HUP);
            let numbers: Vec<i32> = forwarded.into_iter().chain(hang_up).map(Signal::as_raw).collect();
            let mut arrivals = SignalsInfo::<WithOrigin>::new(numbers)?;
            let (sender, receiver) = mpsc::unbounded_channel();
            let listen = move || {
                let of_others = arrivals.forever().filter(|origin| !is_of_terminal(origin));
                let mut signals = of_others.filter_map(|origin| Signal::from_named_raw(origin.signal));
                let _ = signals.try_for_each(|signal| sender.send(signal));
            };
            std::thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
            Ok(Signals(receiver))
        }

        /// Forwards the next signal to the process, which is not reaped before `supervise` ends.
        pub(crate) async fn forward(&mut self, id: Option<u32>) {
            let Some(signal) = self.0.recv().await else { return std::future::pending().await };
            let process = id.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
            if let Some(process) = process {
                let _ = kill_process(process, signal);
            }
        }
    }

    /// The terminal sends SIGINT and SIGQUIT to the whole foreground group, so the command has already received
    /// them. A second signal would end a program that is still cleaning up.
    fn is_of_terminal(origin: &Origin) -> bool {
        let is_key = [Signal::INT, Signal::QUIT].iter().any(|key| key.as_raw() == origin.signal);
        is_key && matches!(origin.cause, Cause::Kernel)
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
            Ok(Signals(Box::pin(super::interrupts()?)))
        }

        pub(crate) async fn forward(&mut self, _: Option<u32>) {
            std::future::pending().await
        }
    }
}
