//! The table of the demo: for each step it shows the expected result and the real result.

use std::fmt;

/// One row per step.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

struct Row {
    step: &'static str,
    expected: &'static str,
    happened: String,
    as_expected: bool,
}

impl Table {
    pub(crate) fn add(
        &mut self,
        step: &'static str,
        expected: &'static str,
        happened: String,
        as_expected: bool,
    ) -> String {
        let mark = if as_expected { "ok  " } else { "FAIL" };
        let line = format!("{mark} {step}: {happened}");
        self.rows.push(Row { step, expected, happened, as_expected });
        line
    }

    pub(crate) fn all_as_expected(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| row.as_expected)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width =
            |text: fn(&Row) -> &str| self.rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0);
        let (step, expected) = (width(|row| row.step), width(|row| row.expected));
        writeln!(f, "\n     {:step$}  {:expected$}  what happened", "step", "expected")?;
        for row in &self.rows {
            let mark = if row.as_expected { "ok  " } else { "FAIL" };
            writeln!(f, "{mark} {:step$}  {:expected$}  {}", row.step, row.expected, row.happened)?;
        }
        let good = self.rows.iter().filter(|row| row.as_expected).count();
        write!(f, "\n{good} of {} steps went as expected.", self.rows.len())
    }
}
