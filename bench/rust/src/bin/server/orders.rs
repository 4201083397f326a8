//! Makes and signs a reply for each request. Each `/new` makes a new order; the reply to any other operation
//! is about the order that the request names.

use std::sync::atomic::{AtomicU64, Ordering};

use merchantpay::Keypair;
use merchantpay_bench::Result;

use crate::{field, reply};

pub struct Orders {
    keys: Keypair,
    /// The body of a webhook about the order `order_id`.
    template: String,
    order_id: String,
    made: AtomicU64,
}

impl Orders {
    pub fn new(keys: &Keypair, template: &str, order_id: &str) -> Orders {
        Orders {
            keys: keys.clone(),
            template: template.to_owned(),
            order_id: order_id.to_owned(),
            made: AtomicU64::new(0),
        }
    }

    /// Makes the reply to a request.
    ///
    /// # Errors
    ///
    /// Fails if a request of another operation than `/new` does not name an order.
    pub fn reply(&self, head: &str, body: &[u8]) -> Result<Vec<u8>> {
        let is_new = head.split(' ').nth(1).is_some_and(|path| path.ends_with("/new"));
        let body = if is_new {
            // The reply to `/new` has a currency instead of a status.
            let body = self.template.replace("\"status\":\"doneSuccess\"", "\"currency\":\"RUB\"");
            body.replace(&self.order_id, &made_order(self.made.fetch_add(1, Ordering::Relaxed)))
        } else {
            let order_id = field(std::str::from_utf8(body)?, "\"orderId\":\"", '"')
                .ok_or("a request without an order")?;
            self.template.replace(&self.order_id, order_id)
        };
        Ok(reply(&self.keys, &body))
    }
}

/// The order id for a number. Successive ids are not sorted, like a real service's: the finaliser of splitmix64
/// maps different numbers to different numbers.
fn made_order(number: u64) -> String {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    format!("sb-{:024x}", mixed ^ (mixed >> 31))
}
