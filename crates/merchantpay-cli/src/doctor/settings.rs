//! Lists each setting that is set, with its origin, and checks whether its text can be read.

use merchantpay::{Config, Keypair, Result, SETTINGS, Setting, SettingKind};

use super::findings::Findings;
use crate::environment;
use crate::output::Failure;
use crate::settings::{Origin, Settings};

const CHECK: &str = "settings";

/// Environment variables of this library that are not settings of a client.
const OTHERS: &[&str] = &[
    "PRIVATE_KEY_FILE",
    "ENV_FILE",
    "JOURNAL",
    "JOURNAL_PASSWORD",
    "JOURNAL_PASSWORD_FILE",
    "JOURNAL_PASSWORD_COMMAND",
    "JOURNAL_CONNECTIONS",
    "CALLBACK_URL",
    "PAY_WAIT_MS",
    "DURABILITY_VOUCHED",
    "LIBRARY",
    "PROGRAM",
];

/// An unknown name is reported as misspelt if its similarity to a setting's name is above this number.
const ALIKE: f64 = 0.85;

/// Returns the configuration if every required setting is present and usable.
pub(super) fn check(
    findings: &mut Findings,
    settings: &Settings,
) -> std::result::Result<Option<Config>, Failure> {
    let mut is_usable = true;
    for setting in SETTINGS {
        let Some(origin) = settings.origin(setting) else {
            if setting.needed {
                is_usable = false;
                let text = format!("{} is missing", setting.name);
                findings.fault(CHECK, text, format!("set {}", setting.variable()))?;
            }
            continue;
        };
        match read(settings, setting, &origin) {
            Ok(shown) => findings.ok(CHECK, format!("{} {shown} from {}", setting.name, place(&origin)))?,
            Err(error) => {
                is_usable = false;
                let text = format!("{} cannot be used: {}", setting.name, error.message());
                findings.fault(CHECK, text, format!("correct {}", place(&origin)))?;
            }
        }
    }
    misspelt(findings, environment::names())?;
    if let Some((name, file)) = environment::without_effect(&["SSL_CERT_FILE", "SSL_CERT_DIR"]) {
        let text = format!("{name} has no effect in the environment file {}", file.display());
        findings.warning(CHECK, text, "set MERCHANTPAY_CA_FILE in this file")?;
    }
    if !is_usable {
        return Ok(None);
    }
    settings.config().map(Some).or_else(|error| {
        findings.fault(CHECK, error.message(), "correct the settings that this line names").map(|()| None)
    })
}

/// Returns the setting's value in a form that can be shown. The function first tests the value in a
/// configuration in which the other settings are placeholders.
fn read(settings: &Settings, setting: &Setting, origin: &Origin) -> Result<String> {
    let text = settings.text(setting, origin)?;
    // The keys may be JSON, which only the configuration reads.
    let is_plain = setting.kind != SettingKind::Texts && !setting.name.ends_with("_key");
    let text = if is_plain { setting.clean(&text)? } else { text.trim() };
    let is_one_of_two = matches!(setting.name, "client_cert_file" | "client_key_file");
    if is_one_of_two {
        // A certificate and its key can only be used together, so neither file is tested alone. An error
        // names the missing file.
        std::fs::read(text)
            .map_err(|error| merchantpay::Error::invalid_argument(format!("{text}: {error}")))?;
    } else if setting.name == "ca_file" {
        Config::default().ca_file(text)?;
    } else if !matches!(setting.name, "public_key" | "exclusive_ca") {
        tried(setting, text, settings)?;
    }
    Ok(match setting.kind {
        SettingKind::Secret => "(not shown)".to_owned(),
        // The JSON that keygen prints has the private key too.
        _ if text.starts_with(['{', '\u{feff}']) => "(JSON, not shown)".to_owned(),
        _ if setting.name == "ca_pem" => format!("({} bytes)", text.len()),
        _ => text.to_owned(),
    })
}

/// Makes a configuration of this setting and of placeholders. The configuration is not used to send anything.
fn tried(setting: &Setting, text: &str, settings: &Settings) -> Result<()> {
    let (own, service) = (Keypair::generate()?, Keypair::generate()?);
    let allows_http = setting.name == "base_url"
        && SETTINGS.iter().any(|other| other.name == "allow_http" && settings.origin(other).is_some());
    let config = Config::from_texts(|other| match other.name {
        name if name == setting.name => Some(text.to_owned()),
        "base_url" => Some("https://localhost".to_owned()),
        "key_id" => Some("-".to_owned()),
        "private_key" => Some(own.private_key().to_base64().to_string()),
        "server_public_key" => Some(service.public_key().to_base64()),
        "allow_http" if allows_http => Some("1".to_owned()),
        _ => None,
    })?;
    config.protocol().map(drop)
}

fn place(origin: &Origin) -> String {
    match origin {
        Origin::Flag(name) => name.clone(),
        Origin::Variable(name) => match environment::file_of(name) {
            Some(file) => format!("{name} in {}", file.display()),
            None => name.clone(),
        },
        Origin::KeyFile { path, named_by } => format!("the file {} ({named_by})", path.display()),
    }
}

/// Finds a variable whose name is similar to a setting's name.
fn misspelt(
    findings: &mut Findings,
    names: impl Iterator<Item = String>,
) -> std::result::Result<(), Failure> {
    let known: Vec<String> = SETTINGS
        .iter()
        .map(Setting::variable)
        .chain(OTHERS.iter().map(|name| format!("MERCHANTPAY_{name}")))
        .collect();
    for name in names {
        let is_ours = name.to_uppercase().replace('-', "_").starts_with("MERCHANT");
        if known.contains(&name) || !is_ours {
            continue;
        }
        let alike = known
            .iter()
            .map(|known| (strsim::normalized_damerau_levenshtein(known, &name.to_uppercase()), known))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, known)) = alike.filter(|(likeness, _)| *likeness >= ALIKE) {
            let text = format!("nothing reads the variable {name}");
            findings.fault(CHECK, text, format!("did you mean {known}?"))?;
        }
    }
    Ok(())
}
