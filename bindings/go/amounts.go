package merchantpay

import (
	"encoding/json"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// AvailableAmounts are the amounts for which the service has a counter-offer at this moment (contract, section
// 4.1). No amount is reserved.
type AvailableAmounts struct {
	// AvailableAmounts are the amounts, in the service's order.
	AvailableAmounts []decimal.Decimal
	// OtherAmountsPossible reports whether amounts outside the list can succeed too. If it is true, an empty
	// list is not a refusal.
	OtherAmountsPossible bool
	// JSON is the verified body, unchanged.
	JSON json.RawMessage
}

// newAmounts reads the library's result.
func newAmounts(from *capi.Amounts) (*AvailableAmounts, error) {
	amounts := &AvailableAmounts{
		AvailableAmounts:     make([]decimal.Decimal, len(from.Amounts)),
		OtherAmountsPossible: from.OtherPossible,
		JSON:                 json.RawMessage(from.JSON),
	}
	for i, text := range from.Amounts {
		var err error
		if amounts.AvailableAmounts[i], err = readAmount(text); err != nil {
			return nil, err
		}
	}
	return amounts, nil
}
