//! SIGINT and SIGTERM: what they end, and how.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use merchantpay::{Client, Error, Result};

/// Ends with Ctrl-C, or when the program is told to go. From here on neither ends it by itself.
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

#[cfg(not(unix))]
pub(crate) fn interrupts() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Interrupts a client when the program is told to go, so that a call that is under way ends and its outcome can be stored.
pub(crate) struct Interruption(Arc<(Mutex<bool>, Condvar)>);

impl Interruption {
    /// From here on a signal does not end the program by itself.
    pub(crate) fn of(client: &Client) -> Result<Interruption> {
        let cannot = |error: std::io::Error| Error::invalid_argument(format!("signals cannot be waited for: {error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(cannot)?;
        let interrupted = {
            let _entered = runtime.enter();
            interrupts().map_err(cannot)?
        };
        let told = Arc::new((Mutex::new(false), Condvar::new()));
        let (telling, client) = (Arc::clone(&told), client.clone());
        let wait = move || {
            runtime.block_on(interrupted);
            *telling.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            telling.1.notify_all();
            client.interrupt();
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(cannot)?;
        Ok(Interruption(told))
    }

    pub(crate) fn is_told(&self) -> bool {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps, and gives whether the program was told to go.
    pub(crate) fn sleep(&self, pause: Duration) -> bool {
        let told = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (told, _) = self.0.1.wait_timeout_while(told, pause, |told| !*told).unwrap_or_else(PoisonError::into_inner);
        *told
    }
}
