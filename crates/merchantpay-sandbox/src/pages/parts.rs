//! The small parts of pages.

use maud::{Markup, html};

use super::visible;

/// A text in one line, with its own writing direction and visible control characters.
pub fn text(text: &str) -> Markup {
    html! { bdi { (visible(text, false)) } }
}

/// A time such as `2026-01-01T00:00:00.000Z`, in two parts that a narrow column may break into two lines.
pub fn moment(at: &str) -> Markup {
    let (day, time) = at.split_once('T').unwrap_or((at, ""));
    html! { time datetime=(at) { span { (day) } " " span { (time.replacen('Z', " UTC", 1)) } } }
}

/// A table cell. On a narrow page the label is shown before the content, in place of the column's head.
pub fn cell(label: &str, content: Markup) -> Markup {
    html! { td data-label=(label) { div { (content) } } }
}

/// The caption and the head of a table.
pub fn head(caption: &str, columns: &[&str]) -> Markup {
    html! {
        caption { (caption) }
        thead { tr { @for column in columns { th scope="col" { (column) } } } }
    }
}
