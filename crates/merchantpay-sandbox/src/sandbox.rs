//! A sandbox that runs: started, asked about, misused, stopped.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Error, Keypair, PrivateKey, PublicKey};
use tokio::runtime::Runtime;

use crate::app::AppState;
use crate::clock::Clock;
use crate::database::Database;
use crate::deliveries::{Deliveries, DeliveryDeps};
use crate::delivery::Delivery;
use crate::event_bus::EventBus;
use crate::exchange_log::ExchangeLog;
use crate::fault::Fault;
use crate::http;
use crate::merchant::Merchant;
use crate::options::Options;
use crate::payment_store::PaymentStore;
use crate::random::Random;
use crate::receipt_store::ReceiptStore;
use crate::reply_signer::ReplySigner;
use crate::request_counts::RequestCounts;
use crate::scheduler;
use crate::service::Service;
use crate::stall::StalledRequests;
use crate::webhook_log::WebhookLog;

/// The key id of a merchant whose keys the sandbox has made.
const MERCHANT_KEY_ID: &str = "sandbox-merchant";

/// The service of the contract, on threads of its own, until it is dropped.
pub struct Sandbox {
    app: Arc<AppState>,
    merchant_private_key: Option<PrivateKey>,
    /// Taken when the sandbox stops.
    runtime: Option<Runtime>,
}

impl Sandbox {
    /// Binds and serves. When this returns, requests are answered.
    ///
    /// # Errors
    ///
    /// What the operating system says of the address; that the database cannot be used; or that the merchant's key or key id is the service's own.
    pub fn start(options: Options) -> io::Result<Sandbox> {
        let database = Arc::new(match &options.database {
            Some(path) => Database::open(path)?,
            None => Database::default(),
        });
        let server = match &options.server_private_key {
            Some(key) => key.clone(),
            None => saved_key(&database, "serverPrivateKey")?,
        };
        let (merchant, merchant_private_key) = match &options.merchant {
            Some((key_id, public_key)) => (Merchant { key_id: key_id.clone(), public_key: *public_key }, None),
            None => {
                let made = saved_key(&database, "merchantPrivateKey")?;
                let merchant = Merchant { key_id: MERCHANT_KEY_ID.to_owned(), public_key: made.public_key() };
                (merchant, Some(made))
            }
        };
        if merchant.key_id == options.server_key_id || merchant.public_key == server.public_key() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the merchant's key and key id must differ from the service's"));
        }
        let listener = std::net::TcpListener::bind(options.address)?;
        listener.set_nonblocking(true)?;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("sandbox").enable_io().enable_time().build()?;
        let address = listener.local_addr()?;
        let number = |name| database.setting(name).and_then(|text| text.parse::<u64>().ok());
        let clock = Arc::new(Clock::new(options.clock, number("clock")));
        // A seed goes on where it stood, unless it is another one.
        let state = if number("seed") == options.seed { number("random").or(options.seed) } else { options.seed };
        if let Some(seed) = options.seed {
            database.save_setting("seed", &seed.to_string());
        }
        let events = Arc::new(EventBus::default());
        let wrong_key = Keypair::generate().map_err(invalid)?.private_key().clone();
        let log = WebhookLog::new(database.webhooks()?, Arc::clone(&database), Arc::clone(&events));
        let deliveries = Deliveries::new(DeliveryDeps {
            options: &options,
            key: server.clone(),
            wrong_key: wrong_key.clone(),
            clock: Arc::clone(&clock),
            log,
        });
        let service = Service {
            base_url: format!("http://{}", reachable(address)),
            payments: PaymentStore::new(Random::new(state), database.payments()?),
            deliveries: Arc::new(deliveries),
            receipts: ReceiptStore::default(),
            clock,
            events,
            database,
            options,
        };
        let app = Arc::new(AppState {
            merchant,
            signer: ReplySigner { key_id: service.options.server_key_id.clone(), key: server, wrong_key },
            faults: Arc::default(),
            stalled: StalledRequests::default(),
            request_counts: RequestCounts::default(),
            exchanges: ExchangeLog::default(),
            listens_on: address.ip(),
            service: Arc::new(service),
        });
        let listener = {
            let _inside = runtime.enter();
            app.service.deliveries.resume();
            scheduler::resume(&app.service);
            tokio::net::TcpListener::from_std(listener)?
        };
        runtime.spawn(http::serve(listener, Arc::clone(&app)));
        Ok(Sandbox { app, merchant_private_key, runtime: Some(runtime) })
    }

    /// What stands before `/api/v1/merchant/pay`.
    pub fn url(&self) -> &str {
        &self.app.service.base_url
    }

    /// The merchant's key id.
    pub fn merchant_key_id(&self) -> &str {
        &self.app.merchant.key_id
    }

    /// The merchant's private key, if the sandbox has made it.
    pub fn merchant_private_key(&self) -> Option<&PrivateKey> {
        self.merchant_private_key.as_ref()
    }

    /// The service's key id.
    pub fn server_key_id(&self) -> &str {
        &self.app.signer.key_id
    }

    /// The service's public key.
    pub fn server_public_key(&self) -> PublicKey {
        self.app.signer.key.public_key()
    }

    /// Makes the next `times` requests of an operation, or of any, meet a fault. Faults happen in the order in which they were asked for.
    pub fn misbehave(&self, fault: Fault, operation: Option<&str>, times: u32) {
        self.app.faults.add(fault, operation, times);
    }

    /// How many requests of an operation, such as `newPayment`, have reached the service, refused ones included.
    pub fn requests(&self, operation: &str) -> u64 {
        self.app.request_counts.of(operation)
    }

    /// The webhooks that were delivered or given up, oldest first; the last ten thousand.
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.app.service.deliveries.finished()
    }

    /// Waits until a webhook of this kind (`credentials`, `credentials_failed`, `status`) about this payment was delivered
    /// or given up. `None` if that takes longer.
    pub fn wait_for_delivery(&self, order_id: &str, kind: &str, timeout: Duration) -> Option<Delivery> {
        self.app.service.deliveries.wait_for(order_id, kind, timeout)
    }

    /// Stops it: connections close, and webhooks that are not delivered are lost. Dropping it does the same.
    pub fn stop(mut self) {
        self.shut_down();
    }

    fn shut_down(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Not a blocking shutdown: a sandbox may be dropped on a runtime's own thread.
            runtime.shutdown_background();
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.shut_down();
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox").field("url", &self.url()).finish_non_exhaustive()
    }
}

/// The private key of that name, or a new one that is kept under it.
fn saved_key(database: &Database, name: &str) -> io::Result<PrivateKey> {
    if let Some(text) = database.setting(name) {
        return PrivateKey::from_base64(&text).map_err(invalid);
    }
    let key = Keypair::generate().map_err(invalid)?.private_key().clone();
    database.save_setting(name, &key.to_base64());
    Ok(key)
}

/// A sandbox that listens everywhere is reached on loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() });
    }
    address
}

fn invalid(error: Error) -> io::Error {
    io::Error::other(error)
}
