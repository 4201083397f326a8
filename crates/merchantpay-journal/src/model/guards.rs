//! The rules that keep a payment from being taken twice, each of which the model can switch off to show that
//! it is needed.

/// Declares the rules with a doc line each.
macro_rules! guards {
    ($( #[doc = $doc:literal] $name:ident; )+) => {
        /// Which rules hold. The library always uses [`Guards::ALL`]; only the model makes others.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct Guards { $( #[doc = $doc] pub $name: bool, )+ }

        impl Guards {
            /// Every rule holds.
            pub const ALL: Guards = Guards { $( $name: true, )+ };

            /// Every rule's name and what it says.
            pub const TABLE: &'static [(&'static str, &'static str)] = &[ $( (stringify!($name), $doc.trim_ascii()), )+ ];

            /// All rules but the one of that name.
            pub fn without(name: &str) -> Guards {
                let mut guards = Guards::ALL;
                match name {
                    $( stringify!($name) => guards.$name = false, )+
                    _ => {}
                }
                guards
            }
        }
    };
}

guards! {
    /// A new attempt first turns the one before it into `superseded`.
    seal;
    /// Where the last attempt is `superseded`, because a process died in between, plain `pay` makes the next.
    heal_superseded;
    /// A write whose answer is unclear is decided by the random writer that it stored.
    writer;
    /// A write compares the version that was read.
    version;
    /// `acknowledge` raises the acknowledged level to the entry's own, and no further.
    acknowledged_level;
    /// News are of every attempt, not of the last alone.
    news_of_all_attempts;
    /// A superseded attempt is cancelled until its status is final, whatever was answered before.
    cancel_until_final;
    /// The newer instruction replaces an unanswered older one.
    newest_intent;
    /// Credentials are hidden where a cancel is stored.
    hide_on_cancel;
    /// `confirm` and `cancel` are of the attempt that they name.
    by_attempt;
    /// Purging keeps reference, attempt, standing, order id and token.
    keep_keys;
    /// `replace` names the attempt that it replaces.
    replace_names_attempt;
    /// A required receipt is reported.
    report_receipt;
    /// A refusal is unclear where an earlier call may have arrived.
    repeated_refusal_is_unclear;
    /// A refused attempt stays refused when it fails.
    stay_refused;
    /// A verified message that finds no place is stored.
    orphans;
    /// An order id that a webhook brought is final only after `getStatus`.
    webhook_asks_first;
    /// An order that only webhooks named is the attempt's only with the sum that was asked for.
    webhook_sum_fits;
    /// A failure of an order that only webhooks named refuses the attempt only after its call is over.
    failure_waits_for_the_call;
    /// Such a failure refuses no attempt that was restored, imported or forgotten.
    restored_failure_waits;
    /// A final status is never left.
    final_stays;
    /// Unknown is not refused: only `replace` makes another attempt.
    unknown_waits;
    /// Credentials of a refused attempt are not shown.
    refused_not_shown;
    /// An accepted confirm or cancel is never overwritten.
    accepted_stays;
    /// The intent of a confirm or cancel is stored before its call.
    intent_first;
    /// Credentials of a superseded attempt are not shown.
    superseded_not_shown;
    /// A final status that contradicts the stored one is for a person.
    report_contradiction;
    /// An operator's `seen` covers only the reasons that the given entry shows.
    seen_as_shown;
    /// A success that was reported without a sum is not taken as paid exactly.
    success_needs_sum;
}
