package merchantpay

import (
	"encoding/json"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// AvailableAmounts are the amounts with a counter-offer right now (contract, section 4.1). Nothing is reserved.
type AvailableAmounts struct {
	// AvailableAmounts are the amounts, as the service listed them.
	AvailableAmounts []decimal.Decimal
	// OtherAmountsPossible: the list is incomplete, so that an empty one is no refusal.
	OtherAmountsPossible bool
	// JSON is the verified body as it came.
	JSON json.RawMessage
}

// newAmounts reads what the library gave.
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
