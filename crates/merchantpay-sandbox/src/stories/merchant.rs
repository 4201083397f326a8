//! Acts as the merchant, with requests that have the same bytes as the library's requests.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use merchantpay::{
    Amount, Error, Keypair, PaymentMethod, PaymentRequest, Protocol, Receipt, UnsignedRequest, operation,
};
use serde::Deserialize;

use crate::api::{Origin, exchange};
use crate::app::AppState;
use crate::model::fault::Fault;
use crate::model::state::MerchantAction;

/// The prepared requests have this URL, but the sandbox handles them without a network.
const BASE_URL: &str = "http://localhost";
/// The smallest file that every viewer accepts as a PDF.
const RECEIPT: &[u8] = b"%PDF-1.4\n% a receipt of the sandbox\n%%EOF\n";

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewPayment {
    pub(crate) sum: String,
    pub(crate) payment_method: String,
    pub(crate) customer_account: String,
    pub(crate) merchant_id: Option<String>,
    pub(crate) status_webhook_url: Option<String>,
    /// If set, the payment is made by `newPaymentAsync`.
    pub(crate) credentials_webhook_url: Option<String>,
}

pub(crate) struct PlayedMerchant<'a> {
    app: &'a AppState,
    protocol: Protocol,
    /// `true` if the sandbox has the merchant's private key.
    signs: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Answer {
    pub(crate) order_id: Option<String>,
    error_description: Option<String>,
}

impl Answer {
    /// The error is the text of the service's refusal.
    pub(crate) fn accepted(self) -> Result<Option<String>, String> {
        self.error_description.map_or(Ok(self.order_id), Err)
    }
}

impl<'a> PlayedMerchant<'a> {
    pub(crate) fn of(app: &'a AppState) -> Result<PlayedMerchant<'a>, Error> {
        let keys = app.merchant();
        let own = keys.private_key.clone();
        let signs = own.is_some();
        let key = match own {
            Some(key) => key,
            None => Keypair::generate()?.private_key().clone(),
        };
        let server_key = app.keys.key.public_key();
        let protocol = Protocol::new(BASE_URL, &keys.key_id, Arc::new(key), &[server_key], &[])?;
        Ok(PlayedMerchant { app, protocol, signs })
    }

    pub(crate) async fn create(&self, payment: &NewPayment) -> Result<Answer, Error> {
        let method: PaymentMethod = payment.payment_method.parse()?;
        let sum: Amount = payment.sum.parse()?;
        let mut request = PaymentRequest::new(sum, method, &payment.customer_account);
        if let Some(merchant_id) = &payment.merchant_id {
            request = request.merchant_id(merchant_id);
        }
        if let Some(url) = &payment.status_webhook_url {
            request = request.status_webhook_url(url);
        }
        if let Some(url) = &payment.credentials_webhook_url {
            request = request.credentials_webhook_url(url);
            return self.call(operation::new_payment_async(&request), None).await;
        }
        self.call(operation::new_payment(&request), None).await
    }

    /// Calls an operation of a payment. `fault` is a fault of the reply.
    pub(crate) async fn act(
        &self,
        action: MerchantAction,
        order_id: &str,
        fault: Option<Fault>,
    ) -> Result<Answer, Error> {
        match action {
            MerchantAction::Confirm => self.call(operation::confirm(order_id), fault).await,
            MerchantAction::Cancel => self.call(operation::cancel(order_id), fault).await,
            MerchantAction::GetStatus => self.call(operation::get_status(order_id), fault).await,
            MerchantAction::AttachReceipt => {
                let mut receipt = Receipt::new(order_id);
                receipt.add_bytes("receipt.pdf", "application/pdf", RECEIPT)?;
                self.call(operation::attach_receipt(&receipt), fault).await
            }
        }
    }

    async fn call<R>(&self, request: UnsignedRequest<R>, fault: Option<Fault>) -> Result<Answer, Error> {
        let prepared = self.protocol.prepare(request)?;
        let mut headers = HeaderMap::new();
        for (name, value) in prepared.request().headers() {
            // Without the merchant's private key a temporary key signed the request. This signature would be
            // wrong, so the header is left out.
            if !self.signs && name.eq_ignore_ascii_case("X-Signature") {
                continue;
            }
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
                headers.insert(name, value);
            }
        }
        let body = Bytes::copy_from_slice(prepared.request().body());
        let reply = exchange(self.app, prepared.operation(), headers, body, Origin::Sandbox(fault)).await;
        Ok(reply.and_then(|reply| serde_json::from_slice(&reply.body).ok()).unwrap_or_default())
    }
}
