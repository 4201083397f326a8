//! The keys of a sandbox: given by the options, kept in the database, or new.

use std::io;

use merchantpay::{Error, Keypair, PrivateKey};

use crate::app::merchant::Merchant;
use crate::base::options::Options;
use crate::stores::database::Database;

/// The key id of a merchant whose keys the sandbox has made.
const MERCHANT_KEY_ID: &str = "sandbox-merchant";

pub(crate) struct Keys {
    pub(crate) merchant: Merchant,
    /// `None` if the options gave the merchant's public key.
    pub(crate) merchant_private_key: Option<PrivateKey>,
    pub(crate) server: PrivateKey,
    /// A key that is not the service's, for signatures that must not verify.
    pub(crate) wrong_key: PrivateKey,
}

impl Keys {
    pub(crate) fn load(options: &Options, database: &Database) -> io::Result<Keys> {
        let server = match &options.server_private_key {
            Some(key) => key.clone(),
            None => saved_key(database, "serverPrivateKey")?,
        };
        let (merchant, merchant_private_key) = match &options.merchant {
            Some((key_id, public_key)) => {
                (Merchant { key_id: key_id.clone(), public_key: *public_key }, None)
            }
            None => {
                let made = saved_key(database, "merchantPrivateKey")?;
                let merchant = Merchant { key_id: MERCHANT_KEY_ID.to_owned(), public_key: made.public_key() };
                (merchant, Some(made))
            }
        };
        if merchant.key_id == options.server_key_id || merchant.public_key == server.public_key() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the merchant's key and key id must differ from the service's",
            ));
        }
        Ok(Keys { merchant, merchant_private_key, server, wrong_key: new_key()? })
    }
}

/// The private key of that name, or a new one that is saved under it.
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
