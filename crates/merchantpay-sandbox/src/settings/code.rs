//! The settings as code of each language.

use serde_json::Value;

use super::ClientSettings;

pub(super) fn c(settings: &ClientSettings<'_>) -> String {
    let lines: Vec<String> = setters(settings, "getenv(\"MERCHANTPAY_PRIVATE_KEY\")")
        .into_iter()
        .map(|(name, value)| format!("        mpay_config_{name}(config, {value});"))
        .collect();
    format!(
        "/* merchantpay sandbox: a simulator, no money moves here. What a setter refuses is reported again by mpay_client_new. */\n\
         #include <stdlib.h>\n\n\
         #include <merchantpay.h>\n\n\
         mpay_config *sandbox_config(void);\n\n\
         mpay_config *sandbox_config(void) {{\n    mpay_config *config = mpay_config_new();\n    if (config != NULL) {{\n{}\n    }}\n    return config;\n}}",
        lines.join("\n")
    )
}

pub(super) fn cpp(settings: &ClientSettings<'_>) -> String {
    let lines: Vec<String> = setters(settings, "std::getenv(\"MERCHANTPAY_PRIVATE_KEY\")")
        .into_iter()
        .map(|(name, value)| format!("    config.{name}({value});"))
        .collect();
    format!(
        "// merchantpay sandbox: a simulator, no money moves here.\n\
         #include <cstdlib>\n\n\
         #include <merchantpay.hpp>\n\n\
         inline merchantpay::Config sandbox_config() {{\n    merchantpay::Config config;\n{}\n    return config;\n}}",
        lines.join("\n")
    )
}

/// The setters of C and C++, with their arguments.
fn setters(settings: &ClientSettings<'_>, own_key: &str) -> [(&'static str, String); 5] {
    [
        ("set_base_url", quoted(&settings.sandbox.base_url)),
        ("set_key_id", quoted(settings.key_id())),
        ("set_private_key", private_key_or(settings, own_key, quoted)),
        ("add_server_public_key", quoted(&settings.sandbox.server_public_key)),
        ("add_server_key_id", quoted(&settings.sandbox.server_key_id)),
    ]
}

pub(super) fn python(settings: &ClientSettings<'_>) -> String {
    let private_key = private_key_or(settings, "os.environ[\"MERCHANTPAY_PRIVATE_KEY\"]", quoted);
    let import = if settings.has_private_key() { "" } else { "import os\n\n" };
    format!(
        "# merchantpay sandbox: a simulator, no money moves here.\n{import}from merchantpay import Client\n\n\
         client = Client(\n    base_url={},\n    key_id={},\n    private_key={private_key},\n    server_public_key={},\n    server_key_id={},\n)",
        quoted(&settings.sandbox.base_url),
        quoted(settings.key_id()),
        quoted(&settings.sandbox.server_public_key),
        quoted(&settings.sandbox.server_key_id)
    )
}

pub(super) fn php(settings: &ClientSettings<'_>) -> String {
    let php = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let private_key = private_key_or(settings, "getenv('MERCHANTPAY_PRIVATE_KEY')", php);
    format!(
        "<?php\n\n// merchantpay sandbox: a simulator, no money moves here.\n\nuse MerchantPay\\Client;\n\n\
         $client = new Client(\n    baseUrl: {},\n    keyId: {},\n    privateKey: {private_key},\n    serverPublicKey: {},\n    serverKeyId: {},\n);",
        php(&settings.sandbox.base_url),
        php(settings.key_id()),
        php(&settings.sandbox.server_public_key),
        php(&settings.sandbox.server_key_id)
    )
}

pub(super) fn go(settings: &ClientSettings<'_>) -> String {
    let private_key = private_key_or(settings, "os.Getenv(\"MERCHANTPAY_PRIVATE_KEY\")", quoted);
    let import = if settings.has_private_key() {
        "import merchantpay \"github.com/merchantpay/merchantpay-go\""
    } else {
        "import (\n\t\"os\"\n\n\tmerchantpay \"github.com/merchantpay/merchantpay-go\"\n)"
    };
    format!(
        "package main\n\n{import}\n\n// A simulator: no money moves here.\nvar sandbox = merchantpay.Config{{\n\
         \tBaseURL:         {},\n\tKeyID:           {},\n\tPrivateKey:      {private_key},\n\tServerPublicKey: {},\n\tServerKeyID:     {},\n}}",
        quoted(&settings.sandbox.base_url),
        quoted(settings.key_id()),
        quoted(&settings.sandbox.server_public_key),
        quoted(&settings.sandbox.server_key_id)
    )
}

/// The private key as a literal, or the expression with which the merchant's program reads its own key.
fn private_key_or(settings: &ClientSettings<'_>, own_key: &str, literal: impl Fn(&str) -> String) -> String {
    settings.private_key().map_or_else(|| own_key.to_owned(), |key| literal(&key))
}

/// For visible ASCII, JSON's escapes are valid in C, Python and Go, and a key id has no other characters.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
