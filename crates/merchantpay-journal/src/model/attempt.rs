//! One attempt: the row of `merchantpay_attempts`, and by serde the line of an export.

use std::fmt;

use merchantpay::{Amount, Status, words};
use serde::{Deserialize, Serialize};

use crate::model::clock::{Clock, LONGEST_CALL, MINUTE};
use crate::model::report::has_credentials;

words! {
    /// The stored state of an attempt.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum State {
        /// The attempt is stored, and its request may have been sent. No order is bound.
        Sent = "sent", 1;
        /// An order is bound, and its status is not final.
        Open = "open", 2;
        /// Nobody can pay: nothing was sent, the service refused, a person said so, or the order failed
        /// before there were credentials.
        Refused = "refused", 3;
        /// The bound order has a final status.
        Final = "final", 4;
    }
}

words! {
    /// What a merchant sees of the state.
    pub enum Standing {
        /// The call that makes the payment may still run.
        Sending = "sending", 1;
        /// The call is over, and nobody knows whether it made a payment.
        Unknown = "unknown", 2;
        /// Nobody can pay.
        Refused = "refused", 3;
        /// An order is bound, and its status is not final.
        Open = "open", 4;
        /// The status is final: a success or a failure.
        Final = "final", 5;
        /// A later attempt has replaced this one, whatever its state.
        Superseded = "superseded", 6;
    }
}

words! {
    /// An instruction of the merchant to the service.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Intent {
        /// The customer has paid.
        Confirm = "confirm", 1;
        /// The payment is not wanted any more.
        Cancel = "cancel", 2;
    }
}

words! {
    /// What became of an instruction.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum IntentState {
        /// Stored before its call. `settle` sends it again until there is an answer.
        Stored = "stored", 1;
        /// The service accepted it.
        Accepted = "accepted", 2;
        /// The service refused it.
        Refused = "refused", 3;
    }
}

words! {
    /// Why an attempt needs a person.
    pub enum Reason {
        /// Nobody knows whether there is a payment; or a backup was restored, and later attempts may be
        /// missing.
        Unknown = "unknown", 1;
        /// A message names an order that is not proven to be this attempt's.
        OrderUnproven = "order_unproven", 2;
        /// An attempt was paid that nobody should have paid: refused, replaced, or beside another success.
        PaidUnasked = "paid_unasked", 3;
        /// A success, or credentials, with another sum than the asked one.
        SumDiffers = "sum_differs", 4;
        /// A final status has changed.
        StatusChanged = "status_changed", 5;
        /// The service does not know the order, does not end it, or does not follow an instruction.
        Stuck = "stuck", 6;
    }
}

impl Reason {
    /// The reason's bit in `attention` and `seen`.
    pub const fn bit(self) -> u32 {
        1 << (self.number() - 1)
    }

    /// The reasons of a mask.
    pub fn of_mask(mask: u32) -> impl Iterator<Item = Reason> {
        Reason::ALL.iter().copied().filter(move |reason| mask & reason.bit() != 0)
    }
}

/// One attempt. Times are milliseconds since 1970 by the database's clock.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Attempt {
    /// The merchant's order number.
    pub reference: String,
    pub attempt: u32,
    /// The last part of the attempt's webhook URLs.
    pub token: String,
    /// Set anew by each write of the whole row: the compare-and-swap, and the proof of an own write.
    pub stamp: String,
    pub state: State,
    /// While `state` is `sent`: the call may run until then.
    pub call_until: Option<i64>,
    /// The bound order. It never changes.
    pub order_id: Option<String>,
    pub status: Option<String>,
    #[serde(with = "amount_text")]
    pub sum_asked: Amount,
    /// Since the status was stored, a receipt was attached or required again: if the service requires one now, that
    /// is news.
    #[serde(default)]
    pub receipt_given: bool,
    #[serde(serialize_with = "amount_text::serialize", deserialize_with = "amount_text::optional", default)]
    pub sum_paid: Option<Amount>,
    /// The reported fields as JSON, with the credentials.
    pub details: Option<String>,
    /// The keyed hash of the request; `None` once the attempt is purged.
    pub asked: Option<String>,
    /// When `settle` asks next.
    pub due_at: Option<i64>,
    /// The number of questions since `asking_since`.
    pub tries: u32,
    /// When the present plan of questions began.
    pub asking_since: Option<i64>,
    /// The number of the newest news. It only grows.
    pub news: i64,
    /// The number that the merchant has acknowledged. Only an acknowledgement writes it.
    pub acked: i64,
    /// From when `news` hands the entry out.
    pub news_due: Option<i64>,
    /// The reference while this attempt has succeeded. Unique, so a reference has one success.
    pub success_of: Option<String>,
    /// The last error as JSON.
    pub error: Option<String>,
    pub intent: Option<Intent>,
    pub intent_state: Option<IntentState>,
    /// How many instructions of this attempt were sent.
    pub intent_calls: u32,
    /// The reasons for which a person must look, as a mask.
    pub attention: u32,
    /// The reasons that a person has seen, as a mask.
    pub seen: u32,
    pub replaced: bool,
    /// The row comes from a backup, so the truth may be newer.
    pub restored: bool,
    /// No byte of the request was sent.
    pub not_sent: bool,
    /// The number of refused attempts in a row just before this one.
    pub refusals: u32,
    /// The payment was requested by `/new-async`.
    pub asynchronous: bool,
    pub created_at: i64,
    pub updated_at: i64,
}

impl Attempt {
    pub fn standing(&self, clock: Clock) -> Standing {
        match self.state {
            _ if self.replaced => Standing::Superseded,
            State::Sent if self.call_runs(clock) => Standing::Sending,
            State::Sent => Standing::Unknown,
            State::Open => Standing::Open,
            State::Refused => Standing::Refused,
            State::Final => Standing::Final,
        }
    }

    /// The call that makes the payment may still run.
    pub fn call_runs(&self, clock: Clock) -> bool {
        let is_ahead = |until| !clock.has_passed(until, LONGEST_CALL);
        self.state == State::Sent && self.call_until.is_some_and(is_ahead)
    }

    /// Sent, the call is over, and no order is known.
    pub fn is_unknown(&self, clock: Clock) -> bool {
        self.state == State::Sent && !self.call_runs(clock)
    }

    /// No attempt can stand beside this one: the next one is made only after the row is written as refused or
    /// replaced.
    pub(crate) fn is_alone(&self) -> bool {
        self.attempt == 1 && !self.replaced && self.state != State::Refused
    }

    pub fn status(&self) -> Option<Status> {
        self.status.clone().map(Status::from)
    }

    /// The last reported status is a success, with whatever sum.
    pub fn is_success(&self) -> bool {
        self.status.as_deref() == Some(Status::DoneSuccess.as_str())
    }

    /// The last reported status is final, and no success.
    pub fn is_failure(&self) -> bool {
        !self.is_success() && self.status().is_some_and(|status| status.is_final())
    }

    /// The goods may be shipped: paid with the asked sum, and the reference's only success.
    pub fn succeeded(&self) -> bool {
        let is_paid = self.state == State::Final && self.is_success();
        is_paid && self.sum_paid == Some(self.sum_asked) && self.success_of.is_some()
    }

    pub fn has_credentials(&self) -> bool {
        self.details.as_deref().is_some_and(has_credentials)
    }

    /// The customer may have seen credentials: those that are stored, or those that a restored or purged row
    /// lacks.
    pub(crate) fn may_be_shown(&self) -> bool {
        self.has_credentials() || self.restored || self.is_purged()
    }

    /// The customer may see the credentials and pay. `all` are the attempts of the reference.
    pub fn shows_credentials(&self, all: &[Attempt]) -> bool {
        let is_cancelled =
            self.intent == Some(Intent::Cancel) && self.intent_state != Some(IntentState::Refused);
        let awaits_payment = self.status() != Some(Status::ReceiptRequired) && !is_cancelled;
        let is_payable = self.state == State::Open && !self.replaced && awaits_payment;
        is_payable && self.has_credentials() && !has_success(all)
    }

    /// The details were purged, and nothing that would identify a customer is stored again.
    pub fn is_purged(&self) -> bool {
        self.asked.is_none()
    }

    pub fn is_cancelled(&self) -> bool {
        self.intent == Some(Intent::Cancel) && self.intent_state == Some(IntentState::Accepted)
    }

    /// The reasons for which a person must look now: the stored ones, and an attempt that is unknown for two
    /// minutes.
    pub fn attention(&self, clock: Clock) -> u32 {
        let is_long = |until: i64| clock.has_passed(until.saturating_add(2 * MINUTE), LONGEST_CALL);
        let is_unknown = self.is_unknown(clock) && self.call_until.is_none_or(is_long);
        let is_open = is_unknown && !self.replaced && self.seen & Reason::Unknown.bit() == 0;
        self.attention | if is_open { Reason::Unknown.bit() } else { 0 }
    }
}

/// An attempt of the reference has the status of a success.
pub fn has_success(all: &[Attempt]) -> bool {
    all.iter().any(Attempt::is_success)
}

/// Shows nothing of the customer, and no token.
impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Attempt");
        shown.field("reference", &self.reference).field("attempt", &self.attempt);
        shown.field("state", &self.state.name()).field("order_id", &self.order_id);
        shown.field("status", &self.status).field("due_at", &self.due_at).finish_non_exhaustive()
    }
}

/// Amounts as text, so that no reader makes a float of them.
mod amount_text {
    use merchantpay::Amount;
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        amount: &(impl Copy + Into<Option<Amount>>),
        to: S,
    ) -> Result<S::Ok, S::Error> {
        (*amount).into().map(|amount| amount.to_string()).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Amount, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }

    pub(super) fn optional<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Amount>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}
