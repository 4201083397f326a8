//! The services that the C programs call.

use std::net::TcpListener;
use std::process::Command;
use std::time::Duration;

use merchantpay::Keypair;
use merchantpay_sandbox::{Fault, Options, PlannedFault, Sandbox};

use super::scratch;
use super::tls::Authority;

const MERCHANT: &str = "merchant";
const SERVER: &str = "server";

/// A healthy service and a service for each fault, all with the same keys.
pub struct Services {
    variables: Vec<(&'static str, String)>,
    _sandboxes: Vec<Sandbox>,
}

impl Services {
    pub fn start() -> Services {
        Services::with(false)
    }

    pub fn start_behind_tls() -> Services {
        Services::with(true)
    }

    fn with(tls: bool) -> Services {
        let authority = Authority::new();
        let (merchant, server) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
        let start = |fault: Option<PlannedFault>| {
            let sandbox = Sandbox::start(Options {
                merchant: Some((MERCHANT.to_owned(), merchant.public_key())),
                server_private_key: Some(server.private_key().clone()),
                server_key_id: SERVER.to_owned(),
                pace: Duration::from_millis(5),
                webhook_retries: Vec::new(),
                ..Options::default()
            })
            .unwrap();
            if let Some(fault) = fault {
                sandbox.misbehave(fault, None, u32::MAX);
            }
            sandbox
        };
        let url =
            |sandbox: &Sandbox| if tls { authority.front(sandbox.url()) } else { sandbox.url().to_owned() };
        let healthy = start(None);
        let base_url = url(&healthy);
        let (scheme, port) = (base_url.split(':').next().unwrap(), base_url.rsplit(':').next().unwrap());
        let faulty = [
            ("SERVICE_BAD_GATEWAY", Fault::HtmlBadGateway.into()),
            ("SERVICE_SLOW", Fault::latency(Duration::from_secs(60))),
        ]
        .map(|(name, fault)| (name, start(Some(fault))));

        let text = str::to_owned;
        let closes = closes();
        let file = |name: &str, content: &str| {
            let path = scratch("c").join(format!("{port}-{name}"));
            std::fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        let mut variables = vec![
            ("MERCHANTPAY_BASE_URL", base_url.clone()),
            ("MERCHANTPAY_KEY_ID", text(MERCHANT)),
            ("MERCHANTPAY_PRIVATE_KEY", merchant.private_key().to_base64().to_string()),
            ("MERCHANTPAY_SERVER_PUBLIC_KEY", server.public_key().to_base64()),
            ("MERCHANTPAY_SERVER_KEY_ID", text(SERVER)),
            ("SERVICE_CLOSES", format!("{scheme}://{closes}")),
            ("SERVICE_CLOSES_PORT", closes.port().to_string()),
            ("SERVICE_BY_NAME", format!("{scheme}://localhost:{port}")),
            ("CERTIFICATE", file("authority.pem", &authority.pem)),
            ("RECEIPT", file("receipt.pdf", "%PDF-1.4\n")),
        ];
        for (body_name, signature_name, body) in [
            (
                "WEBHOOK_BODY",
                "WEBHOOK_SIGNATURE",
                r#"{"success":true,"orderId":"order-1","status":"doneSuccess","sum":1500.50}"#,
            ),
            ("CONFIRMED_BODY", "CONFIRMED_SIGNATURE", r#"{"success":true,"orderId":"order-1"}"#),
        ] {
            variables.push((body_name, text(body)));
            variables.push((signature_name, server.private_key().sign(body.as_bytes()).to_base64()));
        }
        variables.extend(faulty.iter().map(|(name, sandbox)| (*name, url(sandbox))));
        if tls {
            variables.push(("SERVICE_CA_FILE", file("authority.pem", &authority.pem)));
        }
        let mut sandboxes: Vec<_> = faulty.into_iter().map(|(_, sandbox)| sandbox).collect();
        sandboxes.push(healthy);
        Services { variables, _sandboxes: sandboxes }
    }

    pub fn give<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.envs(self.variables.iter().map(|(name, value)| (name, value)))
    }
}

/// A service that ends every connection after its first bytes, so that the next write meets a broken pipe.
/// First it closes its sending side, then it closes with unread bytes.
fn closes() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = std::io::Read::read(&mut stream, &mut [0; 16]);
            let _ = stream.shutdown(std::net::Shutdown::Write);
        }
    });
    address
}
