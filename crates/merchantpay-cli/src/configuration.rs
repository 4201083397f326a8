//! A sandbox's configuration, as a shell, a program or a programmer reads it.

use merchantpay_sandbox::{Sandbox, TEST_ACCOUNTS};
use zeroize::Zeroizing;

use crate::args::Format;
use crate::json::quoted;

/// What a client of the sandbox needs. The private key is missing if the merchant has it.
pub(crate) struct Configuration {
    base_url: String,
    key_id: String,
    private_key: Option<Zeroizing<String>>,
    server_public_key: String,
    server_key_id: String,
}

impl Configuration {
    pub(crate) fn of(sandbox: &Sandbox) -> Configuration {
        Configuration {
            base_url: sandbox.url().to_owned(),
            key_id: sandbox.merchant_key_id().to_owned(),
            private_key: sandbox.merchant_private_key().map(merchantpay::PrivateKey::to_base64),
            server_public_key: sandbox.server_public_key().to_base64(),
            server_key_id: sandbox.server_key_id().to_owned(),
        }
    }

    pub(crate) fn has_private_key(&self) -> bool {
        self.private_key.is_some()
    }

    /// The settings as environment variables.
    pub(crate) fn environment(&self) -> Vec<(&'static str, &str)> {
        let private_key = self.private_key.as_ref().map(|key| ("MERCHANTPAY_PRIVATE_KEY", key.as_str()));
        let settings = [
            Some(("MERCHANTPAY_BASE_URL", self.base_url.as_str())),
            Some(("MERCHANTPAY_KEY_ID", &self.key_id)),
            private_key,
            Some(("MERCHANTPAY_SERVER_PUBLIC_KEY", &self.server_public_key)),
            Some(("MERCHANTPAY_SERVER_KEY_ID", &self.server_key_id)),
        ];
        settings.into_iter().flatten().collect()
    }

    pub(crate) fn write(&self, format: Format) -> String {
        match format {
            Format::Env => self.env(),
            Format::Json => self.json(),
            Format::C => self.c(),
            Format::Python => self.python(),
            Format::Php => self.php(),
            Format::Go => self.go(),
        }
    }

    fn env(&self) -> String {
        let mut lines =
            vec![format!("# merchantpay sandbox at {} - a simulator: no money moves here", self.base_url)];
        let settings = self.environment().into_iter();
        lines.extend(settings.map(|(variable, value)| format!("export {variable}={}", shell_word(value))));
        lines.push(
            "# A customerAccount decides what happens to a payment; any other pays exactly:".to_owned(),
        );
        lines.extend(
            TEST_ACCOUNTS
                .iter()
                .map(|test_account| format!("#   {:24} {}", test_account.account, test_account.effect)),
        );
        lines.push("# Stop it with Ctrl-C.".to_owned());
        lines.join("\n")
    }

    fn json(&self) -> String {
        let private_key = self.private_key.as_ref().map(|key| ("privateKey", key.as_str()));
        let fields =
            [("baseUrl", self.base_url.as_str()), ("keyId", &self.key_id)].into_iter().chain(private_key);
        let fields = fields.chain([
            ("serverPublicKey", self.server_public_key.as_str()),
            ("serverKeyId", &self.server_key_id),
        ]);
        let fields: Vec<String> =
            fields.map(|(name, value)| format!("{}:{}", quoted(name), quoted(value))).collect();
        format!("{{{}}}", fields.join(","))
    }

    fn c(&self) -> String {
        // JSON's escapes are C's for visible ASCII, which is all that stands here.
        let settings = [
            ("set_base_url", quoted(&self.base_url)),
            ("set_key_id", quoted(&self.key_id)),
            ("set_private_key", self.private_key_or("getenv(\"MERCHANTPAY_PRIVATE_KEY\")", quoted)),
            ("add_server_public_key", quoted(&self.server_public_key)),
            ("add_server_key_id", quoted(&self.server_key_id)),
        ];
        let lines: Vec<String> = settings
            .iter()
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

    fn python(&self) -> String {
        let private_key = self.private_key_or("os.environ[\"MERCHANTPAY_PRIVATE_KEY\"]", quoted);
        let import = if self.private_key.is_some() { "" } else { "import os\n\n" };
        format!(
            "# merchantpay sandbox: a simulator, no money moves here.\n{import}from merchantpay import Client\n\n\
             client = Client(\n    base_url={},\n    key_id={},\n    private_key={private_key},\n    server_public_key={},\n    server_key_id={},\n)",
            quoted(&self.base_url),
            quoted(&self.key_id),
            quoted(&self.server_public_key),
            quoted(&self.server_key_id)
        )
    }

    fn php(&self) -> String {
        let php = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
        let private_key = self.private_key_or("getenv('MERCHANTPAY_PRIVATE_KEY')", php);
        format!(
            "<?php\n\n// merchantpay sandbox: a simulator, no money moves here.\n\nuse MerchantPay\\Client;\n\n\
             $client = new Client(\n    baseUrl: {},\n    keyId: {},\n    privateKey: {private_key},\n    serverPublicKey: {},\n    serverKeyId: {},\n);",
            php(&self.base_url),
            php(&self.key_id),
            php(&self.server_public_key),
            php(&self.server_key_id)
        )
    }

    fn go(&self) -> String {
        let private_key = self.private_key_or("os.Getenv(\"MERCHANTPAY_PRIVATE_KEY\")", quoted);
        let import = match self.private_key {
            Some(_) => "import merchantpay \"github.com/merchantpay/merchantpay-go\"",
            None => "import (\n\t\"os\"\n\n\tmerchantpay \"github.com/merchantpay/merchantpay-go\"\n)",
        };
        format!(
            "package main\n\n{import}\n\n// A simulator: no money moves here.\nvar sandbox = merchantpay.Config{{\n\
             \tBaseURL:         {},\n\tKeyID:           {},\n\tPrivateKey:      {private_key},\n\tServerPublicKey: {},\n\tServerKeyID:     {},\n}}",
            quoted(&self.base_url),
            quoted(&self.key_id),
            quoted(&self.server_public_key),
            quoted(&self.server_key_id)
        )
    }

    /// The private key as a literal, or where the merchant's own program finds it.
    fn private_key_or(&self, elsewhere: &str, literal: impl Fn(&str) -> String) -> String {
        self.private_key.as_ref().map_or_else(|| elsewhere.to_owned(), |key| literal(key))
    }
}

/// A word that a shell reads as it is.
fn shell_word(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(&byte);
    if word.bytes().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
