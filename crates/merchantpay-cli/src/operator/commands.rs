//! The commands by which an operator decides an item that needs attention.

use merchantpay_journal::{Attention, Entry, Orphan, Reason, Standing};
use merchantpay_sandbox::pages::shell_word;
use serde_json::json;

pub(crate) struct Command {
    pub(crate) case: &'static str,
    pub(crate) text: String,
}

pub(crate) fn of(item: &Attention) -> Vec<Command> {
    match item {
        Attention::Entry { entry, .. } => of_entry(entry),
        Attention::Orphan(orphan) => vec![of_orphan(orphan)],
        _ => Vec::new(),
    }
}

pub(crate) fn line(item: &Attention) -> String {
    with(&item.to_json(), &of(item))
}

/// Adds the commands to the JSON object as `resolve`, and the case of each as `cases`.
pub(super) fn with(object: &str, commands: &[Command]) -> String {
    let texts: Vec<&str> = commands.iter().map(|command| command.text.as_str()).collect();
    let cases: Vec<&str> = commands.iter().map(|command| command.case).collect();
    let object = object.strip_suffix('}').unwrap_or(object);
    format!("{object},\"resolve\":{},\"cases\":{}}}", json!(texts), json!(cases))
}

pub(super) fn of_entry(entry: &Entry) -> Vec<Command> {
    let reasons = &entry.attention;
    if reasons.is_empty() {
        return Vec::new();
    }
    let reference = shell_word(&entry.reference);
    // A reference that looks like a flag comes last, behind `--`.
    let (first, last) = match entry.reference.starts_with('-') {
        true => (String::new(), format!(" -- {reference}")),
        false => (format!("{reference} "), String::new()),
    };
    let attempt = format!("{first}--attempt {}", entry.attempt);
    let resolve = |case, decision: &str| Command {
        case,
        text: format!("merchantpay journal resolve {attempt} {decision} --note NOTE{last}"),
    };
    let mut commands = Vec::new();
    if entry.standing == Standing::Unknown {
        commands.push(resolve("Support names the order of this payment", "--order-id ORDER_ID"));
        commands.push(resolve("Support says that there is no payment", "--no-payment"));
    } else if reasons.contains(&Reason::Unknown) {
        // Only a restored attempt is `unknown` although its standing is not.
        commands.push(resolve("Support knows no other payment of this reference", "--trusted"));
    }
    if reasons.contains(&Reason::SumDiffers) && entry.standing == Standing::Open {
        let text = format!("merchantpay journal cancel {attempt}{last}");
        commands.push(Command { case: "Nobody may pay it", text });
    }
    let names: Vec<&str> = reasons.iter().map(|reason| reason.name()).collect();
    commands.push(resolve("It was dealt with elsewhere", &format!("--seen {}", names.join(","))));
    commands
}

fn of_orphan(orphan: &Orphan) -> Command {
    let status = orphan.status.as_deref().unwrap_or(NO_STATUS);
    let (order_id, status) = (shell_word(&orphan.order_id), shell_word(status));
    let text = format!("merchantpay journal resolve --orphan {order_id} --seen {status} --note NOTE");
    Command { case: "It is known whose order it is", text }
}

/// What `resolve --orphan` takes if the messages about the order report no status.
pub(crate) const NO_STATUS: &str = "none";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_is_one_shell_word() {
        for (reference, expected) in
            [("order-1", "order-1"), ("a b", "'a b'"), ("it's; rm -rf $HOME", "'it'\\''s; rm -rf $HOME'")]
        {
            assert_eq!(shell_word(reference), expected);
        }
    }
}
