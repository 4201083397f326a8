//! TLS, certificates and passwords.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use merchantpay_databases::{Kind, Place, Servers};
use merchantpay_journal::store::{Database, Options};
use merchantpay_services::authority;
use rcgen::{CertificateParams, DnType, KeyPair};

use crate::rows::{create, insert, journal};
use crate::servers::{kill_sessions, over_tcp, with_password};

fn connect(url: &str) -> Result<(), String> {
    let database = Database::open(url, &Options::default()).map_err(|error| error.message().to_owned())?;
    // The tables are not there; a failure of the connection comes first.
    let error = match database.check() {
        Ok(()) => return Ok(()),
        Err(failure) => database.error(&failure, merchantpay::Outcome::NotSent).message().to_owned(),
    };
    assert!(!error.contains("secret"), "{error}");
    if error.contains("no tables of a journal") { Ok(()) } else { Err(error) }
}

fn refused(result: Result<(), String>, why: &str) {
    let text = result.unwrap_err();
    assert!(text.contains(why), "{text}");
}

fn verified(mode: &str, ca: &Path) -> String {
    format!("{mode}&ca_file={}", ca.display())
}

pub fn modes(servers: &Servers) {
    let place = servers.place();
    let begin = with_password(&place, "modes");
    let url = |host: &str, protection: &str| over_tcp(&place, &begin, host, protection);
    let own_ca = verified("verify-full", place.ca());
    connect(&url("localhost", &own_ca)).unwrap();
    connect(&url("127.0.0.1", "disable")).unwrap();
    refused(connect(&url("127.0.0.1", &own_ca)), "certificate");
    refused(connect(&url("localhost", "verify-full")), "certificate");
    refused(connect(&url("localhost", "verify-full&ca_file=/nonexistent.pem")), "/nonexistent.pem");
    refused(connect(&url("localhost", "prefer")), "unencrypted");
    if place.kind() == Kind::Postgresql {
        connect(&url("127.0.0.1", &verified("require", place.ca()))).unwrap();
        let other = place.write("other-ca.pem", &authority().pem());
        refused(connect(&url("127.0.0.1", &verified("require", &other))), "certificate");
    }
}

/// Puts a rule of access before PostgreSQL's others.
fn allow(place: &Place, rule: &str) {
    let file = place.server().join("data/pg_hba.conf");
    let rules = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{rule}\n{rules}")).unwrap();
    place.admin("SELECT pg_reload_conf()");
    std::thread::sleep(std::time::Duration::from_millis(300));
}

pub fn client_certificate(servers: &Servers) {
    let (place, authority, key) = (servers.place(), authority(), KeyPair::generate().unwrap());
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, "certified");
    let certificate = params.signed_by(&key, &authority).unwrap();
    let authority = place.write("clients.pem", &authority.pem());
    place.admin("CREATE ROLE certified LOGIN");
    place.admin(&format!("ALTER SYSTEM SET ssl_ca_file = '{}'", authority.display()));
    allow(&place, "hostssl all certified 127.0.0.1/32 cert");
    let certificate = place.write("client.pem", &certificate.pem());
    let key = place.write("client.key", &key.serialize_pem());
    let url = over_tcp(&place, "postgresql://certified@", "localhost", &verified("verify-full", place.ca()));
    let with = |key: &Path| {
        connect(&format!("{url}&client_cert={}&client_key={}", certificate.display(), key.display()))
    };
    refused(connect(&url), "certificate");
    with(&key).unwrap();
    refused(with(Path::new("/none.key")), "/none.key");
}

pub fn unverified(servers: &Servers) {
    let place = servers.place();
    let begin = with_password(&place, "unverified");
    let url = over_tcp(&place, &begin, "localhost", "require");
    if place.kind() == Kind::Postgresql {
        connect(&url).unwrap();
        // This server asks for the password itself, or for a digest that can be replayed.
        allow(&place, "hostssl all unverified 127.0.0.1/32 password");
        refused(connect(&url), "set ca_file");
        return connect(&format!("{url}&ca_file={}", place.ca().display())).unwrap();
    }
    refused(connect(&url), "the password is not sent");
    place.sql(&format!("CREATE USER open_to_all; GRANT ALL ON {}.* TO open_to_all", place.name()));
    connect(&url.replace("unverified:secret", "open_to_all")).unwrap();
}

pub fn password_file(servers: &Servers) {
    let place = servers.place();
    create(&place);
    let begin = with_password(&place, "rotated");
    let change = |password: &str| match place.kind() {
        Kind::Postgresql => place.sql(&format!("ALTER ROLE rotated PASSWORD '{password}'")),
        _ => place.sql(&format!("ALTER USER rotated IDENTIFIED BY '{password}'")),
    };
    let file = place.write("password", "secret one\nsecond line");
    change("secret one");
    let url = over_tcp(&place, &begin.replace(":secret", ""), "127.0.0.1", "disable");
    let options = Options { password_file: Some(file.clone()), ..Options::default() };
    let database = Database::open(&url, &options).unwrap();
    let check = || database.check().map_err(|failure| failure.to_string());
    insert(&database, "one");
    change("secret two");
    insert(&database, "two");
    kill_sessions(&place);
    refused(check(), "refuses the ");
    std::fs::write(&file, "secret two").unwrap();
    insert(&database, "three");
    std::fs::write(&file, "").unwrap();
    kill_sessions(&place);
    refused(check(), "is empty");
    std::fs::remove_file(&file).unwrap();
    refused(check(), "cannot be read");
}

pub fn without_password(servers: &Servers) {
    let place = servers.place();
    let own = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
    let own = own.trim_end();
    let url = |user: &str| {
        let url = place.url().replace("user=shop", &format!("user={user}"));
        url.replace("user=root", &format!("user={user}"))
    };
    if place.kind() == Kind::Postgresql {
        place.admin(&format!("CREATE ROLE {own} LOGIN; CREATE ROLE stranger LOGIN"));
        allow(&place, &format!("local all {own},stranger peer"));
        connect(&url(own)).unwrap();
        return refused(connect(&url("stranger")), "refuses the connection");
    }
    place.admin(&format!(
        "CREATE OR REPLACE USER {own}@localhost IDENTIFIED VIA unix_socket; GRANT ALL ON *.* TO {own}@localhost \
         WITH GRANT OPTION; CREATE USER stranger@localhost IDENTIFIED VIA unix_socket"
    ));
    connect(&url(own)).unwrap();
    refused(connect(&url("stranger")), "without a password");
}

pub fn pgpass(servers: &Servers) {
    let place = servers.place();
    let begin = with_password(&place, "asked");
    let url = over_tcp(&place, &begin.replace(":secret", ""), "127.0.0.1", "disable");
    refused(connect(&url), "asks for a password");
    let line = format!("127.0.0.1:{}:{}:asked:secret\n", place.port(), place.name());
    let file = place.write("pgpass", &line);
    let of_child = |mode: u32| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut host = Command::new(std::env::current_exe().unwrap());
        host.env("STORE_ROLE", "connect").env("PLACE", &url).env("PGPASSFILE", &file);
        String::from_utf8(host.output().unwrap().stdout).unwrap()
    };
    assert!(of_child(0o600).starts_with("Ok"), "{}", of_child(0o600));
    assert!(of_child(0o644).contains("0600"));
}

pub fn without_create_right(servers: &Servers) {
    let (place, _) = journal(servers);
    let sql = "CREATE ROLE clerk LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk";
    place.sql(sql);
    let url = place.url().replace("user=shop", "user=clerk");
    let options = Options { create: true, ..Options::default() };
    insert(&Database::open(&url, &options).unwrap(), "order");
    let empty = servers.place().url().replace("user=shop", "user=clerk");
    let error = Database::open(&empty, &options).unwrap_err();
    assert!(error.message().contains("permission denied"), "{error}");
}

pub fn play_connect() {
    println!("{:?}", connect(&std::env::var("PLACE").unwrap()));
}
