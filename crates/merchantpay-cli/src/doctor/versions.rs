//! The versions of this program and of the installed C library and header.

use std::path::{Path, PathBuf};

use super::Setup;
use super::finding::Finding;
use crate::output::Failure;

const PROGRAM: &str = env!("CARGO_PKG_VERSION");

pub(super) fn versions(_: &mut Setup<'_>) -> Result<Vec<Finding>, Failure> {
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
    fn the_version_of_a_header_is_its_constant() {
        let header = include_str!("../../../../include/merchantpay.h");
        assert_eq!(header_version(header).as_deref(), Some(PROGRAM));
        assert_eq!(header_version("#define MPAY_HEADER_ABI 0"), None);
    }
}
