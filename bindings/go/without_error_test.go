//go:build merchantpay_dynamic

package merchantpay_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// failsWithoutError names the environment variable of a process in which the library fails without making an
// error.
const failsWithoutError = "MERCHANTPAY_TEST_FAILS_WITHOUT_ERROR"

func TestACallThatFailsWithoutAnErrorIsNoSuccess(t *testing.T) {
	if os.Getenv(failsWithoutError) != "" {
		callsFailWithoutError(t)
		return
	}
	library := filepath.Join(t.TempDir(), "without_error.so")
	run(t, "", "cc", "-shared", "-fPIC", "-o", library, "../../tests/capi-host/tests/c/without_error.c")
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), "LD_PRELOAD="+library, failsWithoutError+"=1")
	printed, err := again.CombinedOutput()
	if err != nil || !strings.Contains(string(printed), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, printed)
	}
}

func callsFailWithoutError(t *testing.T) {
	ctx, client := context.Background(), newClient(t)
	verifier, err := merchantpay.NewWebhookVerifier(sandbox.config)
	if err != nil {
		t.Fatal(err)
	}
	protocol, err := merchantpay.NewProtocol(sandbox.config)
	if err != nil {
		t.Fatal(err)
	}
	journal := openJournal(t, client)
	payment := request("79001234567")
	receipt := merchantpay.Receipt{OrderID: "o-1", Files: []merchantpay.File{{Name: "a.pdf", ContentType: "application/pdf", Data: []byte("%PDF-1.4\n")}}}
	for name, result := range map[string]struct {
		value any
		err   error
	}{
		"GetAvailableAmounts": result(client.GetAvailableAmounts(ctx, merchantpay.AmountsRequest{Sum: payment.Sum, PaymentMethod: "sbp"})),
		"NewPayment":          result(client.NewPayment(ctx, payment)),
		"NewPaymentAsync":     result(client.NewPaymentAsync(ctx, payment)),
		"GetStatus":           result(client.GetStatus(ctx, "o-1")),
		"Wait":                result(client.Wait(ctx, "o-1")),
		"Confirm":             {nil, client.Confirm(ctx, "o-1")},
		"Cancel":              {nil, client.Cancel(ctx, "o-1")},
		"AttachReceipt":       {nil, client.AttachReceipt(ctx, receipt)},
		"Connect":             {nil, client.Connect(ctx)},
		"Verify":              result(verifier.Verify([]byte("{}"), "x", "")),
		"PrepareNewPayment":   result(protocol.PrepareNewPayment(payment)),
		"Journal.Pay":         result(journal.Pay(ctx, "order-1017", payment)),
		"Journal.Find":        result(journal.Find(ctx, "order-1017")),
		"Journal.Settle":      {nil, result(journal.Settle(ctx, 1)).err},
		"Journal.Receive":     {nil, journal.Receive(ctx, "/hooks/x", []byte("{}"), "x", "").Err},
	} {
		var failure *merchantpay.Error
		if !errors.As(result.err, &failure) || failure.Code != merchantpay.CodeInternal || failure.Outcome != merchantpay.OutcomeUnknown ||
			failure.Message == "" {
			t.Errorf("%s: %v, %v", name, result.value, result.err)
		}
	}
}

func result[T any](value T, err error) struct {
	value any
	err   error
} {
	return struct {
		value any
		err   error
	}{value, err}
}
