package merchantpay

import (
	"fmt"
	"log/slog"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// PaymentRequest is what NewPayment and NewPaymentAsync ask for (contract, sections 4.2 and 4.3). What is "" is left out.
type PaymentRequest struct {
	// Sum is needed: greater than 0, at most 28 digits. It is sent with the digits it has.
	Sum decimal.Decimal
	// Currency is RUB, also where it is "".
	Currency string
	// PaymentMethod is needed.
	PaymentMethod PaymentMethod
	// CustomerAccount is needed.
	CustomerAccount string
	// PayerBank is the code of the payer's bank; the merchant's agreement may require it.
	PayerBank string
	// MerchantID is the merchant's own identifier, for reconciliation and support.
	MerchantID string
	// StatusWebhookURL receives status webhooks (contract, section 6.2): an absolute http or https URL.
	StatusWebhookURL string
	// CredentialsWebhookURL receives the credentials (contract, section 6.1). NewPaymentAsync needs it, NewPayment refuses it.
	CredentialsWebhookURL string
}

// AmountsRequest is what GetAvailableAmounts asks for (contract, section 4.1). What is "" or decimal.Decimal{} is left out.
type AmountsRequest struct {
	// Sum is needed: greater than 0, at most 28 digits.
	Sum decimal.Decimal
	// Currency is RUB, also where it is "".
	Currency string
	// PaymentMethod is needed.
	PaymentMethod PaymentMethod
	// CustomerAccount has no effect at present.
	CustomerAccount string
	// SumDriftUp is how far above the sum an amount may be.
	SumDriftUp decimal.Decimal
	// SumDriftDown is how far below the sum an amount may be.
	SumDriftDown decimal.Decimal
}

// String leaves out the customer's account and the webhooks' URLs, whose unguessable part is a secret.
func (r PaymentRequest) String() string { return "payment request of " + AmountText(r.Sum) }

// Format writes String for every verb.
func (r PaymentRequest) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(r.String())) }

// LogValue leaves out what String leaves out.
func (r PaymentRequest) LogValue() slog.Value { return slog.StringValue(r.String()) }

// String leaves out the customer's account.
func (r AmountsRequest) String() string { return "amounts request around " + AmountText(r.Sum) }

// Format writes String for every verb.
func (r AmountsRequest) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(r.String())) }

// LogValue leaves out what String leaves out.
func (r AmountsRequest) LogValue() slog.Value { return slog.StringValue(r.String()) }

func (r *PaymentRequest) toC() (capi.Request, error) {
	sum, err := amountText("sum", r.Sum)
	return capi.Request{
		Sum:                   sum,
		Currency:              r.Currency,
		PaymentMethod:         string(r.PaymentMethod),
		CustomerAccount:       r.CustomerAccount,
		PayerBank:             r.PayerBank,
		MerchantID:            r.MerchantID,
		StatusWebhookURL:      r.StatusWebhookURL,
		CredentialsWebhookURL: r.CredentialsWebhookURL,
	}, err
}

func (r *AmountsRequest) toC() (capi.Request, error) {
	request := capi.Request{
		Currency:        r.Currency,
		PaymentMethod:   string(r.PaymentMethod),
		CustomerAccount: r.CustomerAccount,
	}
	for _, amount := range []struct {
		name string
		from decimal.Decimal
		to   *string
	}{
		{"sum", r.Sum, &request.Sum},
		{"sum_drift_up", r.SumDriftUp, &request.SumDriftUp},
		{"sum_drift_down", r.SumDriftDown, &request.SumDriftDown},
	} {
		var err error
		if *amount.to, err = amountText(amount.name, amount.from); err != nil {
			return capi.Request{}, err
		}
	}
	return request, nil
}
