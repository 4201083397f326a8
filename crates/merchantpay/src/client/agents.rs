//! ureq's agents: their settings, one HTTP attempt through an agent, and the agents after a `fork`.

use std::io::Read;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ureq::{Agent, Proxy};

use super::call_context::Plan;
use super::connections::{Connection, Connections, IdleLimits, Selection, keep_alive};
use super::dns_cache::DnsCache;
use super::informational::LONGEST_HEAD;
use super::interrupt::RunningCall;
use super::per_process::PerProcess;
use super::per_process::lock;
use super::tls_settings::TlsSettings;
use super::{call_context, failure, transport};
use crate::config::{Config, LONGEST};
use crate::error::{Code, Error, Outcome, Result};
use crate::exchange::SignedRequest;
use crate::setting_text::{TextRule, clean};
use crate::url::{absolute_url, check_tunnelled_url};

/// A reply as received, without any verification.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    headers: ureq::http::HeaderMap,
    /// The connection of the reply, if another request may use this connection. `connections` is the pool
    /// that then keeps the connection.
    connection: Option<Connection>,
    connections: Arc<Connections>,
}

impl Reply {
    /// Keeps the connection for another call. Do not call this function for a response that does not verify,
    /// because the sender of the response is not known.
    pub(super) fn keep_connection(mut self) {
        if let Some(connection) = self.connection.take() {
            self.connections.put_used(connection, keep_alive(self.headers()), Instant::now());
        }
    }

    /// The headers. A value that is not visible ASCII is returned as an empty text. The service does not send
    /// such a value, but the header was present.
    pub(super) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap_or_default()))
    }
}

/// A client's ureq agents: one agent for each process that uses the client.
pub(super) struct Agents {
    settings: Settings,
    agents: PerProcess<Mutex<Option<Arc<ProcessAgents>>>>,
}

struct Settings {
    /// These settings are made only once, because ureq then reads environment variables. The host may change
    /// the variables during a later call.
    ureq: ureq::config::Config,
    tls: TlsSettings,
    idle_limits: IdleLimits,
    connect_timeout: Duration,
    max_reply_bytes: u64,
}

/// The ureq agent that the calls of one process share. ureq itself keeps no connection. The pool
/// `connections` decides which connection a call may use, because some calls must not use a connection that
/// the server may be closing.
struct ProcessAgents {
    agent: Agent,
    connections: Arc<Connections>,
    dns_cache: Arc<DnsCache>,
}

/// The plan of one HTTP attempt of a call, without the request.
pub(super) struct Sending<'a> {
    pub(super) end: Instant,
    pub(super) selection: Selection,
    /// `true` if another HTTP attempt may follow. If so, a reused connection gets only a part of the time.
    pub(super) may_follow: bool,
    pub(super) running: &'a Arc<RunningCall>,
}

/// If a retry is possible, a reused connection gets a third of the remaining time.
const REUSE_SHARE: u32 = 3;

/// A reply's `Content-Length` allocates at most this much memory.
const MOST_EXPECTED: usize = 16 * 1024;

impl Agents {
    pub(super) fn new(config: &Config) -> Result<Agents> {
        let proxy = config.proxy.as_deref().map(proxy).transpose()?;
        if proxy.is_some() {
            check_tunnelled_url(&config.base_url, config.allow_http)?;
        }
        clean("user_agent", TextRule::Words, &config.user_agent)?;
        let tls = TlsSettings::new(config)?;
        let connect_timeout = config.connect_timeout.min(LONGEST);
        let ureq = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .accept_encoding("identity")
            .accept("application/json")
            .user_agent(config.user_agent.as_str())
            .proxy(proxy)
            .timeout_connect(Some(connect_timeout))
            .max_response_header_size(LONGEST_HEAD)
            // The input buffer must have space for a reply's whole head (the status line and the headers).
            // Larger buffers would cost time, because each new connection fills both buffers with zeros.
            .input_buffer_size(LONGEST_HEAD + 4 * 1024)
            .output_buffer_size(32 * 1024)
            .max_idle_connections(0)
            .max_idle_connections_per_host(0)
            .build();
        let idle_limits =
            IdleLimits { used: config.reuse_idle.min(LONGEST), unused: config.connect_idle.min(LONGEST) };
        let settings =
            Settings { ureq, tls, idle_limits, connect_timeout, max_reply_bytes: config.max_reply_bytes };
        Ok(Agents { settings, agents: PerProcess::new() })
    }

    pub(super) fn proxy_tls(&self) -> Arc<rustls::ClientConfig> {
        self.settings.tls.for_this_process().proxy
    }

    /// Sends the request once.
    pub(super) fn send(&self, request: &SignedRequest, sending: &Sending<'_>) -> Result<Reply> {
        self.perform(sending, false, |agents| self.exchange(agents, request))
    }

    /// Opens a connection for a later request.
    pub(super) fn connect(&self, url: &str, end: Instant, running: &Arc<RunningCall>) -> Result<()> {
        let sending = Sending { end, selection: Selection::New, may_follow: false, running };
        self.perform(&sending, true, |agents| match agents.agent.post(url).send_empty() {
            Err(failure) if transport::was_opened_ahead(&failure) => {
                if let Some(opened) = call_context::take_returned() {
                    agents.connections.put_unused(opened, Instant::now());
                }
                Ok(())
            }
            Err(failure) => Err((failure, None)),
            Ok(_) => Err((ureq::Error::ConnectionFailed, None)),
        })
    }

    fn perform<T>(
        &self,
        sending: &Sending<'_>,
        only_opens: bool,
        exchange: impl FnOnce(&ProcessAgents) -> Result<T, (ureq::Error, Option<u16>)>,
    ) -> Result<T> {
        let left = sending.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::new(
                Code::Timeout,
                Outcome::NotSent,
                "the deadline passed before the request was sent",
            ));
        }
        let reuse_limit = sending.may_follow.then_some(left / REUSE_SHARE);
        let plan = Plan { end: sending.end, selection: sending.selection, reuse_limit, only_opens };
        call_context::during(plan, sending.running, || {
            if call_context::is_interrupted() {
                return Err(Error::cancelled(Outcome::NotSent));
            }
            let agents = self.of_process(sending.running.pid());
            exchange(&agents).map_err(|(failure, status)| {
                let error = self.failed(&agents, failure);
                status.map_or(error.clone(), |status| error.with_http_status(status))
            })
        })
    }

    fn failed(&self, agents: &ProcessAgents, failure: ureq::Error) -> Error {
        let written = call_context::was_written();
        let outcome = if written { Outcome::Unknown } else { Outcome::NotSent };
        if call_context::is_interrupted() {
            return Error::cancelled(outcome);
        }
        if let Some(limit) = call_context::unanswered_for() {
            agents.connections.close_idle();
            return Error::new(
                Code::Timeout,
                outcome,
                format!("a pooled connection has not answered within {limit:?}"),
            );
        }
        if !written {
            agents.dns_cache.suspect();
        }
        failure::describe(failure, written, self.settings.connect_timeout, self.settings.max_reply_bytes)
    }

    fn exchange(
        &self,
        agents: &ProcessAgents,
        request: &SignedRequest,
    ) -> Result<Reply, (ureq::Error, Option<u16>)> {
        let mut builder = agents.agent.post(request.url());
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
        // Space for the whole body, and one more byte to detect a longer body. The space is limited, because
        // the header `Content-Length` may be wrong.
        let expected = body
            .content_length()
            .map_or(0, |length| usize::try_from(length).unwrap_or(0).min(MOST_EXPECTED) + 1);
        let mut bytes = Vec::with_capacity(expected);
        // ureq refuses a body that has exactly the length of the limit. So the limit is one byte higher.
        body.with_config()
            .limit(max.saturating_add(1))
            .reader()
            .read_to_end(&mut bytes)
            .map_err(|error| failed(error.into()))?;
        let connections = Arc::clone(&agents.connections);
        Ok(Reply {
            status,
            headers: head.headers,
            body: bytes,
            connection: call_context::take_returned(),
            connections,
        })
    }

    /// The agents of the process `pid`.
    fn of_process(&self, pid: u32) -> Arc<ProcessAgents> {
        // `lock` could wait for ever here: after a `fork`, the thread that held the lock does not exist in
        // this process.
        let drop_inherited = |agents: &Mutex<Option<Arc<ProcessAgents>>>| {
            drop(agents.try_lock().map(|mut inherited| inherited.take()))
        };
        let agents = self.agents.get(pid, drop_inherited);
        // The lock is held only to clone the `Arc` and, the first time, to make the agent.
        let mut agents = lock(agents);
        Arc::clone(
            agents.get_or_insert_with(|| Arc::new(ProcessAgents::new(&self.settings, DnsCache::default()))),
        )
    }
}

impl ProcessAgents {
    fn new(settings: &Settings, dns_cache: DnsCache) -> ProcessAgents {
        let connections = Arc::new(Connections::new(settings.idle_limits));
        let dns_cache = Arc::new(dns_cache);
        let tls = settings.tls.for_this_process();
        let agent =
            transport::agent(settings.ureq.clone(), Arc::clone(&dns_cache), Arc::clone(&connections), tls);
        ProcessAgents { agent, connections, dns_cache }
    }
}

fn proxy(url: &str) -> Result<Proxy> {
    let url = clean("proxy", TextRule::Token, url)?;
    // The URL without the user name and the password.
    let address = url
        .split_once("://")
        .map(|(scheme, rest)| format!("{scheme}://{}", rest.rsplit('@').next().unwrap_or(rest)));
    let usable = address.is_some_and(|address| absolute_url(&address).is_ok());
    let proxy = Proxy::new(url).ok().filter(|_| usable);
    proxy.ok_or_else(|| {
        Error::invalid_argument("the proxy must be an http or https URL, such as http://host:port")
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::super::dns_cache::tests::{hanging_after, outdate};
    use super::*;
    use crate::keys::Keypair;
    use crate::operation::GetStatus;

    fn config(base_url: &str) -> Config {
        let (merchant, service) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
        Config::new(base_url, "merchant-1", merchant.private_key().clone(), service.public_key())
    }

    fn sent(agents: &Agents, config: &Config) -> Result<Reply> {
        let request = config.protocol().unwrap().prepare(&GetStatus("order-1")).unwrap();
        let running = Arc::default();
        let end = Instant::now() + Duration::from_secs(20);
        agents.send(
            request.request(),
            &Sending { end, selection: Selection::Any, may_follow: true, running: &running },
        )
    }

    /// The process id for a call without a handle.
    fn process() -> u32 {
        RunningCall::default().pid()
    }

    #[test]
    fn addresses_are_suspect_where_nobody_is_reached_and_good_where_a_request_was_written() {
        for is_reached in [true, false] {
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let name = format!("localhost:{}", listener.local_addr().unwrap().port());
            if is_reached {
                std::thread::spawn(move || {
                    // The server closes the connection without a reply.
                    let (mut stream, _) = listener.accept().unwrap();
                    assert!(stream.read(&mut [0; 1]).unwrap() > 0);
                });
            } else {
                drop(listener);
            }
            let config = config(&format!("http://{name}"));
            let agents = Agents::new(&config).unwrap();
            let Err(error) = sent(&agents, &config) else { panic!("nobody has answered") };
            assert_eq!(error.outcome() == Outcome::Unknown, is_reached, "{error}");
            assert_eq!(agents.of_process(process()).dns_cache.remembers(&name), is_reached);
        }
    }

    fn read_until(stream: &mut TcpStream, end: &[u8]) {
        let mut request = Vec::new();
        while !request.ends_with(end) {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            request.extend(byte);
        }
    }

    fn answer(stream: &mut TcpStream) {
        read_until(stream, b"}");
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").unwrap();
    }

    #[test]
    fn a_resolver_that_hangs_costs_neither_an_open_connection_nor_a_new_one() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (close, closed) = std::sync::mpsc::channel();
        let service = std::thread::spawn(move || {
            for requests in [2, 1] {
                let (mut stream, _) = listener.accept().unwrap();
                (0..requests).for_each(|_| answer(&mut stream));
                drop(stream);
                close.send(()).unwrap();
            }
        });
        let config = config(&format!("http://pay.example:{}", address.port())).allow_http(true);
        let agents = Agents::new(&config).unwrap();
        let of_process = ProcessAgents::new(&agents.settings, hanging_after(address));
        *agents.agents.get(process(), |_| ()).lock().unwrap() = Some(Arc::new(of_process));
        for is_closed in [false, true, true] {
            sent(&agents, &config).unwrap_or_else(|error| panic!("{error}")).keep_connection();
            outdate();
            if is_closed {
                closed.recv().unwrap();
            }
        }
        service.join().unwrap();
    }

    #[test]
    fn an_interruption_of_the_handle_that_opened_a_connection_spares_the_call_that_uses_it() {
        use super::super::interrupt::Handle;
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let ((came, has_come), (go, may_go)) = (std::sync::mpsc::channel(), std::sync::mpsc::channel::<()>());
        std::thread::spawn(move || {
            // This thread acts as a proxy, and as the service in the proxy's tunnel. Through a proxy the client
            // already writes when it opens a connection: it sends CONNECT. So this thread reads twice.
            let (mut stream, _) = listener.accept().unwrap();
            read_until(&mut stream, b"\r\n\r\n");
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            read_until(&mut stream, b"}");
            came.send(()).unwrap();
            may_go.recv().unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        });
        let url = "http://pay.example";
        let config = config(url).allow_http(true).proxy(format!("http://{address}"));
        let agents = Agents::new(&config).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        let (root, pid) = (Handle::new(), std::process::id());
        let (one, other) = (root.derive(), root.derive());
        // The guard `connecting` is kept, because `Client::connect` drops its guard only after
        // `Agents::connect`.
        let connecting = one.begin(pid).unwrap();
        agents.connect(url, end, connecting.call()).unwrap();
        let request = config.protocol().unwrap().prepare(&GetStatus("order-1")).unwrap();
        std::thread::scope(|scope| {
            let paying = scope.spawn(|| {
                let guard = other.begin(pid).unwrap();
                let running = guard.call();
                let sending = Sending { end, selection: Selection::Recent, may_follow: false, running };
                agents.send(request.request(), &sending).map(|reply| reply.status)
            });
            has_come.recv().unwrap();
            one.interrupt();
            go.send(()).unwrap();
            assert_eq!(paying.join().unwrap().unwrap(), 200);
        });
    }
}
