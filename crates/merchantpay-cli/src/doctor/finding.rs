//! What a check has found: the fault in one sentence and the next step. One line each, as soon as it is known.

use anstyle::{AnsiColor, Style};

use crate::json::quoted;
use crate::output::{Failure, print_line, print_styled};
use crate::terminal::{self, visible::visible};

pub(super) struct Finding {
    mark: Mark,
    text: String,
    next_step: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Ok,
    /// It works, but somebody should look at it.
    Warning,
    /// It does not work, or is not safe.
    Fault,
    /// The check could not run, or there is nothing to check.
    Skipped,
}

impl Finding {
    pub(super) fn ok(text: impl Into<String>) -> Finding {
        Finding { mark: Mark::Ok, text: text.into(), next_step: None }
    }

    pub(super) fn warning(text: impl Into<String>, next_step: impl Into<String>) -> Finding {
        Finding { mark: Mark::Warning, text: text.into(), next_step: Some(next_step.into()) }
    }

    pub(super) fn fault(text: impl Into<String>, next_step: impl Into<String>) -> Finding {
        Finding { mark: Mark::Fault, text: text.into(), next_step: Some(next_step.into()) }
    }

    pub(super) fn skipped(text: impl Into<String>) -> Finding {
        Finding { mark: Mark::Skipped, text: text.into(), next_step: None }
    }
}

impl From<Finding> for Vec<Finding> {
    fn from(finding: Finding) -> Vec<Finding> {
        vec![finding]
    }
}

impl Mark {
    fn name_and_style(self) -> (&'static str, Style) {
        match self {
            Mark::Ok => ("ok", AnsiColor::Green.on_default()),
            Mark::Warning => ("warning", AnsiColor::Yellow.on_default()),
            Mark::Fault => ("fault", AnsiColor::Red.on_default().bold()),
            Mark::Skipped => ("skipped", Style::new().dimmed()),
        }
    }
}

/// Prints the findings and counts them.
#[derive(Default)]
pub(super) struct Report {
    faults: usize,
    warnings: usize,
}

impl Report {
    pub(super) fn print(&mut self, check: &str, finding: &Finding) -> Result<(), Failure> {
        let Finding { mark, text, next_step } = finding;
        self.faults += usize::from(*mark == Mark::Fault);
        self.warnings += usize::from(*mark == Mark::Warning);
        let (name, style) = mark.name_and_style();
        if !terminal::is_for_people() {
            let advice = next_step.as_deref().map_or_else(|| "null".to_owned(), quoted);
            return print_line(&format!(
                "{{\"check\":{},\"result\":{},\"message\":{},\"advice\":{advice}}}",
                quoted(check),
                quoted(name),
                quoted(text)
            ));
        }
        print_styled(&format!("{style}{name:<8}{style:#} {check:<10} {}", visible(text)))?;
        next_step.as_ref().map_or(Ok(()), |step| print_styled(&format!("{:19} → {}", "", visible(step))))
    }

    pub(super) fn has_faults(&self) -> bool {
        self.faults > 0
    }

    /// Ends with exit status 1 if there is a fault.
    pub(super) fn end(&self) -> Result<(), Failure> {
        if terminal::is_for_people() {
            let text = match (self.faults, self.warnings) {
                (0, 0) => "Everything is in order.".to_owned(),
                (faults, warnings) => format!("{}, {}.", count(faults, "fault"), count(warnings, "warning")),
            };
            print_styled(&format!("\n{text}"))?;
        }
        if self.has_faults() { Err(Failure::AlreadyReported(1)) } else { Ok(()) }
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
