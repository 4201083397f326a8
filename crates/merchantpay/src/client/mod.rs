//! The blocking client: the only module that does I/O.

mod call;
mod dial;
mod failure;
mod head;
mod http;
mod interrupt;
mod names;
mod pool;
mod process;
mod receipt_listeners;
mod report;
mod roots;
mod stream;
mod tls;
mod tls_settings;
mod wait;
mod wire;

pub use self::receipt_listeners::ReceiptListener;
pub use self::report::{CertificateFault, ConnectionFailure, ConnectionReport, ConnectionStep, TlsReport};
pub use self::roots::trusted_certificates;
pub use self::wait::{NextStep, StatusWait};

use std::sync::Arc;
use std::time::{Duration, Instant};

use self::http::Http;
use self::interrupt::Handle;
use self::receipt_listeners::ReceiptListeners;
use crate::config::LONGEST;
use crate::error::{Error, Outcome, Result};
use crate::exchange::Protocol;
use crate::operation;
use crate::payment::{AvailableAmounts, Payment};
use crate::receipt::Receipt;
use crate::request::{AmountsRequest, PaymentRequest};
use crate::settings::{Config, Observer, Tap};
use crate::webhook::WebhookVerifier;

/// Calls the service's seven operations. Threads can share a client. A clone of a client uses the same
/// connections.
///
/// Every call blocks until its reply is verified, its deadline passes, or it is certain that no reply will
/// come. After `fork`, calls in the child process open their own connections.
///
/// ```no_run
/// use merchantpay::{Client, Config, Outcome, PaymentMethod, PaymentRequest, PrivateKey, PublicKey};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let private_key = PrivateKey::from_base64(&std::env::var("MERCHANTPAY_PRIVATE_KEY")?)?;
/// let server_key = PublicKey::from_base64(&std::env::var("MERCHANTPAY_SERVER_PUBLIC_KEY")?)?;
/// let client = Client::new(Config::new("https://pay.example", "merchant-1", private_key, server_key))?;
///
/// let request = PaymentRequest::new("1500.50".parse::<merchantpay::Amount>()?, PaymentMethod::Sbp, "79001234567");
/// match client.new_payment(&request) {
///     Ok(payment) => println!("pay {:?} to {:?}", payment.sum(), payment.payee_account()),
///     Err(error) => match error.outcome() {
///         Outcome::NotSent => println!("nothing was sent, try again: {error}"),
///         Outcome::Rejected => println!("refused: {:?}", error.description()),
///         _ => println!("find out before trying again: {error}"),
///     },
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    handle: Handle,
    timeout: Duration,
}

struct Shared {
    protocol: Protocol,
    http: Http,
    max_retries: u32,
    observer: Option<Observer>,
    tap: Option<Tap>,
    receipt_listeners: ReceiptListeners,
}

impl Client {
    /// Makes a client. This sends nothing and opens no connection.
    ///
    /// # Errors
    ///
    /// `invalid_argument` or `invalid_key` for an unusable setting.
    pub fn new(config: Config) -> Result<Client> {
        let config = config.for_client()?;
        let protocol = config.protocol()?;
        let http = Http::new(&config)?;
        let shared = Shared {
            protocol,
            http,
            max_retries: config.max_retries,
            observer: config.observer,
            tap: config.tap,
            receipt_listeners: ReceiptListeners::default(),
        };
        Ok(Client { shared: Arc::new(shared), handle: Handle::new(), timeout: config.timeout })
    }

    /// Makes a client with the same settings, keys and connections, but with another deadline for its calls.
    /// A `timeout` of 0 keeps the deadline of this client. The derived client can be interrupted separately.
    /// Interrupting this client interrupts the derived client too.
    #[must_use]
    pub fn derive(&self, timeout: Duration) -> Client {
        let timeout = if timeout.is_zero() { self.timeout } else { timeout };
        Client { shared: Arc::clone(&self.shared), handle: self.handle.derive(), timeout }
    }

    /// The time limit of a whole call, including its retries.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The URL before `/api/v1/merchant/pay`, without a final slash.
    pub fn base_url(&self) -> &str {
        self.shared.protocol.base_url()
    }

    /// The merchant's key id. With the base URL it names the merchant's account.
    pub fn key_id(&self) -> &str {
        self.shared.protocol.key_id()
    }

    /// A verifier for the webhooks of the same service, with the same keys and key ids.
    pub fn verifier(&self) -> WebhookVerifier {
        self.shared.protocol.verifier()
    }

    /// Ends the running calls of this client, its clones and all clients derived from them, in all threads.
    /// The interruption is permanent: later calls of these clients do not start. The client from which this
    /// client was derived continues, and so do the other clients that were derived from that client. After
    /// `interrupt` returns, the interrupted calls write no more bytes. Each interrupted call ends with
    /// `cancelled` and the outcome `not_sent` or `unknown`; a response that was complete is still returned.
    /// Only a look-up of the service's name may continue in the background.
    ///
    /// ```
    /// # use merchantpay::{Client, Code, Config, Keypair, Outcome};
    /// # let (own, service) = (Keypair::generate()?, Keypair::generate()?);
    /// # let client = Client::new(Config::new("https://pay.example", "merchant-1", own.private_key().clone(), service.public_key()))?;
    /// let sale = client.derive(std::time::Duration::from_secs(15));
    /// // From the thread of the cashier's button:
    /// sale.interrupt();
    /// let error = sale.get_status("o-1").unwrap_err();
    /// assert_eq!((error.code(), error.outcome()), (Code::Cancelled, Outcome::NotSent));
    /// # Ok::<(), merchantpay::Error>(())
    /// ```
    pub fn interrupt(&self) {
        self.handle.interrupt();
    }

    /// `getAvailableAmounts`, `POST /available` (contract, section 4.1). The library may send the request
    /// several times.
    ///
    /// # Errors
    ///
    /// All codes are possible; see [`Code`](crate::Code) and [`Error::outcome`]. This is true for all seven
    /// operations.
    pub fn get_available_amounts(&self, request: &AmountsRequest) -> Result<AvailableAmounts> {
        self.call(operation::get_available_amounts(request))
    }

    /// `newPayment`, `POST /new` (contract, section 4.2): returns a payment with its credentials, after up to
    /// 10 s. The request is sent once: if the outcome of an error is `unknown`, the payment may exist.
    pub fn new_payment(&self, request: &PaymentRequest) -> Result<Payment> {
        self.call(operation::new_payment(request))
    }

    /// `newPaymentAsync`, `POST /new-async` (contract, section 4.3): returns only the order id. The
    /// credentials arrive by webhook. The request is sent once, as in [`new_payment`](Client::new_payment).
    pub fn new_payment_async(&self, request: &PaymentRequest) -> Result<Payment> {
        self.call(operation::new_payment_async(request))
    }

    /// `confirm`, `POST /confirm` (contract, section 4.4): reports that the customer has paid. The request is
    /// sent once. If the outcome of an error is `unknown`, call [`get_status`](Client::get_status) until the status
    /// changes: an unchanged status does not show whether the confirm arrived.
    pub fn confirm(&self, order_id: &str) -> Result<Payment> {
        self.call(operation::confirm(order_id))
    }

    /// `cancel`, `POST /cancel` (contract, section 4.5): cancels the payment. The request is sent once. The
    /// error is `rejected` with [`Reason::PaymentCouldNotBeCanceled`](crate::Reason) if it can no longer be cancelled.
    pub fn cancel(&self, order_id: &str) -> Result<Payment> {
        self.call(operation::cancel(order_id))
    }

    /// `getStatus`, `POST /status` (contract, section 4.6). The library may send the request several times.
    pub fn get_status(&self, order_id: &str) -> Result<Payment> {
        self.call(operation::get_status(order_id))
    }

    /// Calls [`get_status`](Client::get_status) until the status is final, and returns the payment. The
    /// pauses between the calls grow from 0.25 s to 5 s. After a transient error the wait continues until
    /// `timeout` has passed. It asks at least once. If a reply asks for a longer pause (`Retry-After`), the pause
    /// is as long, up to a minute.
    ///
    /// # Errors
    ///
    /// `timeout` with the outcome `unknown` and the order id if the status is not final in time. An error
    /// that is not transient is returned immediately. A transient error is returned if it is the error of the
    /// last call. [`interrupt`](Client::interrupt) ends the wait with `cancelled`.
    pub fn wait(&self, order_id: &str, timeout: Duration) -> Result<Payment> {
        self.wait_with(StatusWait::new(order_id, Some(timeout)), |pause| self.pause(pause))
    }

    /// Like [`wait`](Client::wait), for a host with something to do while it waits: `pause_for` sleeps on the
    /// caller's thread, and its error ends the wait.
    ///
    /// # Errors
    ///
    /// The errors of [`wait`](Client::wait) and of `pause_for`.
    pub fn wait_with(
        &self,
        mut wait: StatusWait,
        mut pause_for: impl FnMut(Duration) -> Result<()>,
    ) -> Result<Payment> {
        loop {
            let asking = Client { timeout: wait.question_timeout(self.timeout), ..self.clone() };
            match wait.answer(asking.get_status(wait.order_id())) {
                NextStep::Done(result) => return *result,
                NextStep::Ask(pause) => pause_for(pause).map_err(|error| {
                    error.with_outcome(Outcome::Unknown).with_order_id(Some(wait.order_id()))
                })?,
            }
        }
    }

    /// Sleeps, for a host that makes the calls of a [`StatusWait`] itself. [`interrupt`](Client::interrupt)
    /// ends the sleep.
    ///
    /// # Errors
    ///
    /// `cancelled` with the outcome `not_sent`, if the client was interrupted.
    pub fn pause(&self, duration: Duration) -> Result<()> {
        let slept = self.handle.begin()?.call().sleep(duration.min(LONGEST));
        if slept { Ok(()) } else { Err(Error::cancelled(Outcome::NotSent)) }
    }

    /// Returns `true` if the calls of this client run code of the host: a signer or an observer. This code
    /// runs on the thread that makes the call.
    pub fn has_callbacks(&self) -> bool {
        self.shared.observer.is_some() || self.shared.protocol.has_own_signer()
    }

    /// Opens a connection before the customer is ready, so that the next call needs only one round trip.
    /// [`Config::connect_idle`] limits how long the connection may wait for its first request. Each call of
    /// this method opens one connection.
    ///
    /// # Errors
    ///
    /// `transport`, `timeout` or `cancelled`, always with the outcome `not_sent`.
    pub fn connect(&self) -> Result<()> {
        let end = Instant::now() + self.timeout.min(LONGEST);
        self.shared.http.connect(end, self.handle.begin()?.call())
    }

    /// `attachReceipt`, `POST /receipt/attach` (contract, section 4.7): attaches receipts to a payment. The
    /// request is sent once.
    pub fn attach_receipt(&self, receipt: &Receipt) -> Result<Payment> {
        let result = self.call(operation::attach_receipt(receipt));
        let is_attached = |error: &Error| error.outcome() == Outcome::Unknown;
        if result.as_ref().err().is_none_or(is_attached) {
            self.shared.receipt_listeners.tell(receipt.order_id());
        }
        result
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("protocol", &self.shared.protocol)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
