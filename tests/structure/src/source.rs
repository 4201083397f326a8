//! The declarations, re-exports and names in one Rust source file.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The segments of a path such as `crate::webhook::Webhook`.
pub(crate) type Path = Vec<String>;

/// The contents of a file outside of `#[cfg(test)]`.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// The modules with their own files: `mod name;`.
    pub(crate) children: Vec<String>,
    /// Each name that a `use` imports, with its path; a glob is named `*`.
    pub(crate) names: Vec<(String, Path)>,
    /// The paths in the code outside of `use` declarations.
    pub(crate) paths: Vec<Path>,
}

impl Source {
    pub(crate) fn parse(text: &str) -> Source {
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("not Rust: {error}"));
        let mut source = Source::default();
        source.read(&tokens.into_iter().collect::<Vec<_>>());
        source
    }

    fn read(&mut self, tokens: &[TokenTree]) {
        let mut rest = tokens;
        while let Some(first) = rest.first() {
            rest = match first {
                TokenTree::Punct(mark) if mark.as_char() == '#' && is_cfg_test(rest.get(1)) => {
                    after_item(&rest[2..])
                }
                TokenTree::Ident(word) if word == "mod" => self.read_module(rest),
                TokenTree::Ident(word) if word == "use" => self.read_use(&rest[1..]),
                TokenTree::Ident(_) => self.read_path(rest),
                TokenTree::Group(group) => {
                    self.read(&tokens_of(group));
                    &rest[1..]
                }
                _ => &rest[1..],
            };
        }
    }

    fn read_module<'a>(&mut self, tokens: &'a [TokenTree]) -> &'a [TokenTree] {
        if let [_, TokenTree::Ident(name), TokenTree::Punct(end), ..] = tokens
            && end.as_char() == ';'
        {
            self.children.push(name.to_string());
        }
        &tokens[1..]
    }

    fn read_use<'a>(&mut self, tokens: &'a [TokenTree]) -> &'a [TokenTree] {
        let end = tokens.iter().position(|token| is_mark(token, ';')).unwrap_or(tokens.len());
        self.read_use_tree(&Path::new(), &tokens[..end]);
        &tokens[end..]
    }

    /// Reads one tree of a `use`: `a::b`, `a::b as c`, `a::*` or `a::{b, c::d}`.
    fn read_use_tree(&mut self, prefix: &Path, tokens: &[TokenTree]) {
        let mut path = prefix.clone();
        let mut tokens = tokens.iter();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    let name = tokens.next().map(ToString::to_string).unwrap_or_default();
                    return self.add_name(name, path);
                }
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    let inner = tokens_of(group);
                    return inner
                        .split(|token| is_mark(token, ','))
                        .for_each(|tree| self.read_use_tree(&path, tree));
                }
                TokenTree::Punct(mark) if mark.as_char() == '*' => {
                    return self.add_name("*".to_owned(), path);
                }
                _ => {}
            }
        }
        // `use a::{self}` imports `a`.
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if let Some(name) = path.last().cloned() {
            self.add_name(name, path);
        }
    }

    fn add_name(&mut self, name: String, path: Path) {
        if !path.is_empty() {
            self.names.push((name, path));
        }
    }

    /// Reads a path, which is stored if it has at least two segments. Returns the tokens after the path.
    fn read_path<'a>(&mut self, tokens: &'a [TokenTree]) -> &'a [TokenTree] {
        let mut path = Path::new();
        let mut rest = tokens;
        while let [TokenTree::Ident(word), after @ ..] = rest {
            path.push(word.to_string());
            rest = after;
            match rest {
                [first, second, TokenTree::Ident(_), ..] if is_mark(first, ':') && is_mark(second, ':') => {
                    rest = &rest[2..]
                }
                _ => break,
            }
        }
        if path.len() > 1 {
            self.paths.push(path);
        }
        rest
    }
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

fn tokens_of(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

/// Returns true if the token is the `[cfg(test)]` of an attribute.
fn is_cfg_test(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.stream().to_string().replace(' ', "") == "cfg(test)")
}

/// The tokens after an item. An item ends with a block or a semicolon.
fn after_item(tokens: &[TokenTree]) -> &[TokenTree] {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_mark(token, ';'),
    };
    tokens.iter().position(is_end).map_or(&[], |end| &tokens[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        text.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn a_use_brings_in_each_name_of_its_tree() {
        let source = Source::parse("pub(crate) use crate::a::{self, B, c::{D as E, f::*}}; use super::g;");
        let expected = [
            ("a", "crate::a"),
            ("B", "crate::a::B"),
            ("E", "crate::a::c::D"),
            ("*", "crate::a::c::f"),
            ("g", "super::g"),
        ];
        let expected: Vec<(String, Path)> =
            expected.into_iter().map(|(name, of)| (name.to_owned(), path(of))).collect();
        assert_eq!(source.names, expected);
    }

    #[test]
    fn paths_are_read_wherever_code_is_and_nowhere_else() {
        let text = "
            // crate::comment::A
            /// crate::documentation::A
            fn f(x: &crate::types::X) { html! { p { (super::child::word(x)) } }; g(\"crate::text::A\") }
            #[cfg(test)]
            fn h() { crate::test::A }
            fn i() { self::last::B }
        ";
        assert_eq!(
            Source::parse(text).paths,
            [path("crate::types::X"), path("super::child::word"), path("self::last::B")]
        );
    }

    #[test]
    fn modules_for_tests_are_left_out() {
        let source = Source::parse(
            "mod a; pub(crate) mod b; #[cfg(test)] mod tests; #[cfg(test)] mod more { use crate::a; } mod c;",
        );
        assert_eq!(source.children, ["a", "b", "c"]);
        assert!(source.names.is_empty());
    }
}
