//! `--env-file` and `MERCHANTPAY_ENV_FILE`: the format, the precedence, and what reads the file's variables.

use merchantpay::Keypair;

use crate::*;

impl Folder {
    fn write(&self, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.join("merchantpay.env");
        std::fs::write(&file, text).unwrap();
        file
    }

    fn journal(&self, name: &str) -> String {
        self.join(name).to_str().unwrap().to_owned()
    }
}

fn with(file: &Path, args: &[&str]) -> Command {
    program(&[&["--env-file", file.to_str().unwrap()], args].concat())
}

/// The place of the journal that the program creates.
fn created(command: Command) -> String {
    run(command).reply()["journal"].as_str().unwrap().to_owned()
}

/// Values after `FOLDER/`, as they are written in a file, and as they are read.
const VALUES: &[(&str, &str)] = &[
    ("FOLDER/plain", "plain"),
    ("FOLDER/a?user=shop&host=b", "a?user=shop&host=b"),
    ("FOLDER/pa$$word;touch ${HOME} `id` # no comment", "pa$$word;touch ${HOME} `id` # no comment"),
    (" \tFOLDER/blanks \t ", "blanks"),
    ("FOLDER/it's \"quoted\".db", "it's \"quoted\".db"),
    (r"FOLDER/back\\slash\'s\ a", r"back\slash's a"),
    ("FOLDER/one\\\n  line", "one  line"),
    ("\\\nFOLDER/next line", "next line"),
    ("'FOLDER/$a \\ \"b\" ;'", "$a \\ \"b\" ;"),
    (r#""FOLDER/\$a \\ \"b\" \`c\` \d 'e';""#, r#"$a \ "b" `c` \d 'e';"#),
    ("\"FOLDER/one\\\nline\"", "oneline"),
    ("'FOLDER/a'\"b\" 'c'd", "abcd"),
    ("'FOLDER/касса'", "касса"),
];

fn assignment(folder: &Folder, written: &str) -> String {
    format!("MERCHANTPAY_JOURNAL={}\n", written.replace("FOLDER", folder.to_str().unwrap()))
}

#[test]
fn values_have_the_format_of_systemd() {
    for (written, name) in VALUES {
        let folder = Folder::new();
        let file = folder.write(assignment(&folder, written));
        let mut init = with(&file, &["journal", "init"]);
        init.env("LC_ALL", "C");
        assert_eq!(created(init), folder.journal(name), "{written}");
        assert!(Path::new(&folder.journal(name)).exists(), "{written}");
        is_the_same_for_systemd(&file, "MERCHANTPAY_JOURNAL", &folder.journal(name));
    }
}

/// systemd reads `os-release` by the code that reads environment files, and can compare a value with a text.
fn is_the_same_for_systemd(file: &Path, name: &str, value: &str) {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    let condition = format!("ConditionOSRelease={name}=\"{value}\"");
    let mut analyze = Command::new("systemd-analyze");
    match analyze.args(["condition", &condition]).env("SYSTEMD_OS_RELEASE", file).output() {
        Ok(ran) => assert!(ran.status.success(), "{condition}: {}", String::from_utf8_lossy(&ran.stderr)),
        // `make test` decides which tools are installed.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
    }
}

#[test]
fn accepts_windows_files_and_foreign_variables() {
    let folder = Folder::new();
    let journal = folder.journal("payments.db");
    let text = format!(
        "\u{feff}# касса\r\n; also a comment\r\n \r\nDJANGO_SETTINGS=shop 1\r\nEMPTY=\r\n\
         MERCHANTPAY_JOURNAL=/an/older/line\r\n  MERCHANTPAY_JOURNAL = {journal}\r\nLAST=1"
    );
    assert_eq!(created(with(&folder.write(&text), &["journal", "init"])), journal);
    let latin = [text.as_bytes(), b"\r\n# \xe9\r\nSHOP_NAME=\xe9\r"].concat();
    assert_eq!(created(with(&folder.write(latin), &["journal", "init"])), journal);
}

#[test]
fn wrong_lines_are_named_without_their_values() {
    let folder = Folder::new();
    let first = "A=1\n# 2\n";
    for (line, says) in [
        ("export MERCHANTPAY_PRIVATE_KEY=secret", "line 3 sets MERCHANTPAY_PRIVATE_KEY by `export`"),
        ("secret", "line 3 is not NAME=value"),
        ("MERCHANTPAY_JOURNAL secret=1", "line 3 is not NAME=value"),
        ("secret/+x=", "line 3 is not NAME=value"),
        ("=secret", "line 3 is not NAME=value"),
        ("A='x\ny'\nsecret", "line 5 is not NAME=value"),
        ("A=x\\\ny\nsecret", "line 5 is not NAME=value"),
        ("MERCHANTPAY_KEY_ID=\"secret\nA=1\n", "line 3 begins a quote"),
        ("MERCHANTPAY_KEY_ID='secret", "line 3 begins a quote"),
        ("MERCHANTPAY_KEY_ID=\"secret\" # mine", "line 3 has a comment after a value"),
        ("# secret \\\nMERCHANTPAY_KEY_ID=1", "line 3 is a comment that ends with a backslash"),
        ("MERCHANTPAY_KEY_ID=secret\0", "line 3 contains a NUL"),
        ("MERCHANTPAY_ENV_FILE=/secret", "line 3 names another file"),
    ] {
        let ran = run(with(&folder.write(format!("{first}{line}")), &["keygen"]));
        let message = ran.message();
        assert_eq!(ran.status, 2, "{line}: {message}");
        assert!(message.contains(says) && message.contains("merchantpay.env"), "{line}: {message}");
        assert!(!message.contains("secret"), "{line}: {message}");
    }
    let ran = run(with(&folder.write(b"MERCHANTPAY_KEY_ID=\xe9\n"), &["keygen"]));
    assert!(ran.stderr.contains("line 1 is not UTF-8"), "{}", ran.stderr);
    let utf16: Vec<u8> = "\u{feff}A=1".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(run(with(&folder.write(utf16), &["keygen"])).stderr.contains("UTF-16"));
    let missing = run(with(&folder.join("missing"), &["keygen"]));
    assert_eq!((missing.status, missing.error()["code"].as_str()), (2, Some("invalid_argument")));
}

#[test]
fn flag_beats_file_beats_environment() {
    let folder = Folder::new();
    let (by_flag, by_file, old) = (folder.journal("flag"), folder.journal("file"), folder.journal("old"));
    let file = folder.write(format!("MERCHANTPAY_JOURNAL={by_file}\n"));
    let path = file.to_str().unwrap();
    for (args, journal) in [
        (&["--env-file", path, "journal", "init"][..], &by_file),
        (&["journal", "--env-file", path, "init"], &by_file),
        (&["journal", "init", &format!("--env-file={path}")], &by_file),
        (&["journal", "init", "--env-file", path, "--journal", &by_flag], &by_flag),
        (&["journal", "init"], &old),
    ] {
        let mut init = program(args);
        init.env("MERCHANTPAY_JOURNAL", &old);
        assert_eq!(&created(init), journal, "{args:?}");
    }
    for (args, journal) in [(&[][..], &by_file), (&["--env-file", "/dev/null"], &old)] {
        let mut init = program(&[args, &["journal", "init"]].concat());
        init.env("MERCHANTPAY_JOURNAL", &old).env("MERCHANTPAY_ENV_FILE", &file);
        assert_eq!(&created(init), journal, "{args:?}");
    }
    let mut emptied = with(&folder.write("MERCHANTPAY_JOURNAL=\n"), &["journal", "init"]);
    emptied.env("MERCHANTPAY_JOURNAL", &old);
    assert!(run(emptied).stderr.contains("MERCHANTPAY_JOURNAL"), "an empty value is a missing one");
}

#[test]
fn every_setting_is_read_from_the_file() {
    let (folder, sandbox) = (Folder::new(), sandbox());
    let key = folder.join("private.key");
    std::fs::write(&key, sandbox.merchant_private_key().unwrap().to_base64().as_str()).unwrap();
    let text = format!(
        "MERCHANTPAY_BASE_URL={}\nMERCHANTPAY_KEY_ID='{}'\nMERCHANTPAY_PRIVATE_KEY_FILE={}\n\
         MERCHANTPAY_SERVER_PUBLIC_KEY={}\nMERCHANTPAY_JOURNAL={}\nMERCHANTPAY_CA_PEM=\"one\ntwo\"\n",
        sandbox.url(),
        sandbox.merchant_key_id(),
        key.display(),
        sandbox.server_public_key().to_base64(),
        folder.journal("payments.db"),
    );
    let file = folder.write(text.replace("MERCHANTPAY_CA_PEM", "OTHER"));
    let old_shell = |mut command: Command| {
        command.env("MERCHANTPAY_KEY_ID", "of-the-shell").env("MERCHANTPAY_BASE_URL", "http://127.0.0.1:1");
        command.env("MERCHANTPAY_PRIVATE_KEY", "of-the-shell");
        command.env("MERCHANTPAY_JOURNAL_PASSWORD", "of-the-shell");
        run(command)
    };
    assert_eq!(old_shell(with(&file, &["status", "no-such-order"])).error()["reason"], "order_not_found");
    old_shell(with(&file, &["journal", "init"])).reply();
    assert_eq!(old_shell(with(&file, &["journal", "stats"])).reply()["attention"], 0);

    let said = |ran: &Ran, text: &str| ran.stdout.lines().any(|line| line.contains(text));
    let checked = old_shell(with(&file, &["doctor"]));
    let origin = format!("from MERCHANTPAY_KEY_ID in {}", file.display());
    assert!(said(&checked, &origin), "{}", checked.stdout);
    let file = folder.write(format!("{text}SSL_CERT_FILE=/ca.pem\nMERCHANTPAY_BASE_ULR=x\n"));
    let checked = old_shell(with(&file, &["doctor"]));
    for text in ["did you mean MERCHANTPAY_BASE_URL?", "SSL_CERT_FILE has no effect", "ca_pem"] {
        assert!(said(&checked, text), "{text}: {}", checked.stdout);
    }

    let password = folder.write(
        "MERCHANTPAY_JOURNAL=mysql://shop@127.0.0.1:1/shop\nMERCHANTPAY_JOURNAL_PASSWORD_FILE=/missing\n",
    );
    assert!(old_shell(with(&password, &["journal", "init"])).stderr.contains("/missing"));
}

/// A file of the real service must not reach a program that was started for the sandbox.
#[test]
fn sandbox_command_gets_no_file_settings() {
    let folder = Folder::new();
    let file = folder.write("MERCHANTPAY_BASE_URL=https://real.example\nMERCHANTPAY_PROXY=http://real.example:1\nMERCHANTPAY_PROGRAM=mine\n");
    let show = ["sandbox", "--port", "0", "--", "env"];
    let mut by_variable = program(&show);
    by_variable.env("MERCHANTPAY_ENV_FILE", &file);
    for command in [with(&file, &show), by_variable] {
        let ran = run(command);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("MERCHANTPAY_BASE_URL=http://127.0.0.1:"), "{}", ran.stdout);
        assert!(!ran.stdout.contains("real.example") && !ran.stdout.contains("ENV_FILE"), "{}", ran.stdout);
        assert!(ran.stdout.contains("MERCHANTPAY_PROGRAM=mine"), "it describes the installation");
    }
}

#[test]
fn printed_settings_keep_every_quote() {
    let (folder, merchant) = (Folder::new(), Keypair::generate().unwrap().public_key().to_base64());
    for (format, last) in [("shell", "# Stop it"), ("env-file", "MERCHANTPAY_SANDBOX_URL=")] {
        for key_id in ["plain", "a\"c\\d$e%s?/;#&", "a\"b'c\\d$e%s?/`"] {
            let own = ["--format", format, "--key-id", key_id, "--public-key", &merchant];
            let (_running, text) = sandbox_with_settings(&own, last);
            let file = folder.write(text);
            let mut shell = Command::new("sh");
            shell.args(["-c", "set -a; . \"$1\"; printf %s \"$MERCHANTPAY_KEY_ID\"", "sh"]).arg(&file);
            assert_eq!(run(shell).stdout, key_id, "{format}");
            if format == "shell" {
                continue;
            }
            let checked = run(with(&file, &["doctor"]));
            let mut findings = checked.lines().into_iter().map(|finding| finding["message"].clone());
            let read = Value::from(format!("key_id {key_id} from MERCHANTPAY_KEY_ID in {}", file.display()));
            assert!(findings.any(|text| text == read), "{key_id}: {}", checked.stdout);
            is_the_same_for_systemd(&file, "MERCHANTPAY_KEY_ID", key_id);
        }
    }
    let (_running, text) = sandbox_with_settings(&["--format", "dotenv"], "MERCHANTPAY_SANDBOX_URL=");
    let status = run(with(&folder.write(text), &["status", "no-such-order"]));
    assert_eq!(status.error()["reason"], "order_not_found");
}

#[test]
fn refuses_bad_path_and_endless_file() {
    let wrong = |path: &str, fault: &str| {
        let mut by_variable = program(&["keygen"]);
        by_variable.env("MERCHANTPAY_ENV_FILE", path);
        for command in [program(&["--env-file", path, "keygen"]), by_variable] {
            let ran = run(command);
            assert_eq!(ran.status, 2, "{path:?}");
            assert!(ran.message().contains(fault), "{path:?}: {}", ran.stderr);
        }
    };
    wrong("\"/etc/merchantpay.env\"", "wrapped in quotes");
    wrong("/etc/merchantpay.env\r", "ends with CR");
    if cfg!(unix) {
        wrong("/dev/zero", "larger than 1 MiB");
    }
}

#[test]
fn file_key_reaches_keyless_sandbox_command() {
    let folder = Folder::new();
    let file = folder.write("MERCHANTPAY_PRIVATE_KEY_FILE=/of/the/file\n");
    let public = Keypair::generate().unwrap().public_key().to_base64();
    let script = "echo \"${MERCHANTPAY_PRIVATE_KEY-none} $MERCHANTPAY_PRIVATE_KEY_FILE\"";
    let sandbox =
        ["sandbox", "--port", "0", "--key-id", "m", "--public-key", &public, "--", "sh", "-c", script];
    let mut command = with(&file, &sandbox);
    command.env("MERCHANTPAY_PRIVATE_KEY", "of the shell");
    assert_eq!(run(command).stdout, "none /of/the/file\n");
}
