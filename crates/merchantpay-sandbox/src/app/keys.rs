//! The keys of a sandbox: from the options, from the database, or new.

use std::io;

use merchantpay::{Error, Keypair, PrivateKey, PublicKey};

use crate::app::merchant::Merchants;
use crate::base::assumptions;
use crate::base::options::Options;
use crate::model::merchant_keys::MerchantKeys;
use crate::stores::database::Database;

/// The key id of the first merchant if the sandbox made the keys; the key id of the second merchant ends in
/// `-2`.
const MERCHANT_KEY_ID: &str = "sandbox-merchant";

pub(crate) struct Keys {
    pub(crate) merchants: Merchants,
    pub(crate) server: PrivateKey,
    /// A key that does not belong to the service, for signatures that must not verify.
    pub(crate) wrong_key: PrivateKey,
}

impl Keys {
    pub(crate) fn load(options: &Options, database: &Database) -> io::Result<Keys> {
        let server = match &options.server_private_key {
            Some(key) => key.clone(),
            None => saved_key(database, "serverPrivateKey")?,
        };
        if !(1..=assumptions::MOST_MERCHANTS).contains(&options.merchants) {
            let why = format!("there can be 1 to {} merchants", assumptions::MOST_MERCHANTS);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let first = match &options.merchant {
            Some((key_id, public_key)) => {
                MerchantKeys { key_id: key_id.clone(), public_key: *public_key, private_key: None }
            }
            None => made(database, 0)?,
        };
        let further = (1..options.merchants).map(|number| made(database, number));
        let further = further.collect::<io::Result<Vec<_>>>()?;
        let all = || std::iter::once(&first).chain(&further);
        let repeated = all().enumerate().any(|(number, merchant)| {
            merchant.key_id == options.server_key_id
                || merchant.public_key == server.public_key()
                || all().take(number).any(|earlier| earlier.key_id == merchant.key_id)
        });
        if repeated {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a merchant's key and key id must differ from the service's and from other merchants'",
            ));
        }
        let wrong_key = new_key()?;
        let others = [server.public_key(), wrong_key.public_key()];
        let merchants = Merchants::new(first, further, &options.server_key_id, &others).map_err(invalid)?;
        Ok(Keys { merchants, server, wrong_key })
    }

    /// Saves the public key that replaces generated keys of a merchant.
    pub(crate) fn save_public_key(database: &Database, number: usize, key: PublicKey) {
        database.save_setting(&numbered("merchantPublicKey", "", number), &key.to_base64());
    }
}

/// The generated keys of the merchant with this number, unless a public key has replaced them.
fn made(database: &Database, number: usize) -> io::Result<MerchantKeys> {
    let key_id = numbered(MERCHANT_KEY_ID, "-", number);
    if let Some(text) = database.setting(&numbered("merchantPublicKey", "", number)) {
        let public_key = PublicKey::from_base64(&text).map_err(invalid)?;
        return Ok(MerchantKeys { key_id, public_key, private_key: None });
    }
    let key = saved_key(database, &numbered("merchantPrivateKey", "", number))?;
    Ok(MerchantKeys { key_id, public_key: key.public_key(), private_key: Some(key) })
}

/// The name of a key of the merchant with this number. The names of the first merchant's keys have no number.
fn numbered(name: &str, separator: &str, number: usize) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}{separator}{}", number + 1) }
}

/// The saved private key with this name, or a new private key that is then saved under this name.
fn saved_key(database: &Database, name: &str) -> io::Result<PrivateKey> {
    if let Some(text) = database.setting(name) {
        return PrivateKey::from_base64(&text).map_err(invalid);
    }
    let key = new_key()?;
    database.save_setting(name, &key.to_base64());
    Ok(key)
}

fn new_key() -> io::Result<PrivateKey> {
    Ok(Keypair::generate().map_err(invalid)?.private_key().clone())
}

fn invalid(error: Error) -> io::Error {
    io::Error::other(error)
}
