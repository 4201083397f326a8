//! The state of a running sandbox, which merchant API and control API share: the merchant with its keys, the
//! service, and the last exchanges.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::http::HeaderMap;
use merchantpay::{Error, Explainer, Keypair, Keys, OPERATIONS, PrivateKey, PublicKey, Signature};

use crate::base::clock::Clock;
use crate::base::hosts::{OwnHosts, WebhookHosts, host_of_public_url, joined};
use crate::base::options::Options;
use crate::base::{EventBus, Random, lock};
use crate::model::ServerKeys;
use crate::model::exchange::{Captured, Explanation};
use crate::model::fault::Faults;
use crate::service::Service;
use crate::service::deliveries::Deliveries;
use crate::settings::ClientSettings;
use crate::store::database::{Database, PAYMENT, WEBHOOK};
use crate::store::{ExchangeLog, PaymentStore, WebhookLog};

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

    pub(crate) fn merchant(&self) -> Arc<Merchant> {
        Arc::clone(&lock(&self.merchant))
    }

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

    pub(crate) fn requests(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.requests.iter().map(|count| count.load(Ordering::Relaxed));
        OPERATIONS.iter().map(|operation| operation.name).zip(counts)
    }

    /// Also for the next run. The sandbox has no private key then.
    pub(crate) fn replace_key(&self, public_key: PublicKey) -> Result<(), &'static str> {
        if [&self.keys.key, &self.keys.wrong_key].map(PrivateKey::public_key).contains(&public_key) {
            return Err("this is the public key of the service");
        }
        let mut merchant = lock(&self.merchant);
        let replaced = Merchant::new(merchant.key_id.clone(), public_key, None, &self.keys);
        *merchant = Arc::new(replaced.map_err(|_| "the sandbox cannot verify with this public key")?);
        self.service.database.save_setting("merchantPublicKey", &public_key.to_base64());
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
    // With the seed of the last run its sequence continues; another seed starts a new one.
    let state = if number("seed") == options.seed { number("random").or(options.seed) } else { options.seed };
    if let Some(seed) = options.seed {
        database.save_setting("seed", &seed.to_string());
    }
    let events = Arc::new(EventBus::default());
    let log = WebhookLog::new(database.records(WEBHOOK)?, Arc::clone(&database), Arc::clone(&events));
    let local_url = format!("http://{}", loopback(address));
    let base_url = match &options.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None if address.ip().is_unspecified() => local_url.clone(),
        None => format!("http://{address}"),
    };
    let webhook_hosts = Arc::new(WebhookHosts {
        own_receiver: format!("{local_url}/sandbox/receiver"),
        named: options.webhook_hosts.clone(),
        only_named: options.allow_remote,
    });
    let hosts = Arc::clone(&webhook_hosts);
    let deliveries = Deliveries::new(&options, server, hosts, Arc::clone(&clock), log)?;
    Ok(Service {
        control_url: if options.allow_remote { base_url.clone() } else { local_url },
        base_url,
        webhook_hosts,
        payments: PaymentStore::new(Random::new(state), database.records(PAYMENT)?),
        deliveries: Arc::new(deliveries),
        clock,
        events,
        database,
        options,
    })
}

/// Where a sandbox that listens on `address` answers its own machine.
pub(crate) fn loopback(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        ip if ip.is_loopback() => address,
        IpAddr::V6(ip) if ip.is_unspecified() => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port()),
        _ => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
    }
}

const KEY_ID: &str = "sandbox-merchant";

pub(crate) struct Merchant {
    pub(crate) key_id: String,
    pub(crate) public_key: PublicKey,
    /// `None` if the merchant gave its public key.
    pub(crate) private_key: Option<PrivateKey>,
    explainer: Explainer,
}

pub(crate) fn server_keys(options: &Options, database: &Database) -> io::Result<ServerKeys> {
    let key = match &options.server_private_key {
        Some(key) => key.clone(),
        None => saved_key(database, "serverPrivateKey")?,
    };
    Ok(ServerKeys { key_id: options.server_key_id.clone(), key, wrong_key: new_key()? })
}

impl Merchant {
    pub(crate) fn load(options: &Options, database: &Database, server: &ServerKeys) -> io::Result<Merchant> {
        let (key_id, public_key, private_key) =
            match (&options.merchant, database.setting("merchantPublicKey")) {
                (Some((key_id, public_key)), _) => (key_id.clone(), *public_key, None),
                (None, Some(text)) => {
                    (KEY_ID.to_owned(), PublicKey::from_base64(&text).map_err(io::Error::other)?, None)
                }
                (None, None) => {
                    let key = saved_key(database, "merchantPrivateKey")?;
                    (KEY_ID.to_owned(), key.public_key(), Some(key))
                }
            };
        if key_id == server.key_id || public_key == server.key.public_key() {
            let why = "the merchant's key and key id must differ from the service's";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Merchant::new(key_id, public_key, private_key, server).map_err(io::Error::other)
    }

    fn new(
        key_id: String,
        public_key: PublicKey,
        private_key: Option<PrivateKey>,
        server: &ServerKeys,
    ) -> Result<Merchant, Error> {
        let explainer = Explainer::of_requests(Keys {
            trusted: vec![public_key],
            trusted_key_ids: vec![key_id.clone()],
            own_key_id: Some(server.key_id.clone()),
            // By these the sandbox recognises a request that was signed with a wrong key by mistake.
            others: [&server.key, &server.wrong_key].map(PrivateKey::public_key).to_vec(),
            ..Keys::default()
        })?;
        Ok(Merchant { key_id, public_key, private_key, explainer })
    }

    /// Contract, section 5. The error is the cause of the refusal, if it can be explained.
    pub(crate) fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<(), Option<Explanation>> {
        let key_id = joined(headers, "x-keyid");
        if key_id.as_ref() == Some(&self.key_id) && self.has_signed(headers, body) {
            return Ok(());
        }
        let signature = joined(headers, "x-signature");
        let explained =
            self.explainer.explain_with_signed_bytes(body, signature.as_deref(), key_id.as_deref());
        Err(explained.map(|(explanation, signed)| Explanation {
            cause: explanation.cause().name(),
            hint: explanation.hint(),
            first_difference: signed.as_ref().map(|signed| first_difference(signed, body)),
            signed: signed.map(|signed| Captured::new(&signed)),
        }))
    }

    fn has_signed(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let mut signatures = headers.get_all("x-signature").iter();
        let signature = signatures.next().filter(|_| signatures.next().is_none());
        let signature = signature.and_then(|text| Signature::from_base64(text.to_str().ok()?));
        signature.is_some_and(|signature| self.public_key.verifies(body, &signature))
    }
}

fn first_difference(one: &[u8], other: &[u8]) -> usize {
    let same = one.iter().zip(other).position(|(one, other)| one != other);
    same.unwrap_or(one.len().min(other.len()))
}

fn saved_key(database: &Database, name: &str) -> io::Result<PrivateKey> {
    if let Some(text) = database.setting(name) {
        return PrivateKey::from_base64(&text).map_err(io::Error::other);
    }
    let key = new_key()?;
    database.save_setting(name, &key.to_base64());
    Ok(key)
}

fn new_key() -> io::Result<PrivateKey> {
    Ok(Keypair::generate().map_err(io::Error::other)?.private_key().clone())
}
