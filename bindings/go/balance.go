package merchantpay

import (
	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Balance is the currency of the merchant's balance.
type Balance int32

// Rounding decides what happens to digits beyond the scale.
type Rounding int32

// ToBalance converts a paid sum at a rate to the balance's currency (contract, section 2). The result is
// rounded once, to scale digits after the decimal point (0 to 28).
func ToBalance(sum, rate decimal.Decimal, balance Balance, scale int, rounding Rounding) (decimal.Decimal, error) {
	sumText, err := amountText("sum", sum)
	if err != nil {
		return decimal.Decimal{}, err
	}
	rateText, err := amountText("rate", rate)
	if err != nil {
		return decimal.Decimal{}, err
	}
	if scale < 0 || scale > mostDigits {
		return decimal.Decimal{}, invalid("scale must be from 0 to 28")
	}
	text, failure := capi.ToBalance(sumText, rateText, int32(balance), uint32(scale), int32(rounding))
	if failure != nil {
		return decimal.Decimal{}, fromC(failure)
	}
	return readAmount(text)
}
