//! TLS, certificates and passwords.

use std::path::Path;

use merchantpay_databases::{Postgresql, random};
use merchantpay_journal::store::{Database, Options};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use crate::Test;
use crate::places::{Kind, Place, Servers, mariadb, psql};
use crate::rows::insert;
use crate::servers::{DIRECT, kill_sessions, port, with_password};

pub const TESTS: &[Test] = &[
    ("protection: TLS is what the URL asks for", modes),
    ("protection: client certificate logs in", client_certificate),
    ("protection: no password goes to an unverified server", unverified),
    ("protection: password file is read for each connection", password_file),
    ("protection: role without the right to create uses the tables", without_create_right),
    ("protection: logins without a password", without_password),
];

/// Connects, and returns why that failed.
fn connect(url: &str, password_file: Option<&Path>) -> Result<(), String> {
    let options = Options { password_file: password_file.map(Path::to_owned), ..Options::default() };
    let database = Database::open(url, &options).map_err(|error| error.message().to_owned())?;
    // The tables are not there; a failure of the connection comes first.
    let error = match database.check() {
        Ok(()) => return Ok(()),
        Err(failure) => database.error(&failure, merchantpay::Outcome::NotSent).message().to_owned(),
    };
    assert!(!error.contains("secret"), "{error}");
    if error.contains("no tables of a journal") { Ok(()) } else { Err(error) }
}

fn ca(servers: &Servers, kind: Kind) -> String {
    let ca = if kind == Kind::Postgresql { servers.postgresql().ca() } else { servers.mariadb().ca() };
    ca.display().to_string()
}

fn refused(result: Result<(), String>, why: &str) {
    let text = result.unwrap_err();
    assert!(text.contains(why), "{text}");
}

fn modes(servers: &Servers) {
    for kind in DIRECT {
        let place = servers.place(kind);
        let user = format!("modes_{}", kind.name());
        let begin = with_password(kind, &place, &user);
        let (port, ca, name) = (port(servers, kind), ca(servers, kind), place.name());
        let mode = if kind == Kind::Postgresql { "sslmode" } else { "ssl-mode" };
        let url = |host: &str, more: &str| format!("{begin}{host}:{port}/{name}?{mode}={more}");
        connect(&url("localhost", &format!("verify-full&ca_file={ca}")), None).unwrap();
        connect(&url("127.0.0.1", "disable"), None).unwrap();
        refused(connect(&url("127.0.0.1", &format!("verify-full&ca_file={ca}")), None), "certificate");
        refused(connect(&url("localhost", "verify-full"), None), "certificate");
        refused(connect(&url("localhost", "verify-full&ca_file=/nonexistent.pem"), None), "/nonexistent.pem");
        refused(connect(&url("localhost", "prefer"), None), "unencrypted");
        if kind == Kind::Postgresql {
            connect(&url("127.0.0.1", &format!("require&ca_file={ca}")), None).unwrap();
            let (other, _) = authority();
            let file = write(&place, "other-ca.pem", &other.pem());
            refused(connect(&url("127.0.0.1", &format!("require&ca_file={file}")), None), "certificate");
        }
    }
}

fn authority() -> (CertifiedIssuer<'static, KeyPair>, KeyPair) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "another CA");
    let ca = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    (ca, KeyPair::generate().unwrap())
}

/// Writes a file that the server can read too.
fn write(place: &Place, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = if place.folder().is_dir() { place.folder() } else { place.folder().parent().unwrap() };
    let path = folder.join(format!("{}-{name}", random()));
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    path.display().to_string()
}

/// Puts a rule of access before the others.
fn allow(server: &Postgresql, rule: &str) {
    let file = server.host().join("data/pg_hba.conf");
    let rules = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{rule}\n{rules}")).unwrap();
    psql(server.host(), server.port(), "postgres", "SELECT pg_reload_conf()");
    std::thread::sleep(std::time::Duration::from_millis(300));
}

fn client_certificate(servers: &Servers) {
    let (server, place) = (servers.postgresql(), servers.place(Kind::Postgresql));
    let (authority, key) = authority();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, "certified");
    let certificate = params.signed_by(&key, &authority).unwrap();
    let server_ca = write(&place, "clients.pem", &authority.pem());
    psql(server.host(), server.port(), "postgres", "CREATE ROLE certified LOGIN");
    psql(server.host(), server.port(), "postgres", &format!("ALTER SYSTEM SET ssl_ca_file = '{server_ca}'"));
    allow(server, "hostssl all certified 127.0.0.1/32 cert");
    let (certificate, key) =
        (write(&place, "client.pem", &certificate.pem()), write(&place, "client.key", &key.serialize_pem()));
    let url = format!(
        "postgresql://certified@localhost:{}/{}?sslmode=verify-full&ca_file={}",
        server.port(),
        place.name(),
        server.ca().display()
    );
    refused(connect(&url, None), "certificate");
    connect(&format!("{url}&client_cert={certificate}&client_key={key}"), None).unwrap();
    refused(connect(&format!("{url}&client_cert={certificate}&client_key=/none.key"), None), "/none.key");
}

fn unverified(servers: &Servers) {
    let place = servers.place(Kind::Postgresql);
    let begin = with_password(Kind::Postgresql, &place, "unverified");
    let server = servers.postgresql();
    let url = |more: &str| format!("{begin}localhost:{}/{}?{more}", server.port(), place.name());
    connect(&url("sslmode=require"), None).unwrap();
    // This server asks for the password itself, or for a digest that can be replayed.
    allow(server, "hostssl all unverified 127.0.0.1/32 password");
    refused(connect(&url("sslmode=require"), None), "set ca_file");
    connect(&url(&format!("sslmode=require&ca_file={}", server.ca().display())), None).unwrap();

    let place = servers.place(Kind::Mariadb);
    let begin = with_password(Kind::Mariadb, &place, "unverified");
    let url = format!("{begin}localhost:{}/{}?ssl-mode=require", servers.mariadb().port(), place.name());
    refused(connect(&url, None), "the password is not sent");
    mariadb(
        place.folder(),
        &format!("CREATE USER open_to_all; GRANT ALL ON {}.* TO open_to_all", place.name()),
    );
    connect(&url.replace("unverified:secret", "open_to_all"), None).unwrap();
}

fn password_file(servers: &Servers) {
    for kind in DIRECT {
        let place = servers.place(kind);
        place.create();
        let user = format!("rotated_{}", kind.name());
        let begin = with_password(kind, &place, &user);
        let change = |password: &str| match kind {
            Kind::Postgresql => place.sql(&format!("ALTER ROLE {user} PASSWORD '{password}'")),
            _ => mariadb(place.folder(), &format!("ALTER USER {user} IDENTIFIED BY '{password}'")),
        };
        let file = std::env::temp_dir().join(format!("password-{}", random()));
        std::fs::write(&file, "secret one\nsecond line").unwrap();
        change("secret one");
        let url =
            format!("{}127.0.0.1:{}/{}", begin.replace(":secret", ""), port(servers, kind), place.name());
        let options = Options { password_file: Some(file.clone()), ..Options::default() };
        let database = Database::open(&url, &options).unwrap();
        insert(&database, "one");
        change("secret two");
        insert(&database, "two");
        kill_sessions(servers, kind, &place);
        refused(database.check().map_err(|failure| failure.to_string()), "refuses the ");
        std::fs::write(&file, "secret two").unwrap();
        insert(&database, "three");
        std::fs::write(&file, "").unwrap();
        kill_sessions(servers, kind, &place);
        refused(database.check().map_err(|failure| failure.to_string()), "is empty");
        std::fs::remove_file(&file).unwrap();
        refused(database.check().map_err(|failure| failure.to_string()), "cannot be read");
    }
}

fn without_password(servers: &Servers) {
    let own =
        String::from_utf8(std::process::Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
    let own = own.trim_end();
    let server = servers.postgresql();
    let place = servers.place(Kind::Postgresql);
    let roles = format!("CREATE ROLE {own} LOGIN; CREATE ROLE stranger LOGIN");
    psql(server.host(), server.port(), "postgres", &roles);
    allow(server, &format!("local all {own},stranger peer"));
    let url = |user: &str| place.url.replace("user=shop", &format!("user={user}"));
    connect(&url(own), None).unwrap();
    refused(connect(&url("stranger"), None), "refuses the connection");
    let place = servers.place(Kind::Mariadb);
    let sql = format!(
        "CREATE OR REPLACE USER {own}@localhost IDENTIFIED VIA unix_socket; GRANT ALL ON *.* TO {own}@localhost \
         WITH GRANT OPTION; CREATE USER stranger@localhost IDENTIFIED VIA unix_socket"
    );
    mariadb(place.folder(), &sql);
    connect(&place.url.replace("user=root", &format!("user={own}")), None).unwrap();
    refused(connect(&place.url.replace("user=root", "user=stranger"), None), "without a password");
    // Over TCP the server asks for the password that nobody has given.
    let begin = with_password(Kind::Postgresql, &servers.place(Kind::Postgresql), "asked");
    let url = format!("{}127.0.0.1:{}/postgres", begin.replace(":secret", ""), server.port());
    refused(connect(&url, None), "asks for a password");
    let pgpass = std::env::temp_dir().join(format!("pgpass-{}", random()));
    std::fs::write(&pgpass, format!("127.0.0.1:{}:postgres:asked:secret\n", server.port())).unwrap();
    let of_child = |mode: u32| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&pgpass, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut host = std::process::Command::new(std::env::current_exe().unwrap());
        host.env("STORE_ROLE", "connect").env("PLACE", &url).env("PGPASSFILE", &pgpass);
        String::from_utf8(host.output().unwrap().stdout).unwrap()
    };
    assert!(of_child(0o600).starts_with("Ok"), "{}", of_child(0o600));
    assert!(of_child(0o644).contains("0600"));
    std::fs::remove_file(&pgpass).unwrap();
}

fn without_create_right(servers: &Servers) {
    let (place, _) = servers.journal(Kind::Postgresql);
    let sql = "CREATE ROLE clerk LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk";
    place.sql(sql);
    let url = place.url.replace("user=shop", "user=clerk");
    let options = Options { create: true, ..Options::default() };
    insert(&Database::open(&url, &options).unwrap(), "order");
    let empty = servers.place(Kind::Postgresql).url.replace("user=shop", "user=clerk");
    let error = Database::open(&empty, &options).unwrap_err();
    assert!(error.message().contains("permission denied"), "{error}");
}

pub fn play_connect() {
    println!("{:?}", connect(&std::env::var("PLACE").unwrap(), None));
}
