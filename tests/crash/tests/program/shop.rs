//! A merchant who has the journal in a database and uses only the program.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use merchantpay_cli::journal_database;
use merchantpay_crash::{Mariadb, Postgresql, random};
use merchantpay_sandbox::{Delivery, Options, Sandbox};
use serde_json::Value;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_journal-program");

pub const PASSWORD: &str = "se/cr:et@1";

/// The limit after which a test is treated as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Shop {
    pub sandbox: Sandbox,
    /// The database's URL for a user with all permissions.
    pub url: String,
    pub password: Option<&'static str>,
}

/// The results of a run of the program.
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A server that listens on TCP.
pub enum Server {
    Postgresql(Postgresql),
    Mariadb(Mariadb),
}

impl Server {
    /// A server of each kind, with a database and these users: `shop` has all permissions, `reader` can only
    /// read, `strict` needs TLS.
    pub fn both() -> [(Server, String); 2] {
        let database = format!("journal_{}", random());
        let postgresql = Server::Postgresql(Postgresql::over_tcp());
        postgresql.run("postgres", &[&format!("CREATE DATABASE {database}")]);
        postgresql.run(
            &database,
            &[
                &format!("ALTER USER shop PASSWORD '{PASSWORD}'"),
                &format!("CREATE USER reader PASSWORD '{PASSWORD}'"),
                &format!("CREATE USER strict SUPERUSER PASSWORD '{PASSWORD}'"),
                "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader",
            ],
        );
        let mariadb = Server::Mariadb(Mariadb::over_tcp(true));
        mariadb.add_users(&database);
        [(postgresql, database.clone()), (mariadb, database)]
    }

    pub fn add_users(&self, database: &str) {
        self.run(
            "mysql",
            &[
                &format!("CREATE DATABASE {database}"),
                &format!("CREATE USER shop@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'"),
                &format!("CREATE USER reader@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'"),
                &format!("CREATE USER strict@'127.0.0.1' IDENTIFIED BY '{PASSWORD}' REQUIRE SSL"),
                &format!("GRANT ALL ON {database}.* TO shop@'127.0.0.1'"),
                &format!("GRANT ALL ON {database}.* TO strict@'127.0.0.1'"),
                &format!("GRANT SELECT ON {database}.* TO reader@'127.0.0.1'"),
            ],
        );
    }

    /// Runs statements as the server's owner, through its socket.
    pub fn run(&self, database: &str, statements: &[&str]) {
        let url = match self {
            Server::Postgresql(server) => {
                let socket = server.host().to_str().unwrap().replace('/', "%2F");
                format!("postgresql://shop@{socket}:{}/{database}", server.port())
            }
            Server::Mariadb(server) => {
                format!("mysql:///{database}?user=root&socket={}", server.socket().display())
            }
        };
        let store = journal_database(&url).unwrap();
        for statement in statements {
            store.run(statement, &[]).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
    }

    /// The URL of a database on TCP.
    pub fn url(&self, user: &str, host: &str, database: &str, more: &str) -> String {
        match self {
            Server::Postgresql(server) => {
                format!("postgresql://{user}@{host}:{}/{database}{more}", server.port())
            }
            Server::Mariadb(server) => format!("mysql://{user}@{host}:{}/{database}{more}", server.port()),
        }
    }

    pub fn restart(&mut self) {
        match self {
            Server::Postgresql(server) => server.restart(),
            Server::Mariadb(server) => server.restart(),
        }
    }
}

impl Shop {
    pub fn new(url: String) -> Shop {
        let options = Options { pace: Duration::ZERO, webhook_retries: Vec::new(), ..Options::default() };
        Shop { sandbox: Sandbox::start(options).unwrap(), url, password: Some(PASSWORD) }
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.settled(PROGRAM);
        command.arg("journal").args(args);
        command
    }

    /// A command with the settings for the program.
    pub fn settled(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MERCHANTPAY_")) {
            command.env_remove(name);
        }
        let sandbox = &self.sandbox;
        command
            .env("MERCHANTPAY_JOURNAL", &self.url)
            .env("MERCHANTPAY_BASE_URL", sandbox.url())
            .env("MERCHANTPAY_KEY_ID", sandbox.merchant_key_id())
            .env("MERCHANTPAY_PRIVATE_KEY", sandbox.merchant_private_key().unwrap().to_base64().as_str())
            .env("MERCHANTPAY_SERVER_PUBLIC_KEY", sandbox.server_public_key().to_base64())
            .env("MERCHANTPAY_CALLBACK_URL", "http://127.0.0.1:9/callback")
            .envs(self.password.map(|password| ("MERCHANTPAY_JOURNAL_PASSWORD", password)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    pub fn pay(&self, reference: &str) -> Ran {
        self.pay_from(reference, "79001234567")
    }

    /// Creates a payment that this customer's account pays.
    pub fn pay_from(&self, reference: &str, account: &str) -> Ran {
        let payment = ["--sum", "1500.50", "--payment-method", "sbp", "--customer-account", account];
        self.run(&[&["pay", "--reference", reference], &payment[..]].concat())
    }

    /// Passes a webhook that the service could not deliver to the journal, and returns the journal's answer.
    pub fn receive(&self, webhook: &Delivery) -> Value {
        let path = webhook.url.strip_prefix("http://127.0.0.1:9").unwrap();
        let mut command = self.command(&["receive", "--path", path, "--signature", &webhook.signature]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&webhook.body).unwrap();
        let ran = ran(child.wait_with_output().unwrap());
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["httpStatus"].clone()
    }

    /// The single output line of a successful command.
    pub fn line(&self, args: &[&str]) -> Value {
        self.run(args).line()
    }
}

impl Ran {
    pub fn line(&self) -> Value {
        assert_eq!((self.status, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The message of a command that fails with this status: one sentence without the password.
    pub fn message(&self, status: i32) -> String {
        assert_eq!(self.status, status, "{}{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains(PASSWORD), "{}", self.stderr);
        let error: Value = serde_json::from_str(&self.stderr).unwrap();
        error["error"]["message"].as_str().unwrap().to_owned()
    }
}

pub fn ran(output: Output) -> Ran {
    Ran {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Calls the function until it returns a value.
pub fn until<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "it does not happen");
        std::thread::sleep(Duration::from_millis(50));
    }
}
