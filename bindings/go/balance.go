package merchantpay

import (
	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Balance is the currency of the merchant's balance.
type Balance int32

// The balances (contract, section 2).
const (
	// BalanceRUB is sum * rate.
	BalanceRUB Balance = capi.BalanceRUB
	// BalanceUSDT is sum / rate.
	BalanceUSDT Balance = capi.BalanceUSDT
)

// Rounding is what becomes of the digits that do not fit the scale.
type Rounding int32

// The roundings.
const (
	// RoundingHalfUp is to the nearest; a half goes away from zero, as on a till.
	RoundingHalfUp Rounding = capi.RoundingHalfUp
	// RoundingHalfEven is to the nearest; a half goes to the even neighbour.
	RoundingHalfEven Rounding = capi.RoundingHalfEven
	// RoundingDown is towards zero.
	RoundingDown Rounding = capi.RoundingDown
	// RoundingUp is away from zero.
	RoundingUp Rounding = capi.RoundingUp
)

// ToBalance converts a paid sum at a rate to the balance's currency (contract, section 2), with scale digits behind the point
// (0 to 28), rounded once.
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
		return decimal.Decimal{}, invalid("scale is not from 0 to 28")
	}
	text, failure := capi.ToBalance(sumText, rateText, int32(balance), uint32(scale), int32(rounding))
	if failure != nil {
		return decimal.Decimal{}, fromC(failure)
	}
	return readAmount(text)
}
