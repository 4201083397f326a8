package merchantpay

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// mostDigits is what the library holds, before and behind the point.
const mostDigits = 28

// AmountText is an amount with the digits it has: 1500.50, where String of a decimal leaves 1500.5. It is "" for the zero
// value decimal.Decimal{}, which is how this package says that an amount is absent.
func AmountText(amount decimal.Decimal) string {
	if isAbsent(amount) {
		return ""
	}
	if text, ok := shortText(amount); ok {
		return text
	}
	if amount.Exponent() < 0 && amount.Exponent() >= -1000 {
		return amount.StringFixed(-amount.Exponent())
	}
	return amount.String()
}

// shortDigits is how many digits an amount may have, before and behind the point, to be written and read as an int64.
const shortDigits = 17

// shortText is the text of an amount of few digits, as AmountText would otherwise have it made of large numbers.
func shortText(amount decimal.Decimal) (string, bool) {
	places := -int(amount.Exponent())
	if places < 0 || places > shortDigits || amount.NumDigits() > shortDigits {
		return "", false
	}
	sign, value := "", amount.CoefficientInt64()
	if value < 0 {
		sign, value = "-", -value
	}
	var room [shortDigits]byte
	digits := strconv.AppendInt(room[:0], value, 10)
	if places == 0 {
		return sign + string(digits), true
	}
	if point := len(digits) - places; point > 0 {
		return sign + string(digits[:point]) + "." + string(digits[point:]), true
	}
	return sign + "0." + strings.Repeat("0", places-len(digits)) + string(digits), true
}

// isAbsent tells decimal.Decimal{} from a zero that somebody made.
func isAbsent(amount decimal.Decimal) bool { return amount == decimal.Decimal{} }

// amountText is the amount as the library takes it. What it could never hold is refused before its text is made, for the text
// of 1e1000000000 would be large.
func amountText(name string, amount decimal.Decimal) (string, error) {
	if isAbsent(amount) {
		return "", nil
	}
	if text, ok := shortText(amount); ok {
		return text, nil
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

// mostTrimmed is how many digits behind the point are looked at for zeros to leave out.
const mostTrimmed = 1000

// trimmed is the text of an amount with more digits behind the point than the library holds, without the zeros at its end, if it
// then fits. Anything larger than could be one is not written out.
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

// readAmount reads what the library wrote; "" is absent.
func readAmount(text string) (decimal.Decimal, error) {
	if text == "" {
		return decimal.Decimal{}, nil
	}
	if amount, ok := readShort(text); ok {
		return amount, nil
	}
	amount, err := decimal.NewFromString(text)
	if err != nil {
		return decimal.Decimal{}, &Error{Code: CodeInternal, Outcome: OutcomeUnknown, Message: "an amount is no decimal", cause: err}
	}
	return amount, nil
}

// readShort reads an amount of few digits, as decimal.NewFromString does; anything else it leaves to that.
func readShort(text string) (decimal.Decimal, bool) {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) > shortDigits {
		return decimal.Decimal{}, false
	}
	value, point := int64(0), -1
	for i := range len(digits) {
		switch c := digits[i]; {
		case '0' <= c && c <= '9':
			value = 10*value + int64(c-'0')
		case c == '.' && point < 0 && 0 < i && i < len(digits)-1:
			point = i
		default:
			return decimal.Decimal{}, false
		}
	}
	if digits == "" {
		return decimal.Decimal{}, false
	}
	if len(digits) < len(text) {
		value = -value
	}
	places := 0
	if point >= 0 {
		places = len(digits) - 1 - point
	}
	return decimal.New(value, -int32(places)), true
}
