//! Writes columns of text for people.

use anstyle::Style;

const HEAD: Style = Style::new().bold();

/// Makes each column as wide as its widest cell. The last column has no padding.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    lines(rows).join("\n")
}

/// Makes the same columns as [`aligned`], below a highlighted line with the columns' names.
pub(crate) fn headed(names: &[&str], rows: Vec<Vec<String>>) -> String {
    let head = names.iter().map(|name| (*name).to_owned()).collect();
    let all: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let mut lines = lines(&all);
    if let Some(head) = lines.first_mut() {
        *head = format!("{HEAD}{head}{HEAD:#}");
    }
    lines.join("\n")
}

fn lines(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let length = |text: &String| text.chars().count();
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(length).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_no_line_ends_with_blanks() {
        let rows = [["A", "BB", "C"], ["order-1", "x", ""], ["ц", "y", "z"]]
            .map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows), "A        BB  C\norder-1  x\nц        y   z");
    }

    #[test]
    fn only_the_names_of_columns_stand_out() {
        let table = headed(&["NAME"], vec![vec!["value".to_owned()]]);
        assert_eq!(table, "\u{1b}[1mNAME\u{1b}[0m\nvalue");
    }
}
