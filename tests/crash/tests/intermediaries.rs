//! Payments through real nginx, haproxy, squid and mitmproxy: `make test-intermediaries`.
#![cfg(feature = "intermediaries")]

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use merchantpay::{
    Client, Code, Config, Error, Event, Outcome, PaymentMethod, PaymentRequest, Reason, Receipt, Status,
};
use merchantpay_crash::{Folder, Tcp, free_port};
use merchantpay_sandbox::{Options, Sandbox};
use merchantpay_services::{Hook, receive};

const LONG: Duration = Duration::from_secs(30);
const USER_AND_PASSWORD: &str = "shop:pass-word";

fn run(command: &mut Command) -> String {
    let ran =
        command.stderr(Stdio::inherit()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(ran.status.success(), "{command:?}: {}", ran.status);
    String::from_utf8(ran.stdout).unwrap()
}

fn free() -> SocketAddr {
    ([127, 0, 0, 1], free_port()).into()
}

struct Program {
    child: Child,
    _folder: Folder,
}

impl Program {
    /// Waits until the program, which stays in the foreground, listens.
    fn start(command: &mut Command, folder: Folder, address: SocketAddr) -> Program {
        // The folder of servers is not in everybody's PATH.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{path}:/usr/sbin")).stdin(Stdio::null());
        let child = command.spawn().unwrap_or_else(|error| {
            panic!("{command:?}: {error}; tools/dev/setup intermediaries installs it")
        });
        let mut program = Program { child, _folder: folder };
        let end = Instant::now() + LONG;
        while TcpStream::connect(address).is_err() {
            assert!(
                program.child.try_wait().unwrap().is_none() && Instant::now() < end,
                "{command:?} does not listen"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        program
    }

    fn signal(&self, name: &str) {
        run(Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()));
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SIGTERM, so that a master ends its workers too.
        self.signal("TERM");
        let _ = self.child.wait();
    }
}

fn sandbox() -> Sandbox {
    let options = Options { pace: Duration::from_millis(20), ..Options::default() };
    Sandbox::start(options).unwrap()
}

/// For a client that reaches `sandbox` by another URL.
fn config(sandbox: &Sandbox, url: &str) -> Config {
    let key = sandbox.merchant_private_key().unwrap().clone();
    Config::new(url, sandbox.merchant_key_id(), key, sandbox.server_public_key())
        .server_key_id(sandbox.server_key_id())
        .timeout(LONG)
}

fn request(account: &str) -> PaymentRequest {
    PaymentRequest::new("1500.50".parse::<merchantpay::Amount>().unwrap(), PaymentMethod::Sbp, account)
}

fn receipt(order_id: &str, length: usize) -> Receipt {
    let mut receipt = Receipt::new(order_id);
    receipt
        .add_bytes("a.pdf", "application/pdf", &[b"%PDF-1.7\n".as_slice(), &vec![b' '; length]].concat())
        .unwrap();
    receipt
}

struct Webhooks {
    url: String,
    came: Receiver<Hook>,
}

impl Webhooks {
    fn start() -> Webhooks {
        let (tell, came) = channel();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hooks/payment", listener.local_addr().unwrap());
        receive(listener, move |hook| tell.send(hook).map_or(503, |()| 200));
        Webhooks { url, came }
    }

    fn address(&self) -> SocketAddr {
        self.url.split('/').nth(2).unwrap().parse().unwrap()
    }
}

/// The life of a payment with a receipt and webhooks, and of one that is cancelled.
fn live(client: &Client, hook: &str, webhooks: &Webhooks) {
    client.connect().unwrap();
    let made = client.new_payment(&request("arbitration").status_webhook_url(hook)).unwrap();
    let order = made.order_id();
    assert_eq!(client.get_status(order).unwrap().status(), Some(&Status::Pending));
    client.confirm(order).unwrap();
    let verifier = client.verifier();
    for status in [Status::ReceiptRequired, Status::DoneSuccess] {
        let hook = webhooks.came.recv_timeout(LONG).unwrap();
        assert!(webhooks.url.ends_with(&hook.path));
        let event = verifier.verify(&hook.body, &hook.signature, Some(&hook.key_id)).unwrap();
        let Event::StatusChanged(payment) = event else { panic!("{event:?}") };
        assert_eq!((payment.order_id(), payment.status()), (order, Some(&status)));
        if status == Status::ReceiptRequired {
            client.attach_receipt(&receipt(order, 100_000)).unwrap();
        }
    }
    assert_eq!(client.wait(order, LONG).unwrap().status(), Some(&Status::DoneSuccess));
    let refused = client.cancel(order).unwrap_err();
    assert_eq!(refused.reason(), Some(Reason::PaymentCouldNotBeCanceled), "{refused}");
    let other = client.new_payment(&request("79001234567")).unwrap();
    client.cancel(other.order_id()).unwrap();
}

/// nginx before the service, over http and TLS, and before the merchant's webhooks.
struct Nginx {
    program: Program,
    plain: SocketAddr,
    tls: SocketAddr,
    hook: String,
    ca: PathBuf,
}

impl Nginx {
    fn start(service: SocketAddr, webhooks: SocketAddr) -> Nginx {
        let folder = Folder::new();
        let (own, tcp) = (folder.path(), Tcp::new(&folder));
        let (plain, tls, hook) = (free(), SocketAddr::from(([127, 0, 0, 1], tcp.port)), free());
        let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {}/{name};\n", own.display()))
            .concat();
        let text = format!(
            "daemon off; pid {0}/nginx.pid; error_log {0}/nginx.log; worker_processes 2;
             user {user};
             events {{ worker_connections 256; }}
             http {{
                 access_log off; {paths}
                 upstream service {{ server {service}; keepalive 8; }}
                 proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_set_header Host $host; proxy_next_upstream off;
                 server {{
                     listen {plain}; listen {tls} ssl;
                     ssl_certificate {1}; ssl_certificate_key {2};
                     client_max_body_size 1m;
                     location / {{ proxy_pass http://service; }}
                 }}
                 server {{ listen {hook}; location / {{ proxy_pass http://{webhooks}; }} }}
             }}",
            own.display(),
            tcp.certificate.display(),
            tcp.key.display(),
            user = run(Command::new("id").arg("-un")).trim(),
        );
        let file = folder.write("nginx.conf", &text);
        let mut command = Command::new("nginx");
        command.arg("-e").arg(own.join("nginx.log")).arg("-c").arg(file);
        let program = Program::start(&mut command, folder, plain);
        Nginx { program, plain, tls, hook: format!("http://{hook}/hooks/payment"), ca: tcp.ca }
    }
}

#[test]
fn payment_through_nginx_whose_413_is_reported() {
    let (sandbox, webhooks) = (sandbox(), Webhooks::start());
    let nginx = Nginx::start(sandbox.address(), webhooks.address());
    let over_tls = format!("https://localhost:{}", nginx.tls.port());
    for config in [
        config(&sandbox, &format!("http://{}", nginx.plain)),
        config(&sandbox, &over_tls).ca_file(&nginx.ca).unwrap(),
    ] {
        let client = Client::new(config).unwrap();
        live(&client, &nginx.hook, &webhooks);
        let error = client.attach_receipt(&receipt("o-1", 8_000_000)).unwrap_err();
        assert_eq!(
            (error.code(), error.outcome(), error.http_status()),
            (Code::Unverified, Outcome::Unknown, Some(413)),
            "{error}"
        );
    }
    assert_eq!(sandbox.requests("attachReceipt"), 2);
}

#[test]
fn payment_through_haproxy() {
    let (sandbox, webhooks) = (sandbox(), Webhooks::start());
    let (_haproxy, address) = haproxy(sandbox.address());
    let client = Client::new(config(&sandbox, &format!("http://{address}"))).unwrap();
    live(&client, &webhooks.url, &webhooks);
}

fn haproxy(service: SocketAddr) -> (Program, SocketAddr) {
    let (folder, address) = (Folder::new(), free());
    let text = format!(
        "defaults\n mode http\n timeout connect 5s\n timeout client 30s\n timeout server 30s\n retries 0\n\
         frontend shop\n bind {address}\n default_backend service\n\
         backend service\n server one {service}\n"
    );
    let file = folder.write("haproxy.cfg", &text);
    let mut command = Command::new("haproxy");
    command.arg("-W").arg("-p").arg(folder.path().join("pid")).arg("-f").arg(file);
    (Program::start(&mut command, folder, address), address)
}

/// A proxy that refuses the password is asked once, and the error names the setting.
fn assert_password_is_needed(config: &Config, proxy: SocketAddr) {
    for user in ["", "shop:wrong@"] {
        let client = Client::new(config.clone().proxy(format!("http://{user}{proxy}"))).unwrap();
        let error = client.get_status("o-1").unwrap_err();
        assert_eq!(
            (error.code(), error.outcome(), error.is_transient()),
            (Code::Transport, Outcome::NotSent, false),
            "{error}"
        );
        assert!(error.message().contains("proxy") && error.message().contains("Basic"), "{error}");
    }
}

#[test]
fn payment_through_squid_with_password() {
    let (sandbox, webhooks, folder) = (sandbox(), Webhooks::start(), Folder::new());
    let address = free();
    let (user, password) = USER_AND_PASSWORD.split_once(':').unwrap();
    let hash = run(Command::new("openssl").args(["passwd", "-apr1", password]));
    folder.write("users", &format!("{user}:{hash}"));
    let text = format!(
        "http_port {address}\npid_filename {0}/squid.pid\ncache_log {0}/squid.log\naccess_log none\ncache deny all\n\
         coredump_dir {0}\nshutdown_lifetime 0 seconds\n\
         auth_param basic program /usr/lib/squid/basic_ncsa_auth {0}/users\n\
         acl known proxy_auth REQUIRED\nhttp_access allow known\nhttp_access deny all\n",
        folder.path().display()
    );
    let mut command = Command::new("squid");
    command.arg("-N").arg("-f").arg(folder.write("squid.conf", &text));
    // squid leaves root's rights, and must still read and write its folder.
    run(Command::new("chmod").arg("-R").arg("a+rwX").arg(folder.path()));
    let _squid = Program::start(&mut command, folder, address);
    let config = config(&sandbox, sandbox.url()).allow_http(true);
    assert_password_is_needed(&config, address);
    assert_eq!(sandbox.requests("getStatus"), 0);
    let client = Client::new(config.proxy(format!("http://{USER_AND_PASSWORD}@{address}"))).unwrap();
    live(&client, &webhooks.url, &webhooks);
}

#[test]
fn payment_through_mitmproxy_with_its_ca() {
    let (sandbox, webhooks, folder) = (sandbox(), Webhooks::start(), Folder::new());
    let nginx = Nginx::start(sandbox.address(), webhooks.address());
    let (address, own_ca) = (free(), folder.path().join("mitmproxy-ca-cert.pem"));
    let mut command = Command::new("mitmdump");
    command.args(["--quiet", "--ssl-insecure", "--listen-host", "127.0.0.1", "--listen-port"]);
    command.arg(address.port().to_string()).args(["--proxyauth", USER_AND_PASSWORD, "--set"]);
    command.arg(format!("confdir={}", folder.path().display()));
    let _mitmproxy = Program::start(&mut command, folder, address);
    let config = config(&sandbox, &format!("https://localhost:{}", nginx.tls.port()));
    assert_password_is_needed(&config, address);
    let config = config.proxy(format!("http://{USER_AND_PASSWORD}@{address}"));
    let error = Client::new(config.clone()).unwrap().get_status("o-1").unwrap_err();
    assert_eq!(
        (error.code(), error.outcome(), error.is_transient()),
        (Code::Transport, Outcome::NotSent, false),
        "{error}"
    );
    let trusting = config.ca_file(own_ca).unwrap();
    live(&Client::new(trusting).unwrap(), &nginx.hook, &webhooks);
}

/// Makes payments on several threads while `reload` runs again and again.
fn assert_nothing_is_sent_twice_while(reload: impl Fn(), sandbox: &Sandbox, address: SocketAddr) {
    const THREADS: u64 = 4;
    const RELOADS: u32 = 15;
    let client = Client::new(config(sandbox, &format!("http://{address}"))).unwrap();
    let ended = AtomicBool::new(false);
    let (mut calls, mut succeeded, mut unknown) = (0, 0, 0);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    let mut outcomes: Vec<Option<Error>> = Vec::new();
                    while !ended.load(Ordering::Relaxed) {
                        outcomes.push(client.new_payment(&request("79001234567")).err());
                    }
                    outcomes
                })
            })
            .collect();
        for _ in 0..RELOADS {
            std::thread::sleep(Duration::from_millis(150));
            reload();
        }
        ended.store(true, Ordering::Relaxed);
        for outcome in threads.into_iter().flat_map(|thread| thread.join().unwrap()) {
            calls += 1;
            match outcome {
                None => succeeded += 1,
                Some(error) if error.outcome() == Outcome::NotSent => {}
                Some(error) => {
                    assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
                    unknown += 1;
                }
            }
        }
    });
    let received = sandbox.requests("newPayment");
    println!(
        "{calls} calls during {RELOADS} reloads: {succeeded} succeeded, {unknown} unknown; {received} received"
    );
    assert!(succeeded > u64::from(RELOADS) && (succeeded..=succeeded + unknown).contains(&received));
}

#[test]
fn reload_sends_nothing_twice() {
    let (first, webhooks) = (sandbox(), Webhooks::start());
    let nginx = Nginx::start(first.address(), webhooks.address());
    assert_nothing_is_sent_twice_while(|| nginx.program.signal("HUP"), &first, nginx.plain);
    let second = sandbox();
    let (haproxy, address) = haproxy(second.address());
    assert_nothing_is_sent_twice_while(|| haproxy.signal("USR2"), &second, address);
}
