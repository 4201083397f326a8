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

func request() merchantpay.PaymentRequest {
	return merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
	}
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

func TestAPaymentIsTakenFromTheSettingsOfTheEnvironment(t *testing.T) {
	t.Setenv("MERCHANTPAY_PROXY", "http://127.0.0.1:9")
	merchantpaytest.Start(t).Setenv(t)
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	payment, err := client.NewPayment(context.Background(), request())
	if err != nil || payment.OrderID == "" {
		t.Fatal(payment, err)
	}
}

func TestTheCustomerAndTheOperatorDecideAHeldPayment(t *testing.T) {
	sandbox := merchantpaytest.Start(t, merchantpaytest.Options{Hold: true})
	client := sandbox.Client(t)
	payment, err := client.NewPayment(context.Background(), request())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sandbox.Pay(payment.OrderID, "less"), sandbox.Operate(payment.OrderID, "approve")); err != nil {
		t.Fatal(err)
	}
	paid, err := client.GetStatus(context.Background(), payment.OrderID)
	if err != nil || paid.Status != merchantpay.StatusDoneSuccess || !paid.Sum.LessThan(payment.Sum) {
		t.Fatal(paid, err)
	}
}

func TestAWebhookOfTheSandboxComesAsTheHandlerReceivesIt(t *testing.T) {
	sandbox := merchantpaytest.Start(t)
	client := sandbox.Client(t)
	wanted := request()
	wanted.StatusWebhookURL = "http://127.0.0.1:9/hook"
	payment, err := client.NewPayment(context.Background(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Confirm(context.Background(), payment.OrderID); err != nil {
		t.Fatal(err)
	}
	webhook := sandbox.Webhook(t, payment.OrderID)
	verifier, err := merchantpay.NewWebhookVerifier(sandbox.Config)
	if err != nil {
		t.Fatal(err)
	}
	event, err := verifier.VerifyRequest(webhook.Request(t, webhook.Path))
	if err != nil || webhook.Path != "/hook" || event.Payment.OrderID != payment.OrderID {
		t.Fatal(webhook, event, err)
	}
	var list struct{ Payments []struct{ OrderID string } }
	if err := sandbox.Control(http.MethodGet, "/payments", nil, &list); err != nil || list.Payments[0].OrderID != payment.OrderID {
		t.Fatal(list, err)
	}
}

func TestAFaultLosesAResponseAndIsCleared(t *testing.T) {
	sandbox := merchantpaytest.Start(t)
	client := sandbox.Client(t)
	if err := sandbox.Fail(merchantpaytest.Fault{Kind: "dropAfterCommit", Operation: "newPayment", Times: 2}); err != nil {
		t.Fatal(err)
	}
	_, err := client.NewPayment(context.Background(), request())
	var failure *merchantpay.Error
	if !errors.As(err, &failure) || failure.Outcome != merchantpay.OutcomeUnknown {
		t.Fatal(err)
	}
	if err := sandbox.ClearFaults(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.NewPayment(context.Background(), request()); err != nil {
		t.Fatal(err)
	}
	if requests, err := sandbox.Requests("newPayment"); requests != 2 || err != nil {
		t.Fatal(requests, err)
	}
}

func TestAManualClockMovesOnlyWhenItIsAdvanced(t *testing.T) {
	sandbox := merchantpaytest.Start(t, merchantpaytest.Options{ManualClock: true})
	client := sandbox.Client(t)
	async := request()
	async.CredentialsWebhookURL = "http://127.0.0.1:9/hook"
	orderID, err := client.NewPaymentAsync(context.Background(), async)
	if err != nil {
		t.Fatal(err)
	}
	before, err := client.GetStatus(context.Background(), orderID)
	if err != nil || before.Status != merchantpay.StatusFree {
		t.Fatal(before, err)
	}
	if err := sandbox.Advance(time.Hour); err != nil {
		t.Fatal(err)
	}
	after, err := client.GetStatus(context.Background(), orderID)
	if err != nil || after.Status == merchantpay.StatusFree {
		t.Fatal(after, err)
	}
}

func TestAWrongActionIsAnErrorOfTheSandbox(t *testing.T) {
	sandbox := merchantpaytest.Start(t)
	if err := sandbox.Operate("no-such-order", "approve"); err == nil || !strings.Contains(err.Error(), "notFound") {
		t.Fatal(err)
	}
	if err := sandbox.NextWebhook("no-such-order", "tamper"); err == nil {
		t.Fatal("it was taken")
	}
}

func TestAMissingProgramIsOneClearError(t *testing.T) {
	_, err := merchantpaytest.New(merchantpaytest.Options{Program: "/nowhere/merchantpay"})
	if err == nil || !strings.Contains(err.Error(), "/nowhere/merchantpay") {
		t.Fatal(err)
	}
	t.Setenv("MERCHANTPAY_PROGRAM", "")
	t.Setenv("PATH", "/nowhere")
	if _, err = merchantpaytest.New(); err == nil || !strings.Contains(err.Error(), "MERCHANTPAY_PROGRAM") {
		t.Fatal(err)
	}
}

// The test reads the sandbox's stream of events, which ends when the sandbox ends.
func TestAKilledTestRunLeavesNoSandbox(t *testing.T) {
	run := exec.Command(os.Args[0])
	run.Env = append(os.Environ(), "KIT_IS_KILLED=1")
	output, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(output).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "http://") {
		t.Fatal(url, err)
	}
	events, err := http.Get(strings.TrimSpace(url) + "/sandbox/events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = events.Body.Close() }()
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, events.Body)
	_ = run.Wait()
}

func TestASignedWebhookNeedsNoSandbox(t *testing.T) {
	signer := merchantpaytest.NewSigner(t)
	verifier, err := merchantpay.NewWebhookVerifier(signer.Config)
	if err != nil {
		t.Fatal(err)
	}
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
