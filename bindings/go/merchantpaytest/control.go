package merchantpaytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// patience is how long Webhook waits.
const patience = 30 * time.Second

// Fault makes requests of the merchant fail. Kind is a kind of fault in the sandbox. For example, with
// "dropAfterCommit" the service executes the request, and the response is lost. The sandbox's page lists the
// kinds.
type Fault struct {
	Kind string `json:"kind"`
	// Operation is the contract's name, such as "newPayment"; empty for every operation.
	Operation string `json:"operation,omitempty"`
	// Times is the number of requests that fail; 1 unless set.
	Times int `json:"times,omitempty"`
	// LatencyMS is the delay for the kind "latency", in milliseconds.
	LatencyMS int `json:"latencyMs,omitempty"`
}

// Fail adds a fault.
func (s *Sandbox) Fail(fault Fault) error { return s.Control(http.MethodPost, "/faults", fault, nil) }

// ClearFaults removes every fault.
func (s *Sandbox) ClearFaults() error { return s.Control(http.MethodDelete, "/faults", nil, nil) }

// Pay lets the customer pay "exactly", "less", "more" or "nothing".
func (s *Sandbox) Pay(orderID, how string) error {
	return s.Control(http.MethodPost, "/payments/"+url.PathEscape(orderID)+"/customer", map[string]string{"pays": how}, nil)
}

// Operate lets the service's operator act: "approve", "fail", "arbitration", "requireReceipt", "hold" or "release".
func (s *Sandbox) Operate(orderID, action string) error {
	return s.Control(http.MethodPost, "/payments/"+url.PathEscape(orderID)+"/operator", map[string]string{"action": action}, nil)
}

// NextWebhook changes the payment's next webhook: "duplicate", "tamper", "wrongKey", "unsigned" or "reorder".
func (s *Sandbox) NextWebhook(orderID, action string) error {
	return s.Control(http.MethodPost, "/payments/"+url.PathEscape(orderID)+"/webhooks", map[string]string{"action": action}, nil)
}

// Advance moves a manual clock forward. Everything that the sandbox must do by the new time happens before
// Advance returns.
func (s *Sandbox) Advance(by time.Duration) error {
	return s.Control(http.MethodPost, "/clock", map[string]int64{"advanceMs": by.Milliseconds()}, nil)
}

// Requests returns the number of requests of an operation, such as "newPayment", that have arrived.
func (s *Sandbox) Requests(operation string) (int, error) {
	var state struct {
		Requests map[string]int `json:"requests"`
	}
	err := s.Control(http.MethodGet, "", nil, &state)
	return state.Requests[operation], err
}

// Webhook waits for the newest status webhook of a payment, and returns it as it was sent.
func (s *Sandbox) Webhook(t testing.TB, orderID string) Webhook {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var list struct {
			Webhooks []struct {
				ID   int
				Kind string
			}
		}
		if err := s.Control(http.MethodGet, "/webhooks?orderId="+url.QueryEscape(orderID), nil, &list); err != nil {
			t.Fatal(err)
		}
		for _, webhook := range list.Webhooks {
			if webhook.Kind == "status" {
				return s.sent(t, webhook.ID)
			}
		}
	}
	t.Fatalf("merchantpaytest: there is no status webhook of the payment %s", orderID)
	return Webhook{}
}

func (s *Sandbox) sent(t testing.TB, id int) Webhook {
	t.Helper()
	var sent struct {
		URL     string
		Request struct {
			KeyID, Signature string
			Body             struct{ Base64 []byte }
		}
	}
	if err := s.Control(http.MethodGet, fmt.Sprintf("/webhooks/%d", id), nil, &sent); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(sent.URL)
	if err != nil {
		t.Fatal(err)
	}
	return Webhook{Body: sent.Request.Body.Base64, Signature: sent.Request.Signature, KeyID: sent.Request.KeyID, Path: address.Path}
}

// Control calls the sandbox's control API, which the real service does not have: Control(http.MethodGet,
// "/payments", nil, &list). A nil body is not sent, and with a nil result the response is not read.
func (s *Sandbox) Control(method, path string, body, result any) error {
	var encoded io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		encoded = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, s.URL+"/sandbox"+path, encoded)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<24))
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("merchantpaytest: the sandbox refuses: %s", answer)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer, result)
}
