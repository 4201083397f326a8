use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

#[test]
fn precision_pads_and_never_truncates() {
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
fn other_than_json_numbers_are_refused_and_the_fault_named() {
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
fn converts_from_decimals_and_integers() {
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
fn compares_by_value() {
    let amount = |text: &str| text.parse::<Amount>().unwrap();
    let (less, more) = (amount("1500.5"), amount("1500.51"));
    assert!(less == amount("1500.50") && less < more);
    assert_eq!(HashSet::from([less, more, amount("1500.50")]).len(), 2);
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
    fn parsing_never_panics(text in "\\PC*") {
        let _ = text.parse::<Amount>();
    }

    #[test]
    fn accepted_numbers_round_trip(text in "-?[0-9]{1,30}(\\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?") {
        if let Ok(amount) = text.parse::<Amount>() {
            let again: Amount = amount.to_string().parse().unwrap();
            prop_assert_eq!(amount, again);
        }
    }
}
