//! Acts as the merchant, with requests that have the same bytes as the library's requests.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use merchantpay::{
    Error, Keypair, PaymentMethod, PaymentRequest, Protocol, Receipt, UnsignedRequest, operation,
};
use serde::Deserialize;

use crate::api::reply::Outgoing;
use crate::api::{OperationRequest, Origin, exchange};
use crate::app::AppState;
use crate::model::exchange::order_id_in;
use crate::model::fault::Fault;

/// The prepared requests have this URL, but the sandbox handles them without a network.
const BASE_URL: &str = "http://localhost";
/// The smallest file that every viewer accepts as a PDF.
const RECEIPT: &[u8] = b"%PDF-1.4\n% a receipt of the sandbox\n%%EOF\n";

/// The fields of a new payment.
#[derive(Deserialize)]
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

/// Acts as the merchant.
pub(crate) struct PlayedMerchant<'a> {
    app: &'a AppState,
    protocol: Protocol,
    /// `true` if the sandbox has the merchant's private key.
    signs: bool,
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

    /// Creates a payment. Its steps have no delay.
    pub(crate) async fn create(&self, payment: &NewPayment) -> Result<Answer, Error> {
        let method: PaymentMethod = payment.payment_method.parse()?;
        let mut request = PaymentRequest::new(
            payment.sum.parse::<merchantpay::Amount>()?,
            method,
            &payment.customer_account,
        );
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

    /// Confirms a payment. `fault` is a fault of the reply.
    pub(crate) async fn confirm(&self, order_id: &str, fault: Option<Fault>) -> Result<Answer, Error> {
        self.call(operation::confirm(order_id), fault).await
    }

    pub(crate) async fn cancel(&self, order_id: &str) -> Result<Answer, Error> {
        self.call(operation::cancel(order_id), None).await
    }

    pub(crate) async fn get_status(&self, order_id: &str) -> Result<Answer, Error> {
        self.call(operation::get_status(order_id), None).await
    }

    pub(crate) async fn attach_receipt(&self, order_id: &str) -> Result<Answer, Error> {
        let mut receipt = Receipt::new(order_id);
        receipt.add_bytes("receipt.pdf", "application/pdf", RECEIPT)?;
        self.call(operation::attach_receipt(&receipt), None).await
    }

    async fn call<R>(&self, request: UnsignedRequest<R>, fault: Option<Fault>) -> Result<Answer, Error> {
        let prepared = self.protocol.prepare(request)?;
        let operation = prepared.operation().name;
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
        let request = OperationRequest { operation, headers, body, origin: Origin::Sandbox(fault) };
        Ok(Answer(exchange(self.app, request).await))
    }
}

/// The reply to a call, if the sandbox sent a reply.
pub(crate) struct Answer(Option<Outgoing>);

impl Answer {
    /// The order that the reply is about.
    pub(crate) fn order_id(&self) -> Option<String> {
        order_id_in(&self.0.as_ref()?.body)
    }

    /// The text of the service's refusal; `None` without a refusal or without a reply.
    pub(crate) fn refusal(&self) -> Option<String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Refused {
            error_description: Option<String>,
        }
        serde_json::from_slice::<Refused>(&self.0.as_ref()?.body).ok()?.error_description
    }
}
