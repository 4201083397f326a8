//! Checks who may read the files that contain a secret.

use std::path::Path;

use merchantpay::{SETTINGS, SettingKind};

use super::findings::Findings;
use crate::journal_settings::JournalSettings;
use crate::output::Failure;
use crate::settings::Origin;

const CHECK: &str = "files";

pub(super) fn check(findings: &mut Findings, journal: &JournalSettings) -> Result<(), Failure> {
    let settings = &journal.settings;
    for setting in SETTINGS {
        match settings.origin(setting) {
            Some(Origin::KeyFile { path, .. }) => mode(findings, "private key", &path)?,
            Some(Origin::Flag(flag)) if setting.kind == SettingKind::Secret => findings.warning(
                CHECK,
                format!("{} is on the command line", setting.name),
                format!("set a variable instead of {flag}: all users of this machine can see a command line"),
            )?,
            Some(origin) if setting.kind == SettingKind::SecretFile => {
                if let Ok(path) = settings.text(setting, &origin) {
                    mode(findings, "client certificate's key", Path::new(path.as_str()))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reports nothing for a missing file, because the check of the settings reports missing files.
#[cfg(unix)]
pub(super) fn mode(findings: &mut Findings, noun: &str, path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt as _;

    let Ok(metadata) = std::fs::metadata(path) else { return Ok(()) };
    let mode = metadata.permissions().mode() & 0o777;
    let (file, advice) = (path.display(), format!("chmod 600 {}", path.display()));
    if mode & 0o007 != 0 {
        return findings.fault(
            CHECK,
            format!("every user of this machine can use the {noun} in {file} (mode {mode:o})"),
            advice,
        );
    }
    if mode & 0o070 != 0 {
        let text = format!("the group of the file {file} can use the {noun} in it (mode {mode:o})");
        return findings.warning(CHECK, text, format!("{advice}, unless each member of the group needs it"));
    }
    findings.ok(CHECK, format!("only the owner of {file} can use the {noun} in it (mode {mode:o})"))
}

/// Does nothing: Windows has access control lists, which this program does not read.
#[cfg(not(unix))]
pub(super) fn mode(findings: &mut Findings, noun: &str, path: &Path) -> Result<(), Failure> {
    findings.skipped(
        CHECK,
        format!("on Windows this check does not find out who can read the {noun} in {}", path.display()),
    )
}
