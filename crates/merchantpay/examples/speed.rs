//! How long the core takes to verify a webhook and to prepare a request: the median of many calls, in nanoseconds, one line
//! each. `bench/python/overhead.py` compares the Python package with it.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use merchantpay::{Keypair, NewPayment, Protocol, RequestFields, WebhookVerifier};

/// The webhook that is verified here and there.
const BODY: &[u8] = include_bytes!("../../../bench/python/webhook.json");

fn main() -> merchantpay::Result<()> {
    let (service, merchant) = (Keypair::generate()?, Keypair::generate()?);
    let verifier = WebhookVerifier::new(service.public_key());
    let signature = service.private_key().sign(BODY).to_base64();
    println!("verify {}", median(|| verifier.verify(BODY, &signature, Some("service-1")).map(|event| event.payment().sum())));

    let signer = Arc::new(merchant.private_key().clone());
    let protocol = Protocol::new("https://pay.example", "merchant-1", signer, &[service.public_key()], &[])?;
    let prepare = || -> merchantpay::Result<_> {
        let mut fields = RequestFields::default();
        fields.sum = Some("1500.50".to_owned());
        fields.payment_method = Some("sbp".to_owned());
        fields.customer_account = Some("79001234567".to_owned());
        let request = fields.payment_request()?;
        let prepared = protocol.prepare(&NewPayment(&request))?;
        let headers: Vec<_> = prepared.request().headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Ok((headers, prepared.request().body().to_vec()))
    };
    println!("prepare {}", median(prepare));
    Ok(())
}

/// The median of batches, so that the clock's own cost does not count.
fn median<T>(mut work: impl FnMut() -> T) -> u128 {
    const BATCH: u32 = 20;
    let started = Instant::now();
    let mut batches = Vec::new();
    while started.elapsed() < Duration::from_secs(2) {
        let batch = Instant::now();
        (0..BATCH).for_each(|_| drop(black_box(work())));
        batches.push(batch.elapsed().as_nanos() / u128::from(BATCH));
    }
    batches.sort_unstable();
    batches.get(batches.len() / 2).copied().unwrap_or_default()
}
