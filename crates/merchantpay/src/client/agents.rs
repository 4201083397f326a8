//! ureq's agents: their settings, one call over them, and what a `fork` does to them.

use std::io::Read;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ureq::{Agent, Proxy};

use super::interrupt::RunningCall;
use super::dns_cache::DnsCache;
use super::per_process::PerProcess;
use super::tls_settings::TlsSettings;
use super::{call, request_transport, transport};
use crate::config::{Config, LONGEST};
use crate::error::{Code, Error, Outcome, Result};
use crate::exchange::SignedRequest;
use crate::url::absolute_url;

/// A reply as it came: nothing in it is believed yet.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    headers: ureq::http::HeaderMap,
}

impl Reply {
    /// A value that is not visible ASCII counts as empty: none of the service's is, but the header was there.
    pub(super) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap_or_default()))
    }
}

/// The connections of one client.
pub(super) struct Agents {
    settings: Settings,
    pair: PerProcess<Mutex<Option<Arc<Pair>>>>,
}

struct Settings {
    /// Made once: while ureq makes one it reads the environment, which a host may change while a call is running.
    keeping: ureq::config::Config,
    opening: ureq::config::Config,
    tls: TlsSettings,
    connect_timeout: Duration,
    max_reply_bytes: u64,
}

/// Two agents, because a kept-alive connection can be closed by the server at the moment it is used, and the client
/// cannot tell whether the request arrived. A call that must not be repeated therefore opens a connection of its own;
/// `/status` and `/available` keep theirs.
struct Pair {
    keeping: Agent,
    opening: Agent,
    dns_cache: Arc<DnsCache>,
}

/// As much memory as is asked for because a reply says that it is so long.
const MOST_EXPECTED: usize = 16 * 1024;

/// The longest head of a reply, and all informational responses before it together.
pub(super) const LONGEST_HEAD: usize = 64 * 1024;

impl Agents {
    pub(super) fn new(config: &Config) -> Result<Agents> {
        let proxy = config.proxy.as_deref().map(proxy).transpose()?;
        if ureq::http::HeaderValue::from_str(&config.user_agent).is_err() {
            return Err(Error::invalid_argument("the user agent has characters that a header cannot carry"));
        }
        let tls = TlsSettings::new(config)?;
        let connect_timeout = config.connect_timeout.min(LONGEST);
        let agent = |idle: usize| {
            Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .accept_encoding("identity")
                .accept("application/json")
                .user_agent(config.user_agent.as_str())
                .proxy(proxy.clone())
                .timeout_connect(Some(connect_timeout))
                .max_response_header_size(LONGEST_HEAD)
                // A reply's head has to fit. Both are filled with zeros for each new connection.
                .input_buffer_size(LONGEST_HEAD + 4 * 1024)
                .output_buffer_size(32 * 1024)
                .max_idle_connections(idle)
                .max_idle_connections_per_host(idle)
                .build()
        };
        let settings = Settings { keeping: agent(64), opening: agent(0), tls, connect_timeout, max_reply_bytes: config.max_reply_bytes };
        Ok(Agents { settings, pair: PerProcess::new() })
    }

    /// Sends the request once. `keep` allows a kept-alive connection.
    pub(super) fn send(&self, request: &SignedRequest, keep: bool, end: Instant, running: &Arc<RunningCall>) -> Result<Reply> {
        call::during(end, running, || self.send_within(request, keep, running.pid()))
    }

    fn send_within(&self, request: &SignedRequest, keep: bool, pid: u32) -> Result<Reply> {
        if call::is_interrupted() {
            return Err(Error::cancelled(Outcome::NotSent));
        }
        if call::left().is_zero() {
            return Err(Error::new(Code::Timeout, Outcome::NotSent, "the deadline passed before the request was sent"));
        }
        let pair = self.pair(pid);
        let agent = if keep { &pair.keeping } else { &pair.opening };
        loop {
            let (failure, status) = match self.exchange(agent, request) {
                Ok(reply) => return Ok(reply),
                // There are no more of these than connections that are kept.
                Err((failure, _)) if request_transport::was_closed_while_kept(&failure) && !call::was_written() && !call::is_interrupted() => {
                    continue;
                }
                Err(failed) => failed,
            };
            let written = call::was_written();
            if call::is_interrupted() {
                return Err(Error::cancelled(if written { Outcome::Unknown } else { Outcome::NotSent }));
            }
            if !written {
                pair.dns_cache.forget();
            }
            let error = self.describe(failure, written);
            return Err(status.map_or(error.clone(), |status| error.with_http_status(status)));
        }
    }

    fn exchange(&self, agent: &Agent, request: &SignedRequest) -> Result<Reply, (ureq::Error, Option<u16>)> {
        let mut builder = agent.post(request.url());
        for (name, value) in request.headers() {
            builder = builder.header(name, value);
        }
        let response = builder.send(request.body()).map_err(|failure| (failure, None))?;
        let status = response.status().as_u16();
        let failed = |failure| (failure, Some(status));
        let max = self.settings.max_reply_bytes;
        let (head, mut body) = response.into_parts();
        if body.content_length().is_some_and(|length| length > max) {
            return Err(failed(ureq::Error::BodyExceedsLimit(max)));
        }
        // Room for it all, and for seeing that there is no more; a length that is not kept should not cost much.
        let expected = body.content_length().map_or(0, |length| usize::try_from(length).unwrap_or(0).min(MOST_EXPECTED) + 1);
        let mut bytes = Vec::with_capacity(expected);
        // ureq refuses a body of exactly the limit.
        body.with_config().limit(max.saturating_add(1)).reader().read_to_end(&mut bytes).map_err(|error| failed(error.into()))?;
        Ok(Reply { status, headers: head.headers, body: bytes })
    }

    fn describe(&self, failure: ureq::Error, written: bool) -> Error {
        let outcome = if written { Outcome::Unknown } else { Outcome::NotSent };
        let when = if written { "after the request was sent" } else { "before anything was sent" };
        match failure {
            ureq::Error::Timeout(ureq::Timeout::Connect) => {
                Error::new(Code::Timeout, outcome, format!("no connection within {:?}", self.settings.connect_timeout))
            }
            ureq::Error::Timeout(_) => Error::new(Code::Timeout, outcome, format!("the deadline passed {when}")),
            ureq::Error::BodyExceedsLimit(_) => {
                Error::new(Code::Transport, outcome, format!("the reply is larger than {} bytes", self.settings.max_reply_bytes))
                    .permanent()
            }
            failure => {
                let permanent = is_permanent(&failure);
                let mut message = format!("the connection failed {when}: {failure}");
                if message.contains("CaUsedAsEndEntity") {
                    message += " (the server's certificate is an authority's: it needs one with basicConstraints=CA:FALSE)";
                }
                let error = Error::new(Code::Transport, outcome, message);
                if permanent { error.permanent() } else { error }
            }
        }
    }

    /// The connections of the process `pid`.
    fn pair(&self, pid: u32) -> Arc<Pair> {
        // Not `lock`: the thread that held it may not exist in this process.
        let drop_inherited = |pair: &Mutex<Option<Arc<Pair>>>| drop(pair.try_lock().map(|mut inherited| inherited.take()));
        let pair = self.pair.get(pid, drop_inherited);
        // Held for as long as it takes to count one more user, but for the first time. Nothing that can panic runs under it, so it
        // holds whole agents even if it is poisoned.
        let mut pair = pair.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(pair.get_or_insert_with(|| Arc::new(Pair::new(&self.settings))))
    }
}

impl Pair {
    fn new(settings: &Settings) -> Pair {
        let dns_cache = Arc::new(DnsCache::default());
        let tls = settings.tls.for_this_process();
        let agent = |config: &ureq::config::Config| transport::agent(config.clone(), Arc::clone(&dns_cache), tls.clone());
        Pair { keeping: agent(&settings.keeping), opening: agent(&settings.opening), dns_cache }
    }
}

fn proxy(url: &str) -> Result<Proxy> {
    // The host and port behind a name and password, if there are any.
    let address = url.split_once("://").map(|(scheme, rest)| format!("{scheme}://{}", rest.rsplit('@').next().unwrap_or(rest)));
    let usable = address.is_some_and(|address| absolute_url(&address).is_ok());
    let proxy = Proxy::new(url).ok().filter(|_| usable);
    proxy.ok_or_else(|| Error::invalid_argument("the proxy must be an http or https URL, as http://host:port"))
}

/// A certificate that is not trusted now will not be trusted in 100 ms.
fn is_permanent(failure: &ureq::Error) -> bool {
    match failure {
        ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
        ureq::Error::Tls(_) | ureq::Error::TlsRequired => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;
    use crate::keys::Keypair;
    use crate::operation::GetStatus;

    fn config(base_url: &str) -> Config {
        let (merchant, service) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
        Config::new(base_url, "merchant-1", merchant.private_key().clone(), service.public_key())
    }

    #[test]
    fn addresses_are_forgotten_where_nobody_is_reached_and_kept_where_a_request_was_written() {
        for is_reached in [true, false] {
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let name = format!("localhost:{}", listener.local_addr().unwrap().port());
            if is_reached {
                std::thread::spawn(move || {
                    // Ends without a reply.
                    let (mut stream, _) = listener.accept().unwrap();
                    assert!(stream.read(&mut [0; 1]).unwrap() > 0);
                });
            } else {
                drop(listener);
            }
            let config = config(&format!("http://{name}"));
            let agents = Agents::new(&config).unwrap();
            let request = config.protocol().unwrap().prepare(&GetStatus("order-1")).unwrap();
            let Err(error) = agents.send(request.request(), true, Instant::now() + Duration::from_secs(20)) else {
                panic!("nobody has answered");
            };
            assert_eq!(error.outcome() == Outcome::Unknown, is_reached, "{error}");
            assert_eq!(agents.slot().pair(&agents.settings).dns_cache.remembers(&name), is_reached);
        }
    }
}
