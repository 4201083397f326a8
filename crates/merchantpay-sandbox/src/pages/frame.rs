//! The frame of every page: head, navigation, content and foot.

use maud::{DOCTYPE, Markup, html};

/// The parts that differ between pages and sites.
#[derive(Default)]
pub struct Frame<'a> {
    /// The name of the site, at the end of each title.
    pub site: &'a str,
    pub title: &'a str,
    /// The label of the navigation, for screen readers.
    pub label: &'a str,
    /// The URL and the name of each entry, and whether the page belongs to it. Without entries there is no
    /// navigation.
    pub entries: Vec<(&'a str, &'a str, bool)>,
    /// The text of a line at the top of the page.
    pub band: Option<&'a str>,
    pub foot: Markup,
    /// A CSS class of the page's body.
    pub class: Option<&'a str>,
    /// The URL of the script. A page without a script has no element for announcements.
    pub script: Option<&'a str>,
    /// `true` if the script keeps the page current.
    pub live: bool,
}

impl Frame<'_> {
    /// The document around this content.
    pub fn document(&self, content: &Markup) -> Markup {
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
