//! One HTTP attempt: chooses the connection, lends it to ureq, and decides what a failure means. Also the state of
//! each process that uses a client.

use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use ureq::config::Config as UreqConfig;
use ureq::{Agent, Proxy};

use super::dial::Route;
use super::failure::{Cause, cause, certificate_fault, describe};
use super::head::LONGEST_HEAD;
use super::interrupt::RunningCall;
use super::names::Name;
use super::pool::{IdleLimits, Pool, Selection};
use super::process::{PerProcess, lock};
use super::report::{ConnectionFailure, ConnectionReport, Trace};
use super::stream::{Connection, left};
use super::tls_settings::{TlsConfigs, TlsSettings};
use super::wire::Lent;
use crate::config::LONGEST;
use crate::error::{Error, Result};
use crate::exchange::SignedRequest;
use crate::setting_text::{TextRule, clean};
use crate::settings::Config;
use crate::url::{absolute_url, base_url};

/// If a retry is possible, a reused connection gets a third of the remaining time.
const REUSE_SHARE: u32 = 3;

/// A longer request is written in parts of at most this size.
const MOST_HELD: usize = 32 * 1024;

/// More than the bytes of a request's head besides its URL, its own headers and the user agent.
const REST_OF_HEAD: usize = 1024;

/// A reply's `Content-Length` allocates at most this much memory.
const MOST_EXPECTED: usize = 16 * 1024;

pub(super) struct Http {
    route: Route,
    /// Made only once, because ureq then reads the environment, which the host may change during a later call.
    ureq: UreqConfig,
    user_agent_length: usize,
    tls: TlsSettings,
    idle_limits: IdleLimits,
    connect_timeout: Duration,
    max_reply_bytes: u64,
    processes: PerProcess<Mutex<Option<Arc<Process>>>>,
}

struct Process {
    pool: Pool,
    name: Arc<Name>,
    tls: TlsConfigs,
}

pub(super) struct Plan<'a> {
    pub(super) end: Instant,
    pub(super) selection: Selection,
    /// Another attempt may follow, so a reused connection gets only a part of the time.
    pub(super) may_follow: bool,
    pub(super) call: &'a RunningCall,
}

/// A reply as received, without any verification.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    headers: ureq::http::HeaderMap,
    /// An interruption ended the connection, so the end of the body may be missing.
    pub(super) was_stopped: bool,
    /// The connection, if another request may use it.
    connection: Option<Connection>,
    process: Arc<Process>,
}

impl Reply {
    /// Keeps the connection for another call. Not for a response that does not verify: nobody knows who sent it.
    pub(super) fn keep_connection(mut self) {
        if let Some(connection) = self.connection.take() {
            self.process.pool.put(connection, true, Instant::now());
        }
    }

    pub(super) fn date(&self) -> Option<SystemTime> {
        httpdate::parse_http_date(self.headers.get("date")?.to_str().ok()?).ok()
    }

    /// The headers that the library uses. A value that is not visible ASCII is empty: the service sends none, but
    /// the header was present.
    pub(super) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap_or_default()))
    }
}

impl Http {
    pub(super) fn new(config: &Config) -> Result<Http> {
        let proxy = config.proxy.as_deref().map(proxy).transpose()?;
        let url = base_url(&config.base_url)?;
        // A loopback URL is no exception here: the proxy would connect to its own machine.
        if proxy.is_some() && url.scheme_str() == Some("http") && !config.allow_http {
            let fault = "is plain http and a proxy is set: use https, remove the proxy, or set allow_http";
            return Err(Error::about("base_url", fault).naming(["allow_http"]));
        }
        let user_agent = clean("user_agent", TextRule::Words, &config.user_agent)?;
        let ureq = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .accept_encoding("identity")
            .accept("application/json")
            .user_agent(user_agent)
            .proxy(None)
            .max_response_header_size(LONGEST_HEAD)
            .max_idle_connections(0)
            .max_idle_connections_per_host(0)
            .build();
        Ok(Http {
            route: Route::new(&url, proxy.as_ref(), user_agent),
            ureq,
            user_agent_length: user_agent.len(),
            tls: TlsSettings::new(config)?,
            idle_limits: IdleLimits { used: config.reuse_idle, unused: config.connect_idle },
            connect_timeout: config.connect_timeout.min(LONGEST),
            max_reply_bytes: config.max_reply_bytes,
            processes: PerProcess::new(),
        })
    }

    /// Sends the request once. Every failure before [`Http::exchange`] has the outcome `not_sent`.
    pub(super) fn send(&self, request: &SignedRequest, plan: &Plan<'_>) -> Result<Reply> {
        let not_sent = |failure: io::Error| describe(&failure, false);
        // Before the pool: a call with no time left closes no connection.
        let left = left(plan.end).map_err(not_sent)?;
        plan.call.check().map_err(not_sent)?;
        let process = self.process(plan.call.pid());
        let (mut connection, patience) = match process.pool.take(plan.selection, Instant::now()) {
            Some(pooled) => (pooled, plan.may_follow.then_some(left / REUSE_SHARE)),
            None => {
                let dialled = self.dial(&process, plan.end, plan.call, &mut Trace::default());
                (dialled.map_err(not_sent)?, None)
            }
        };
        let tcp = connection.tcp();
        plan.call.uses(tcp.socket()).map_err(not_sent)?;
        tcp.until = Some(patience.map_or(plan.end, |patience| Instant::now() + patience));
        let before = tcp.bytes_written();
        let lent = Lent::new(connection);
        let mut status = None;
        let exchanged = self.exchange(request, &lent, &mut status);
        // Before another call may take the connection from the pool.
        let was_stopped = plan.call.uses_none().is_err();
        let mut failure = match exchanged {
            Ok((status, headers, body)) => {
                let connection = lent.into_reusable().filter(|_| !was_stopped);
                return Ok(Reply { status, body, headers, was_stopped, connection, process });
            }
            Err(failure) => failure,
        };
        if was_stopped {
            failure = Cause::Interrupted.into();
        } else if let (Some(Cause::Late), Some(patience)) = (Cause::of(&failure), patience) {
            process.pool.close_idle();
            failure = Cause::PooledIsSilent(patience).into();
        }
        let error = describe(&failure, lent.bytes_written() > before);
        Err(status.into_iter().fold(error, Error::with_http_status))
    }

    pub(super) fn connect(&self, end: Instant, call: &RunningCall) -> Result<()> {
        let process = self.process(call.pid());
        let not_sent = |failure: io::Error| describe(&failure, false);
        left(end).map_err(not_sent)?;
        let connection = self.dial(&process, end, call, &mut Trace::default()).map_err(not_sent)?;
        // From now on an interruption of this call must spare the connection.
        call.uses_none().map_err(not_sent)?;
        process.pool.put(connection, false, Instant::now());
        Ok(())
    }

    /// Opens a connection with nothing that the process remembers: neither addresses nor TLS sessions.
    pub(super) fn report(&self, end: Instant, call: &RunningCall) -> ConnectionReport {
        let (tls, [proxy_certificate, certificate]) = self.tls.recording();
        let process = Process { pool: Pool::new(self.idle_limits), name: self.route.name(), tls };
        let mut trace = Trace::default();
        let dialled = self.dial(&process, end, call, &mut trace);
        let failure = dialled.err().map(|failure| ConnectionFailure {
            step: trace.step,
            error: describe(&failure, false),
            cause: cause(&failure),
            kind: failure.kind(),
            certificate: certificate_fault(&failure),
        });
        let (host, port, is_proxy) = self.route.first_hop();
        ConnectionReport {
            host: host.to_owned(),
            port,
            is_proxy,
            addresses: trace.addresses,
            proxy_tls: proxy_certificate.report(trace.proxy_tls_version),
            tls: certificate.report(trace.tls_version),
            failure,
        }
    }

    fn dial(
        &self,
        process: &Process,
        end: Instant,
        call: &RunningCall,
        trace: &mut Trace,
    ) -> io::Result<Connection> {
        let by = end.min(Instant::now() + self.connect_timeout);
        self.route.dial(&process.name, &process.tls, by, call, trace).map_err(|failure| {
            if let Err(interrupted) = call.uses_none() {
                return interrupted;
            }
            process.name.suspect();
            match Cause::of(&failure) {
                Some(Cause::Late) if by < end => Cause::NotConnected(self.connect_timeout).into(),
                _ => failure,
            }
        })
    }

    /// `status` is set as soon as it is known, also for a body that breaks.
    fn exchange(
        &self,
        request: &SignedRequest,
        lent: &Lent,
        status: &mut Option<u16>,
    ) -> io::Result<(u16, ureq::http::HeaderMap, Vec<u8>)> {
        // The host is a part of the URL that is repeated.
        let head = 2 * request.url().len()
            + request.headers().map(|(name, value)| name.len() + value.len()).sum::<usize>()
            + self.user_agent_length
            + REST_OF_HEAD;
        let room = head + request.body().len().min(MOST_HELD);
        let mut builder = lent.agent(self.ureq.clone(), self.route.is_tls, room).post(request.url());
        for (name, value) in request.headers() {
            builder = builder.header(name, value);
        }
        let response = builder.send(request.body()).map_err(ureq::Error::into_io)?;
        let code = response.status().as_u16();
        *status = Some(code);
        let (head, mut body) = response.into_parts();
        let max = self.max_reply_bytes;
        let announced = body.content_length().unwrap_or(0);
        if announced > max {
            return Err(Cause::LongReply(max).into());
        }
        // One more byte than announced, so that the end is found without growing.
        let expected = usize::try_from(announced).unwrap_or(MOST_EXPECTED).min(MOST_EXPECTED);
        let mut bytes = Vec::with_capacity(expected + 1);
        // ureq's own limit counts differently in each of its versions.
        let unlimited = body.with_config().limit(u64::MAX).reader();
        unlimited.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max {
            return Err(Cause::LongReply(max).into());
        }
        Ok((code, head.headers, bytes))
    }

    fn process(&self, pid: u32) -> Arc<Process> {
        // `lock` could wait for ever for a lock that a thread of the parent held during the `fork`.
        let drop_inherited = |process: &Mutex<Option<Arc<Process>>>| {
            drop(process.try_lock().map(|mut inherited| inherited.take()))
        };
        let mut process = lock(self.processes.get(pid, drop_inherited));
        Arc::clone(process.get_or_insert_with(|| {
            Arc::new(Process {
                pool: Pool::new(self.idle_limits),
                name: self.route.name(),
                tls: self.tls.for_this_process(),
            })
        }))
    }
}

fn proxy(url: &str) -> Result<Proxy> {
    let url = clean("proxy", TextRule::Token, url)?;
    // The URL without the user name and the password.
    let address = url
        .split_once("://")
        .map(|(scheme, rest)| format!("{scheme}://{}", rest.rsplit('@').next().unwrap_or(rest)));
    // Another host is a user, whose password has a `/` that should be `%2F`.
    let is_host = |host: &str| {
        address.is_some_and(|address| absolute_url(&address).is_ok_and(|url| url.host() == Some(host)))
    };
    let proxy = Proxy::new(url).ok().filter(|proxy| is_host(proxy.host()));
    proxy.ok_or_else(|| Error::about("proxy", "must be an http or https URL, such as http://host:port"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use merchantpay_services::{head, message};

    use super::super::interrupt::Handle;
    use super::*;
    use crate::keys::Keypair;
    use crate::operation::get_status;

    fn config(base_url: &str) -> Config {
        let (merchant, service) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
        Config::new(base_url, "merchant-1", merchant.private_key().clone(), service.public_key())
    }

    #[test]
    fn a_user_is_not_taken_for_the_proxys_host() {
        for (url, host) in [
            ("http://user:pass@proxy.example:3128", Some("proxy.example")),
            ("http://user:12%2Fpass@proxy.example:3128", Some("proxy.example")),
            ("https://[::1]:3128", Some("[::1]")),
            ("http://user:12/pass@proxy.example:3128", None),
        ] {
            assert_eq!(proxy(url).ok().as_ref().map(Proxy::host), host, "{url}");
        }
    }

    #[test]
    fn addresses_are_suspect_where_no_connection_opens() {
        for is_reached in [true, false] {
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let config = config(&format!("http://localhost:{}", listener.local_addr().unwrap().port()));
            if !is_reached {
                drop(listener);
            }
            let (http, handle) = (Http::new(&config).unwrap(), Handle::new());
            let guard = handle.begin().unwrap();
            let connected = http.connect(Instant::now() + Duration::from_secs(20), guard.call());
            assert_eq!(connected.is_ok(), is_reached);
            assert_eq!(http.process(std::process::id()).name.is_suspect(), !is_reached);
        }
    }

    /// `connect` has returned the connection to the pool, but its handle still runs. Through a proxy it has also
    /// written to the connection.
    #[test]
    fn an_interruption_spares_a_connection_that_another_call_has_taken() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let ((came, has_come), (go, may_go)) = (std::sync::mpsc::channel(), std::sync::mpsc::channel::<()>());
        std::thread::spawn(move || {
            // The proxy, and then the service in its tunnel.
            let (mut stream, _) = listener.accept().unwrap();
            head(&mut stream).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            message(&mut stream).unwrap();
            came.send(()).unwrap();
            may_go.recv().unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        });
        let config = config("http://pay.example").allow_http(true).proxy(format!("http://{address}"));
        let http = Http::new(&config).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        let root = Handle::new();
        let (one, other) = (root.derive(), root.derive());
        let connecting = one.begin().unwrap();
        http.connect(end, connecting.call()).unwrap();
        let request = config.protocol().unwrap().prepare(get_status("order-1")).unwrap();
        std::thread::scope(|scope| {
            let paying = scope.spawn(|| {
                let guard = other.begin().unwrap();
                let plan = Plan { end, selection: Selection::Recent, may_follow: false, call: guard.call() };
                http.send(request.request(), &plan).map(|reply| reply.status)
            });
            has_come.recv().unwrap();
            one.interrupt();
            go.send(()).unwrap();
            assert_eq!(paying.join().unwrap().unwrap(), 200);
        });
    }
}
