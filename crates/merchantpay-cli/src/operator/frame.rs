//! The frame of every page, and the small parts of pages.

use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, html};

/// The parts that differ between pages and sites.
#[derive(Default)]
pub(super) struct Frame<'a> {
    /// The name of the site, at the end of each title.
    pub(super) site: &'a str,
    pub(super) title: &'a str,
    /// The label of the navigation, for screen readers.
    pub(super) label: &'a str,
    /// The URL and the name of each entry, and whether the page belongs to it. Without entries there is no
    /// navigation.
    pub(super) entries: Vec<(&'a str, &'a str, bool)>,
    /// The text of a line at the top of the page.
    pub(super) band: Option<&'a str>,
    pub(super) foot: Markup,
    /// A CSS class of the page's body.
    pub(super) class: Option<&'a str>,
    /// The URL of the script. A page without a script has no element for announcements.
    pub(super) script: Option<&'a str>,
    /// `true` if the script keeps the page current.
    pub(super) live: bool,
}

impl Frame<'_> {
    /// The document around this content.
    pub(super) fn document(&self, content: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " - " (self.site) }
                    link rel="icon" href="/console/icon.svg" type="image/svg+xml";
                    link rel="stylesheet" href="/console/style.css";
                    @if let Some(script) = self.script { script src=(script) defer {} }
                }
                body class=[self.class] {
                    a.skip href="#content" { "Skip to the content" }
                    header {
                        @if let Some(band) = self.band { p.band { (band) } }
                        @if !self.entries.is_empty() { (self.navigation()) }
                        @if self.script.is_some() { p.news #news role="status" {} }
                    }
                    main id="content" tabindex="-1" data-live[self.live] { (content) }
                    footer.foot { p { (self.foot) } }
                }
            }
        }
    }

    fn navigation(&self) -> Markup {
        html! {
            div.top {
                nav aria-label=(self.label) {
                    span.name { (self.site) }
                    ul {
                        @for (href, name, is_own) in &self.entries {
                            li { a href=(href) aria-current=[is_own.then_some("page")] { (name) } }
                        }
                    }
                }
            }
        }
    }
}

/// A text in one line, with its own writing direction and visible control characters.
pub(super) fn text(text: &str) -> Markup {
    html! { bdi { (visible(text, false)) } }
}

/// A time such as `2026-01-01T00:00:00.000Z`, in two parts that a narrow column may break into two lines.
pub(super) fn moment(at: &str) -> Markup {
    let (day, time) = at.split_once('T').unwrap_or((at, ""));
    html! { time datetime=(at) { span { (day) } " " span { (time.replacen('Z', " UTC", 1)) } } }
}

/// A table cell. On a narrow page the label is shown before the content, in place of the column's head.
pub(super) fn cell(label: &str, content: Markup) -> Markup {
    html! { td data-label=(label) { div { (content) } } }
}

/// The caption and the head of a table.
pub(super) fn head(caption: &str, columns: &[&str]) -> Markup {
    html! {
        caption { (caption) }
        thead { tr { @for column in columns { th scope="col" { (column) } } } }
    }
}

/// Replaces control characters and directional marks by their code points. If `lines` is true, line breaks
/// and tabs stay.
pub(super) fn visible(text: &str, lines: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let mark = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if lines && character == '\r' {
            // Every line of a multipart body ends with a carriage return, which would otherwise be invisible.
            shown.push_str("\\r");
        } else if mark || character.is_control() && !(lines && matches!(character, '\n' | '\t')) {
            let _ = write!(shown, "\\u{{{:x}}}", character as u32);
        } else {
            shown.push(character);
        }
    }
    shown
}
