//! Converts the paid sum to the balance's currency, exactly (contract, section 2).

use crate::amount::Amount;
use crate::error::{Error, Result};
use crate::words;

words! {
    /// The currency of the merchant's balance. It decides how the rate is applied.
    pub enum Balance {
        /// A balance in rubles: the sum is multiplied by the rate.
        Rub = "RUB", 1;
        /// A balance in USDT: the sum is divided by the rate.
        Usdt = "USDT", 2;
    }
}

impl Balance {
    /// The balance for a payment's `dealCurrency`: `RUB` or `USDT`, the two currencies that the contract
    /// names. `None` for any other text.
    pub fn of_currency(deal_currency: &str) -> Option<Balance> {
        Balance::from_name(deal_currency)
    }
}

words! {
    /// The rounding of the last kept digit.
    #[non_exhaustive]
    pub enum Rounding {
        /// Round to the nearest value. A half is rounded away from zero, as in cash registers.
        HalfUp = "half_up", 1;
        /// Round to the nearest value. A half is rounded to the even neighbour.
        HalfEven = "half_even", 2;
        /// Round towards zero.
        Down = "down", 3;
        /// Round away from zero.
        Up = "up", 4;
    }
}

/// Converts a paid `sum` at `rate` to the currency of the merchant's balance (contract, section 2), with
/// `scale` digits after the decimal point. The exact result is rounded once.
///
/// The commission is not subtracted, because the contract names no rate for it. The service computed
/// `dealSum` with commission when it issued the credentials. It does not compute `dealSum` again if a
/// different sum is paid. [`Balance::of_currency`] returns the balance for a payment's `dealCurrency`.
///
/// # Errors
///
/// `invalid_argument` if the sum is negative, the rate is not greater than 0, or the result does not fit in
/// 28 digits.
///
/// ```
/// use merchantpay::{to_balance, Amount, Balance, Rounding};
/// let (sum, rate): (Amount, Amount) = ("1500.50".parse()?, "92.45".parse()?);
/// assert_eq!(to_balance(sum, rate, Balance::Usdt, 6, Rounding::HalfEven)?.to_string(), "16.230395");
/// assert_eq!(to_balance(sum, "0.97".parse()?, Balance::Rub, 2, Rounding::Down)?.to_string(), "1455.48");
/// # Ok::<(), merchantpay::Error>(())
/// ```
pub fn to_balance(
    sum: Amount,
    rate: Amount,
    balance: Balance,
    scale: u32,
    rounding: Rounding,
) -> Result<Amount> {
    if sum.is_negative() {
        return Err(Error::invalid_argument("the sum to convert must not be negative"));
    }
    if !rate.is_positive() {
        return Err(Error::invalid_argument("the rate must be greater than 0"));
    }
    if scale > 28 {
        return Err(Error::invalid_argument("the scale must be at most 28 decimal places"));
    }
    let (kept, rest) = match balance {
        Balance::Rub => multiply(sum, rate, scale),
        Balance::Usdt => divide(sum, rate, scale),
    }
    .ok_or_else(too_large)?;
    let up = match (rounding, rest) {
        (_, Rest::Nothing) | (Rounding::Down, _) => false,
        (Rounding::Up, _) | (_, Rest::MoreThanHalf) | (Rounding::HalfUp, Rest::Half) => true,
        (Rounding::HalfEven, Rest::Half) => kept % 2 == 1,
        (_, Rest::LessThanHalf) => false,
    };
    let kept = kept + u128::from(up);
    format!("{kept}e-{scale}").parse().map_err(|_| too_large())
}

fn too_large() -> Error {
    Error::invalid_argument("the converted sum needs more than 28 digits: use a smaller scale")
}

/// The value of the digits that are cut off, compared with half a unit of the last kept digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    LessThanHalf,
    Half,
    MoreThanHalf,
}

const HALF_WIDTH: u128 = 10u128.pow(14);
const WIDTH: u128 = 10u128.pow(28);

/// `a * b` truncated to `scale` digits after the decimal point. `None` if the result does not fit.
fn multiply(a: Amount, b: Amount, scale: u32) -> Option<(u128, Rest)> {
    let ((_, a, a_scale), (_, b, b_scale)) = (a.parts(), b.parts());
    // Each factor has at most 28 digits. The factors are split into halves of 14 digits, so that no product
    // of two halves exceeds a u128.
    let (a1, a0, b1, b0) = (a / HALF_WIDTH, a % HALF_WIDTH, b / HALF_WIDTH, b % HALF_WIDTH);
    let middle = a1 * b0 + a0 * b1;
    let low = a0 * b0 + (middle % HALF_WIDTH) * HALF_WIDTH;
    let high = a1 * b1 + middle / HALF_WIDTH + low / WIDTH;
    let mut digits = format!("{high}{:028}", low % WIDTH);
    let product_scale = a_scale + b_scale;
    if product_scale <= scale {
        digits.extend(std::iter::repeat_n('0', (scale - product_scale) as usize));
        return Some((small(&digits)?, Rest::Nothing));
    }
    let cut = (product_scale - scale) as usize;
    let digits = format!("{digits:0>width$}", width = cut + 1);
    let (kept, dropped) = digits.split_at(digits.len() - cut);
    let nothing_behind = dropped.bytes().skip(1).all(|digit| digit == b'0');
    let rest = match (dropped.as_bytes().first(), nothing_behind) {
        (Some(b'0'), true) => Rest::Nothing,
        (Some(b'5'), true) => Rest::Half,
        (Some(b'5'..=b'9'), _) => Rest::MoreThanHalf,
        _ => Rest::LessThanHalf,
    };
    Some((small(kept)?, rest))
}

/// `a / b` truncated to `scale` digits after the decimal point, by long division. `None` if the result does
/// not fit.
fn divide(a: Amount, b: Amount, scale: u32) -> Option<(u128, Rest)> {
    let ((_, a, a_scale), (_, mut b, b_scale)) = (a.parts(), b.parts());
    // a·10^-as / (b·10^-bs) with `scale` digits kept = a·10^(scale + bs - as) / b
    let mut digits = a.to_string();
    let shift = i64::from(scale) + i64::from(b_scale) - i64::from(a_scale);
    if shift >= 0 {
        digits.extend(std::iter::repeat_n('0', usize::try_from(shift).ok()?));
    } else {
        // The shift is applied to the divisor. If the shifted divisor does not fit into a u128, the quotient
        // is below a half.
        match u32::try_from(-shift)
            .ok()
            .and_then(|places| 10u128.checked_pow(places))
            .and_then(|power| b.checked_mul(power))
        {
            Some(shifted) => b = shifted,
            None => return Some((0, if a == 0 { Rest::Nothing } else { Rest::LessThanHalf })),
        }
    }
    let (mut quotient, mut remainder) = (0u128, 0u128);
    for digit in digits.bytes() {
        remainder = remainder * 10 + u128::from(digit - b'0');
        quotient = quotient * 10 + remainder / b;
        remainder %= b;
        if quotient >= WIDTH {
            return None;
        }
    }
    let rest = match (remainder * 2).cmp(&b) {
        _ if remainder == 0 => Rest::Nothing,
        std::cmp::Ordering::Less => Rest::LessThanHalf,
        std::cmp::Ordering::Equal => Rest::Half,
        std::cmp::Ordering::Greater => Rest::MoreThanHalf,
    };
    Some((quotient, rest))
}

/// The digits as a number, if there are at most 28 digits.
fn small(digits: &str) -> Option<u128> {
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    (digits.len() <= 28).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn a_deal_currency_that_the_contract_names_has_its_balance() {
        for (currency, balance) in [
            ("RUB", Some(Balance::Rub)),
            ("USDT", Some(Balance::Usdt)),
            ("rub", None),
            ("USD", None),
            ("USDT ", None),
            ("", None),
        ] {
            assert_eq!(Balance::of_currency(currency), balance, "{currency}");
        }
    }

    #[test]
    fn a_ruble_balance_multiplies_and_a_usdt_balance_divides() {
        for (sum, rate, balance, scale, rounding, expected) in [
            ("1500.50", "1", Balance::Rub, 2, Rounding::HalfUp, "1500.50"),
            ("1500.50", "0.955", Balance::Rub, 2, Rounding::Down, "1432.97"),
            ("1500.50", "0.955", Balance::Rub, 2, Rounding::Up, "1432.98"),
            ("0.05", "0.1", Balance::Rub, 2, Rounding::HalfUp, "0.01"),
            ("0.05", "0.1", Balance::Rub, 2, Rounding::HalfEven, "0.00"),
            ("0.15", "0.1", Balance::Rub, 2, Rounding::HalfEven, "0.02"),
            ("1", "3", Balance::Usdt, 6, Rounding::HalfUp, "0.333333"),
            ("2", "3", Balance::Usdt, 6, Rounding::HalfUp, "0.666667"),
            ("1500.50", "92.451700000000000001", Balance::Usdt, 6, Rounding::HalfEven, "16.230096"),
            (
                "0.0000000000000000000000000001",
                "9999999999999999999999999999",
                Balance::Usdt,
                2,
                Rounding::Up,
                "0.01",
            ),
            ("0", "92", Balance::Usdt, 2, Rounding::Up, "0.00"),
        ] {
            let result = to_balance(amount(sum), amount(rate), balance, scale, rounding).unwrap();
            assert_eq!(result.to_string(), expected, "{sum} {rate} {balance:?} {rounding:?}");
        }
    }

    #[test]
    fn what_cannot_be_converted_is_refused() {
        let big = "9999999999999999999999999999";
        for (sum, rate, balance, scale) in [
            ("1", "0", Balance::Usdt, 2),
            ("1", "-1", Balance::Rub, 2),
            ("-1", "1", Balance::Rub, 2),
            ("1", "1", Balance::Rub, 29),
            (big, big, Balance::Rub, 2),
            (big, "0.0001", Balance::Usdt, 2),
            (big, "1", Balance::Rub, 1),
        ] {
            assert!(
                to_balance(amount(sum), amount(rate), balance, scale, Rounding::Down).is_err(),
                "{sum} {rate}"
            );
        }
    }

    /// The digits of `a * b`, by long multiplication.
    fn product(a: &str, b: &str) -> String {
        let mut digits = vec![0; a.len() + b.len()];
        for (x, a) in a.bytes().rev().enumerate() {
            for (y, b) in b.bytes().rev().enumerate() {
                let sum = digits[x + y] + u32::from(a - b'0') * u32::from(b - b'0');
                digits[x + y] = sum % 10;
                digits[x + y + 1] += sum / 10;
            }
        }
        digits.iter().rev().map(|digit| char::from(b'0' + *digit as u8)).collect()
    }

    fn compare(a: &str, b: &str) -> Ordering {
        let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }

    fn power_of_ten(power: u32) -> String {
        format!("1{}", "0".repeat(power as usize))
    }

    /// A value as its digits, and the number of digits after the decimal point.
    type Value = (u128, u32);

    /// Compares each rounded result with the exact result. The exact result is `numerator / denominator`, in
    /// units of the last digit that is kept.
    fn assert_exact(sum: Value, rate: Value, balance: Balance, scale: u32) {
        let text = |(digits, _): Value| digits.to_string();
        let (numerator, denominator) = match balance {
            Balance::Rub => (
                product(&text(sum), &product(&text(rate), &power_of_ten(scale))),
                power_of_ten(sum.1 + rate.1),
            ),
            Balance::Usdt => (
                product(&text(sum), &power_of_ten(scale + rate.1)),
                product(&text(rate), &power_of_ten(sum.1)),
            ),
        };
        let case = format!("{sum:?} {rate:?} {balance:?} {scale}");
        let value = |(digits, scale): Value| amount(&format!("{digits}e-{scale}"));
        let result = |rounding| {
            to_balance(value(sum), value(rate), balance, scale, rounding).map(|result| {
                let (_, digits, result_scale) = result.parts();
                assert_eq!(result_scale, scale, "{case}");
                digits
            })
        };
        let Ok(down) = result(Rounding::Down) else {
            assert_ne!(
                compare(&numerator, &product(&denominator, &power_of_ten(28))),
                Ordering::Less,
                "{case}: it fits"
            );
            return;
        };
        let times_denominator = |number: u128| product(&number.to_string(), &denominator);
        assert_ne!(
            compare(&times_denominator(down), &numerator),
            Ordering::Greater,
            "{case}: {down} is too large"
        );
        assert_eq!(
            compare(&numerator, &times_denominator(down + 1)),
            Ordering::Less,
            "{case}: {down} is too small"
        );
        let exact = times_denominator(down);
        let against_half = compare(&product("2", &numerator), &times_denominator(2 * down + 1));
        for (rounding, up) in [
            (Rounding::Up, compare(&numerator, &exact).is_gt()),
            (Rounding::HalfUp, against_half.is_ge()),
            (Rounding::HalfEven, against_half.is_gt() || (against_half.is_eq() && down % 2 == 1)),
        ] {
            let expected = down + u128::from(up);
            assert_eq!(result(rounding).ok(), (expected < WIDTH).then_some(expected), "{case} {rounding:?}");
        }
    }

    fn assert_exact_for(sums: &[u128], rates: &[u128], scales: &[u32]) {
        for (&sum, &rate) in sums.iter().flat_map(|sum| rates.iter().map(move |rate| (sum, rate))) {
            for (&sum_scale, &rate_scale) in
                scales.iter().flat_map(|one| scales.iter().map(move |other| (one, other)))
            {
                for &scale in scales {
                    assert_exact((sum, sum_scale), (rate, rate_scale), Balance::Rub, scale);
                    assert_exact((sum, sum_scale), (rate, rate_scale), Balance::Usdt, scale);
                }
            }
        }
    }

    #[test]
    fn each_rounding_is_of_the_exact_result_at_ties_and_beside_them() {
        let sums: Vec<u128> = (0..=26).collect();
        assert_exact_for(&sums, &[1, 2, 4, 5, 7, 16, 25], &[0, 1, 2]);
    }

    #[test]
    fn each_rounding_is_of_the_exact_result_at_28_digits() {
        let numbers = [
            1,
            15,
            99_999_999_999_999,
            100_000_000_000_001,
            1_234_567_890_123_456_789_012_345_678,
            WIDTH / 2,
            WIDTH - 1,
        ];
        assert_exact_for(&numbers, &numbers, &[0, 14, 28]);
        assert_exact_for(&[0], &numbers, &[0, 14, 28]);
    }

    proptest! {
        #[test]
        fn each_rounding_is_of_the_exact_result(sum in 0u128..WIDTH, rate in 1u128..WIDTH, sum_scale in 0u32..=28, rate_scale in 0u32..=28, scale in 0u32..=28) {
            for balance in [Balance::Rub, Balance::Usdt] {
                assert_exact((sum, sum_scale), (rate, rate_scale), balance, scale);
            }
        }
    }
}
