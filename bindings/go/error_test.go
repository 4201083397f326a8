package merchantpay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// failed returns the error as an *Error, the type that every failure of this package must have.
func failed(t testing.TB, err error) *merchantpay.Error {
	t.Helper()
	var failure *merchantpay.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v (%T) is no *Error", err, err)
	}
	if failure.Message == "" || failure.Code.Number() == 0 || failure.Outcome.Number() == 0 {
		t.Errorf("an error without a message, a code or an outcome: %v", failure)
	}
	return failure
}

func wantError(t testing.TB, err error, code merchantpay.Code, outcome merchantpay.Outcome) *merchantpay.Error {
	t.Helper()
	failure := failed(t, err)
	if failure.Code != code || failure.Outcome != outcome {
		t.Errorf("%v in place of %s %s", failure, code, outcome)
	}
	return failure
}

func TestAnErrorsTextHasNoPersonalDataInIt(t *testing.T) {
	failure := &merchantpay.Error{
		Code: merchantpay.CodeRejected, Outcome: merchantpay.OutcomeRejected, Message: "the service refused",
		Description: "IVAN", Excerpt: "IVAN", Body: []byte("IVAN"),
	}
	for _, text := range everyText(failure, *failure, fmt.Errorf("wrapped: %w", failure)) {
		if strings.Contains(text, "IVAN") || strings.Contains(text, "73 86 65 78") || strings.Contains(text, "0x49") {
			t.Error(text)
		}
	}
	if text := failure.Error(); text != "rejected rejected: the service refused" {
		t.Error(text)
	}
}

func TestCodesHaveSentinels(t *testing.T) {
	failure := &merchantpay.Error{Code: merchantpay.CodeTimeout, Outcome: merchantpay.OutcomeUnknown, Message: "wrong"}
	for _, err := range []error{failure, fmt.Errorf("wrapped: %w", failure)} {
		if !errors.Is(err, merchantpay.ErrTimeout) || errors.Is(err, merchantpay.ErrTransport) {
			t.Error(err)
		}
	}
	if errors.Is(errors.New("another"), merchantpay.ErrTimeout) || !strings.Contains(merchantpay.ErrTimeout.Error(), "timeout") {
		t.Error(merchantpay.ErrTimeout)
	}
}

func TestTheOutcomeOfAnyErrorCanBeAskedFor(t *testing.T) {
	for _, row := range []struct {
		err    error
		wanted merchantpay.Outcome
	}{
		{nil, ""},
		{errors.New("another"), merchantpay.OutcomeUnknown},
		{(*merchantpay.Error)(nil), merchantpay.OutcomeUnknown},
		{&merchantpay.Error{Outcome: merchantpay.OutcomeNotSent}, merchantpay.OutcomeNotSent},
		{fmt.Errorf("wrapped: %w", &merchantpay.Error{Outcome: merchantpay.OutcomeRejected}), merchantpay.OutcomeRejected},
	} {
		if got := merchantpay.OutcomeOf(row.err); got != row.wanted {
			t.Errorf("%v: %q", row.err, got)
		}
	}
}

func TestANilErrorHarmsNobody(t *testing.T) {
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
