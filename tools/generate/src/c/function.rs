//! One function of the C library.

use serde::Serialize;

/// A function as the template writes it.
#[derive(Default, Serialize)]
pub(crate) struct Function {
    pub(super) name: String,
    since: String,
    pub(super) doc: String,
    parameters: Vec<String>,
    returns: String,
    /// The rules of the header on which its unsafe code relies; empty for none.
    safety: &'static str,
    body: String,
    threads: &'static str,
    /// The field that it returns, for C++.
    pub(super) getter: Option<Getter>,
}

/// A getter of a record's field.
#[derive(Serialize)]
pub(crate) struct Getter {
    pub(super) of: String,
    pub(super) name: String,
    /// `flag`, or the verb of the table.
    pub(super) kind: String,
    /// The list of a word.
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

    pub(super) fn returns(mut self, returns: &str) -> Function {
        self.returns = returns.to_owned();
        self
    }

    /// Adds a sentence to the documentation.
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

    /// The statements of the body. With rules of the header they are unsafe.
    pub(super) fn does(mut self, safety: &'static str, body: String) -> Function {
        self.safety = safety;
        self.body = body;
        self
    }
}

/// The type of C that a function belongs to: its name without its last words.
pub(super) fn parameter_of(kind: &str) -> &str {
    kind.rsplit('_').next().unwrap_or(kind)
}
