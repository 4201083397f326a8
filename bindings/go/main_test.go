package merchantpay_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/merchantpaytest"
)

// patience limits how long a test waits for an event.
const patience = 30 * time.Second

var background = context.Background()

var sandbox *merchantpaytest.Sandbox

func TestMain(m *testing.M) {
	var err error
	if sandbox, err = merchantpaytest.New(); err != nil {
		fmt.Fprintln(os.Stderr, "the tests need the sandbox; bindings/go/tools/test sets MERCHANTPAY_PROGRAM:", err)
		os.Exit(1)
	}
	code := m.Run()
	sandbox.Close()
	os.Exit(code)
}

func newClient(t testing.TB, config merchantpay.Config, change ...func(*merchantpay.Config)) *merchantpay.Client {
	t.Helper()
	for _, change := range change {
		change(&config)
	}
	client := must(merchantpay.NewClient(config))
	t.Cleanup(client.Close)
	return client
}

func amount(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func request(account string) merchantpay.PaymentRequest {
	return merchantpay.PaymentRequest{Sum: amount("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: account}
}

func errorOf[T any](_ T, err error) error { return err }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

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

// wantInvalid expects the error of a wrong argument, with which nothing was sent.
func wantInvalid(t testing.TB, err error) *merchantpay.Error {
	t.Helper()
	return wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
}
