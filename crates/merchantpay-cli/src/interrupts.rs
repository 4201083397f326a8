//! Handles SIGINT and SIGTERM, and their equivalents on Windows.

use merchantpay::{Client, Error, Result};

/// Returns a future that ends with SIGINT or SIGTERM. After this call neither signal ends the program by
/// itself.
#[cfg(unix)]
pub(crate) fn interrupts() -> std::io::Result<impl Future<Output = ()>> {
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
pub(crate) fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

/// Returns a future that ends with Ctrl-C, Ctrl-Break, the closing of the console, or the system's shutdown.
/// After this call none of these events ends the program immediately. After a closing or a shutdown, Windows
/// ends the program some seconds later.
#[cfg(windows)]
pub(crate) fn interrupts() -> std::io::Result<impl Future<Output = ()>> {
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

/// After this call SIGINT and SIGTERM do not end the program. They interrupt the client, so that a running
/// call ends and its outcome can be stored.
pub(crate) fn interrupt_on_signal(client: &Client) -> Result<()> {
    let cannot = |error: std::io::Error| {
        Error::invalid_argument(format!("the program cannot wait for signals: {error}"))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(cannot)?;
    let interrupted = {
        let _entered = runtime.enter();
        interrupts().map_err(cannot)?
    };
    let client = client.clone();
    let wait = move || {
        runtime.block_on(interrupted);
        client.interrupt();
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(cannot)?;
    Ok(())
}
