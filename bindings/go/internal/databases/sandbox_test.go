package databases_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

var background = context.Background()

// patience limits the waiting for an event that must come.
const patience = 30 * time.Second

// sandbox is a sandbox for one test.
type sandbox struct {
	t      testing.TB
	url    string
	client *merchantpay.Client
	// environment contains the settings for programs.
	environment []string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	program := os.Getenv("MERCHANTPAY_PROGRAM")
	if program == "" {
		program = "merchantpay"
	}
	command := exec.Command(program, "sandbox", "--port", "0", "--pace-ms", "0")
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	settings, environment := map[string]string{}, []string{}
	for lines := bufio.NewScanner(output); lines.Scan() && !strings.Contains(lines.Text(), "Ctrl-C"); {
		if setting, ok := strings.CutPrefix(lines.Text(), "export MERCHANTPAY_"); ok {
			name, value, _ := strings.Cut(setting, "=")
			settings[name] = value
			environment = append(environment, "MERCHANTPAY_"+setting)
		}
	}
	client, err := merchantpay.NewClient(merchantpay.Config{
		BaseURL: settings["BASE_URL"], KeyID: settings["KEY_ID"], PrivateKey: settings["PRIVATE_KEY"],
		ServerPublicKey: settings["SERVER_PUBLIC_KEY"], ServerKeyID: settings["SERVER_KEY_ID"], Timeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &sandbox{t, settings["BASE_URL"], client, environment}
}

// control calls the sandbox's control API, by POST if there is a body.
func (s *sandbox) control(path, body string) (status int, answer []byte) {
	s.t.Helper()
	address := s.url + "/sandbox" + path
	var reply *http.Response
	var err error
	if body == "" {
		reply, err = http.Get(address)
	} else {
		reply, err = http.Post(address, "application/json", strings.NewReader(body))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	answer, err = io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply.StatusCode, answer
}

// ask reads the document of a call that must succeed.
func (s *sandbox) ask(path string, into any) {
	s.t.Helper()
	if status, answer := s.control(path, ""); status != http.StatusOK || json.Unmarshal(answer, into) != nil {
		s.t.Fatalf("%s: %d %s", path, status, answer)
	}
}

// fault makes the next request of an operation fail.
func (s *sandbox) fault(kind, operation string) {
	s.t.Helper()
	if status, answer := s.control("/faults", fmt.Sprintf(`{"kind":%q,"operation":%q}`, kind, operation)); status > 299 {
		s.t.Fatalf("%d %s", status, answer)
	}
}

// requests are the numbers of received requests by operation.
func (s *sandbox) requests() map[string]float64 {
	s.t.Helper()
	var state struct{ Requests map[string]float64 }
	s.ask("", &state)
	return state.Requests
}

// operator executes an operator's action on the payment with a merchant id, once that is possible.
func (s *sandbox) operator(merchantID, action string) {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var list struct{ Payments []struct{ OrderID string } }
		s.ask("/payments?merchantId="+url.QueryEscape(merchantID), &list)
		if len(list.Payments) == 0 {
			continue
		}
		status, answer := s.control("/payments/"+list.Payments[0].OrderID+"/operator", fmt.Sprintf(`{"action":%q}`, action))
		if status == http.StatusOK {
			return
		}
		if status != http.StatusConflict {
			s.t.Fatalf("%d %s", status, answer)
		}
	}
	s.t.Fatalf("%s of %s is not possible", action, merchantID)
}

// webhook is a webhook that the sandbox has sent.
type webhook struct{ url, orderID, body, signature, keyID string }

// webhook waits for a webhook of a kind.
func (s *sandbox) webhook(merchantID, kind string) webhook {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var list struct {
			Webhooks []struct {
				ID                 int
				URL, OrderID, Kind string
			}
		}
		s.ask("/webhooks?merchantId="+url.QueryEscape(merchantID), &list)
		for _, found := range list.Webhooks {
			if found.Kind != kind {
				continue
			}
			var whole struct {
				Request struct {
					KeyID, Signature string
					Body             struct{ Text string }
				}
			}
			s.ask(fmt.Sprintf("/webhooks/%d", found.ID), &whole)
			if whole.Request.Signature != "" {
				return webhook{found.URL, found.OrderID, whole.Request.Body.Text, whole.Request.Signature, whole.Request.KeyID}
			}
		}
	}
	s.t.Fatalf("no webhook %s of %s", kind, merchantID)
	return webhook{}
}

func request(sum, account string) merchantpay.PaymentRequest {
	return merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString(sum), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: account,
	}
}

// good is a request for a payment that succeeds.
func good() merchantpay.PaymentRequest { return request("10", "79001234567") }
