package merchantpay

import "github.com/shopspring/decimal"

// Paid is the paid sum compared with the requested one; 0 if that is not known.
type Paid int32

// Paid compares the payment's sum with the requested one, as numbers; 0 if there is no sum, or asked is
// absent or not an amount. StatusDoneSuccess alone does not mean that the customer paid everything. The
// result is final only with a final status; before, it compares the sum that the service expects so far.
func (p *Payment) Paid(asked decimal.Decimal) Paid {
	if p == nil || !isAmount(p.Sum) || !isAmount(asked) {
		return 0
	}
	switch p.Sum.Cmp(asked) {
	case -1:
		return PaidLess
	case 1:
		return PaidMore
	default:
		return PaidExactly
	}
}

// isAmount reports whether the amount is present and small enough to be compared without using all memory.
func isAmount(amount decimal.Decimal) bool {
	text, err := amountText("", amount)
	return err == nil && text != ""
}
