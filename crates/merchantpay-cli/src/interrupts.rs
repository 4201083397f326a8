//! SIGINT and SIGTERM, and what stands for them on Windows: what they end, and how.

use merchantpay::{Client, Error, Result};

/// Ends with SIGINT or SIGTERM. From here on neither ends the program by itself.
#[cfg(unix)]
pub(crate) fn interrupts() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ends with Ctrl-C, Ctrl-Break, the console's end, or the system's. From here on none ends the program by itself; after the
/// latter two Windows ends it some seconds later.
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

/// From here on SIGINT and SIGTERM do not end the program by themselves but interrupt the client, so that a
/// call that is under way ends and its outcome can be stored.
pub(crate) fn interrupt_on_signal(client: &Client) -> Result<()> {
    let cannot =
        |error: std::io::Error| Error::invalid_argument(format!("signals cannot be waited for: {error}"));
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
