package merchantpay

import (
	"encoding/json"
	"log/slog"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// PaymentMethod is the customer's way to pay (contract, section 1).
type PaymentMethod string

// CurrencyRUB is the only currency of a payment.
const CurrencyRUB = "RUB"

// Status is the state of a payment (contract, section 3). A status that this version does not know keeps its
// text.
type Status string

// IsFinal reports whether the payment has a final status.
func (p *Payment) IsFinal() bool { return p != nil && p.Status.IsFinal() }

// String returns a short text without account, name and link.
func (p Payment) String() string {
	text := "payment " + p.OrderID
	if sum := AmountText(p.Sum); sum != "" {
		text += " sum " + sum
	}
	if p.Status != "" {
		text += " status " + string(p.Status)
	}
	return text
}

// LogValue leaves out the values that String leaves out.
func (p Payment) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("order_id", p.OrderID),
		slog.String("sum", AmountText(p.Sum)),
		slog.String("status", string(p.Status)),
	)
}

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

func newPayment(from waist.Payment, err error) (*Payment, error) {
	if err != nil {
		return nil, err
	}
	payment := paymentOf(&from)
	return &payment, nil
}

func newOrderID(from waist.Payment, err error) (string, error) { return from.OrderID, err }

// onlyError is for a reply whose payment says nothing new.
func onlyError(_ waist.Payment, err error) error { return err }

func newAmounts(from waist.Amounts, err error) (*AvailableAmounts, error) {
	if err != nil {
		return nil, err
	}
	amounts := make([]decimal.Decimal, len(from.AvailableAmounts))
	for i, text := range from.AvailableAmounts {
		amounts[i] = amountOf(text)
	}
	return &AvailableAmounts{amounts, from.OtherAmountsPossible, json.RawMessage(from.JSON)}, nil
}

// String leaves out the customer's account and the URLs of the webhooks. The random part of such a URL is a
// secret.
func (r PaymentRequest) String() string { return "payment request of " + AmountText(r.Sum) }

// String leaves out the customer's account.
func (r AmountsRequest) String() string { return "amounts request around " + AmountText(r.Sum) }
