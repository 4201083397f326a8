package merchantpay

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// mostDigits is the number of digits that the library supports, before and after the decimal point.
const mostDigits = 28

// AmountText returns an amount with all its digits: "1500.50", where the decimal's method String returns
// "1500.5". For the zero value decimal.Decimal{} it returns "". In this package the zero value means that the
// amount is absent.
func AmountText(amount decimal.Decimal) string {
	if isAbsent(amount) {
		return ""
	}
	if amount.Exponent() < 0 && amount.Exponent() >= -1000 {
		return amount.StringFixed(-amount.Exponent())
	}
	return amount.String()
}

// isAbsent reports whether the amount is decimal.Decimal{}. An explicit zero is not absent.
func isAbsent(amount decimal.Decimal) bool { return amount == decimal.Decimal{} }

// amountText is the amount in the library's format. An amount that is too large is refused before its text is
// made, because the text of 1e1000000000 would be huge.
func amountText(name string, amount decimal.Decimal) (string, error) {
	if isAbsent(amount) {
		return "", nil
	}
	if text, ok := trimmed(amount); ok {
		return text, nil
	}
	if amount.IsZero() && amount.Exponent() > 0 {
		return "0", nil
	}
	if e := amount.Exponent(); e < -mostDigits || e > mostDigits || amount.Coefficient().BitLen() > 128 {
		return "", invalid(name + " has more than " + strconv.Itoa(mostDigits) + " digits")
	}
	return AmountText(amount), nil
}

// mostTrimmed is the largest number of decimal places from which trailing zeros are removed. An amount with
// more decimal places is refused.
const mostTrimmed = 1000

// trimmed removes trailing zeros from an amount with too many decimal places. It also reports whether the
// shorter amount is within the limits. An amount that is clearly too large is not converted to text.
func trimmed(amount decimal.Decimal) (string, bool) {
	e := amount.Exponent()
	if e >= -mostDigits || e < -mostTrimmed || amount.Coefficient().BitLen() > 4*(mostTrimmed+mostDigits) {
		return "", false
	}
	whole, places, _ := strings.Cut(amount.StringFixed(-e), ".")
	places = strings.TrimRight(places, "0")
	if places == "" {
		return whole, true
	}
	return whole + "." + places, len(places) <= mostDigits
}

// readAmount reads the text of a number. The text "" means an absent amount.
func readAmount(text string) (decimal.Decimal, error) {
	if text == "" {
		return decimal.Decimal{}, nil
	}
	amount, err := decimal.NewFromString(text)
	if err != nil {
		return decimal.Decimal{}, &Error{Code: CodeInternal, Outcome: OutcomeUnknown, Message: "an amount is not a decimal number", cause: err}
	}
	return amount, nil
}

// amountReader reads several amounts and keeps the first error.
type amountReader struct{ err error }

func (a *amountReader) read(text string) decimal.Decimal {
	amount, err := readAmount(text)
	if a.err == nil {
		a.err = err
	}
	return amount
}

// amountWriter writes several amounts as JSON numbers and keeps the first error.
type amountWriter struct{ err error }

func (a *amountWriter) write(name string, amount decimal.Decimal) json.Number {
	text, err := amountText(name, amount)
	if a.err == nil {
		a.err = err
	}
	return json.Number(text)
}
