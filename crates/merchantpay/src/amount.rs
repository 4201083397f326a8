//! Exact decimals. No float is accepted or returned.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use rust_decimal::Decimal;

use crate::error::{Error, Result};

/// The largest number of digits of an [`Amount`], before and after the decimal point together, without
/// leading zeros.
pub const MAX_DIGITS: usize = 28;

/// An exact decimal: a sum, a rate or a deviation.
///
/// It has up to 28 digits, keeps its digits (`1500.50` stays `1500.50`) and is read and written as a JSON
/// number. A value with more digits is an error: it is never rounded. Two amounts are equal if their values
/// are equal: `1500.5 == 1500.50`.
///
/// ```
/// use merchantpay::Amount;
/// let sum: Amount = "1500.50".parse()?;
/// assert_eq!(sum.to_string(), "1500.50");
/// assert_eq!(sum.minor(), Some(150_050));
/// assert_eq!(Amount::from_minor(150_050), sum);
/// assert!("1500,50".parse::<Amount>().is_err());
/// # Ok::<(), merchantpay::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Amount(Decimal);

impl Amount {
    /// Zero.
    pub const ZERO: Amount = Amount(Decimal::ZERO);

    /// An amount from kopecks (hundredths of a ruble), or from hundredths of another currency.
    pub fn from_minor(minor: i64) -> Amount {
        Amount(Decimal::new(minor, 2))
    }

    /// The amount in hundredths of the currency. `None` if there is a fraction of a hundredth, or if the
    /// amount does not fit into an `i64`.
    pub fn minor(&self) -> Option<i64> {
        let number = self.0.normalize();
        let scale = 2u32.checked_sub(number.scale())?;
        let minor = number.mantissa().checked_mul(10i128.pow(scale))?;
        i64::try_from(minor).ok()
    }

    /// Returns `true` if the amount is greater than zero.
    pub fn is_positive(&self) -> bool {
        self.0 > Decimal::ZERO
    }

    /// Returns `true` if the amount is less than zero.
    pub fn is_negative(&self) -> bool {
        self.0 < Decimal::ZERO
    }

    /// The value as a `Decimal`, for arithmetic. Beware: `Decimal`'s own `+ - * /` and `from_str` round
    /// results that do not fit.
    pub fn to_decimal(&self) -> Decimal {
        self.0
    }

    /// The sign, the digits as one number, and the number of digits after the decimal point.
    pub(crate) fn parts(&self) -> (bool, u128, u32) {
        (self.0.is_sign_negative(), self.0.mantissa().unsigned_abs(), self.0.scale())
    }

    /// Reads the text of a number, as `from_str` does. An error is about the argument `name`.
    #[doc(hidden)]
    pub fn from_argument(name: &str, text: &str) -> Result<Amount> {
        Amount::parse_number(text).map_err(|why| Error::about(name, why))
    }

    /// Reads the text of a JSON number.
    pub(crate) fn parse_number(text: &str) -> std::result::Result<Amount, Cow<'static, str>> {
        let lexeme = Lexeme::read(text).ok_or_else(|| fault(text))?;
        lexeme.amount().ok_or_else(|| "has more than 28 digits, the most that can be kept exactly".into())
    }
}

/// A JSON number (RFC 8259, section 6), split into its parts.
struct Lexeme<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: &'a str,
}

impl<'a> Lexeme<'a> {
    fn read(text: &'a str) -> Option<Lexeme<'a>> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, rest) = digits(rest);
        if whole.is_empty() || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        let (fraction, rest) = match rest.strip_prefix('.') {
            Some(rest) => {
                let (fraction, rest) = digits(rest);
                if fraction.is_empty() {
                    return None;
                }
                (fraction, rest)
            }
            None => ("", rest),
        };
        let exponent = match rest.strip_prefix(['e', 'E']) {
            Some(exponent) => {
                let (digits, rest) = digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
                if digits.is_empty() || !rest.is_empty() {
                    return None;
                }
                exponent
            }
            None if rest.is_empty() => "0",
            None => return None,
        };
        Some(Lexeme { negative, whole, fraction, exponent })
    }

    /// The exact value, if it fits into 28 digits.
    fn amount(&self) -> Option<Amount> {
        let mut mantissa: i128 = 0;
        let mut count = 0;
        for digit in self.whole.bytes().chain(self.fraction.bytes()) {
            if count > 0 || digit != b'0' {
                count += 1;
            }
            if count > MAX_DIGITS {
                return None;
            }
            mantissa = mantissa * 10 + i128::from(digit - b'0');
        }
        // If the exponent does not fit into an i32, the value is out of range.
        let exponent: i32 = self.exponent.parse().ok()?;
        let mut scale = i32::try_from(self.fraction.len()).ok()?.checked_sub(exponent)?;
        if mantissa == 0 {
            scale = scale.max(0);
        }
        if scale < 0 {
            let zeros = scale.unsigned_abs() as usize;
            if count + zeros > MAX_DIGITS {
                return None;
            }
            mantissa *= 10i128.checked_pow(scale.unsigned_abs())?;
            scale = 0;
        }
        if self.negative {
            mantissa = -mantissa;
        }
        Decimal::try_from_i128_with_scale(mantissa, u32::try_from(scale).ok()?).ok().map(Amount)
    }
}

/// What is wrong with a text that is no JSON number. Most such texts come from a form, or from a program that
/// formatted the number for people.
fn fault(text: &str) -> Cow<'static, str> {
    const CURRENCIES: &[&str] = &["rub", "rur", "usd", "usdt", "eur", "р", "руб", "рубль", "рубля", "рублей"];
    let letters: String = text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    let digits = text.trim_start_matches('-');
    let has_digit = digits.contains(|c: char| c.is_ascii_digit());
    let is_padded =
        digits.strip_prefix('0').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_bare = is_padded || digits.starts_with('.') || digits.ends_with('.');
    let is_currency = CURRENCIES.contains(&letters.as_str()) && has_digit;
    let faults = [
        (text.is_empty(), "it is empty"),
        (text.starts_with(['"', '\'']), "it is in quotes"),
        (text.starts_with('+'), "it has a sign +"),
        (text.contains(|c: char| c.is_numeric() && !c.is_ascii()), "it has digits that are not ASCII"),
        (is_currency || text.contains(['₽', '$', '€', '¥', '£', '₸']), "it has a currency"),
        (text.contains(char::is_whitespace), "it has a space or a line end"),
        (text.contains(',') && text.contains('.'), "it has a comma between its digits"),
        (text.contains(','), "it has a decimal comma; write a point, such as 1500.50"),
        (text.contains(['_', '’', '\'']), "it has a separator between its digits"),
        (text.starts_with(|c: char| c.is_ascii_digit()) && letters == "e", "it has an incomplete exponent"),
        (is_bare && has_digit, "it needs one digit before its point, and one after it"),
    ];
    match faults.into_iter().find(|(is_fault, _)| *is_fault) {
        Some((_, fault)) => format!("is not a decimal number: {fault}").into(),
        None => "is not a decimal number".into(),
    }
}

/// The ASCII digits at the beginning of `text`, and the rest of `text`.
fn digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

impl FromStr for Amount {
    type Err = Error;

    /// Reads the text of a JSON number, such as `1500.50`, `-3` or `1e3`. A sign `+`, spaces and separators
    /// are not allowed.
    fn from_str(text: &str) -> Result<Amount> {
        Amount::parse_number(text).map_err(|why| Error::invalid_argument(format!("the amount {why}")))
    }
}

impl fmt::Display for Amount {
    /// Writes all digits. A precision (`{:.2}`) can add zeros but never removes digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.precision().is_some_and(|precision| precision < self.0.scale() as usize) {
            return f.pad_integral(self.0.is_sign_positive(), "", &self.0.abs().to_string());
        }
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Amount({})", self.0)
    }
}

impl TryFrom<Decimal> for Amount {
    type Error = Error;

    /// Refuses the few 29-digit values that fit into a `Decimal` but not into an `Amount`.
    fn try_from(decimal: Decimal) -> Result<Amount> {
        decimal.to_string().parse()
    }
}

impl From<Amount> for Decimal {
    fn from(amount: Amount) -> Decimal {
        amount.0
    }
}

macro_rules! from_integer {
    ($($integer:ty)*) => { $(
        impl From<$integer> for Amount {
            /// Makes an amount of whole units of the currency.
            fn from(whole: $integer) -> Amount {
                Amount(Decimal::from(whole))
            }
        }
    )* };
}
from_integer!(u8 u16 u32 u64 i8 i16 i32 i64);

impl PartialEq for Amount {
    fn eq(&self, other: &Amount) -> bool {
        self.0 == other.0
    }
}

impl Eq for Amount {}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Amount) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Amount) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl Hash for Amount {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_precision_adds_zeros_and_takes_no_digit_away() {
        for (text, precision, shown) in [
            ("1500.505", 2, "1500.505"),
            ("1500.509999", 0, "1500.509999"),
            ("-0.005", 2, "-0.005"),
            ("1500.5", 2, "1500.50"),
            ("1500.50", 2, "1500.50"),
            ("7", 2, "7.00"),
            ("7", 0, "7"),
        ] {
            let amount: Amount = text.parse().unwrap();
            assert_eq!(format!("{amount:.precision$}"), shown, "{text} {precision}");
        }
        let amount: Amount = "-1.005".parse().unwrap();
        assert_eq!(
            (format!("{amount:>8.2}"), format!("{amount:08.1}")),
            ("  -1.005".to_owned(), "-001.005".to_owned())
        );
    }

    #[test]
    fn exponents_are_exact() {
        for (text, value) in [
            ("1e3", "1000"),
            ("1.50E+2", "150"),
            ("1500.5e-1", "150.05"),
            ("0e99", "0"),
            ("1e27", "1000000000000000000000000000"),
            ("1E-28", "0.0000000000000000000000000001"),
        ] {
            assert_eq!(text.parse::<Amount>().unwrap().to_string(), value, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_kept_exactly_is_refused() {
        for text in [
            "12345678901234567890123456789",
            "1.0000000000000000000000000000",
            "0.00000000000000000000000000001",
            "1e28",
            "1e-29",
            "1e400",
            "1e99999999999999999999",
            "1e-99999999999999999999",
        ] {
            assert!(text.parse::<Amount>().unwrap_err().message().contains("28"), "{text}");
        }
    }

    #[test]
    fn only_the_json_number_grammar_is_read_and_the_fault_is_named() {
        for (fault, texts) in [
            (": it is empty", &[""][..]),
            (": it is in quotes", &["\"1\"", "'1'"]),
            (": it has a sign +", &["+1", "+5.00"]),
            (": it has digits that are not ASCII", &["١", "１５００", "½"]),
            (": it has a currency", &["1500 RUB", "1500RUB", "RUB 1", "1₽", "$5", "100 руб."]),
            (": it has a space", &[" ", " 1", "1 ", "1\n", "1 500.50", "1\u{a0}500", "1\u{202f}500,50"]),
            (": it has a comma between", &["1,500.50"]),
            (": it has a decimal comma", &["1500,50", "1,5"]),
            (": it has a separator", &["1_000", "1'000", "1’000"]),
            (": it has an incomplete exponent", &["1e", "1e+", "1e1.5"]),
            (": it needs one digit", &[".5", "1.", "01", "-01"]),
            ("", &["NaN", "inf", "-", "--1", "1.5.0", "0x1", "1\0", "one", "[1]"]),
        ] {
            for text in texts {
                let error = text.parse::<Amount>().unwrap_err();
                let wanted = format!("the amount is not a decimal number{fault}");
                let message = error.message();
                assert!(message.starts_with(&wanted), "{text:?}: {message}");
                assert!(!fault.is_empty() || message == wanted, "{text:?}: {message}");
            }
        }
    }

    #[test]
    fn an_amount_is_the_decimal_that_it_was_made_of() {
        let decimal = Decimal::new(-150_050, 2);
        let amount = Amount::try_from(decimal).unwrap();
        assert_eq!(
            (amount.to_string().as_str(), format!("{amount:?}").as_str()),
            ("-1500.50", "Amount(-1500.50)")
        );
        assert_eq!((amount.to_decimal(), Decimal::from(amount)), (decimal, decimal));
        assert_eq!(amount.parts(), (true, 150_050, 2));
        assert_eq!(Amount::from_minor(-150_050), amount);
        // `Decimal::MAX` has 29 digits.
        assert!(Amount::try_from(Decimal::MAX).is_err());
        for (whole, text) in [
            (Amount::from(u8::MAX), "255"),
            (Amount::from(u16::MAX), "65535"),
            (Amount::from(u32::MAX), "4294967295"),
            (Amount::from(u64::MAX), "18446744073709551615"),
            (Amount::from(i8::MIN), "-128"),
            (Amount::from(i16::MIN), "-32768"),
            (Amount::from(i32::MIN), "-2147483648"),
            (Amount::from(i64::MIN), "-9223372036854775808"),
        ] {
            assert_eq!(whole.to_string(), text);
        }
    }

    #[test]
    fn amounts_compare_by_value_and_not_by_their_digits() {
        use std::hash::DefaultHasher;

        let amount = |text: &str| text.parse::<Amount>().unwrap();
        let (less, more) = (amount("1500.5"), amount("1500.51"));
        assert!(less == amount("1500.50") && less != more);
        assert_eq!(
            (less.partial_cmp(&more), more.partial_cmp(&less)),
            (Some(Ordering::Less), Some(Ordering::Greater))
        );
        assert_eq!(less.partial_cmp(&amount("1500.500")), Some(Ordering::Equal));
        let hash = |amount: Amount| {
            let mut hasher = DefaultHasher::new();
            amount.hash(&mut hasher);
            hasher.finish()
        };
        assert!(hash(less) == hash(amount("1500.50")) && hash(less) != hash(more));
        assert!(more.is_positive() && !more.is_negative());
        assert!(amount("-0.01").is_negative() && !amount("-0.01").is_positive());
        assert!(!Amount::ZERO.is_positive() && !Amount::ZERO.is_negative());
    }

    #[test]
    fn kopecks_are_given_only_where_they_are_exact() {
        for (text, minor) in [
            ("1500.50", Some(150_050)),
            ("1500.500", Some(150_050)),
            ("0.001", None),
            ("-0.01", Some(-1)),
            ("92233720368547758.07", Some(i64::MAX)),
            ("92233720368547758.08", None),
            ("9999999999999999999999999999", None),
            ("1e27", None),
        ] {
            assert_eq!(text.parse::<Amount>().unwrap().minor(), minor, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_decimal_of_28_digits_survives(mantissa in 0u128..10u128.pow(28), scale in 0u32..=28, negative: bool) {
            let digits = format!("{mantissa:0>width$}", width = scale as usize + 1);
            let (whole, fraction) = digits.split_at(digits.len() - scale as usize);
            let sign = if negative && mantissa != 0 { "-" } else { "" };
            let text = if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") };
            let amount: Amount = text.parse().unwrap();
            prop_assert_eq!(amount.to_string(), text);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC*") {
            let _ = text.parse::<Amount>();
        }

        #[test]
        fn numbers_near_the_grammar_are_read_exactly_or_refused(text in "-?[0-9]{1,30}(\\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?") {
            if let Ok(amount) = text.parse::<Amount>() {
                let again: Amount = amount.to_string().parse().unwrap();
                prop_assert_eq!(amount, again);
            }
        }
    }
}
