package merchantpay

import "github.com/shopspring/decimal"

// Paid is what was paid, compared with what was asked for; 0 where that is not known.
type Paid int32

// Paid compares the payment's sum with the one that was asked for, as numbers; 0 if there is no sum, or asked is absent or no
// amount. StatusDoneSuccess alone does not say that the customer paid all, and only a final status makes this final: before, it
// compares what the service counts with so far.
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

// isAmount reports whether it is there, and not so large that comparing it would take all memory.
func isAmount(amount decimal.Decimal) bool {
	text, err := amountText("", amount)
	return err == nil && text != ""
}
