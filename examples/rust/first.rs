//! The first payment.
use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest, PrivateKey, PublicKey};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = |name: &str| std::env::var(format!("MERCHANTPAY_{name}"));
    let private_key = PrivateKey::from_base64(&set("PRIVATE_KEY")?)?;
    let server_key = PublicKey::from_base64(&set("SERVER_PUBLIC_KEY")?)?;
    let client = Client::new(Config::new(set("BASE_URL")?, set("KEY_ID")?, private_key, server_key))?;
    let sum: Amount = "1500.50".parse()?;
    let payment = client.new_payment(&PaymentRequest::new(sum, PaymentMethod::Sbp, "79001234567"))?;
    println!("{}: pay {sum} RUB at {:?}", payment.order_id(), payment.deeplink());
    Ok(())
}
