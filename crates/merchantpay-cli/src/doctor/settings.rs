//! The settings with their origins, the keys, who may read the files with secrets, and the versions of this program and
//! of the installed C library and header.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use merchantpay::{
    Client, Config, Error, Keypair, PrivateKey, PublicKey, Result, SETTINGS, Setting, SettingKind, key_text,
};
use zeroize::Zeroizing;

use super::{Finding, Found, Setup};
use crate::environment;
use crate::keys::path_unless_key;
use crate::sandbox::INSTALLATION_VARIABLES;
use crate::settings::{JournalSettings as Settings, Origin, table};

/// An unknown name that is at least this similar to a setting's is reported as misspelt.
const MIN_SIMILARITY: f64 = 0.85;

pub(super) fn settings(setup: &mut Setup<'_>) -> Found {
    let settings = &setup.arguments.settings;
    let (mut found, mut is_usable) = (Vec::new(), true);
    for setting in SETTINGS {
        let Some(origin) = settings.origin(setting) else {
            if setting.needed {
                is_usable = false;
                let next = format!("set {}", setting.variable());
                found.push(Finding::fault(format!("{} is missing", setting.name), next));
            }
            continue;
        };
        found.push(match read(settings, setting, &origin) {
            Ok(shown) => Finding::ok(format!("{} {shown} from {}", setting.name, place(&origin))),
            Err(error) => {
                is_usable = false;
                let text = format!("{} cannot be used: {}", setting.name, error.message());
                Finding::fault(text, format!("correct {}", place(&origin)))
            }
        });
    }
    found.extend(misspelt(environment::names()));
    if let Some((name, file)) = environment::without_effect(&["SSL_CERT_FILE", "SSL_CERT_DIR"]) {
        let text = format!("{name} has no effect in the environment file {}", file.display());
        found.push(Finding::warning(text, "set MERCHANTPAY_CA_FILE in this file"));
    }
    if is_usable {
        let clocks = setup.clocks.clone();
        let noting = move |attempt: &merchantpay::Attempt<'_>| {
            if let (Some(date), Ok(mut clocks)) = (attempt.date, clocks.lock()) {
                *clocks = Some((date, SystemTime::now()));
            }
        };
        match settings.config().and_then(|config| Client::new(config.observer(noting))) {
            Ok(client) => setup.client = Some(client),
            Err(error) => {
                found.push(Finding::fault(error.message(), "correct the setting that this line names"));
            }
        }
    }
    Ok(found)
}

/// The value as it can be shown, after it was tried in a configuration with placeholders for the other settings.
fn read(settings: &Settings, setting: &Setting, origin: &Origin) -> Result<String> {
    let text = settings.text(setting, origin)?;
    // The keys may be JSON, which only the configuration reads.
    let is_plain = setting.kind != SettingKind::Texts && !setting.name.ends_with("_key");
    let text = if is_plain { setting.clean(&text)? } else { text.trim() };
    // 64 bytes: a private key with its public half.
    if setting.kind != SettingKind::Secret && text.len() == 88 && PrivateKey::from_base64(text).is_ok() {
        return Err(Error::about(setting.name, "is a private key, which nobody else may see"));
    }
    match setting.name {
        // A certificate and its key can only be used together, so neither is tried alone.
        "client_cert_file" | "client_key_file" => {
            std::fs::read(text).map_err(|error| Error::invalid_argument(format!("{text}: {error}")))?;
        }
        "ca_file" => drop(Config::default().ca_file(text)?),
        "public_key" | "exclusive_ca" => {}
        _ => tried(setting, text, settings)?,
    }
    Ok(match setting.kind {
        SettingKind::Secret => "(not shown)".to_owned(),
        // The JSON that keygen prints has the private key too.
        _ if text.starts_with(['{', '\u{feff}']) => "(JSON, not shown)".to_owned(),
        _ if setting.name == "ca_pem" => format!("({} bytes)", text.len()),
        _ => text.to_owned(),
    })
}

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
        Origin::KeyFile { path, named_by } => {
            format!("the file{} ({named_by})", path_unless_key(path))
        }
    }
}

fn misspelt(names: impl Iterator<Item = String>) -> Vec<Finding> {
    let others = INSTALLATION_VARIABLES.map(str::to_owned);
    let known: Vec<String> = table().map(|row| row.variable()).chain(others).collect();
    let likely = |name: &String| {
        let likeness = |known: &str| strsim::normalized_damerau_levenshtein(known, &name.to_uppercase());
        let best = known.iter().map(|known| (likeness(known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|(likeness, _)| *likeness >= MIN_SIMILARITY).map(|(_, known)| known.clone())
    };
    let is_ours = |name: &String| name.to_uppercase().replace('-', "_").starts_with("MERCHANT");
    names
        .filter(|name| is_ours(name) && !known.contains(name))
        .filter_map(|name| {
            let next = format!("did you mean {}?", likely(&name)?);
            Some(Finding::fault(format!("nothing reads the variable {name}"), next))
        })
        .collect()
}

pub(super) fn keys(setup: &mut Setup<'_>) -> Found {
    let settings = &setup.arguments.settings;
    let key = |name: &str| key_text(name, &text(settings, name)?).ok();
    // A key that cannot be read is a fault of `settings`.
    let Some(private_key) = key("private_key").and_then(|text| PrivateKey::from_base64(&text).ok()) else {
        return Finding::skipped("there is no private key to check").into();
    };
    let own = private_key.public_key();
    let public = own.to_base64();
    let stated = key("public_key").and_then(|text| PublicKey::from_base64(&text).ok());
    if stated.is_some_and(|stated| stated != own) {
        let text = format!("public_key does not belong to private_key, whose public key is {public}");
        return Finding::fault(text, "set both keys of one pair that `merchantpay keygen` printed").into();
    }
    let mut verifier = Config::default();
    let is_own = text(settings, "server_public_key").is_some_and(|keys| {
        let set = verifier
            .set("server_public_key", keys.as_str())
            .and_then(|()| verifier.set("public_key", public.as_str()));
        set.is_ok() && verifier.verifier().is_err()
    });
    Found::from(match is_own {
        true => Finding::fault(
            "server_public_key is your own public key",
            "set the public key that the service gave you",
        ),
        false => {
            Finding::ok(format!("the halves of the private key belong together; the service needs {public}"))
        }
    })
}

fn text(settings: &Settings, name: &str) -> Option<Zeroizing<String>> {
    let setting = SETTINGS.iter().find(|setting| setting.name == name)?;
    settings.text(setting, &settings.origin(setting)?).ok()
}

pub(super) fn files(setup: &mut Setup<'_>) -> Found {
    let settings = &setup.arguments.settings;
    let finding = |setting: &Setting| match settings.origin(setting)? {
        Origin::KeyFile { path, .. } => access(&path, "private key"),
        Origin::Flag(flag) if setting.kind == SettingKind::Secret => Some(Finding::warning(
            format!("{} is on the command line", setting.name),
            format!("set a variable instead of {flag}: all users of this machine can see a command line"),
        )),
        origin if setting.kind == SettingKind::SecretFile => {
            let path = settings.text(setting, &origin).ok()?;
            access(Path::new(path.as_str()), "client certificate's key")
        }
        _ => None,
    };
    let journal =
        setup.arguments.settings.journal_file().and_then(|file| access(Path::new(&file), "journal"));
    Ok(SETTINGS.iter().filter_map(finding).chain(journal).collect())
}

/// `None` for a missing file: the check that needs the file reports it.
#[cfg(unix)]
fn access(path: &Path, what: &str) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    let (file, next) = (path.display(), format!("chmod 600 {}", path.display()));
    Some(match mode {
        _ if mode & 0o007 != 0 => {
            let text = format!("every user of this machine can use the {what} in {file} (mode {mode:o})");
            Finding::fault(text, next)
        }
        _ if mode & 0o070 != 0 => Finding::warning(
            format!("the group of the file {file} can use the {what} in it (mode {mode:o})"),
            format!("{next}, unless each member of the group needs it"),
        ),
        _ => Finding::ok(format!("only the owner of {file} can use the {what} in it (mode {mode:o})")),
    })
}

/// Windows has access control lists, which this program does not read.
#[cfg(not(unix))]
fn access(path: &Path, what: &str) -> Option<Finding> {
    let text =
        format!("on Windows this check does not find out who can read the {what} in {}", path.display());
    Some(Finding::skipped(text))
}

const PROGRAM: &str = env!("CARGO_PKG_VERSION");

pub(super) fn versions(_: &mut Setup<'_>) -> Found {
    // An unpacked archive, and where a system installs libraries.
    let own = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.parent()?.to_owned()));
    let mut prefixes: Vec<PathBuf> =
        own.into_iter().chain(["/usr/local", "/usr"].map(PathBuf::from)).collect();
    prefixes.dedup();
    let program = Finding::ok(format!("this program is {PROGRAM}"));
    Ok(std::iter::once(program).chain(prefixes.iter().flat_map(|prefix| installed(prefix))).collect())
}

fn installed(prefix: &Path) -> Vec<Finding> {
    let path = prefix.join("include/merchantpay.h");
    let text = std::fs::read_to_string(&path).ok();
    let Some(header) = text.as_deref().and_then(header_version) else { return Vec::new() };
    let text = format!("{} is {header}", path.display());
    let of_header = match header == PROGRAM {
        true => Finding::ok(text),
        false => Finding::warning(
            format!("{text}, but this program is {PROGRAM}"),
            "install the header, the library and the program of one release",
        ),
    };
    let of_library = match library(prefix) {
        Some((file, version)) if version == header => Finding::ok(format!("{} is {version}", file.display())),
        Some((file, version)) => Finding::fault(
            format!("{} is {version}, but its header is {header}", file.display()),
            "install the library and the header of one release; then build your program again",
        ),
        None => Finding::warning(
            format!("there is no library next to {}", path.display()),
            "install libmerchantpay of the same release",
        ),
    };
    vec![of_header, of_library]
}

fn header_version(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("#define MPAY_HEADER_VERSION "))?;
    Some(line.trim().trim_matches('"').to_owned())
}

/// The library that a program in this prefix loads: a link whose target has the version in its name.
fn library(prefix: &Path) -> Option<(PathBuf, String)> {
    let folders = ["lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib/arm-linux-gnueabihf"];
    folders.iter().find_map(|folder| {
        let link = prefix.join(folder).join("libmerchantpay.so");
        let file = std::fs::canonicalize(&link).ok()?;
        let version = file.file_name()?.to_str()?.strip_prefix("libmerchantpay.so.")?.to_owned();
        Some((link, version))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_header_version() {
        let header = include_str!("../../../../include/merchantpay.h");
        assert_eq!(header_version(header).as_deref(), Some(PROGRAM));
        assert_eq!(header_version("#define MPAY_HEADER_ABI 0"), None);
    }
}
