//! Reports the versions of this program and of the installed C library and header.

use std::path::{Path, PathBuf};

use super::findings::Findings;
use crate::output::Failure;

const CHECK: &str = "versions";
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

pub(super) fn check(findings: &mut Findings) -> Result<(), Failure> {
    findings.ok(CHECK, format!("this program is {PROGRAM}"))?;
    for prefix in prefixes() {
        let header = prefix.join("include/merchantpay.h");
        let Some(header_version) = std::fs::read_to_string(&header).ok().as_deref().and_then(header_version)
        else {
            continue;
        };
        let text = format!("{} is {header_version}", header.display());
        if header_version != PROGRAM {
            let advice = "install the header, the library and the program of one release";
            findings.warning(CHECK, format!("{text}, but this program is {PROGRAM}"), advice)?;
        } else {
            findings.ok(CHECK, text)?;
        }
        match library(&prefix) {
            Some((file, version)) if version == header_version => {
                findings.ok(CHECK, format!("{} is {version}", file.display()))?;
            }
            Some((file, version)) => findings.fault(
                CHECK,
                format!("{} is {version}, but its header is {header_version}", file.display()),
                "install the library and the header of one release; then build your program again",
            )?,
            None => findings.warning(
                CHECK,
                format!("there is no library next to {}", header.display()),
                "install libmerchantpay of the same release",
            )?,
        }
    }
    Ok(())
}

/// The folders to search: the folder of an unpacked archive, and the folders in which a system installs
/// libraries.
fn prefixes() -> Vec<PathBuf> {
    let own = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.parent()?.to_owned()));
    let mut prefixes: Vec<PathBuf> =
        own.into_iter().chain(["/usr/local", "/usr"].map(PathBuf::from)).collect();
    prefixes.dedup();
    prefixes
}

fn header_version(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("#define MPAY_HEADER_VERSION "))?;
    Some(line.trim().trim_matches('"').to_owned())
}

/// Returns the library that a program in this prefix loads. The library is a link whose target has the
/// version in its name.
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
    fn the_version_of_a_header_is_its_constant() {
        let header = include_str!("../../../../include/merchantpay.h");
        assert_eq!(header_version(header).as_deref(), Some(PROGRAM));
        assert_eq!(header_version("#define MPAY_HEADER_ABI 0"), None);
    }
}
