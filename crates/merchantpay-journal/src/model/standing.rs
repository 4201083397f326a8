//! What is known of an attempt, how much has been reported to its merchant, and how an instruction to the service
//! stands.

use merchantpay::words;

words! {
    /// What is known of an attempt.
    #[non_exhaustive]
    pub enum Standing {
        /// Its intent is stored; the call may be under way in some process until its deadline.
        Sending = "sending", 1;
        /// The call ended, or its process died, without proof either way.
        Unknown = "unknown", 2;
        /// Nobody can pay: nothing left, the service refused, or it failed before any credentials were
        /// stored.
        Refused = "refused", 3;
        /// The order id is known; the status is not final.
        Open = "open", 4;
        /// The status is final: a success or a failure.
        Final = "final", 5;
        /// A newer attempt took its place.
        Superseded = "superseded", 6;
    }
}

words! {
    /// What there is to report of an attempt. Levels only rise.
    #[non_exhaustive]
    pub enum Level {
        /// Nothing.
        None = "none", 0;
        /// There are credentials for the customer.
        Credentials = "credentials", 1;
        /// A receipt must be attached.
        ReceiptRequired = "receipt_required", 2;
        /// It is refused, which its own call did not report.
        Refused = "refused", 3;
        /// Its status is final.
        Final = "final", 4;
    }
}

words! {
    /// How an instruction to the service, a confirm or a cancel, stands.
    #[non_exhaustive]
    pub enum IntentState {
        /// It is stored, and not yet answered: `settle` retries it.
        Stored = "stored", 1;
        /// The service accepted it.
        Accepted = "accepted", 2;
        /// The service refused it, and no earlier call can have arrived.
        Refused = "refused", 3;
        /// The service refused it, or a newer instruction replaced it, after an earlier call that may have
        /// arrived.
        Unclear = "unclear", 4;
    }
}

words! {
    /// Why an operator must decide about an attempt.
    #[non_exhaustive]
    pub enum Reason {
        /// Nobody knows whether the service made a payment.
        Unknown = "unknown", 1;
        /// A payment was found for an attempt that was refused.
        FoundAfterRefused = "found_after_refused", 2;
        /// A superseded attempt was paid after all.
        SupersededPaid = "superseded_paid", 3;
        /// A superseded attempt is alive: a receipt is required, or a day of cancelling did not end it.
        SupersededAlive = "superseded_alive", 4;
        /// The service refused the confirm.
        ConfirmRefused = "confirm_refused", 5;
        /// A day has passed and nobody knows whether the confirm took effect.
        ConfirmUnclear = "confirm_unclear", 6;
        /// The service reported another final status than the stored one, or another sum.
        FinalContradicted = "final_contradicted", 7;
        /// The sum that was paid is not the sum that was asked for.
        PaidDiffers = "paid_differs", 8;
        /// The credentials are for another sum or currency than was asked for.
        CredentialsDiffer = "credentials_differ", 9;
        /// The service does not know the order.
        OrderNotFound = "order_not_found", 10;
        /// The status has not become final in thirty days.
        StillOpen = "still_open", 11;
        /// A webhook had named another order than the reply did; the note has its order id.
        OrderDiffers = "order_differs", 12;
        /// A webhook alone named an order, and nothing proves that it is this attempt's, such as its sum. It is
        /// among the orphans.
        OrderUnproven = "order_unproven", 13;
        /// It succeeded, and neither the webhook nor the status has the sum that was paid.
        SumMissing = "sum_missing", 14, since "0.3.0";
        /// Of no attempt: another database server answers than the one that an operator knows.
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
