package merchantpay

import (
	"fmt"
	"log/slog"
)

// String leaves out the customer's account and the URLs of the webhooks. The random part of such a URL is a
// secret.
func (r PaymentRequest) String() string { return "payment request of " + AmountText(r.Sum) }

// Format writes the text of String for every verb.
func (r PaymentRequest) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(r.String())) }

// LogValue leaves out the values that String leaves out.
func (r PaymentRequest) LogValue() slog.Value { return slog.StringValue(r.String()) }

// String leaves out the customer's account.
func (r AmountsRequest) String() string { return "amounts request around " + AmountText(r.Sum) }

// Format writes the text of String for every verb.
func (r AmountsRequest) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(r.String())) }

// LogValue leaves out the values that String leaves out.
func (r AmountsRequest) LogValue() slog.Value { return slog.StringValue(r.String()) }
