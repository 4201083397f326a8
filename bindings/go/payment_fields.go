package merchantpay

import (
	"encoding/json"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Payment is a payment from a verified reply or webhook (contract, section 2). Every field except OrderID and
// JSON may be absent: an absent text is "", an absent amount decimal.Decimal{}.
//
// The JSON form of a payment is an object with the contract's names, without the absent fields; amounts are numbers with
// all their digits. A Payment that is read from such JSON has the same fields. Only its field JSON is empty,
// because nobody verified the text.
type Payment struct {
	// generated: begin fields

	// The service's identifier of the payment.
	OrderID string
	// The payment's sum in its currency. After the customer has paid, it is the amount that was actually paid, which can
	// be more or less than requested. A failed payment has a sum too.
	Sum decimal.Decimal
	// The currency of the sum. The reply to NewPayment and the credentials webhook have it.
	Currency string
	// The account to which the customer pays.
	PayeeAccount string
	// The bank of the payee's account.
	PayeeAccountBank string
	// The holder of the payee's account. In the reply to GetStatus the name is in Latin letters.
	PayeeName string
	// The sum in the currency of the merchant's balance, with commission. The sum is fixed when the service issues the
	// credentials.
	DealSum decimal.Decimal
	// The currency of the merchant's balance.
	DealCurrency string
	// The rate from the payment's currency to the currency of the merchant's balance.
	DealRate decimal.Decimal
	// The URL of the customer's payment frame.
	Deeplink string
	// The payment's status (contract, section 3). The reply to GetStatus and status webhooks have it.
	Status Status

	// generated: end
	// The verified body, unchanged. It includes fields that this version does not know.
	JSON json.RawMessage
}

// read copies the library's result.
func (p *Payment) read(from *capi.Payment) error {
	var amounts amountReader
	*p = Payment{
		// generated: begin read
		OrderID:          from.Fields[capi.PaymentOrderID],
		Sum:              amounts.read(from.Fields[capi.PaymentSum]),
		Currency:         from.Fields[capi.PaymentCurrency],
		PayeeAccount:     from.Fields[capi.PaymentPayeeAccount],
		PayeeAccountBank: from.Fields[capi.PaymentPayeeAccountBank],
		PayeeName:        from.Fields[capi.PaymentPayeeName],
		DealSum:          amounts.read(from.Fields[capi.PaymentDealSum]),
		DealCurrency:     from.Fields[capi.PaymentDealCurrency],
		DealRate:         amounts.read(from.Fields[capi.PaymentDealRate]),
		Deeplink:         from.Fields[capi.PaymentDeeplink],
		Status:           Status(from.Fields[capi.PaymentStatus]),
		// generated: end
	}
	p.JSON = from.JSON
	return amounts.err
}

// paymentJSON is a payment as JSON.
type paymentJSON struct {
	// generated: begin json
	OrderID          string      `json:"orderId,omitempty"`
	Sum              json.Number `json:"sum,omitempty"`
	Currency         string      `json:"currency,omitempty"`
	PayeeAccount     string      `json:"payeeAccount,omitempty"`
	PayeeAccountBank string      `json:"payeeAccountBank,omitempty"`
	PayeeName        string      `json:"payeeName,omitempty"`
	DealSum          json.Number `json:"dealSum,omitempty"`
	DealCurrency     string      `json:"dealCurrency,omitempty"`
	DealRate         json.Number `json:"dealRate,omitempty"`
	Deeplink         string      `json:"deeplink,omitempty"`
	Status           Status      `json:"status,omitempty"`
	// generated: end
}

// MarshalJSON writes the fields that are present, in the contract's names and order.
func (p Payment) MarshalJSON() ([]byte, error) {
	var amounts amountWriter
	written := paymentJSON{
		// generated: begin marshal
		OrderID:          p.OrderID,
		Sum:              amounts.write("Sum", p.Sum),
		Currency:         p.Currency,
		PayeeAccount:     p.PayeeAccount,
		PayeeAccountBank: p.PayeeAccountBank,
		PayeeName:        p.PayeeName,
		DealSum:          amounts.write("DealSum", p.DealSum),
		DealCurrency:     p.DealCurrency,
		DealRate:         amounts.write("DealRate", p.DealRate),
		Deeplink:         p.Deeplink,
		Status:           p.Status,
		// generated: end
	}
	if amounts.err != nil {
		return nil, amounts.err
	}
	return json.Marshal(written)
}

// UnmarshalJSON reads the output of MarshalJSON. It verifies nothing. The JSON value null does not change the
// payment.
func (p *Payment) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	var from paymentJSON
	if err := json.Unmarshal(text, &from); err != nil {
		return err
	}
	var amounts amountReader
	read := Payment{
		// generated: begin unmarshal
		OrderID:          from.OrderID,
		Sum:              amounts.read(string(from.Sum)),
		Currency:         from.Currency,
		PayeeAccount:     from.PayeeAccount,
		PayeeAccountBank: from.PayeeAccountBank,
		PayeeName:        from.PayeeName,
		DealSum:          amounts.read(string(from.DealSum)),
		DealCurrency:     from.DealCurrency,
		DealRate:         amounts.read(string(from.DealRate)),
		Deeplink:         from.Deeplink,
		Status:           from.Status,
		// generated: end
	}
	if amounts.err != nil {
		return amounts.err
	}
	*p = read
	return nil
}
