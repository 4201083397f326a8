//! The settings as environment variables, in the syntax of several programs.

use super::ClientSettings;
use crate::model::test_accounts::TEST_ACCOUNTS;

/// Lines for a shell. The last line begins with `# Stop it`.
pub(super) fn shell(settings: &ClientSettings<'_>) -> String {
    let mut lines = vec![format!(
        "# merchantpay sandbox at {} - a simulator: no money moves here",
        settings.sandbox.base_url
    )];
    lines.extend(assignments(settings, |variable, value| format!("export {variable}={}", shell_word(value))));
    // The variables of an environment file would take precedence over the lines above.
    lines.push("export MERCHANTPAY_ENV_FILE=".to_owned());
    lines.push("# A customerAccount decides what happens to a payment; any other pays exactly:".to_owned());
    lines.extend(TEST_ACCOUNTS.iter().map(|one| format!("#   {:24} {}", one.account, one.effect)));
    lines.push("# Stop it with Ctrl-C.".to_owned());
    lines.join("\n")
}

/// The syntax that `--env-file`, systemd's `EnvironmentFile=` and all readers of `.env` files share: a plain
/// value has no quotes, and a value in single quotes is literal.
pub(super) fn dotenv(settings: &ClientSettings<'_>) -> String {
    let value = |value: &str| match value {
        value if is_plain(value) => value.to_owned(),
        value if !value.contains('\'') => format!("'{value}'"),
        value => quoted(value, &['"', '\\', '$', '`']),
    };
    commented("#", settings, |variable, text| format!("{variable}={}", value(text)))
}

/// The values are quoted, because a value without quotes ends at the first special character of an ini file.
pub(super) fn php_fpm(settings: &ClientSettings<'_>) -> String {
    commented(";", settings, |variable, value| {
        format!("env[{variable}] = {}", quoted(value, &['"', '\\', '$']))
    })
}

/// In a systemd unit `%` begins a specifier, so each `%` of a value is doubled.
pub(super) fn systemd(settings: &ClientSettings<'_>) -> String {
    let line = |variable: &str, value: &str| {
        format!("Environment={}", quoted(&format!("{variable}={}", value.replace('%', "%%")), &['"', '\\']))
    };
    let text = commented("#", settings, line);
    text.replacen('\n', "\n[Service]\n", 1)
}

fn commented(comment: &str, settings: &ClientSettings<'_>, line: impl Fn(&str, &str) -> String) -> String {
    let mut lines = vec![format!("{comment} merchantpay sandbox: a simulator, no money moves here")];
    lines.extend(assignments(settings, line));
    lines.join("\n")
}

fn assignments(settings: &ClientSettings<'_>, line: impl Fn(&str, &str) -> String) -> Vec<String> {
    settings.environment().iter().map(|(variable, value)| line(variable, value)).collect()
}

/// A word that a shell reads literally.
fn shell_word(word: &str) -> String {
    if is_plain(word) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn is_plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(&byte))
}

/// The text in double quotes, with a backslash before each special character.
fn quoted(text: &str, escaped: &[char]) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        if escaped.contains(&character) {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}
