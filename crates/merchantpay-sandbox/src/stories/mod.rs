//! Stories: prepared examples of payments, each run from its beginning to its end. One table defines the
//! stories for the console, the control API and the program.

mod merchant;
mod play;
mod receiver_check;

use serde::Serialize;

use crate::model::webhook::WebhookAction;

pub(crate) use merchant::{NewPayment, PlayedMerchant};
pub(crate) use play::play;
pub(crate) use receiver_check::{ReceiverReport, check_receiver};

/// One story. The sandbox acts as the merchant, as the customer and, in some stories, as a forger.
#[derive(Serialize)]
pub(crate) struct Story {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The events, in their order.
    pub(crate) events: &'static str,
    /// Advice for the merchant's program.
    pub(crate) advice: &'static str,
    /// The customer account, which may be a test account.
    #[serde(skip)]
    account: &'static str,
    #[serde(skip)]
    acts: &'static [Act],
}

/// One act of a story.
enum Act {
    NewPayment,
    NewPaymentAsync,
    Confirm,
    /// The merchant's confirm takes effect, but the reply is lost.
    ConfirmWithoutReply,
    GetStatus,
    AttachReceipt,
    /// An action on the next webhook.
    NextWebhook(WebhookAction, Option<u64>),
    /// A forger sends a webhook that reports success.
    ForgedWebhook,
}

/// A customer account that is not a test account, so it has no effect.
const CUSTOMER: &str = "79001234567";
/// This delay is enough to see in the console that the payment is already final.
const LATE_MS: u64 = 1_000;

pub(crate) const STORIES: &[Story] = &[
    Story {
        name: "paid",
        title: "Paid",
        events: "The customer pays the whole sum, and the merchant confirms. The webhook reports doneSuccess.",
        advice: "Deliver the order after a verified webhook, or after getStatus, with doneSuccess and the whole sum.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, Act::Confirm],
    },
    Story {
        name: "paid-less",
        title: "Paid less",
        events: "The customer pays a tenth less. The webhook reports doneSuccess with the smaller sum.",
        advice: "Compare the sum with the sum of the order: doneSuccess alone does not say that all of it was paid.",
        account: "pays-less",
        acts: &[Act::NewPayment, Act::Confirm],
    },
    Story {
        name: "no-credentials",
        title: "No credentials",
        events: "No payee is found for a payment by newPaymentAsync. The webhook reports it, and the payment is doneFail.",
        advice: "Offer the customer another method. Nobody has paid, so there is nothing to cancel.",
        account: "no-credentials",
        acts: &[Act::NewPaymentAsync],
    },
    Story {
        name: "arbitration",
        title: "Arbitration",
        events: "The service asks for a receipt, the merchant attaches one, and the payment is doneSuccess.",
        advice: "receiptRequired is not final: ask the customer for the receipt, attach it, and wait.",
        account: "arbitration",
        acts: &[Act::NewPayment, Act::Confirm, Act::AttachReceipt],
    },
    Story {
        name: "lost-response",
        title: "Lost response",
        events: "The merchant confirms, and the connection closes before the reply. The payment was \
             confirmed nevertheless.",
        advice: "The outcome of the call is unknown: ask getStatus before anything is sent again.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, Act::ConfirmWithoutReply, Act::GetStatus],
    },
    Story {
        name: "late-webhook",
        title: "Late webhook",
        events: "The payment is doneSuccess, and its webhook comes a second later.",
        advice: "Do not wait for the webhook alone: getStatus shows the status earlier, and then the \
             webhook changes nothing.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, Act::NextWebhook(WebhookAction::Delay, Some(LATE_MS)), Act::Confirm],
    },
    Story {
        name: "forged-webhook",
        title: "Forged webhook",
        events: "A webhook reports doneSuccess, and another key signed it. The payment is still pending.",
        advice: "Refuse it with 400. A program that answers 200 may deliver an order that nobody has paid.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, Act::ForgedWebhook],
    },
    Story {
        name: "repeated-webhook",
        title: "Repeated webhook",
        events: "The customer pays, and the webhook that reports it comes twice.",
        advice: "Answer 200 both times, and deliver the order once.",
        account: CUSTOMER,
        acts: &[Act::NewPayment, Act::NextWebhook(WebhookAction::Duplicate, None), Act::Confirm],
    },
];

impl Story {
    /// The `merchantId` of the story's payment, which names the story.
    pub(crate) fn merchant_id(&self) -> String {
        format!("story-{}", self.name)
    }
}
