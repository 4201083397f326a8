//! Proxies: their tunnels, passwords and deadlines. None is taken from the environment.

use crate::common::reply::success;
use crate::common::server::{Answer, Server, tunnel};
use crate::common::{ORDER, client, config, every_call, is_own_process, summary};
use merchantpay::{Client, Code, Outcome};

fn through(proxy: &str, base_url: &str) -> Client {
    Client::new(config(base_url).allow_http(true).proxy(proxy).max_retries(0)).unwrap()
}

#[test]
fn every_call_goes_through_the_proxy() {
    for (path, call) in every_call() {
        let proxy = Server::start(tunnel);
        // The proxy resolves the name of the service, so the client does not.
        call(&through(&proxy.url(), "http://no-such-host.invalid"))
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        let log = proxy.finish();
        let (last, before) = log.requests.split_last().unwrap();
        assert_eq!((log.connections, last.method.as_str()), (1, "POST"), "{path}");
        assert!(last.target.ends_with(&format!("/api/v1/merchant/pay{path}")), "{}", last.target);
        assert_eq!(last.header("Host"), Some("no-such-host.invalid"));
        for request in before {
            let asked = (request.method.as_str(), request.target.as_str());
            assert_eq!(asked, ("CONNECT", "no-such-host.invalid:80"), "{path}");
            assert!(request.header("X-Signature").is_none() && request.body.is_empty(), "{path}");
        }
    }
}

#[test]
fn proxys_password_is_for_the_proxy_alone() {
    let proxy = Server::start(tunnel);
    let url = proxy.url().replace("http://", "http://till:s3cr3tpass@");
    through(&url, "http://pay.example").get_status(ORDER).unwrap();
    let log = proxy.finish();
    let with: Vec<_> =
        log.requests.iter().filter_map(|request| request.header("Proxy-Authorization")).collect();
    assert_eq!(with, ["Basic dGlsbDpzM2NyM3RwYXNz"]);
    let connect = log.requests.iter().find(|request| request.method == "CONNECT");
    assert!(connect.is_none_or(|request| request.header("Proxy-Authorization").is_some()));
}

#[test]
fn proxy_that_opens_no_tunnel_sends_nothing() {
    let refusal = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
    for (what, bytes, code) in [
        ("refuses", Some(refusal.as_slice()), Code::Transport),
        ("hangs up", Some(b""), Code::Transport),
        ("talks another language", Some(b"220 smtp\r\n\r\n"), Code::Transport),
        ("is silent", None, Code::Timeout),
    ] {
        let proxy =
            Server::start(move |_| bytes.map_or(Answer::Never, |bytes| Answer::Bytes(bytes.to_vec())));
        let url = proxy.url().replace("http://", "http://till:s3cr3tpass@");
        let mut client = through(&url, "https://pay.example");
        // Only the silent proxy needs a short deadline. With this short deadline, the answer of another proxy
        // could come too late on a busy machine.
        if bytes.is_none() {
            client = client.derive(std::time::Duration::from_millis(500));
        }
        let error = client.new_payment(&crate::common::payment_request()).unwrap_err();
        assert_eq!(summary(&error), (code, Outcome::NotSent, None), "{what}: {error}");
        assert!(!format!("{error} {error:?} {client:?}").contains("s3cr3t"), "{what}: {error}");
        let requests = proxy.finish().requests;
        assert_eq!(requests.len(), 1, "{what}");
        assert_eq!((&*requests[0].method, &*requests[0].target), ("CONNECT", "pay.example:443"));
        assert!(requests[0].header("X-Signature").is_none() && requests[0].body.is_empty());
    }
}

#[test]
fn slow_proxy_ends_with_the_connect_timeout() {
    let proxy =
        Server::start(|_| Answer::Dribble(b"HTTP/1.1 200 Connection established\r\nX-Slow: x".to_vec()));
    let config = config("https://pay.example")
        .proxy(proxy.url())
        .connect_timeout(std::time::Duration::from_millis(300))
        .max_retries(0);
    let error = Client::new(config).unwrap().new_payment(&crate::common::payment_request()).unwrap_err();
    assert_eq!(summary(&error), (Code::Timeout, Outcome::NotSent, None), "{error}");
    assert!(
        error.message().contains("no connection was made within 300ms"),
        "the whole call's deadline is not what ended it: {error}"
    );
    assert_eq!(proxy.finish().requests.len(), 1);
}

#[test]
fn interrupt_ends_the_wait_for_a_tunnel() {
    let proxy = Server::start(|_| Answer::Never);
    let client = through(&proxy.url(), "https://pay.example");
    let calling = client.clone();
    let caller = std::thread::spawn(move || calling.confirm(ORDER));
    proxy.arrived();
    client.interrupt();
    let error = caller.join().unwrap().unwrap_err();
    assert_eq!(summary(&error), (Code::Cancelled, Outcome::NotSent, None), "{error}");
    assert_eq!(proxy.finish().requests.len(), 1);
}

#[test]
fn absent_proxy_is_not_gone_around() {
    let nobody = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let service = Server::replying(success());
    for base_url in [service.url(), "https://pay.example".to_owned()] {
        let error =
            through(&format!("http://till:s3cr3tpass@{nobody}"), &base_url).confirm(ORDER).unwrap_err();
        assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{error}");
        assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error}");
    }
    assert_eq!(service.finish().connections, 0, "the proxy is never gone around");
}

#[test]
fn plain_http_through_a_proxy_must_be_allowed() {
    let proxy = Server::start(tunnel);
    for base_url in ["http://localhost:8080", "http://127.0.0.1:8080", "HTTP://[::1]", "http://pay.example"] {
        let error = Client::new(config(base_url).proxy(proxy.url())).expect_err(base_url);
        assert_eq!(summary(&error), (Code::InvalidArgument, Outcome::NotSent, None), "{base_url}: {error}");
        through(&proxy.url(), base_url).get_status(ORDER).unwrap();
    }
    let error = Client::new(config("http://localhost:8080").proxy(proxy.url())).unwrap_err();
    assert!(error.message().contains("proxy") && error.message().contains("allow_http"), "{error}");
    Client::new(config("https://localhost:8080").proxy(proxy.url())).unwrap();
    assert_eq!(proxy.finish().connections, 4, "a client that was refused has sent nothing");
}

#[test]
fn environment_names_no_proxy() {
    let proxy = Server::replying(success());
    let url = proxy.url();
    let mut variables: Vec<(&str, &std::ffi::OsStr)> =
        ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
            .map(|name| (name, url.as_ref()))
            .to_vec();
    variables.push(("NO_PROXY", "pay.example".as_ref()));
    if is_own_process("connections::proxy::environment_names_no_proxy", &variables) {
        let service = Server::replying(success());
        client(&service.url()).get_status(ORDER).unwrap();
        assert_eq!(service.finish().requests.len(), 1);
        // A configured proxy is used in spite of NO_PROXY.
        let proxy = Server::start(tunnel);
        through(&proxy.url(), "http://pay.example").get_status(ORDER).unwrap();
        assert!(!proxy.finish().requests.is_empty());
    }
    assert_eq!(proxy.finish().connections, 0);
}

#[test]
fn proxy_that_refuses_the_password_is_asked_once() {
    for status in [407, 401] {
        for (user, named) in [("till:s3cr3tpass@", "refused"), ("", "http://user:password@host")] {
            let page = format!(
                "HTTP/1.1 {status} Who are you\r\nProxy-Authenticate: Digest realm=x\r\nContent-Length: 0\r\n\r\n"
            );
            let proxy = Server::start(move |_| Answer::KeepAs(page.clone().into_bytes()));
            let url = proxy.url().replace("http://", &format!("http://{user}"));
            let client = Client::new(config("https://pay.example").proxy(url)).unwrap();
            let error = client.get_status(ORDER).unwrap_err();
            assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{error}");
            assert!(!error.is_transient() && !error.message().contains("s3cr3t"), "{error}");
            for part in ["proxy", "only Basic", named, &status.to_string()] {
                assert!(error.message().contains(part), "{part}: {error}");
            }
            assert_eq!(proxy.finish().requests.len(), 1, "{status} {user}");
        }
    }
}

#[test]
fn head_of_a_tunnel_is_read_and_nothing_behind_it() {
    for (bytes, is_open) in [
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200\r\n\r\n".to_owned(), true),
        (format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(1000)), true),
        ("HTTP/1.1 200 OK\r\n\r\n{".to_owned(), false),
        (format!("HTTP/1.1 200 OK\r\n\r\n{}", String::from_utf8(success().bytes()).unwrap()), false),
    ] {
        let proxy = Server::start(move |request| match request.method.as_str() {
            "CONNECT" => Answer::KeepAs(bytes.clone().into_bytes()),
            _ => Answer::Keep(success()),
        });
        let result = through(&proxy.url(), "http://pay.example").confirm(ORDER);
        assert_eq!(result.is_ok(), is_open, "{result:?}");
        if let Err(error) = result {
            assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{error}");
        }
        let posts = proxy.finish().requests.iter().filter(|request| request.method == "POST").count();
        assert_eq!(posts, usize::from(is_open));
    }
}
