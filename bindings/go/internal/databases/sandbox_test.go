package databases_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/merchantpaytest"
)

var background = context.Background()

// patience limits how long a test waits for an event.
const patience = 30 * time.Second

// sandbox is a sandbox of merchantpaytest for one test. The calls of its client have a deadline.
type sandbox struct {
	*merchantpaytest.Sandbox
	t      testing.TB
	client *merchantpay.Client
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	kit := merchantpaytest.Start(t)
	kit.Config.Timeout = 5 * time.Second
	return &sandbox{kit, t, kit.Client(t)}
}

// fault makes the next request of an operation fail.
func (s *sandbox) fault(kind, operation string) {
	s.t.Helper()
	if err := s.Fail(merchantpaytest.Fault{Kind: kind, Operation: operation}); err != nil {
		s.t.Fatal(err)
	}
}

// orderID returns the order id of the payment with this merchant id.
func (s *sandbox) orderID(merchantID string) string {
	s.t.Helper()
	var list struct{ Payments []struct{ OrderID string } }
	err := s.Control(http.MethodGet, "/payments?merchantId="+url.QueryEscape(merchantID), nil, &list)
	if err != nil || len(list.Payments) != 1 {
		s.t.Fatal(list, err)
	}
	return list.Payments[0].OrderID
}

// approve approves a payment as soon as that is possible.
func (s *sandbox) approve(orderID string) {
	s.t.Helper()
	err := s.Operate(orderID, "approve")
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); err = s.Operate(orderID, "approve") {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func request(sum, account string) merchantpay.PaymentRequest {
	return merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString(sum), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: account,
	}
}

// good returns the request of a payment that succeeds.
func good() merchantpay.PaymentRequest { return request("10", "79001234567") }
