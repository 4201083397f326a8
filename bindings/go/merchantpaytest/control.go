package merchantpaytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Fault makes requests of the merchant fail. Kind is one of the sandbox's, such as "dropAfterCommit": the
// service executes the request, and its response is lost. The sandbox's page lists the kinds.
type Fault struct {
	Kind string `json:"kind"`
	// Operation is the contract's name, such as "newPayment"; empty for every operation.
	Operation string `json:"operation,omitempty"`
	// Times is the number of requests that fail; 1 unless set.
	Times int `json:"times,omitempty"`
	// LatencyMS is the duration for the kind "latency".
	LatencyMS int `json:"latencyMs,omitempty"`
}

// Fail adds a fault.
func (s *Sandbox) Fail(fault Fault) error { return s.control(http.MethodPost, "/faults", fault, nil) }

// ClearFaults removes every fault.
func (s *Sandbox) ClearFaults() error { return s.control(http.MethodDelete, "/faults", nil, nil) }

// Pay lets the customer pay "exactly", "less", "more" or "nothing".
func (s *Sandbox) Pay(orderID, how string) error {
	return s.control(http.MethodPost, "/payments/"+url.PathEscape(orderID)+"/customer", map[string]string{"pays": how}, nil)
}

// Operate lets the service's operator act: "approve", "fail", "arbitration", "requireReceipt", "hold" or "release".
func (s *Sandbox) Operate(orderID, action string) error {
	return s.control(http.MethodPost, "/payments/"+url.PathEscape(orderID)+"/operator", map[string]string{"action": action}, nil)
}

// NextWebhook changes the payment's next webhook: "duplicate", "tamper", "wrongKey", "unsigned" or "reorder".
func (s *Sandbox) NextWebhook(orderID, action string) error {
	return s.control(http.MethodPost, "/payments/"+url.PathEscape(orderID)+"/webhooks", map[string]string{"action": action}, nil)
}

// Advance moves a manual clock. Everything that becomes due happens before it returns.
func (s *Sandbox) Advance(by time.Duration) error {
	return s.control(http.MethodPost, "/clock", map[string]int64{"advanceMs": by.Milliseconds()}, nil)
}

// Requests returns how many requests of an operation have arrived, such as "newPayment".
func (s *Sandbox) Requests(operation string) (int, error) {
	var state struct {
		Requests map[string]int `json:"requests"`
	}
	err := s.control(http.MethodGet, "", nil, &state)
	return state.Requests[operation], err
}

// control calls the sandbox's control API, which the real service does not have.
func (s *Sandbox) control(method, path string, body, result any) error {
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
