//! The result of each check of `doctor` and `probe`: one line, and for a person the advice below it.

use anstyle::{AnsiColor, Style};

use crate::json::quoted;
use crate::output::{Failure, print_line, print_styled};
use crate::terminal::{self, visible::visible};

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Ok,
    /// The checked thing works, but somebody should look at it.
    Warning,
    /// The checked thing does not work, or is not safe.
    Fault,
    /// The check could not run, or there is nothing to check.
    Skipped,
}

impl Mark {
    fn name(self) -> &'static str {
        match self {
            Mark::Ok => "ok",
            Mark::Warning => "warning",
            Mark::Fault => "fault",
            Mark::Skipped => "skipped",
        }
    }

    fn style(self) -> Style {
        match self {
            Mark::Ok => AnsiColor::Green.on_default(),
            Mark::Warning => AnsiColor::Yellow.on_default(),
            Mark::Fault => AnsiColor::Red.on_default().bold(),
            Mark::Skipped => Style::new().dimmed(),
        }
    }
}

/// A fault, and the advice how to repair it.
pub(crate) struct Trouble {
    pub text: String,
    pub advice: String,
}

impl Trouble {
    pub(crate) fn new(text: impl Into<String>, advice: impl Into<String>) -> Trouble {
        Trouble { text: text.into(), advice: advice.into() }
    }
}

/// Prints each finding as soon as it is known.
pub(crate) struct Findings {
    for_people: bool,
    faults: usize,
    warnings: usize,
}

impl Findings {
    pub(crate) fn new() -> Findings {
        Findings { for_people: terminal::is_for_people(), faults: 0, warnings: 0 }
    }

    pub(crate) fn ok(&mut self, check: &str, text: impl AsRef<str>) -> Result<(), Failure> {
        self.print(Mark::Ok, check, text.as_ref(), None)
    }

    pub(crate) fn warning(
        &mut self,
        check: &str,
        text: impl AsRef<str>,
        advice: impl AsRef<str>,
    ) -> Result<(), Failure> {
        self.warnings += 1;
        self.print(Mark::Warning, check, text.as_ref(), Some(advice.as_ref()))
    }

    pub(crate) fn fault(
        &mut self,
        check: &str,
        text: impl AsRef<str>,
        advice: impl AsRef<str>,
    ) -> Result<(), Failure> {
        self.faults += 1;
        self.print(Mark::Fault, check, text.as_ref(), Some(advice.as_ref()))
    }

    pub(crate) fn trouble(&mut self, check: &str, trouble: Trouble) -> Result<(), Failure> {
        self.fault(check, trouble.text, trouble.advice)
    }

    pub(crate) fn skipped(&mut self, check: &str, text: impl AsRef<str>) -> Result<(), Failure> {
        self.print(Mark::Skipped, check, text.as_ref(), None)
    }

    fn print(&self, mark: Mark, check: &str, text: &str, advice: Option<&str>) -> Result<(), Failure> {
        if !self.for_people {
            let advice = advice.map_or_else(|| "null".to_owned(), quoted);
            return print_line(&format!(
                "{{\"check\":{},\"result\":{},\"message\":{},\"advice\":{advice}}}",
                quoted(check),
                quoted(mark.name()),
                quoted(text)
            ));
        }
        let style = mark.style();
        print_styled(&format!("{style}{:<8}{style:#} {check:<10} {}", mark.name(), visible(text)))?;
        advice.map_or(Ok(()), |advice| print_styled(&format!("{:19} → {}", "", visible(advice))))
    }

    pub(crate) fn has_faults(&self) -> bool {
        self.faults > 0
    }

    /// Ends with exit status 1 if there is a fault.
    pub(crate) fn end(self) -> Result<(), Failure> {
        if self.for_people {
            let text = match (self.faults, self.warnings) {
                (0, 0) => "Everything is in order.".to_owned(),
                (faults, warnings) => format!("{}, {}.", count(faults, "fault"), count(warnings, "warning")),
            };
            print_styled(&format!("\n{text}"))?;
        }
        if self.faults == 0 { Ok(()) } else { Err(Failure::AlreadyReported(1)) }
    }
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
