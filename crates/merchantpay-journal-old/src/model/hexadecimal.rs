//! Bytes as text.

/// The bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_two_digits() {
        let bytes: Vec<u8> = (0..=255).collect();
        let wanted: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hexadecimal(&bytes), wanted);
        assert_eq!(hexadecimal(&[]), "");
    }
}
