//! The blocking client: the only module that does I/O.

mod agents;
mod call_context;
mod connect;
mod connections;
mod dns_cache;
mod failure;
mod given_back;
mod informational;
mod interrupt;
mod per_process;
mod reading;
mod receipt_listeners;
mod request_transport;
mod roots;
mod server_verifier;
mod socket;
mod socket_wait;
mod system_roots;
mod tls;
mod tls_records;
mod tls_settings;
mod transport;
mod wait;
mod writing;

pub use self::receipt_listeners::ReceiptListener;
use self::wait::WaitedOrders;
pub use self::wait::{NextStep, StatusWait};

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::agents::{Agents, Sending};
use self::connections::Selection;
use self::interrupt::Handle;
use self::receipt_listeners::ReceiptListeners;
use crate::attempt::Attempt;
use crate::config::{Config, LONGEST, Observer};
use crate::error::{Code, Error, Outcome, Result};
use crate::exchange::{Prepared, Protocol};
use crate::operation::sealed::Reply;
use crate::operation::{
    AttachReceipt, Cancel, Confirm, GetAvailableAmounts, GetStatus, NewPayment, NewPaymentAsync, Operation,
};
use crate::payment::{AvailableAmounts, Payment};
use crate::receipt::Receipt;
use crate::request::{AmountsRequest, PaymentRequest};
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
    agents: Agents,
    max_retries: u32,
    observer: Option<Observer>,
    waited_orders: Arc<WaitedOrders>,
    receipt_listeners: ReceiptListeners,
}

impl Client {
    /// Makes a client. This sends nothing and opens no connection.
    ///
    /// # Errors
    ///
    /// `invalid_argument` or `invalid_key` for an unusable setting.
    pub fn new(config: Config) -> Result<Client> {
        if config.timeout.is_zero() || config.connect_timeout.is_zero() {
            return Err(Error::invalid_argument("the timeout must be greater than 0"));
        }
        let protocol = config.protocol()?;
        let agents = Agents::new(&config)?;
        let shared = Shared {
            protocol,
            agents,
            max_retries: config.max_retries,
            observer: config.observer,
            waited_orders: Arc::default(),
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
        self.call(&GetAvailableAmounts(request))
    }

    /// `newPayment`, `POST /new` (contract, section 4.2): returns a payment with its credentials, after up to
    /// 10 s. The request is sent once.
    ///
    /// # Errors
    ///
    /// The same errors as [`get_available_amounts`](Client::get_available_amounts). If the outcome is
    /// `unknown`, the payment may exist.
    pub fn new_payment(&self, request: &PaymentRequest) -> Result<Payment> {
        self.call(&NewPayment(request))
    }

    /// `newPaymentAsync`, `POST /new-async` (contract, section 4.3): returns only the order id. The
    /// credentials arrive by webhook. The request is sent once.
    ///
    /// # Errors
    ///
    /// The same errors as [`new_payment`](Client::new_payment).
    pub fn new_payment_async(&self, request: &PaymentRequest) -> Result<Payment> {
        self.call(&NewPaymentAsync(request))
    }

    /// `confirm`, `POST /confirm` (contract, section 4.4): reports that the customer has paid. The request is
    /// sent once.
    ///
    /// # Errors
    ///
    /// The same errors as [`new_payment`](Client::new_payment). If the outcome is `unknown`, call
    /// [`get_status`](Client::get_status) until the status changes: an unchanged status does not show whether
    /// the confirm arrived.
    pub fn confirm(&self, order_id: &str) -> Result<Payment> {
        self.call(&Confirm(order_id))
    }

    /// `cancel`, `POST /cancel` (contract, section 4.5): cancels the payment. The request is sent once.
    ///
    /// # Errors
    ///
    /// The same errors as [`confirm`](Client::confirm). The error is `rejected` with
    /// [`Reason::PaymentCouldNotBeCanceled`](crate::Reason) if the payment can no longer be cancelled.
    pub fn cancel(&self, order_id: &str) -> Result<Payment> {
        self.call(&Cancel(order_id))
    }

    /// `getStatus`, `POST /status` (contract, section 4.6). The library may send the request several times.
    ///
    /// # Errors
    ///
    /// The same errors as [`get_available_amounts`](Client::get_available_amounts).
    pub fn get_status(&self, order_id: &str) -> Result<Payment> {
        self.call(&GetStatus(order_id))
    }

    /// Calls [`get_status`](Client::get_status) until the status is final, and returns the payment. The
    /// pauses between the calls grow from 0.25 s to 5 s. After a transient error the wait continues until
    /// `timeout` has passed. A new wait for the same order continues the pauses of the earlier wait. So
    /// several short waits query no more often than one long wait, and some short waits make no query.
    ///
    /// # Errors
    ///
    /// `timeout` with the outcome `unknown` and the order id if the status is not final in time. An error
    /// that is not transient is returned immediately. A transient error is returned if it is the error of the
    /// last call. [`interrupt`](Client::interrupt) ends the wait with `cancelled`.
    pub fn wait(&self, order_id: &str, timeout: Duration) -> Result<Payment> {
        let about = |error: Error| error.with_outcome(Outcome::Unknown).with_order_id(Some(order_id));
        let mut wait = self.status_wait(order_id, Some(timeout));
        self.pause(wait.first_pause()).map_err(|error| error.with_order_id(Some(order_id)))?;
        if let Some(error) = wait.ended_unasked() {
            return Err(error);
        }
        loop {
            let asking = Client { timeout: wait.question_timeout(self.timeout), ..self.clone() };
            match wait.answer(asking.get_status(order_id)) {
                NextStep::Done(result) => return *result,
                NextStep::Ask(pause) => self.pause(pause).map_err(about)?,
            }
        }
    }

    /// The rules of [`wait`](Client::wait), for a host that makes the calls and pauses itself. The returned
    /// wait continues the pauses of earlier waits for the same order, on this client or on a client with the
    /// same connections.
    pub fn status_wait(&self, order_id: &str, timeout: Option<Duration>) -> StatusWait {
        StatusWait::of(self.shared.waited_orders.clone(), order_id.to_owned(), timeout)
    }

    /// Sleeps, for a host that makes the calls of a [`StatusWait`] itself. [`interrupt`](Client::interrupt)
    /// ends the sleep.
    ///
    /// # Errors
    ///
    /// `cancelled` with the outcome `not_sent`, if the client was interrupted.
    pub fn pause(&self, duration: Duration) -> Result<()> {
        let slept = self
            .handle
            .begin(std::process::id())
            .is_some_and(|guard| guard.call().sleep(duration.min(LONGEST)));
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
        let end = Deadline::after(self.timeout).end;
        let Some(guard) = self.handle.begin(std::process::id()) else {
            return Err(Error::cancelled(Outcome::NotSent));
        };
        self.shared.agents.connect(self.shared.protocol.base_url(), end, guard.call())
    }

    /// `attachReceipt`, `POST /receipt/attach` (contract, section 4.7): attaches receipts to a payment. The
    /// request is sent once.
    ///
    /// # Errors
    ///
    /// The same errors as [`confirm`](Client::confirm).
    pub fn attach_receipt(&self, receipt: &Receipt) -> Result<Payment> {
        let result = self.call(&AttachReceipt(receipt));
        let is_attached = |error: &Error| error.outcome() == Outcome::Unknown;
        if result.as_ref().err().is_none_or(is_attached) {
            self.shared.receipt_listeners.tell(receipt.order_id());
        }
        result
    }

    /// Runs any operation: validates and signs the request, sends it, and opens the reply. The function
    /// retries if a retry is safe and the deadline allows a retry.
    fn call<O: Operation>(&self, operation: &O) -> Result<O::Reply> {
        let deadline = Deadline::after(self.timeout);
        let cancelled = |outcome| Error::cancelled(outcome).with_order_id(operation.order_id());
        let Some(guard) = self.handle.begin(std::process::id()) else {
            return Err(cancelled(Outcome::NotSent));
        };
        let running = guard.call();
        let prepared = self.shared.protocol.prepare(operation)?;
        let mut sent_before = false;
        let mut number = 1;
        loop {
            let selection = match number {
                1 if O::REPEATABLE => Selection::Any,
                1 => Selection::Recent,
                _ => Selection::New,
            };
            let may_follow = O::REPEATABLE && number <= self.shared.max_retries;
            let sending = Sending { end: deadline.end, selection, may_follow, running };
            let error = match self.attempt(&prepared, number, &sending) {
                Ok(reply) => return Ok(reply),
                // An earlier attempt was sent and may have arrived, although this attempt was not sent.
                Err(error) if sent_before && error.outcome() == Outcome::NotSent => {
                    error.with_outcome(Outcome::Unknown)
                }
                Err(error) => error,
            };
            sent_before |= error.outcome() != Outcome::NotSent;
            let pause = backoff(number);
            let interrupted = error.code() == Code::Cancelled;
            if interrupted
                || number > self.shared.max_retries
                || !may_repeat::<O>(&error)
                || deadline.left() <= pause
            {
                return Err(error);
            }
            if !running.sleep(pause) {
                return Err(cancelled(if sent_before { Outcome::Unknown } else { Outcome::NotSent }));
            }
            number += 1;
        }
    }

    fn attempt<R: Reply>(&self, prepared: &Prepared<R>, number: u32, sending: &Sending<'_>) -> Result<R> {
        let started = Instant::now();
        let sent = self.shared.agents.send(prepared.request(), sending);
        let status = sent.as_ref().map_or_else(Error::http_status, |reply| Some(reply.status));
        let result = sent.map_err(|error| error.with_order_id(prepared.order_id())).and_then(|reply| {
            let result = prepared.open(reply.status, reply.headers(), &reply.body);
            if result.as_ref().map_or_else(|error| error.code() == Code::Rejected, |_| true) {
                reply.keep_connection();
            }
            result
        });
        if let Some(observer) = &self.shared.observer {
            let attempt = Attempt {
                operation: prepared.operation(),
                order_id: result
                    .as_ref()
                    .map_or_else(Error::order_id, Reply::order_id)
                    .or(prepared.order_id()),
                number,
                http_status: status,
                elapsed: started.elapsed(),
                code: result.as_ref().err().map(Error::code),
                outcome: result.as_ref().err().map(Error::outcome),
            };
            // The observer is code of the host. If it panics, the panic is ignored.
            let _ = catch_unwind(AssertUnwindSafe(|| observer(&attempt)));
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

/// Returns `true` if the same bytes may be sent again: the error is transient, and either nothing was written
/// or the operation is repeatable. The error of a malformed reply is never transient. The error of an
/// unverified reply is transient only with the HTTP status 429 or 5xx.
fn may_repeat<O: Operation>(error: &Error) -> bool {
    error.is_transient() && (error.outcome() == Outcome::NotSent || O::REPEATABLE)
}

/// Exponential backoff: 100 ms, 200 ms, 400 ms … up to 2 s, each with up to 50 % jitter.
fn backoff(number: u32) -> Duration {
    let full =
        Duration::from_millis(100).saturating_mul(1 << (number - 1).min(5)).min(Duration::from_secs(2));
    let random = getrandom::u32().unwrap_or(0) % 512;
    full - full * random / 1024
}

/// The time at which a call must end.
struct Deadline {
    end: Instant,
}

impl Deadline {
    fn after(timeout: Duration) -> Deadline {
        Deadline { end: Instant::now() + timeout.min(LONGEST) }
    }

    /// The remaining time; zero after the deadline.
    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pause_is_twice_the_one_before_up_to_two_seconds_and_at_least_half_of_it() {
        for (number, full) in
            [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1600), (6, 2000), (7, 2000), (u32::MAX, 2000)]
        {
            let full = Duration::from_millis(full);
            let pauses: Vec<Duration> = (0..200).map(|_| backoff(number)).collect();
            assert!(pauses.iter().all(|pause| *pause > full / 2 && *pause <= full), "{number}");
            assert!(
                pauses.iter().any(|pause| *pause < full * 3 / 4)
                    && pauses.iter().any(|pause| *pause > full * 3 / 4),
                "{number}"
            );
        }
    }
}
