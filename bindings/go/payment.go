package merchantpay

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// PaymentMethod is how the customer pays (contract, section 1).
type PaymentMethod string

// The payment methods.
const (
	PaymentMethodCard PaymentMethod = "card"
	PaymentMethodSBP  PaymentMethod = "sbp"
)

// CurrencyRUB is the only currency of a payment.
const CurrencyRUB = "RUB"

// Status is the state of a payment (contract, section 3). One that this version does not know is kept as its text.
type Status string

// The statuses.
const (
	StatusFree                         Status = "free"
	StatusPending                      Status = "pending"
	StatusReceiptRequired              Status = "receiptRequired"
	StatusDoneSuccess                  Status = "doneSuccess"
	StatusDoneFail                     Status = "doneFail"
	StatusArbitrageCancelledByMerchant Status = "arbitrageCancelledByMerchant"
)

// IsFinal says whether the status is final. One that this version does not know never is.
func (s Status) IsFinal() bool {
	return s == StatusDoneSuccess || s == StatusDoneFail || s == StatusArbitrageCancelledByMerchant
}

// Payment is a payment as a verified reply or webhook tells of it (contract, section 2). Every field but OrderID and JSON may
// be absent: a text is then "", an amount decimal.Decimal{}.
type Payment struct {
	// OrderID is the service's identifier of the payment.
	OrderID string
	// Sum is the amount actually paid, in the payment currency; it changes if the customer pays more or less.
	Sum decimal.Decimal
	// Currency is in the reply of NewPayment and in the credentials webhook.
	Currency string
	// PayeeAccount is the account that the customer pays to.
	PayeeAccount string
	// PayeeAccountBank is the bank of that account.
	PayeeAccountBank string
	// PayeeName is its holder; in the reply of GetStatus in Latin letters.
	PayeeName string
	// DealSum is in DealCurrency, with commission; it is fixed when credentials are issued.
	DealSum decimal.Decimal
	// DealCurrency is the currency of the merchant's balance.
	DealCurrency string
	// DealRate is the rate of the deal; see ToBalance.
	DealRate decimal.Decimal
	// Deeplink is the URL of the customer's payment frame.
	Deeplink string
	// Status is in the reply of GetStatus and in the status webhook.
	Status Status
	// JSON is the verified body as it came; fields that this version does not know are in it.
	JSON json.RawMessage
}

// IsFinal says whether there is a status and it is final.
func (p *Payment) IsFinal() bool { return p != nil && p.Status.IsFinal() }

// String is short, and leaves out account, name and link.
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

// Format writes String for every verb, so that %+v and %#v leave out the same.
func (p Payment) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(p.String())) }

// LogValue leaves out what String leaves out.
func (p Payment) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("order_id", p.OrderID),
		slog.String("sum", AmountText(p.Sum)),
		slog.String("status", string(p.Status)),
	)
}

// newPayment reads what the library gave.
func newPayment(from *capi.Payment) (*Payment, error) {
	payment := &Payment{}
	if err := payment.read(from); err != nil {
		return nil, err
	}
	return payment, nil
}

func (p *Payment) read(from *capi.Payment) error {
	*p = Payment{
		OrderID:          from.OrderID,
		Currency:         from.Currency,
		PayeeAccount:     from.PayeeAccount,
		PayeeAccountBank: from.PayeeAccountBank,
		PayeeName:        from.PayeeName,
		DealCurrency:     from.DealCurrency,
		Deeplink:         from.Deeplink,
		Status:           Status(from.Status),
		JSON:             from.JSON,
	}
	for _, amount := range [...]struct {
		text string
		to   *decimal.Decimal
	}{{from.Sum, &p.Sum}, {from.DealSum, &p.DealSum}, {from.DealRate, &p.DealRate}} {
		var err error
		if *amount.to, err = readAmount(amount.text); err != nil {
			return err
		}
	}
	return nil
}
