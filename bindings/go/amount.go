package merchantpay

import (
	"strconv"

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
	if amount.Exponent() < 0 && amount.Exponent() >= -1000 {
		return amount.StringFixed(-amount.Exponent())
	}
	return amount.String()
}

// isAbsent tells decimal.Decimal{} from a zero that somebody made.
func isAbsent(amount decimal.Decimal) bool { return amount == decimal.Decimal{} }

// amountText is the amount as the library takes it. What it could never hold is refused before its text is made, for the text
// of 1e1000000000 would be large.
func amountText(name string, amount decimal.Decimal) (string, error) {
	if isAbsent(amount) {
		return "", nil
	}
	if e := amount.Exponent(); e < -mostDigits || e > mostDigits || amount.Coefficient().BitLen() > 128 {
		return "", invalid(name + " has more than " + strconv.Itoa(mostDigits) + " digits")
	}
	return AmountText(amount), nil
}

// readAmount reads what the library wrote; "" is absent.
func readAmount(text string) (decimal.Decimal, error) {
	if text == "" {
		return decimal.Decimal{}, nil
	}
	amount, err := decimal.NewFromString(text)
	if err != nil {
		return decimal.Decimal{}, &Error{Code: CodeInternal, Outcome: OutcomeUnknown, Message: "an amount is no decimal", cause: err}
	}
	return amount, nil
}
