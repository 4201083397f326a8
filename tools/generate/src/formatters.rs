//! Runs the formatter of a language, because a template cannot make every layout.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::Fault;

/// Formats the text by rustfmt.
pub(crate) fn rust(text: &str) -> Result<String, Fault> {
    let config = crate::root().join("rustfmt.toml");
    let mut formatter = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--config-path"])
        .arg(config)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    formatter.stdin.take().ok_or("rustfmt takes no text")?.write_all(text.as_bytes())?;
    let formatted = formatter.wait_with_output()?;
    if !formatted.status.success() {
        return Err("rustfmt cannot read what the template wrote".into());
    }
    Ok(String::from_utf8(formatted.stdout)?)
}
