//! The state of a running sandbox, which merchant API and control API share.

pub(crate) mod keys;
pub(crate) mod merchant;
pub(crate) mod request_counts;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use merchantpay::{PrivateKey, PublicKey};

use crate::app::keys::Keys;
use crate::app::merchant::Merchants;
use crate::app::request_counts::RequestCounts;
use crate::base::clock::Clock;
use crate::base::event_bus::EventBus;
use crate::base::lock::lock;
use crate::base::options::Options;
use crate::base::own_hosts::{OwnHosts, host_of_public_url};
use crate::base::random::Random;
use crate::base::webhook_hosts::WebhookHosts;
use crate::faults::queue::FaultQueue;
use crate::faults::stalled_requests::StalledRequests;
use crate::model::merchant_keys::MerchantKeys;
use crate::payments::service::Service;
use crate::replies::signer::ReplySigner;
use crate::settings::SandboxSettings;
use crate::stores::database::Database;
use crate::stores::exchanges::ExchangeLog;
use crate::stores::payments::PaymentStore;
use crate::stores::receipts::ReceiptStore;
use crate::stores::webhooks::WebhookLog;
use crate::webhooks::deliveries::{Deliveries, DeliveryDeps};

pub(crate) struct AppState {
    pub(crate) service: Arc<Service>,
    /// The `Merchants` are replaced as a whole when a merchant gets another public key.
    merchants: Mutex<Arc<Merchants>>,
    pub(crate) signer: ReplySigner,
    pub(crate) faults: Arc<FaultQueue>,
    pub(crate) stalled: StalledRequests,
    pub(crate) request_counts: RequestCounts,
    pub(crate) exchanges: ExchangeLog,
    pub(crate) address: SocketAddr,
    pub(crate) own_hosts: Arc<OwnHosts>,
}

impl AppState {
    /// The initial state of a sandbox at `address`: new, or from the database.
    pub(crate) fn load(
        options: Options,
        keys: Keys,
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
        let signer = ReplySigner {
            key_id: options.server_key_id.clone(),
            key: keys.server.clone(),
            wrong_key: keys.wrong_key.clone(),
        };
        let service = Arc::new(service(options, keys.server.clone(), keys.wrong_key, database, address)?);
        Ok(AppState {
            merchants: Mutex::new(Arc::new(keys.merchants)),
            signer,
            faults: Arc::default(),
            stalled: StalledRequests::default(),
            request_counts: RequestCounts::default(),
            exchanges: ExchangeLog::default(),
            address,
            own_hosts: Arc::new(own_hosts),
            service,
        })
    }

    /// The merchants with their present keys.
    pub(crate) fn merchants(&self) -> Arc<Merchants> {
        Arc::clone(&lock(&self.merchants))
    }

    /// The settings of clients with these keys.
    pub(crate) fn settings(&self, merchants: Vec<MerchantKeys>) -> SandboxSettings {
        SandboxSettings {
            base_url: self.service.base_url.clone(),
            control_url: self.service.control_url.clone(),
            server_public_key: self.signer.key.public_key().to_base64(),
            server_key_id: self.signer.key_id.clone(),
            merchants,
        }
    }

    /// Replaces the key of the merchant with this key id, or of the first merchant. The sandbox gets only the
    /// public key.
    pub(crate) fn replace_key(
        &self,
        key_id: Option<&str>,
        public_key: PublicKey,
    ) -> Result<MerchantKeys, &'static str> {
        let mut merchants = lock(&self.merchants);
        let number = match key_id {
            None => Some(0),
            Some(key_id) => merchants.iter().position(|merchant| merchant.keys.key_id == key_id),
        };
        let number = number.ok_or("no merchant has this key id")?;
        let own = [self.signer.key.public_key(), self.signer.wrong_key.public_key()];
        let of_another =
            |(other, keys): (usize, &MerchantKeys)| other != number && keys.public_key == public_key;
        if own.contains(&public_key)
            || merchants.iter().map(|merchant| &merchant.keys).enumerate().any(of_another)
        {
            return Err("this is the public key of the service or of another merchant");
        }
        let replaced = merchants.with_public_key(number, public_key, &self.signer.key_id, &own);
        *merchants = Arc::new(replaced.map_err(|_| "the sandbox cannot verify with this public key")?);
        Keys::save_public_key(&self.service.database, number, public_key);
        merchants
            .iter()
            .nth(number)
            .map(|merchant| merchant.keys.clone())
            .ok_or("no merchant has this key id")
    }
}

fn service(
    options: Options,
    key: PrivateKey,
    wrong_key: PrivateKey,
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
    let deliveries = Deliveries::new(DeliveryDeps {
        options: &options,
        key,
        wrong_key,
        clock: Arc::clone(&clock),
        log,
        hosts: Arc::clone(&webhook_hosts),
    });
    Ok(Service {
        control_url: if options.allow_remote { base_url.clone() } else { local_url },
        base_url,
        webhook_hosts,
        payments: PaymentStore::new(Random::new(state), database.payments()?),
        deliveries: Arc::new(deliveries),
        receipts: ReceiptStore::default(),
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
