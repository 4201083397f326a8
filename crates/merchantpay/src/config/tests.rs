use super::*;
use crate::keys::Keypair;

/// Reads valid texts, but some of them are replaced by the texts in `others`.
fn read(others: &[(&str, &str)]) -> Result<Config> {
    let (own, service) = (Keypair::generate()?, Keypair::generate()?);
    Config::from_texts(|setting| {
        let other = others.iter().find(|(name, _)| *name == setting.name).map(|(_, text)| (*text).to_owned());
        other.or_else(|| match setting.name {
            "base_url" => Some("https://pay.example".to_owned()),
            "key_id" => Some("key-1".to_owned()),
            "private_key" => Some(own.private_key().to_base64().to_string()),
            "server_public_key" => Some(service.public_key().to_base64()),
            _ => None,
        })
    })
}

/// The settings that have a default, as texts, in the table's order.
fn texts(config: &Config) -> [(&'static str, String); 8] {
    let (flag, time) =
        (|flag: bool| i32::from(flag).to_string(), |time: Duration| time.as_millis().to_string());
    [
        ("exclusive_ca", flag(config.exclusive_ca)),
        ("allow_http", flag(config.allow_http)),
        ("timeout", time(config.timeout)),
        ("connect_timeout", time(config.connect_timeout)),
        ("reuse_idle", time(config.reuse_idle)),
        ("connect_idle", time(config.connect_idle)),
        ("max_retries", config.max_retries.to_string()),
        ("max_reply_bytes", config.max_reply_bytes.to_string()),
    ]
}

#[test]
fn every_setting_is_read_from_its_text() {
    let given = [
        ("exclusive_ca", "1"),
        ("allow_http", "1"),
        ("timeout", "1500"),
        ("connect_timeout", "700"),
        ("reuse_idle", "0"),
        ("connect_idle", "5"),
        ("max_retries", "0"),
        ("max_reply_bytes", "4096"),
    ];
    let others = [("server_key_id", "a, b"), ("user_agent", "till/1"), ("proxy", "http://u:p@proxy:3128")];
    let config = read(&[given.as_slice(), &others].concat()).unwrap();
    assert_eq!(texts(&config), given.map(|(name, text)| (name, text.to_owned())));
    assert_eq!((config.server_key_ids.join(" "), config.user_agent.as_str()), ("a b".to_owned(), "till/1"));
    assert_eq!(config.proxy.as_deref(), Some("http://u:p@proxy:3128"));
}

#[test]
fn a_settings_variable_is_its_name_with_its_unit() {
    let of = |name: &str| {
        let setting = SETTINGS.iter().find(|setting| setting.name == name).unwrap();
        (setting.name_with_unit(), setting.variable())
    };
    let both = |name: &str, variable: &str| (name.to_owned(), variable.to_owned());
    assert_eq!(of("timeout"), both("timeout_ms", "MERCHANTPAY_TIMEOUT_MS"));
    assert_eq!(of("base_url"), both("base_url", "MERCHANTPAY_BASE_URL"));
}

#[test]
fn a_text_that_cannot_be_read_is_named_and_not_shown() {
    for (name, text, message) in [
        ("timeout", "soon", "timeout_ms must be a whole number of milliseconds"),
        ("max_retries", "-1", "max_retries must be a whole number"),
        ("allow_http", "yes", "allow_http must be 1 or 0"),
        ("base_url", "", "base_url is missing"),
        ("server_public_key", " , ", "server_public_key is empty"),
        ("pin_spki", ",", "pin_spki is empty"),
        ("timeout", "1,5", "timeout_ms must be a whole number of milliseconds, without a comma"),
        ("private_key", "a=,", "private_key begins or ends with a comma; remove it"),
        ("private_key", "a=,b=", "private_key: it contains a comma: give one key"),
        ("public_key", "a=,b=", "public_key: it contains a comma: give one key"),
        ("private_key", "{}", "private_key is JSON without privateKey"),
        (
            "private_key",
            "{\"privateKey\":1}",
            "private_key is neither base64 nor the JSON that keygen prints",
        ),
        ("client_key_file", "/nowhere", "client_cert_file and client_key_file must be set together"),
    ] {
        assert_eq!(read(&[(name, text)]).unwrap_err().message(), message, "{name}");
    }
    let other = Keypair::generate().unwrap().public_key().to_base64();
    assert_eq!(read(&[("public_key", &other)]).unwrap_err().code(), crate::Code::InvalidKey);
}

#[test]
fn a_fault_has_the_name_of_its_setting() {
    for (name, text) in [
        ("base_url", "pay.example"),
        ("base_url", "https://user/x@pay.example"),
        ("base_url", "https://pay.example?x=1"),
        ("base_url", "https://pay.example/api/v1/merchant/pay"),
        ("base_url", "http://pay.example"),
        ("key_id", "key 1"),
        ("server_key_id", "key 1"),
        ("server_key_id", "key-1"),
        ("proxy", "ftp://proxy.example"),
        ("ca_file", "/nowhere"),
        ("ca_file", "/dev/null"),
        ("ca_file", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")),
        ("ca_pem", "text"),
    ] {
        let error = read(&[(name, text)]).and_then(crate::Client::new).expect_err(text);
        assert_eq!(error.argument(), Some(name), "{text}: {error}");
    }
    let plain = [("base_url", "http://localhost"), ("proxy", "http://proxy.example:3128")];
    let error = read(&plain).and_then(crate::Client::new).expect_err("plain http");
    assert_eq!(error.argument(), Some("base_url"), "{error}");
}

#[test]
fn a_verifier_needs_the_services_public_key_alone_and_refuses_the_merchants_own() {
    let (own, service) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
    let (own_key, service_key) = (own.public_key().to_base64(), service.public_key().to_base64());
    let private = own.private_key().to_base64();
    let read = |texts: &[(&str, &str)]| {
        let find = |name| texts.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned());
        WebhookVerifier::from_texts(|setting| find(setting.name)).map_err(|error| error.code())
    };
    assert!(read(&[("server_public_key", &service_key)]).is_ok());
    let both = format!("{service_key}, {own_key}");
    for (name, text) in [("private_key", private.as_str()), ("public_key", &own_key)] {
        assert!(read(&[("server_public_key", &service_key), (name, text)]).is_ok(), "{name}");
        let refused = read(&[("server_public_key", &both), (name, text)]).err();
        assert_eq!(refused, Some(crate::Code::InvalidKey), "{name}");
    }
    let ids = [("server_public_key", service_key.as_str()), ("server_key_id", "a, b"), ("key_id", "b")];
    assert_eq!(read(&ids).err(), Some(crate::Code::InvalidArgument));
    assert_eq!(read(&[("server_public_key", " , ")]).err(), Some(crate::Code::InvalidArgument));
}

#[test]
fn a_refused_setting_is_an_error_until_it_gets_a_value_or_is_unset() {
    let good = Keypair::generate().unwrap().public_key().to_base64();
    for (name, bad, good) in [
        ("base_url", "'https://pay.example'", "https://pay.example"),
        ("private_key", "k", ""),
        ("timeout_ms", "", "1"),
        ("allow_http", "yes", "0"),
        ("server_public_key", "k", good.as_str()),
        ("pin_spki", "sha1/x", ""),
        ("server_key_id", "\"a\"", "a"),
    ] {
        let mut config = read(&[]).unwrap();
        let refused = config.set(name, bad).unwrap_err();
        assert!(refused.message().contains(name) && !refused.message().contains("sha1/x"), "{refused}");
        assert_eq!(config.protocol().unwrap_err().message(), refused.message());
        let healed = if good.is_empty() { config.set(name, None) } else { config.set(name, good) };
        healed.unwrap();
        let is_key = name == "private_key";
        assert_eq!(
            config.protocol().map_err(|error| error.message().to_owned()).err(),
            is_key.then(|| "private_key is missing".to_owned()),
            "{name}"
        );
    }
    assert!(Config::default().set("time_out", "1").unwrap_err().message().contains("time_out"));
}

#[test]
fn what_is_not_set_is_what_the_table_says() {
    let defaults = SETTINGS.iter().filter_map(|row| Some((row.name, row.default?.to_owned())));
    assert_eq!(defaults.collect::<Vec<_>>(), texts(&read(&[]).unwrap()));
}
