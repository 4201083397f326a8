//! The advice after an error: the second line on a terminal.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use merchantpay::{Code, Error, Outcome, Reason};

/// Returns the advice for a code and an outcome. Only the outcome decides whether a request may be repeated.
pub(crate) fn after(error: &Error) -> String {
    let text = match (error.code(), error.outcome()) {
        (Code::InvalidArgument, _) if error.message().contains(" is missing: ") => {
            "nothing was sent; `merchantpay doctor` checks all settings, and `merchantpay sandbox -- \
             bash` starts a shell in which they are set"
        }
        (Code::InvalidArgument, _) => "nothing was sent: correct the value, and run the command again",
        (Code::InvalidKey, _) => "nothing was sent; `merchantpay doctor` checks the keys",
        (Code::Rejected, _) => return refused(error),
        (_, Outcome::NotSent) if error.is_transient() => {
            "nothing was sent: you can run the command again; `merchantpay doctor` finds the cause"
        }
        (_, Outcome::NotSent) => "nothing was sent; `merchantpay doctor` finds the cause",
        (Code::Unverified, _) => {
            "the request may have taken effect: find out before you repeat it; `merchantpay doctor` \
             checks the keys"
        }
        _ => match error.order_id() {
            Some(order_id) => {
                let order_id = super::visible::visible(order_id);
                return format!(
                    "the request may have taken effect: ask with `merchantpay status {order_id}`"
                );
            }
            None => {
                "the request may have taken effect: ask the service before you repeat it (docs/errors.md)"
            }
        },
    };
    text.to_owned()
}

/// The advice after an error of a call that changes nothing: it can be repeated, whatever its outcome is.
pub(crate) fn after_read(error: &Error) -> String {
    match (error.code(), error.outcome()) {
        (Code::Unverified, _) => "the call changes nothing; `merchantpay doctor` checks the keys".to_owned(),
        (_, Outcome::Unknown) => {
            "the call changes nothing: you can run the command again; `merchantpay doctor` finds the cause"
                .to_owned()
        }
        _ => after(error),
    }
}

/// The advice after an error of a request that had no effect.
fn refused(error: &Error) -> String {
    let text = match error.reason() {
        Some(Reason::OrderNotFound | Reason::InvalidOrderId) => "check the order id",
        Some(Reason::InvalidCurrency) => "the service takes RUB only",
        Some(Reason::InvalidFileFormat) => "attach PDF, JPEG or PNG files",
        Some(Reason::PaymentCouldNotBeCanceled) => "read the status of the payment: it is probably final",
        _ if matches!(error.http_status(), Some(401 | 403)) => {
            "`merchantpay doctor` checks the key and the key id"
        }
        _ => "ask the service's support why it refused the request",
    };
    format!("nothing took effect; {text}")
}

/// The question whether the user meant a word that clap suggests.
pub(crate) fn did_you_mean(error: &clap::Error) -> Option<String> {
    let suggested =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let word = suggested.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(word) => Some(word),
        // The likeliest is the last.
        ContextValue::Strings(words) => words.last(),
        _ => None,
    });
    word.map(|word| format!("did you mean `{word}`?"))
}

/// The advice after a wrong command line: the word that clap suggests, or the command that lists all words.
pub(crate) fn about_usage(error: &clap::Error) -> String {
    if let Some(question) = did_you_mean(error) {
        return question;
    }
    match error.kind() {
        ErrorKind::InvalidSubcommand => "`merchantpay --help` lists the commands".to_owned(),
        _ => "the command's --help lists its flags".to_owned(),
    }
}
