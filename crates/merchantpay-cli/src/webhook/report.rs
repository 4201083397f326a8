//! Reports each webhook of `webhook listen`: as JSON lines for a program, or as some lines for a person. It
//! never prints a signature or a key.

use axum::http::StatusCode;
use merchantpay::{Error, Event};

use super::event_line;
use crate::json::quoted;
use crate::output::{Failure, eprint_line, error_line, print_line};
use crate::terminal::{self, visible::visible};

/// The reason why a webhook was refused: a stable name, and a text for a person.
pub(super) struct Problem {
    pub cause: &'static str,
    pub hint: String,
}

impl Problem {
    /// The problem as the last fields of a JSON object.
    pub(super) fn fields(&self) -> String {
        format!(",\"cause\":{},\"hint\":{}", quoted(self.cause), quoted(&self.hint))
    }
}

#[derive(Clone, Copy)]
pub(super) enum Report {
    JsonLines,
    Text,
    Nothing,
}

impl Report {
    /// A report that is text if a person reads stdout.
    pub(super) fn new() -> Report {
        if terminal::is_for_people() { Report::Text } else { Report::JsonLines }
    }

    pub(super) fn listening(self, url: &str) -> Result<(), Failure> {
        match self {
            Report::JsonLines => print_line(&format!("{{\"listening\":{}}}", quoted(url))),
            Report::Text => print_line(&format!("Listening for webhooks at {url} - Ctrl-C ends it")),
            Report::Nothing => Ok(()),
        }
    }

    pub(super) fn event(self, event: &Event, answered: StatusCode) -> Result<(), Failure> {
        match self {
            Report::JsonLines => print_line(&event_line(event)),
            Report::Text => print_line(&pretty(event, answered)),
            Report::Nothing => Ok(()),
        }
    }

    pub(super) fn refusal(
        self,
        error: &Error,
        problem: Option<&Problem>,
        answered: StatusCode,
    ) -> Result<(), Failure> {
        match self {
            Report::JsonLines => {
                let problem = problem.map_or_else(String::new, Problem::fields);
                eprint_line(&error_line(error, &format!(",\"answered\":{}{problem}", answered.as_u16())));
                Ok(())
            }
            Report::Text => {
                let word = problem.map_or(error.code().name(), |problem| problem.cause);
                let hint = problem.map_or(error.message(), |problem| &problem.hint);
                print_line(&format!("REFUSED {} {word}\n    {}", answered.as_u16(), visible(hint)))
            }
            Report::Nothing => Ok(()),
        }
    }

    /// Reports a request that is not a webhook, or a webhook that could not be forwarded.
    pub(super) fn problem(self, code: &str, problem: &Problem, answered: StatusCode) -> Result<(), Failure> {
        match self {
            Report::JsonLines => {
                let (code, message, answered) = (quoted(code), quoted(&problem.hint), answered.as_u16());
                eprint_line(&format!(
                    "{{\"error\":{{\"code\":{code},\"message\":{message},\"answered\":{answered}{}}}}}",
                    problem.fields()
                ));
                Ok(())
            }
            Report::Text => print_line(&format!(
                "REFUSED {} {}\n    {}",
                answered.as_u16(),
                problem.cause,
                visible(&problem.hint)
            )),
            Report::Nothing => Ok(()),
        }
    }
}

fn pretty(event: &Event, answered: StatusCode) -> String {
    let payment = event.payment();
    let number = |amount: Option<merchantpay::Amount>| amount.map(|amount| amount.to_string());
    let text = |text: Option<&str>| text.map(str::to_owned);
    let fields = [
        ("sum", number(payment.sum())),
        ("currency", text(payment.currency())),
        ("payee", text(payment.payee_account())),
        ("bank", text(payment.payee_account_bank())),
        ("name", text(payment.payee_name())),
        ("deal", number(payment.deal_sum())),
        ("deal currency", text(payment.deal_currency())),
        ("rate", number(payment.deal_rate())),
        ("link", text(payment.deeplink())),
    ];
    let status = payment.status().map_or("", |status| status.as_str());
    let mut lines = vec![format!(
        "OK {} {} {} {}",
        answered.as_u16(),
        event.kind(),
        visible(payment.order_id()),
        visible(status)
    )];
    lines.extend(
        fields.into_iter().filter_map(|(name, value)| Some(format!("    {name:14}{}", visible(&value?)))),
    );
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}
