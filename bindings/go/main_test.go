package merchantpay_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

var background = context.Background()

// sandbox is the service simulated by the program merchantpay; each run of the tests starts its own.
var sandbox struct {
	settings map[string]string
	config   merchantpay.Config
}

func TestMain(m *testing.M) {
	stop, err := startSandbox()
	if err != nil {
		fmt.Fprintln(os.Stderr, "the tests need the sandbox; bindings/go/tools/test starts them with MERCHANTPAY_PROGRAM:", err)
		os.Exit(1)
	}
	code := m.Run()
	stop()
	os.Exit(code)
}

// startSandbox runs the program named by MERCHANTPAY_PROGRAM. It puts the sandbox's settings into the
// environment, because the examples read their settings from there.
func startSandbox() (stop func(), err error) {
	command := exec.Command(merchantpayProgram(), "sandbox", "--port", "0")
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}
	sandbox.settings = map[string]string{}
	for lines := bufio.NewScanner(output); lines.Scan() && !strings.Contains(lines.Text(), "Ctrl-C"); {
		if setting, ok := strings.CutPrefix(lines.Text(), "export "); ok {
			name, value, _ := strings.Cut(setting, "=")
			sandbox.settings[name] = value
			if err := os.Setenv(name, value); err != nil {
				return nil, err
			}
		}
	}
	sandbox.config = merchantpay.Config{
		BaseURL:         sandbox.settings["MERCHANTPAY_BASE_URL"],
		KeyID:           sandbox.settings["MERCHANTPAY_KEY_ID"],
		PrivateKey:      sandbox.settings["MERCHANTPAY_PRIVATE_KEY"],
		ServerPublicKey: sandbox.settings["MERCHANTPAY_SERVER_PUBLIC_KEY"],
		ServerKeyID:     sandbox.settings["MERCHANTPAY_SERVER_KEY_ID"],
	}
	return stop, nil
}

func newClient(t testing.TB, change ...func(*merchantpay.Config)) *merchantpay.Client {
	t.Helper()
	config := sandbox.config
	for _, change := range change {
		change(&config)
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func amount(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func request(account string) merchantpay.PaymentRequest {
	return merchantpay.PaymentRequest{Sum: amount("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: account}
}

func merchantpayProgram() string {
	if program := os.Getenv("MERCHANTPAY_PROGRAM"); program != "" {
		return program
	}
	return "merchantpay"
}
