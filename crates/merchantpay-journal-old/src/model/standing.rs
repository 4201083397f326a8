//! The standing of an attempt, its levels, and the states of an instruction.

use merchantpay::words;

words! {
    /// The state of an attempt in the journal. A standing alone never shows that the attempt was
    /// paid: only [`succeeded`](crate::Entry::succeeded) shows that.
    #[non_exhaustive]
    pub enum Standing {
        /// The attempt is stored. Until the attempt's deadline, a process is possibly making the call.
        Sending = "sending", 1;
        /// The call ended without proof of its effect, or the process died during the call.
        Unknown = "unknown", 2;
        /// Nobody can pay: no request was sent, the service refused the request, or the payment failed before
        /// any credentials were stored.
        Refused = "refused", 3;
        /// The order id is known; the status is not final.
        Open = "open", 4;
        /// The status is final: a success or a failure.
        Final = "final", 5;
        /// A newer attempt replaced this one.
        Superseded = "superseded", 6;
    }
}

words! {
    /// The level that an attempt has reached for the merchant, or that the merchant has acknowledged. Levels
    /// only rise.
    #[non_exhaustive]
    pub enum Level {
        /// The attempt has no result yet, or none was acknowledged.
        None = "none", 0;
        /// Credentials for the customer exist.
        Credentials = "credentials", 1;
        /// A receipt must be attached.
        ReceiptRequired = "receipt_required", 2;
        /// The attempt is refused, and the result of `pay` did not show this.
        Refused = "refused", 3;
        /// The status is final.
        Final = "final", 4;
    }
}

words! {
    /// The state of an instruction to the service: a confirm or a cancel.
    #[non_exhaustive]
    pub enum IntentState {
        /// The instruction is stored, and the service has not answered it yet. `settle` sends it again.
        Stored = "stored", 1;
        /// The service accepted the instruction.
        Accepted = "accepted", 2;
        /// The service refused the instruction. No earlier call with the same instruction can have arrived.
        Refused = "refused", 3;
        /// The service refused the instruction, or a newer instruction replaced it. An earlier call with the
        /// same instruction may still have arrived.
        Unclear = "unclear", 4;
    }
}

words! {
    /// A reason for which an operator must decide about an attempt.
    #[non_exhaustive]
    pub enum Reason {
        /// It is not known whether the service made a payment.
        Unknown = "unknown", 1;
        /// A payment was found for a refused attempt.
        FoundAfterRefused = "found_after_refused", 2;
        /// A superseded attempt was paid.
        SupersededPaid = "superseded_paid", 3;
        /// A superseded attempt is still payable: the service requires a receipt, or the journal tried to
        /// cancel the attempt for a day without success.
        SupersededAlive = "superseded_alive", 4;
        /// The service refused the confirm.
        ConfirmRefused = "confirm_refused", 5;
        /// After a day it is still not known whether the confirm took effect.
        ConfirmUnclear = "confirm_unclear", 6;
        /// The service reported a final status or a sum that differs from the stored value.
        FinalContradicted = "final_contradicted", 7;
        /// The paid sum differs from the requested sum.
        PaidDiffers = "paid_differs", 8;
        /// The credentials have a different sum or currency than requested.
        CredentialsDiffer = "credentials_differ", 9;
        /// The service does not know the order.
        OrderNotFound = "order_not_found", 10;
        /// The status has not become final in thirty days.
        StillOpen = "still_open", 11;
        /// A webhook and the reply named different orders. The note has the order id of the webhook.
        OrderDiffers = "order_differs", 12;
        /// Only a webhook named the order. There is no proof, for example an equal sum, that the order
        /// belongs to this attempt. The order is listed as an orphan.
        OrderUnproven = "order_unproven", 13;
        /// The payment succeeded, but neither the webhook nor the response of `getStatus` has the paid sum.
        SumMissing = "sum_missing", 14, since "0.3.0";
        /// The database runs on a different server than the one that an operator has accepted. This is a reason
        /// of the whole journal, and of no attempt.
        ServerChanged = "server_changed", 15, since "0.3.0";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_the_published_ones() {
        let of = |table: &[merchantpay::Word]| {
            table.iter().map(|word| (word.name, word.number)).collect::<Vec<_>>()
        };
        assert_eq!(
            of(Standing::TABLE),
            [("sending", 1), ("unknown", 2), ("refused", 3), ("open", 4), ("final", 5), ("superseded", 6)]
        );
        assert_eq!(
            of(Level::TABLE),
            [("none", 0), ("credentials", 1), ("receipt_required", 2), ("refused", 3), ("final", 4)]
        );
        assert_eq!(of(IntentState::TABLE), [("stored", 1), ("accepted", 2), ("refused", 3), ("unclear", 4)]);
    }

    #[test]
    fn every_word_has_one_line_of_documentation_and_is_found_by_name_and_number() {
        for table in [Standing::TABLE, Level::TABLE, IntentState::TABLE, Reason::TABLE] {
            for word in table {
                assert!(!word.doc.is_empty() && !word.doc.contains('\n'), "{word:?}");
            }
        }
        for standing in Standing::ALL {
            assert_eq!(Standing::from_name(standing.name()), Some(*standing));
            assert_eq!(Standing::from_number(standing.number()), Some(*standing));
        }
        assert_eq!((Standing::from_name("postponed"), Level::from_number(9)), (None, None));
    }
}
