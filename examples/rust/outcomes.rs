//! Shows what to do about each of the three outcomes of a call that failed: outcomes.
mod example;

use std::process::ExitCode;
use std::time::Duration;

use example::{Ended, show};
use merchantpay::{Amount, Client, Config, Keypair, Outcome, PaymentMethod, PaymentRequest, Result};

fn main() -> ExitCode {
    example::run(outcomes)
}

/// Prints what to do about an error. If a call succeeds although it should fail, the program fails.
fn print_outcome<T>(result: Result<T>) -> Ended {
    let error = result.err().ok_or("a call succeeded that had to fail")?;
    let decision = match error.outcome() {
        Outcome::NotSent => "safe to send again",
        Outcome::Rejected => "nothing took effect",
        // `Unknown`, and any outcome that a later version adds.
        _ => "ask for the status",
    };
    let reason = error.reason().map_or_else(String::new, |reason| format!(" {reason}"));
    println!("{} {}{reason}: {decision}", error.outcome(), error.code());
    Ok(())
}

/// Makes a client with the environment's settings, but with `text` as the value of the setting `name`.
fn client_with(name: &str, text: &str) -> Result<Client> {
    let changed = Config::from_texts(|setting| {
        if setting.name == name { Some(text.to_owned()) } else { std::env::var(setting.variable()).ok() }
    })?;
    Client::new(changed.max_retries(0))
}

fn outcomes() -> Ended {
    if std::env::args().len() > 1 {
        example::usage("outcomes");
    }
    let sum: Amount = "1500.55".parse()?;
    let request = PaymentRequest::new(sum, PaymentMethod::Sbp, "79001234567");
    let client = Client::new(Config::from_env()?)?;

    // No server listens at this URL, so no byte was sent.
    print_outcome(client_with("base_url", "http://127.0.0.1:1")?.new_payment(&request))?;

    // The service refuses the request, and signs its refusal.
    print_outcome(client.cancel("no-such-order"))?;

    // A client with a wrong service key cannot verify a reply. The service still executes the client's
    // requests.
    let order_id = client.new_payment(&request)?.order_id().to_owned();
    println!("order {order_id}");
    let other_key = Keypair::generate()?.public_key().to_base64();
    print_outcome(client_with("server_public_key", &other_key)?.confirm(&order_id))?;

    // Do not guess and confirm again: the status shows whether the first confirm took effect.
    show("status", client.wait(&order_id, Duration::from_secs(60))?.status());
    Ok(())
}
