//! `payeeName` in Latin letters, as in `/status` (contract, section 4.6).

/// Transliterates Cyrillic letter by letter; other characters stay.
pub fn to_latin(text: &str) -> String {
    let mut latin = String::with_capacity(text.len());
    for c in text.chars() {
        let lower: String = c.to_lowercase().collect();
        let Some(letters) = LETTERS.split(' ').find_map(|word| word.strip_prefix(&lower)) else {
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

/// Each word is a letter and its transliteration.
const LETTERS: &str = "аa бb вv гg дd еe ёe жzh зz иi йi \
     кk лl мm нn оo пp рr сs тt уu фf \
     хkh цts чch шsh щshch ъ ыy ь эe юiu яia";

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
