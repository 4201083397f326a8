//! Makes exactly one payment, whatever fails: recover FILE [PORT]. FILE is the journal: a path,
//! `postgresql://` or `mysql://`. The program receives webhooks on PORT; without PORT, on any free port. Kill the
//! program, lose its replies, and run it again with the same arguments: it continues the same payment.
mod example;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::{Router, routing::post};
use example::Ended;
use merchantpay::{Amount, Client, Config, Error, PaymentMethod, PaymentRequest};
use merchantpay_journal::{Journal, JournalConfig, Standing};
use tokio::task::{spawn, spawn_blocking};

fn main() -> ExitCode {
    example::run(recover)
}

#[tokio::main(flavor = "current_thread")]
async fn recover() -> Ended {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Ok(port)) = (arguments.next(), arguments.next().map_or(Ok(0), |port| port.parse()))
    else {
        example::usage("recover FILE [PORT]")
    };
    let client = Client::new(Config::from_env()?)?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening {}", listener.local_addr()?.port());
    let callback_url = format!("http://{}/hooks", listener.local_addr()?);
    let journal = Arc::new(Journal::open(&client, JournalConfig::new(file).callback_url(callback_url))?);
    let app = Router::new().route("/hooks/{token}", post(receive)).with_state(Arc::clone(&journal));
    spawn(async { axum::serve(listener, app).await });
    Ok(spawn_blocking(move || sell(&journal, "order-1017")).await??)
}

fn sell(journal: &Journal, reference: &str) -> Result<(), Error> {
    let request = PaymentRequest::new("1500.55".parse::<Amount>()?, PaymentMethod::Sbp, "79001234567");
    // A repeated call returns the same payment. If the reply is lost, a webhook still brings the credentials.
    let mut entry = journal.pay_async(reference, &request)?;
    println!("{reference} {}", entry.standing);
    loop {
        for news in journal.news(100)? {
            let task = match (news.succeeded, &news.credentials) {
                (true, _) => ": ship it",
                (false, Some(_)) => ": show the credentials",
                (false, None) => "",
            };
            println!("{} {}{task}", news.reference, news.standing);
            journal.acknowledge(&news)?;
        }
        if matches!(entry.standing, Standing::Final | Standing::Refused) && entry.acknowledged {
            return Ok(());
        }
        journal.settle(100)?;
        std::thread::sleep(Duration::from_millis(100));
        entry = journal.find(reference)?.unwrap_or(entry);
    }
}

async fn receive(
    State(journal): State<Arc<Journal>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let header = move |name: &str| headers.get(name).and_then(|text| text.to_str().ok()).map(str::to_owned);
    let (signature, key_id) = (header("x-signature").unwrap_or_default(), header("x-keyid"));
    let received =
        spawn_blocking(move || journal.receive(uri.path(), &body, &signature, key_id.as_deref())).await;
    received
        .ok()
        .and_then(|received| StatusCode::from_u16(received.http_status).ok())
        .unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
}
