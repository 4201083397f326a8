package merchantpaytest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/merchantpaytest"
)

var (
	background = context.Background()
	wanted     = merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
		StatusWebhookURL: "http://127.0.0.1:9/hook",
	}
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestMain runs the tests. The test of a killed run starts this program a second time. The second process only
// keeps a sandbox running until the test kills the process.
func TestMain(m *testing.M) {
	if os.Getenv("KIT_IS_KILLED") == "" {
		os.Exit(m.Run())
	}
	sandbox, err := merchantpaytest.New()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(sandbox.URL)
	select {}
}

func TestEnvironmentHasTheSandboxAlone(t *testing.T) {
	t.Setenv("MERCHANTPAY_PROXY", "http://127.0.0.1:9")
	merchantpaytest.Start(t).Setenv(t)
	client := must(merchantpay.NewClient(must(merchantpay.ConfigFromEnv())))
	defer client.Close()
	if err := client.Connect(background); err != nil {
		t.Fatal(err)
	}
}

func TestCustomerAndOperatorDecideAHeldPayment(t *testing.T) {
	sandbox := merchantpaytest.Start(t, merchantpaytest.Options{Hold: true})
	client := sandbox.Client(t)
	orderID := must(client.NewPayment(background, wanted)).OrderID
	if err := errors.Join(sandbox.Pay(orderID, "less"), sandbox.Operate(orderID, "approve")); err != nil {
		t.Fatal(err)
	}
	paid, err := client.GetStatus(background, orderID)
	if err != nil || paid.Status != merchantpay.StatusDoneSuccess || !paid.Sum.LessThan(wanted.Sum) {
		t.Fatal(paid, err)
	}
	webhook := sandbox.Webhook(t, orderID)
	event, err := must(merchantpay.NewWebhookVerifier(sandbox.Config)).VerifyRequest(webhook.Request(t, webhook.Path))
	if err != nil || webhook.Path != "/hook" || event.Payment.OrderID != orderID {
		t.Fatal(webhook, event, err)
	}
}

// [kit]
func TestFaultLosesAResponseAndIsCleared(t *testing.T) {
	sandbox := merchantpaytest.Start(t)
	client := sandbox.Client(t)
	request := merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
	}
	if err := sandbox.Fail(merchantpaytest.Fault{Kind: "dropAfterCommit", Operation: "newPayment", Times: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.NewPayment(t.Context(), request); merchantpay.OutcomeOf(err) != merchantpay.OutcomeUnknown {
		t.Fatal(err)
	}
	if err := sandbox.ClearFaults(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.NewPayment(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if requests, err := sandbox.Requests("newPayment"); requests != 2 || err != nil {
		t.Fatal(requests, err)
	}
}

// [/kit]

func TestManualClockMovesOnlyWhenItIsAdvanced(t *testing.T) {
	sandbox := merchantpaytest.Start(t, merchantpaytest.Options{ManualClock: true})
	client := sandbox.Client(t)
	async := wanted
	async.CredentialsWebhookURL = "http://127.0.0.1:9/hook"
	orderID := must(client.NewPaymentAsync(background, async))
	before := must(client.GetStatus(background, orderID)).Status
	if err := sandbox.Advance(time.Hour); err != nil {
		t.Fatal(err)
	}
	if after := must(client.GetStatus(background, orderID)).Status; before != merchantpay.StatusFree || after == before {
		t.Fatal(before, after)
	}
}

func TestErrorsNameWhatIsWrong(t *testing.T) {
	sandbox := merchantpaytest.Start(t)
	_, missing := merchantpaytest.New(merchantpaytest.Options{Program: "/nowhere/merchantpay"})
	t.Setenv("MERCHANTPAY_PROGRAM", "")
	t.Setenv("PATH", "/nowhere")
	_, unset := merchantpaytest.New()
	for name, err := range map[string]error{
		"notFound":             sandbox.NextWebhook("no-such-order", "tamper"),
		"/nowhere/merchantpay": missing,
		"MERCHANTPAY_PROGRAM":  unset,
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v in place of %s", err, name)
		}
	}
}

// The stream of the sandbox's events ends when the sandbox ends.
func TestKilledTestRunLeavesNoSandbox(t *testing.T) {
	run := exec.Command(os.Args[0])
	run.Env = append(os.Environ(), "KIT_IS_KILLED=1")
	output := must(run.StdoutPipe())
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	url := must(bufio.NewReader(output).ReadString('\n'))
	events := must(http.Get(strings.TrimSpace(url) + "/sandbox/events"))
	defer func() { _ = events.Body.Close() }()
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, events.Body)
	_ = run.Wait()
}

func TestSignedWebhookNeedsNoSandbox(t *testing.T) {
	signer := merchantpaytest.NewSigner(t)
	verifier := must(merchantpay.NewWebhookVerifier(signer.Config))
	webhook := signer.Status(t, "order", merchantpay.StatusDoneSuccess, "1500.50")
	event, err := verifier.VerifyRequest(webhook.Request(t, "/hook"))
	if err != nil || event.Payment.Status != merchantpay.StatusDoneSuccess || event.Payment.Sum.String() != "1500.5" {
		t.Fatal(event, err)
	}
	webhook.Body = append(webhook.Body, ' ')
	if _, err := verifier.VerifyRequest(webhook.Request(t, "/hook")); !errors.Is(err, merchantpay.ErrUnverified) {
		t.Fatal(err)
	}
}
