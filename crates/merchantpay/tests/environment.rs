//! Tests `from_env` of `Config`, `Protocol` and `WebhookVerifier`. Each test starts processes with an
//! environment of their own.

use std::process::Command;

use merchantpay::{Config, Keypair, Protocol, WebhookVerifier, operation};

/// If this variable is set, the process only reads its environment.
const READS: &str = "MERCHANTPAY_TEST_READS";

fn main() {
    if std::env::var_os(READS).is_some() {
        let message = |error: merchantpay::Error| error.message().to_owned();
        let refused = Config::from_env().err().map(message);
        assert_eq!(Protocol::from_env().err().map(message), refused);
        // A verifier needs no private key, so the key may be missing. But a key file that cannot be read is
        // an error for a verifier too.
        let refused = refused.filter(|message| !message.ends_with("is missing"));
        assert_eq!(WebhookVerifier::from_env().err().map(message), refused);
        return match Config::from_env() {
            Ok(config) => println!("{}", signed(&config)),
            Err(error) => println!("{} {}", error.code().name(), error.message()),
        };
    }
    the_private_key_is_that_of_its_variable_or_else_of_its_file();
    println!("test the_private_key_is_that_of_its_variable_or_else_of_its_file ... ok");
}

/// A signature of a request. The signature shows which key the configuration has.
fn signed(config: &Config) -> String {
    let prepared = config.protocol().unwrap().prepare(operation::get_status("order-1")).unwrap();
    let (_, signature) = prepared.request().headers().find(|(name, _)| *name == "X-Signature").unwrap();
    format!("signs {signature}")
}

fn the_private_key_is_that_of_its_variable_or_else_of_its_file() {
    let (given, filed, service) =
        (Keypair::generate().unwrap(), Keypair::generate().unwrap(), Keypair::generate().unwrap());
    // The path is longer than 260 characters, the old limit of Windows.
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(std::process::id().to_string());
    let file = folder.join("касса".repeat(20)).join("касса".repeat(20)).join("касса".repeat(20)).join("ключ");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let of_keygen = format!(
        "\u{feff}{{\"privateKey\": \"{}\", \"publicKey\": \"{}\"}}\r\n",
        *filed.private_key().to_base64(),
        filed.public_key().to_base64()
    );
    // As `merchantpay keygen > key` in PowerShell 5.1.
    std::fs::write(&file, of_keygen.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()).unwrap();
    let (file, given_text) = (file.to_str().unwrap(), given.private_key().to_base64());
    let signed = |by: &Keypair| {
        let key = by.private_key().clone();
        signed(&Config::new("https://pay.example", "key-1", key, service.public_key()))
    };
    let cases = [
        (vec![("PRIVATE_KEY", given_text.as_str())], signed(&given)),
        (vec![("PRIVATE_KEY_FILE", file)], signed(&filed)),
        (vec![("PRIVATE_KEY", ""), ("PRIVATE_KEY_FILE", file)], signed(&filed)),
        (vec![("PRIVATE_KEY", given_text.as_str()), ("PRIVATE_KEY_FILE", "/no/such/file")], signed(&given)),
        (vec![], "invalid_argument MERCHANTPAY_PRIVATE_KEY is missing".to_owned()),
        (vec![("PRIVATE_KEY_FILE", "")], "invalid_argument MERCHANTPAY_PRIVATE_KEY is missing".to_owned()),
        (
            vec![("PRIVATE_KEY_FILE", "/no/such/file")],
            "invalid_argument the file that MERCHANTPAY_PRIVATE_KEY_FILE names cannot be read".to_owned(),
        ),
    ];
    for (variables, expected) in cases {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.env_clear().env(READS, "1").env("MERCHANTPAY_BASE_URL", "https://pay.example");
        child.env("MERCHANTPAY_KEY_ID", "key-1");
        child.env("MERCHANTPAY_SERVER_PUBLIC_KEY", service.public_key().to_base64());
        for (name, text) in &variables {
            child.env(format!("MERCHANTPAY_{name}"), text);
        }
        let output = child.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        let names: Vec<_> = variables.iter().map(|(name, _)| name).collect();
        assert!(printed.starts_with(&expected), "{names:?}: {printed}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
