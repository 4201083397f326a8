//! One function of the C library.

use serde::Serialize;

#[derive(Default, Serialize)]
pub(crate) struct Function {
    pub(super) name: String,
    since: String,
    pub(super) doc: String,
    parameters: Vec<String>,
    returns: String,
    /// What the header's rules are for on which its unsafe code relies.
    safety: Vec<&'static str>,
    body: String,
    threads: &'static str,
    /// The field that it returns, for C++.
    pub(super) getter: Option<Getter>,
}

#[derive(Serialize)]
pub(crate) struct Getter {
    pub(super) of: String,
    pub(super) name: String,
    /// `flag`, or the verb of the table.
    pub(super) kind: String,
    /// Of a word.
    pub(super) list: String,
    pub(super) is_optional: bool,
    pub(super) doc: String,
}

impl Function {
    pub(super) fn new(name: &str, since: &str, doc: String) -> Function {
        let (name, since) = (name.to_owned(), since.to_owned());
        Function { name, since, doc, threads: "Any thread.", ..Function::default() }
    }

    pub(super) fn takes(mut self, parameter: impl Into<String>) -> Function {
        self.parameters.push(parameter.into());
        self
    }

    pub(super) fn says(mut self, sentence: &str) -> Function {
        if !self.doc.is_empty() && !sentence.is_empty() {
            self.doc.push(' ');
        }
        self.doc.push_str(sentence);
        self
    }

    pub(super) fn threads(mut self, threads: &'static str) -> Function {
        self.threads = threads;
        self
    }

    /// The body is unsafe if a parameter points to something of the caller.
    pub(super) fn does(mut self, returns: &str, body: String) -> Function {
        let rules = [("*const c_char", "texts"), ("*const c_void", "bytes"), ("*mut *mut", "out-pointers")];
        let is_taken = |(kind, _): &(&str, _)| self.parameters.iter().any(|taken| taken.contains(kind));
        self.safety = rules.into_iter().filter(is_taken).map(|(_, rule)| rule).collect();
        (self.returns, self.body) = (returns.to_owned(), body);
        self
    }
}

/// The type of C that a function belongs to: its name without its last words.
pub(super) fn parameter_of(kind: &str) -> &str {
    kind.rsplit('_').next().unwrap_or(kind)
}
