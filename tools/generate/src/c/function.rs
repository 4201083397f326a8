//! One function of the C library.

use serde::Serialize;

/// A function as the template writes it.
#[derive(Serialize)]
pub(crate) struct Function {
    name: String,
    since: String,
    doc: String,
    parameters: Vec<String>,
    returns: String,
    /// The rules of the header on which its unsafe code relies; empty for none.
    safety: &'static str,
    /// A statement before the body.
    before: String,
    body: String,
    threads: &'static str,
    /// The field that it returns, for C++.
    getter: Option<Getter>,
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
        Function {
            name: name.to_owned(),
            since: since.to_owned(),
            doc,
            parameters: Vec::new(),
            returns: String::new(),
            safety: "",
            before: String::new(),
            body: String::new(),
            threads: "Any thread.",
            getter: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
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

    pub(super) fn gets(mut self, getter: Option<Getter>) -> Function {
        self.getter = getter;
        self
    }

    /// Puts a sentence before the documentation.
    pub(super) fn begins(mut self, sentence: &str) -> Function {
        let rest = std::mem::replace(&mut self.doc, sentence.to_owned());
        self.says(&rest)
    }

    pub(super) fn threads(mut self, threads: &'static str) -> Function {
        self.threads = threads;
        self
    }

    pub(super) fn before(mut self, safety: &'static str, statement: String) -> Function {
        self.safety = safety;
        self.before = statement;
        self
    }

    /// The last expression. With rules of the header it is unsafe.
    pub(super) fn does(mut self, safety: &'static str, body: String) -> Function {
        if self.before.is_empty() {
            self.safety = safety;
        }
        self.body = body;
        self
    }
}

/// The type of C that a function belongs to: its name without its last words.
pub(super) fn parameter_of(kind: &str) -> &str {
    kind.rsplit('_').next().unwrap_or(kind)
}
