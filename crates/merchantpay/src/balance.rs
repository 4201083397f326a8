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
/// `invalid_argument` if the sum is negative, the rate is not greater than 0, or sum, rate and scale have too many
/// digits for an exact result.
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
        return Err(Error::about("sum", "must not be negative"));
    }
    if !rate.is_positive() {
        return Err(Error::about("rate", "must be greater than 0"));
    }
    if scale > 28 {
        return Err(Error::about("scale", "must be at most 28 decimal places"));
    }
    let too_large = || {
        Error::invalid_argument("the sum, the rate and the scale have too many digits for an exact result")
    };
    let (numerator, denominator) = fraction(sum, rate, balance, scale).ok_or_else(too_large)?;
    let (kept, rest) = (numerator / denominator, numerator % denominator);
    let against_half = rest.cmp(&(denominator - rest));
    let up = match rounding {
        Rounding::Down => false,
        Rounding::Up => rest > 0,
        Rounding::HalfUp => against_half.is_ge(),
        Rounding::HalfEven => against_half.is_gt() || against_half.is_eq() && kept % 2 == 1,
    };
    format!("{}e-{scale}", kept + u128::from(up)).parse().map_err(|_| too_large())
}

/// The converted sum in units of the last digit that is kept. `None` if a part of the fraction overflows.
fn fraction(sum: Amount, rate: Amount, balance: Balance, scale: u32) -> Option<(u128, u128)> {
    let ((_, sum, sum_scale), (_, rate, rate_scale)) = (sum.parts(), rate.parts());
    let (numerator, denominator, added, removed) = match balance {
        Balance::Rub => (sum.checked_mul(rate)?, 1, scale, sum_scale + rate_scale),
        Balance::Usdt => (sum, rate, scale + rate_scale, sum_scale),
    };
    let power = |more: u32, less: u32| 10u128.checked_pow(more.saturating_sub(less));
    Some((numerator.checked_mul(power(added, removed)?)?, denominator.checked_mul(power(removed, added)?)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::Code;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn a_deal_currency_that_the_contract_names_has_its_balance() {
        let named = ["RUB", "USDT", "rub", "USDT ", ""].map(Balance::of_currency);
        assert_eq!(named, [Some(Balance::Rub), Some(Balance::Usdt), None, None, None]);
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
            ("0", "92", Balance::Usdt, 2, Rounding::Up, "0.00"),
        ] {
            let result = to_balance(amount(sum), amount(rate), balance, scale, rounding).unwrap();
            assert_eq!(result.to_string(), expected, "{sum} {rate} {balance:?} {rounding:?}");
        }
    }

    #[test]
    fn what_cannot_be_converted_is_refused() {
        let big = "9999999999999999999999999999";
        for (sum, rate, balance, scale, named) in [
            ("1", "0", Balance::Usdt, 2, "rate must be greater than 0"),
            ("1", "-1", Balance::Rub, 2, "rate must be greater than 0"),
            ("-1", "1", Balance::Rub, 2, "sum must not be negative"),
            ("1", "1", Balance::Rub, 29, "scale must be at most 28"),
            (big, big, Balance::Rub, 2, "too many digits"),
            (big, "0.0001", Balance::Usdt, 28, "too many digits"),
            (big, "1", Balance::Rub, 1, "too many digits"),
            ("0.0000000000000000000000000001", big, Balance::Usdt, 2, "too many digits"),
        ] {
            let error = to_balance(amount(sum), amount(rate), balance, scale, Rounding::Down).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().contains(named), "{sum} {rate}: {error}");
            assert!(error.argument().is_none_or(|name| named.starts_with(name)), "{error}");
        }
    }

    proptest! {
        /// With at most 9 digits in sum and rate, everything fits into 128 bits.
        #[test]
        fn each_rounding_is_of_the_exact_result(
            sum in 0u128..1_000_000_000, rate in 1u128..1_000_000_000,
            sum_scale in 0u32..=4, rate_scale in 0u32..=4, scale in 0u32..=6, is_tie: bool, in_rubles: bool,
        ) {
            let rate = if is_tie { [1, 2, 4, 5, 8, 25][(rate % 6) as usize] } else { rate };
            let (numerator, denominator, balance) = match in_rubles {
                true => (sum * rate * 10u128.pow(scale), 10u128.pow(sum_scale + rate_scale), Balance::Rub),
                false => (sum * 10u128.pow(scale + rate_scale), rate * 10u128.pow(sum_scale), Balance::Usdt),
            };
            let value = |digits, scale| amount(&format!("{digits}e-{scale}"));
            let result = |rounding| {
                let result = to_balance(value(sum, sum_scale), value(rate, rate_scale), balance, scale, rounding);
                let (_, digits, result_scale) = result.unwrap().parts();
                assert_eq!(result_scale, scale);
                digits
            };
            let down = result(Rounding::Down);
            prop_assert!(down * denominator <= numerator && numerator < (down + 1) * denominator);
            prop_assert_eq!(result(Rounding::Up), numerator.div_ceil(denominator));
            let half_up = (2 * numerator + denominator) / (2 * denominator);
            prop_assert_eq!(result(Rounding::HalfUp), half_up);
            let is_half = 2 * numerator == (2 * down + 1) * denominator;
            prop_assert_eq!(result(Rounding::HalfEven), if is_half { down + down % 2 } else { half_up });
        }
    }
}
