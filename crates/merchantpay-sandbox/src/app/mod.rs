//! The state of a running sandbox, which merchant API and control API share.

pub(crate) mod merchant;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use merchantpay::{OPERATIONS, PublicKey};

use crate::app::merchant::Merchant;
use crate::base::clock::Clock;
use crate::base::event_bus::EventBus;
use crate::base::lock;
use crate::base::options::Options;
use crate::base::own_hosts::{OwnHosts, host_of_public_url};
use crate::base::random::Random;
use crate::base::webhook_hosts::WebhookHosts;
use crate::model::fault::Faults;
use crate::model::keys::ServerKeys;
use crate::service::client::WebhookClient;
use crate::service::deliveries::Deliveries;
use crate::service::payments::Service;
use crate::settings::ClientSettings;
use crate::stores::database::Database;
use crate::stores::exchanges::ExchangeLog;
use crate::stores::payments::PaymentStore;
use crate::stores::webhooks::WebhookLog;

pub(crate) struct AppState {
    pub(crate) service: Arc<Service>,
    /// The merchant is replaced as a whole when it gets another public key.
    merchant: Mutex<Arc<Merchant>>,
    pub(crate) keys: ServerKeys,
    pub(crate) faults: Faults,
    /// The requests of each operation that reached the service, in the order of [`OPERATIONS`].
    requests: [AtomicU64; OPERATIONS.len()],
    pub(crate) exchanges: ExchangeLog,
    pub(crate) address: SocketAddr,
    pub(crate) own_hosts: Arc<OwnHosts>,
}

impl AppState {
    /// The initial state of a sandbox at `address`: new, or from the database.
    pub(crate) fn load(
        options: Options,
        server: ServerKeys,
        database: Arc<Database>,
        address: SocketAddr,
    ) -> io::Result<AppState> {
        let public_host = options.public_url.as_deref().map(|url| {
            host_of_public_url(url).ok_or_else(|| {
                let why = "the public URL must begin with http:// or https:// and have a host and no path";
                io::Error::new(io::ErrorKind::InvalidInput, why)
            })
        });
        let names = options.allowed_hosts.iter().cloned().chain(public_host.transpose()?);
        let own_hosts = OwnHosts::new(address.ip(), names.collect());
        let merchant = Merchant::load(&options, &database, &server)?;
        let service = Arc::new(service(options, server.clone(), database, address)?);
        Ok(AppState {
            merchant: Mutex::new(Arc::new(merchant)),
            keys: server,
            faults: Faults::default(),
            requests: Default::default(),
            exchanges: ExchangeLog::default(),
            address,
            own_hosts: Arc::new(own_hosts),
            service,
        })
    }

    /// The merchant with its present key.
    pub(crate) fn merchant(&self) -> Arc<Merchant> {
        Arc::clone(&lock(&self.merchant))
    }

    /// The settings of the merchant's client.
    pub(crate) fn settings(&self) -> ClientSettings {
        let merchant = self.merchant();
        ClientSettings {
            base_url: self.service.base_url.clone(),
            control_url: self.service.control_url.clone(),
            key_id: merchant.key_id.clone(),
            public_key: merchant.public_key,
            private_key: merchant.private_key.clone(),
            server_public_key: self.keys.key.public_key().to_base64(),
            server_key_id: self.keys.key_id.clone(),
        }
    }

    pub(crate) fn count_request(&self, operation: &str) {
        if let Some(index) = OPERATIONS.iter().position(|known| known.name == operation) {
            self.requests[index].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The number of requests of each operation.
    pub(crate) fn requests(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.requests.iter().map(|count| count.load(Ordering::Relaxed));
        OPERATIONS.iter().map(|operation| operation.name).zip(counts)
    }

    /// Replaces the merchant's key.
    pub(crate) fn replace_key(&self, public_key: PublicKey) -> Result<(), &'static str> {
        let mut merchant = lock(&self.merchant);
        let replaced = merchant.with_public_key(public_key, &self.service.database, &self.keys)?;
        *merchant = Arc::new(replaced);
        Ok(())
    }
}

fn service(
    options: Options,
    server: ServerKeys,
    database: Arc<Database>,
    address: SocketAddr,
) -> io::Result<Service> {
    let number = |name| database.setting(name).and_then(|text| text.parse::<u64>().ok());
    let clock = Arc::new(Clock::new(options.clock, number("clock")));
    // If the seed is the same as in the last run, its sequence continues. Another seed starts a new sequence.
    let state = if number("seed") == options.seed { number("random").or(options.seed) } else { options.seed };
    if let Some(seed) = options.seed {
        database.save_setting("seed", &seed.to_string());
    }
    let events = Arc::new(EventBus::default());
    let log = WebhookLog::new(database.webhooks()?, Arc::clone(&database), Arc::clone(&events));
    let local_url = format!("http://{}", loopback(address));
    let base_url = match &options.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None if address.ip().is_unspecified() => local_url.clone(),
        None => format!("http://{address}"),
    };
    let webhook_hosts = Arc::new(WebhookHosts::new(
        format!("{local_url}/sandbox/receiver"),
        options.webhook_hosts.clone(),
        options.allow_remote,
    ));
    let hosts = Arc::clone(&webhook_hosts);
    let deliveries = Deliveries {
        keys: server,
        retries: options.webhook_retries.clone(),
        client: WebhookClient::new(options.webhook_timeout, Arc::clone(&clock), hosts),
        clock: Arc::clone(&clock),
        log,
        queues: Mutex::default(),
        reordered: Mutex::default(),
        plans: Mutex::default(),
    };
    Ok(Service {
        control_url: if options.allow_remote { base_url.clone() } else { local_url },
        base_url,
        webhook_hosts,
        payments: PaymentStore::new(Random::new(state), database.payments()?),
        deliveries: Arc::new(deliveries),
        clock,
        events,
        database,
        options,
    })
}

/// The loopback address where a sandbox that listens on `address` answers its own machine.
pub(crate) fn loopback(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        ip if ip.is_loopback() => address,
        IpAddr::V6(ip) if ip.is_unspecified() => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port()),
        _ => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
    }
}
