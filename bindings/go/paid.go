package merchantpay

import "github.com/shopspring/decimal"

// Paid is the paid sum compared with the requested sum; 0 until the paid sum is known.
type Paid int32

// Paid compares the paid sum with asked, the requested sum. It returns 0 if the payment has no sum, or if asked
// is absent or not an amount. The sums are compared as numbers. StatusDoneSuccess alone does not mean that the
// customer paid everything. The result is final only with a final status; before that, the payment's sum is the
// sum that the service expects so far.
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
