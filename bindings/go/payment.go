package merchantpay

import (
	"fmt"
	"log/slog"

	"github.com/merchantpay/merchantpay-go/internal/capi"
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

// Format writes the text of String for every verb, so that %+v and %#v leave out the same values.
func (p Payment) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(p.String())) }

// LogValue leaves out the values that String leaves out.
func (p Payment) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("order_id", p.OrderID),
		slog.String("sum", AmountText(p.Sum)),
		slog.String("status", string(p.Status)),
	)
}

// newPayment reads the library's result.
func newPayment(from *capi.Payment) (*Payment, error) {
	payment := &Payment{}
	if err := payment.read(from); err != nil {
		return nil, err
	}
	return payment, nil
}
