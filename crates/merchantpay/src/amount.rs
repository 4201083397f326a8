//! Exact decimals. No float is accepted or returned.

use std::borrow::Cow;
use std::fmt;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    /// `false` for zero.
    pub fn is_positive(&self) -> bool {
        self.0 > Decimal::ZERO
    }

    /// `false` for zero.
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

    pub(crate) fn parse_number(text: &str) -> std::result::Result<Amount, Cow<'static, str>> {
        let lexeme = Lexeme::read(text).ok_or_else(|| fault(text))?;
        lexeme.amount().ok_or_else(|| "has more than 28 digits, the most that can be kept exactly".into())
    }
}

/// A JSON number (RFC 8259, section 6), split into its parts.
struct Lexeme<'a> {
    is_negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: &'a str,
}

impl<'a> Lexeme<'a> {
    fn read(text: &'a str) -> Option<Lexeme<'a>> {
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_integer = |text: &str| !text.is_empty() && are_digits(text);
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (is_negative, number) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let is_number = is_integer(whole)
            && (whole.len() == 1 || !whole.starts_with('0'))
            && are_digits(fraction)
            && !number.ends_with('.')
            && is_integer(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
        is_number.then_some(Lexeme { is_negative, whole, fraction, exponent })
    }

    fn amount(&self) -> Option<Amount> {
        let mut digits = self.whole.bytes().chain(self.fraction.bytes());
        let mut mantissa = digits
            .try_fold(0i128, |number, digit| number.checked_mul(10)?.checked_add(i128::from(digit - b'0')))?;
        // With an exponent beyond an i32 only zero would fit, and it is refused, too.
        let exponent: i32 = self.exponent.parse().ok()?;
        let mut scale = i32::try_from(self.fraction.len()).ok()?.checked_sub(exponent)?;
        if mantissa == 0 {
            scale = scale.max(0);
        }
        if scale < 0 {
            mantissa = mantissa.checked_mul(10i128.checked_pow(scale.unsigned_abs())?)?;
            scale = 0;
        }
        if mantissa >= 10i128.pow(MAX_DIGITS as u32) {
            return None;
        }
        if self.is_negative {
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

#[cfg(test)]
mod tests;
