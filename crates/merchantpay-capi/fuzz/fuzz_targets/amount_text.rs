//! Reads any text as an amount. An accepted amount must be exactly the number in the text. A second line is
//! a rate for conversion.
#![no_main]

use libfuzzer_sys::fuzz_target;
use merchantpay::{Amount, Balance, Rounding, to_balance};

/// Returns a decimal number's sign, its digits without zeros at either end, and the power of ten of the last
/// digit. All spellings of a number give the same result.
fn number(text: &str) -> (bool, String, i64) {
    let (text, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        return (false, String::new(), 0);
    }
    // Unless the number is zero, the library has refused an exponent that does not fit.
    let exponent: i64 = exponent.parse().expect("an exponent");
    (negative, kept.to_owned(), exponent - fraction.len() as i64 + (digits.len() - kept.len()) as i64)
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (text, rate) = text.split_once('\n').unwrap_or((text, "1"));
    let Ok(amount) = text.parse::<Amount>() else { return };
    let written = amount.to_string();
    assert_eq!(number(text), number(&written));
    assert_eq!(written.parse::<Amount>().expect("what was written").to_string(), written);
    if let Some(minor) = amount.minor() {
        assert_eq!(number(&written), number(&format!("{minor}e-2")));
        assert_eq!(Amount::from_minor(minor), amount);
    }
    let converted = rate
        .parse()
        .and_then(|rate| to_balance(amount, rate, Balance::Usdt, 6, Rounding::HalfUp))
        .map(|converted| converted.to_string());
    let Ok(shown) = converted else { return };
    // Rounding changes the result by at most half a millionth: sum = converted × rate ± rate / 2 000 000. The
    // check uses whole numbers if they fit.
    let scaled = |text: &str| {
        let (negative, digits, exponent) = number(text);
        let power = u32::try_from(exponent + 12).ok()?;
        let digits: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        Some(if negative { -digits } else { digits }.checked_mul(10i128.checked_pow(power)?)?)
    };
    if let (Some(sum), Some(rate), Some(converted)) = (scaled(text), scaled(rate), scaled(&shown))
        && let (Some(sum), Some(product)) = (sum.checked_mul(1_000_000_000_000), converted.checked_mul(rate))
        && let (Some(lost), Some(bound)) = ((sum - product).checked_mul(2), rate.checked_mul(1_000_000))
    {
        assert!(lost.abs() <= bound, "{text} / … = {shown}");
    }
});
