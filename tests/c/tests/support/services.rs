//! The services that the programs call.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use merchantpay::Keypair;
use merchantpay_sandbox::{Fault, Options, PlannedFault, Sandbox};

use merchantpay_services::{authority, certified, tls_before};

use super::scratch;

/// A healthy service and a service for each fault, all with the same keys; and a signed webhook and reply.
pub struct Services {
    variables: Vec<(&'static str, String)>,
    _sandboxes: Vec<Sandbox>,
}

impl Services {
    pub fn start(tls: bool) -> Services {
        let authority = authority();
        let settings = certified(&authority, &["localhost", "127.0.0.1"], (2020, 2120));
        let (merchant, server) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
        let sandboxes =
            [None, Some(Fault::HtmlBadGateway.into()), Some(Fault::latency(Duration::from_secs(60)))];
        let sandboxes = sandboxes.map(|fault: Option<PlannedFault>| {
            let sandbox = Sandbox::start(Options {
                merchant: Some(("merchant".to_owned(), merchant.public_key())),
                server_private_key: Some(server.private_key().clone()),
                server_key_id: "server".to_owned(),
                pace: Duration::from_millis(5),
                webhook_retries: Vec::new(),
                ..Options::default()
            });
            let sandbox = sandbox.unwrap();
            if let Some(fault) = fault {
                sandbox.misbehave(fault, None, u32::MAX);
            }
            sandbox
        });
        let url = |sandbox: &Sandbox| {
            if tls {
                format!("https://{}", tls_before(sandbox.address(), settings.clone()))
            } else {
                sandbox.url().to_owned()
            }
        };
        let [healthy, bad_gateway, slow] = sandboxes.each_ref().map(url);
        let (scheme, port) = (healthy.split(':').next().unwrap(), healthy.rsplit(':').next().unwrap());
        let file = |name: &str, content: &str| {
            let path = scratch("c").join(format!("{port}-{name}"));
            std::fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        let closes = closes();
        let authority = file("authority.pem", &authority.pem());
        let signed = |body: &str| server.private_key().sign(body.as_bytes()).to_base64();
        let webhook = r#"{"success":true,"orderId":"order-1","status":"doneSuccess","sum":1500.50}"#;
        let confirmed = r#"{"success":true,"orderId":"order-1"}"#;
        let mut variables = vec![
            ("MERCHANTPAY_KEY_ID", "merchant".to_owned()),
            ("MERCHANTPAY_PRIVATE_KEY", merchant.private_key().to_base64().to_string()),
            ("MERCHANTPAY_SERVER_PUBLIC_KEY", server.public_key().to_base64()),
            ("MERCHANTPAY_SERVER_KEY_ID", "server".to_owned()),
            ("SERVICE_BAD_GATEWAY", bad_gateway),
            ("SERVICE_SLOW", slow),
            ("SERVICE_CLOSES", format!("{scheme}://{closes}")),
            ("SERVICE_CLOSES_PORT", closes.port().to_string()),
            ("SERVICE_BY_NAME", format!("{scheme}://localhost:{port}")),
            ("RECEIPT", file("receipt.pdf", "%PDF-1.4\n")),
            ("WEBHOOK_BODY", webhook.to_owned()),
            ("WEBHOOK_SIGNATURE", signed(webhook)),
            ("CONFIRMED_BODY", confirmed.to_owned()),
            ("CONFIRMED_SIGNATURE", signed(confirmed)),
            ("CERTIFICATE", authority.clone()),
        ];
        variables.extend(tls.then_some(("MERCHANTPAY_CA_FILE", authority)));
        variables.push(("MERCHANTPAY_BASE_URL", healthy));
        Services { variables, _sandboxes: sandboxes.into() }
    }

    /// The settings of the healthy service, and nothing of this process's.
    pub fn give<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MERCHANTPAY_")) {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)))
    }
}

/// Ends every connection after its first bytes, so that the next write meets a broken pipe: first it closes its sending
/// side, then it closes with unread bytes.
fn closes() -> SocketAddr {
    merchantpay_services::serve(|mut stream| {
        let _ = std::io::Read::read(&mut stream, &mut [0; 16]);
        let _ = stream.shutdown(std::net::Shutdown::Write);
    })
}
