//! `payeeName` in Latin letters, as in `/status` (contract, section 4.6).

/// Transliterates Cyrillic letter by letter; other characters stay.
pub fn to_latin(text: &str) -> String {
    let mut latin = String::with_capacity(text.len());
    for c in text.chars() {
        let lower: String = c.to_lowercase().collect();
        let Some((_, letters)) = LETTERS.iter().find(|(letter, _)| lower == *letter) else {
            latin.push(c);
            continue;
        };
        let mut letters = letters.chars();
        match letters.next() {
            Some(first) if c.is_uppercase() => latin.push(first.to_ascii_uppercase()),
            Some(first) => latin.push(first),
            None => {}
        }
        latin.extend(letters);
    }
    latin
}

const LETTERS: &[(&str, &str)] = &[
    ("а", "a"),
    ("б", "b"),
    ("в", "v"),
    ("г", "g"),
    ("д", "d"),
    ("е", "e"),
    ("ё", "e"),
    ("ж", "zh"),
    ("з", "z"),
    ("и", "i"),
    ("й", "i"),
    ("к", "k"),
    ("л", "l"),
    ("м", "m"),
    ("н", "n"),
    ("о", "o"),
    ("п", "p"),
    ("р", "r"),
    ("с", "s"),
    ("т", "t"),
    ("у", "u"),
    ("ф", "f"),
    ("х", "kh"),
    ("ц", "ts"),
    ("ч", "ch"),
    ("ш", "sh"),
    ("щ", "shch"),
    ("ъ", ""),
    ("ы", "y"),
    ("ь", ""),
    ("э", "e"),
    ("ю", "iu"),
    ("я", "ia"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_in_latin_letters() {
        for (name, latin) in
            [("Иван И.", "Ivan I."), ("Щукина Юлия", "Shchukina Iuliia"), ("Anna", "Anna"), ("", "")]
        {
            assert_eq!(to_latin(name), latin);
        }
    }
}
