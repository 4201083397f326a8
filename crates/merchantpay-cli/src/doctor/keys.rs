//! Checks the merchant's pair of keys and compares it with the service's keys.

use merchantpay::{Config, PrivateKey, PublicKey, SETTINGS, key_text};
use zeroize::Zeroizing;

use super::findings::Findings;
use crate::output::Failure;
use crate::settings::Settings;

const CHECK: &str = "keys";

pub(super) fn check(findings: &mut Findings, settings: &Settings) -> Result<(), Failure> {
    // If the key cannot be read, the check of the settings reports this error.
    let Some(private_key) = key(settings, "private_key").and_then(|text| PrivateKey::from_base64(&text).ok())
    else {
        return findings.skipped(CHECK, "there is no private key to check");
    };
    let own = private_key.public_key();
    let public = own.to_base64();
    let stated = key(settings, "public_key").and_then(|text| PublicKey::from_base64(&text).ok());
    if stated.is_some_and(|stated| stated != own) {
        let text = format!("public_key does not belong to private_key, whose public key is {public}");
        return findings.fault(CHECK, text, "set both keys of one pair that `merchantpay keygen` printed");
    }
    let mut verifier = Config::default();
    let is_own = text(settings, "server_public_key").is_some_and(|keys| {
        let set = verifier
            .set("server_public_key", keys.as_str())
            .and_then(|()| verifier.set("public_key", public.as_str()));
        set.is_ok() && verifier.verifier().is_err()
    });
    if is_own {
        return findings.fault(
            CHECK,
            "server_public_key is your own public key",
            "set the public key that the service gave you",
        );
    }
    findings.ok(CHECK, format!("the halves of the private key belong together; the service needs {public}"))
}

fn text(settings: &Settings, name: &str) -> Option<Zeroizing<String>> {
    let setting = SETTINGS.iter().find(|setting| setting.name == name)?;
    settings.text(setting, &settings.origin(setting)?).ok()
}

fn key(settings: &Settings, name: &str) -> Option<Zeroizing<String>> {
    key_text(name, &text(settings, name)?).ok()
}
