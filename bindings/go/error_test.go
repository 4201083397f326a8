package merchantpay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

func TestErrorsHaveSentinelsAndOutcomes(t *testing.T) {
	failure := &merchantpay.Error{Code: merchantpay.CodeTimeout, Outcome: merchantpay.OutcomeNotSent, Message: "wrong"}
	wrapped, another := fmt.Errorf("wrapped: %w", failure), errors.New("another")
	for _, err := range []error{failure, wrapped} {
		if !errors.Is(err, merchantpay.ErrTimeout) || errors.Is(err, merchantpay.ErrTransport) {
			t.Error(err)
		}
	}
	if errors.Is(another, merchantpay.ErrTimeout) || !strings.Contains(merchantpay.ErrTimeout.Error(), "timeout") {
		t.Error(merchantpay.ErrTimeout)
	}
	for _, row := range []struct {
		err    error
		wanted merchantpay.Outcome
	}{
		{nil, ""},
		{another, merchantpay.OutcomeUnknown},
		{(*merchantpay.Error)(nil), merchantpay.OutcomeUnknown},
		{failure, merchantpay.OutcomeNotSent},
		{wrapped, merchantpay.OutcomeNotSent},
	} {
		if got := merchantpay.OutcomeOf(row.err); got != row.wanted {
			t.Errorf("%v: %q", row.err, got)
		}
	}
}

func TestNilErrorIsHarmless(t *testing.T) {
	var failure *merchantpay.Error
	if failure.Timeout() || failure.IsTransient() || failure.Is(merchantpay.ErrTimeout) || failure.Unwrap() != nil || failure.Error() == "" {
		t.Error("a nil error is something")
	}
	for _, text := range everyText(failure) {
		if strings.Contains(text, "PANIC") {
			t.Error(text)
		}
	}
}
