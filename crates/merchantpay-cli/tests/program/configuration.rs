//! `sandbox`: the tool of each language reads the settings in its format. Also tests the key that the sandbox
//! keeps in a file.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::common::{program, run};
use merchantpay::{Keypair, PrivateKey};
use serde_json::{Value, json};

/// A running sandbox, which ends with the test.
pub struct Running(Child, Option<BufReader<ChildStdout>>);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a sandbox and reads its lines up to the last line of the settings, which begins with `last`.
pub fn configuration(args: &[&str], last: &str) -> (Running, String) {
    let mut command = program(&[&["sandbox", "--port", "0"], args].concat());
    let mut running = Running(command.stdout(Stdio::piped()).spawn().unwrap(), None);
    let (mut out, mut text) = (BufReader::new(running.0.stdout.take().unwrap()), String::new());
    loop {
        let start = text.len();
        assert!(out.read_line(&mut text).unwrap() > 0, "{text}");
        if text[start..].starts_with(last) {
            // The sandbox ends if it cannot print what follows.
            running.1 = Some(out);
            return (running, text);
        }
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("merchantpay-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn each_format_is_read_by_its_languages_own_tool() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let include = format!("-I{root}/include");
    let folder = folder("formats");
    let merchant = Keypair::generate().unwrap().public_key().to_base64();
    for (format, last, file, tool) in [
        ("json", "{", "a.json", &["python3", "-m", "json.tool"][..]),
        (
            "c",
            "}",
            "a.c",
            &["cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", &include],
        ),
        (
            "cpp",
            "}",
            "a.cpp",
            &["c++", "-std=c++11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", &include],
        ),
        ("python", ")", "a.py", &["python3", "-m", "py_compile"]),
        ("php", ");", "a.php", &["php", "-l"]),
        ("go", "}", "a.go", &["gofmt", "-e", "-l"]),
    ] {
        // A key id that every language must quote, and a key of the merchant that the sandbox does not have.
        for own in [&[][..], &["--key-id", "a\"b'c\\d$e%s?/", "--public-key", &merchant]] {
            let (_running, text) = configuration(&[&["--format", format], own].concat(), last);
            let path = folder.join(file);
            std::fs::write(&path, &text).unwrap();
            let checked = match Command::new(tool[0]).args(&tool[1..]).arg(&path).output() {
                Ok(checked) => checked,
                // A missing tool is no failure here: `make test` decides which tools are installed.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => panic!("{error}"),
            };
            assert!(checked.status.success(), "{format}: {}{text}", String::from_utf8_lossy(&checked.stderr));
            // gofmt lists the files that it would change.
            assert!(format != "go" || checked.stdout.is_empty(), "{text}");
            // The printed code lacks the key, so it reads the key from the environment.
            let reads_variable = text.contains("MERCHANTPAY_PRIVATE_KEY");
            assert_eq!(reads_variable, (format == "json") == own.is_empty(), "{text}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_key_id_with_every_quote_reaches_the_environment() {
    let folder = folder("environment");
    let merchant = Keypair::generate().unwrap().public_key().to_base64();
    let last = "MERCHANTPAY_SERVER_KEY_ID=sandbox-server";
    let ini =
        "$file = parse_ini_string(file_get_contents($argv[1])); echo $file['env']['MERCHANTPAY_KEY_ID'];";
    let shell = "set -a; . \"$1\"; printf %s \"$MERCHANTPAY_KEY_ID\"";
    for (format, last, file, tool) in [
        ("shell", "# Stop it", "settings.sh", &["sh", "-c", shell, "sh"][..]),
        ("dotenv", last, "settings.env", &["sh", "-c", shell, "sh"]),
        ("php-fpm", "env[MERCHANTPAY_SERVER_KEY_ID]", "pool.conf", &["php", "-r", ini]),
    ] {
        for key_id in ["plain", "a\"c\\d$e%s?/;#", "a\"b'c\\d$e%s?/`"] {
            let own = ["--format", format, "--key-id", key_id, "--public-key", &merchant];
            let (_running, text) = configuration(&own, last);
            let path = folder.join(file);
            std::fs::write(&path, &text).unwrap();
            let read = match Command::new(tool[0]).args(&tool[1..]).arg(&path).output() {
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => panic!("{error}"),
            };
            assert_eq!(String::from_utf8_lossy(&read.stdout), key_id, "{format}: {text}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_drop_in_escapes_what_systemd_expands() {
    let merchant = Keypair::generate().unwrap().public_key().to_base64();
    let own = ["--format", "systemd", "--key-id", "50%\"\\$A", "--public-key", &merchant];
    let (_running, text) = configuration(&own, "Environment=\"MERCHANTPAY_SERVER_KEY_ID");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1], "[Service]", "{text}");
    assert_eq!(lines[3], r#"Environment="MERCHANTPAY_KEY_ID=50%%\"\\$A""#);
    assert!(lines[2..].iter().all(|line| line.starts_with("Environment=\"MERCHANTPAY_")), "{text}");
}

#[test]
fn the_formats_say_the_same_in_each_languages_names() {
    let (_running, text) = configuration(&["--format", "json"], "{");
    let values: Value = serde_json::from_str(&text).unwrap();
    let value = |name: &str| values[name].as_str().unwrap().to_owned();
    let mut status = program(&["status", "no-such-order"]);
    status.env("MERCHANTPAY_BASE_URL", value("baseUrl")).env("MERCHANTPAY_KEY_ID", value("keyId"));
    status
        .env("MERCHANTPAY_PRIVATE_KEY", value("privateKey"))
        .env("MERCHANTPAY_SERVER_PUBLIC_KEY", value("serverPublicKey"));
    status.env("MERCHANTPAY_SERVER_KEY_ID", value("serverKeyId"));
    assert_eq!(run(status).error()["reason"], "order_not_found");
    assert_eq!(values["merchants"], json!([{"keyId": value("keyId"), "privateKey": value("privateKey")}]));
    let mut status = program(&["status", "no-such-order"]);
    for (variable, value) in values["environment"].as_object().unwrap() {
        status.env(variable, value.as_str().unwrap());
    }
    assert_eq!(run(status).error()["reason"], "order_not_found");

    for (format, last, names) in [
        (
            "c",
            "}",
            [
                "set_base_url(",
                "set_key_id(",
                "set_private_key(",
                "add_server_public_key(",
                "add_server_key_id(",
            ],
        ),
        (
            "cpp",
            "}",
            [
                ".set_base_url(",
                ".set_key_id(",
                ".set_private_key(",
                ".add_server_public_key(",
                ".add_server_key_id(",
            ],
        ),
        ("python", ")", ["base_url=", "key_id=", "private_key=", "server_public_key=", "server_key_id="]),
        ("php", ");", ["baseUrl:", "keyId:", "privateKey:", "serverPublicKey:", "serverKeyId:"]),
        ("go", "}", ["BaseURL:", "KeyID:", "PrivateKey:", "ServerPublicKey:", "ServerKeyID:"]),
    ] {
        let (_running, text) = configuration(&["--format", format], last);
        assert!(names.iter().all(|name| text.contains(name)), "{text}");
    }
}

#[test]
fn the_services_private_key_is_kept_in_a_file_of_its_owner() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = folder("server-key");
    let path = folder.join("key");
    let args = ["--format", "json", "--server-private-key-file", path.to_str().unwrap()];
    let public_key = || {
        let (_running, text) = configuration(&args, "{");
        serde_json::from_str::<Value>(&text).unwrap()["serverPublicKey"].as_str().unwrap().to_owned()
    };
    let first = public_key();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(PrivateKey::from_base64(kept.trim()).unwrap().public_key().to_base64(), first);
    assert_eq!(public_key(), first, "the same key when it starts again");

    std::fs::write(&path, "no key").unwrap();
    let ran = run(program(&[&["sandbox"][..], &args].concat()));
    assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_key")));
    let nowhere = run(program(&["sandbox", "--server-private-key-file", "/no/such/folder/key"]));
    assert_eq!(nowhere.status, 2);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_environment_is_what_is_printed_unless_a_format_is_given() {
    for args in [&[][..], &["--format", "shell"], &["--format", "env"]] {
        let (_running, text) = configuration(args, "# Stop it");
        assert_eq!(text.lines().filter(|line| line.starts_with("export MERCHANTPAY_")).count(), 7, "{text}");
    }
}

#[test]
fn a_sandbox_that_runs_shows_its_settings_in_each_format() {
    let (_running, text) = configuration(&["--format", "json"], "{");
    let url = serde_json::from_str::<Value>(&text).unwrap()["baseUrl"].as_str().unwrap().to_owned();
    let settings = |args: &[&str]| {
        run(program(&[&["sandbox", "control", "--sandbox", &url, "settings"], args].concat()))
    };
    assert!(settings(&[]).stdout.starts_with("# merchantpay sandbox at "));
    assert_eq!(settings(&["--format", "json", "--merchant", "sandbox-merchant"]).stdout, text);
    assert_eq!(settings(&["--merchant", "nobody"]).status, 2);
}
