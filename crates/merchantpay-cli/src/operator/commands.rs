//! Makes the commands by which an operator decides an item that needs attention.

use merchantpay_journal::{Entry, Orphan, Reason};

/// A command, and the case in which the operator runs it.
pub(super) struct Command {
    pub(super) case: &'static str,
    pub(super) text: String,
}

/// The commands for an attempt. The operator runs one of them.
pub(super) fn of_entry(entry: &Entry) -> Vec<Command> {
    let reasons = entry.attention();
    let attempt = format!("{} --attempt {}", word(entry.reference()), entry.attempt());
    let resolve = |case, decision: &str| Command {
        case,
        text: format!("merchantpay journal resolve {attempt} {decision} --note NOTE"),
    };
    let mut commands = Vec::new();
    if reasons.iter().any(|reason| matches!(reason, Reason::Unknown | Reason::OrderUnproven)) {
        commands.push(resolve("Support names the order of this payment", "--order-id ORDER_ID"));
        commands.push(resolve("Support says that there is no payment", "--no-payment"));
    }
    if reasons.contains(&Reason::CredentialsDiffer) {
        let text = format!("merchantpay journal cancel {attempt}");
        commands.push(Command { case: "Nobody may pay it", text });
    }
    let names: Vec<&str> = reasons.iter().map(|reason| reason.name()).collect();
    if !names.is_empty() {
        commands.push(resolve("It was dealt with elsewhere", &format!("--seen={}", names.join(","))));
    }
    commands
}

/// The command for a message that belongs to no attempt.
pub(super) fn of_orphan(orphan: &Orphan) -> Command {
    let status = orphan.status.as_ref().map_or_else(String::new, |status| format!("={}", word(status)));
    Command {
        case: "It is known whose order it is",
        text: format!(
            "merchantpay journal resolve --orphan {} --seen{status} --note NOTE",
            word(&orphan.order_id)
        ),
    }
}

/// The command that accepts another database server.
pub(super) fn of_server() -> Command {
    Command {
        case: "It has every answered row",
        text: "merchantpay journal resolve --server --note NOTE".to_owned(),
    }
}

/// Quotes a word for a shell.
fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@,".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_one_word_of_the_command_whatever_it_contains() {
        for (reference, expected) in
            [("order-1", "order-1"), ("a b", "'a b'"), ("it's; rm -rf $HOME", "'it'\\''s; rm -rf $HOME'")]
        {
            assert_eq!(word(reference), expected);
        }
    }
}
