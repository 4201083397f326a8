package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/merchantpaytest"
)

// [test]
// served is the shop on its own port. The sandbox delivers its webhooks to this port.
type served struct {
	*shop
	*httptest.Server
	received chan merchantpay.Received
}

func serve(t *testing.T, sandbox *merchantpaytest.Sandbox) served {
	t.Helper()
	sandbox.Setenv(t)
	s := served{Server: httptest.NewUnstartedServer(nil), received: make(chan merchantpay.Received, 100)}
	var err error
	s.shop, err = open(filepath.Join(t.TempDir(), "shop.db"), "http://"+s.Listener.Addr().String()+"/callback", true)
	if err == nil {
		_, err = s.db.Exec(tables + `; INSERT INTO orders (id, sum) VALUES ('order-1', '1500.50')`)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Config.Handler = s.routes(func(_ *http.Request, received merchantpay.Received) { s.received <- received })
	s.Start()
	t.Cleanup(func() {
		s.Server.Close()
		s.journal.Close()
		_ = s.db.Close()
	})
	return s
}

func TestAPaidOrderIsShippedOnce(t *testing.T) {
	s := serve(t, merchantpaytest.Start(t))
	status, first := s.post(t, "/orders/order-1/pay", "79001234567")
	if status != 200 || !strings.Contains(first, `"standing":"open","sum":"1500.50"`) {
		t.Fatal(status, first)
	}
	if _, again := s.post(t, "/orders/order-1/pay", "79001234567"); again != first {
		t.Error(again)
	}
	if status, answer := s.post(t, "/orders/order-1/paid", ""); status != 200 {
		t.Fatal(status, answer)
	}
	for received := range s.received { // the webhook of the final status
		if received.Entry != nil && received.Entry.Succeeded {
			break
		}
	}
	for range 2 {
		if err := s.shipPaid(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if !s.isShipped(t) {
		t.Error("it is not shipped")
	}
}

// [/test]

func (s served) post(t *testing.T, path, phone string) (int, string) {
	t.Helper()
	response, err := http.PostForm(s.URL+path, url.Values{"phone": {phone}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func (s served) isShipped(t *testing.T) (shipped bool) {
	t.Helper()
	if err := s.db.QueryRow(`SELECT shipped FROM orders`).Scan(&shipped); err != nil {
		t.Fatal(err)
	}
	return shipped
}

func TestAnOrderThatIsPaidWithAnotherSumIsNotShipped(t *testing.T) {
	sandbox := merchantpaytest.Start(t, merchantpaytest.Options{Hold: true})
	s := serve(t, sandbox)
	s.post(t, "/orders/order-1/pay", "79001234567")
	entry, err := s.journal.Find(context.Background(), "order-1")
	if err != nil || entry.OrderID == "" {
		t.Fatal(entry, err)
	}
	if err := sandbox.Pay(entry.OrderID, "less"); err != nil {
		t.Fatal(err)
	}
	if err := sandbox.Operate(entry.OrderID, "approve"); err != nil {
		t.Fatal(err)
	}
	if received := <-s.received; received.HTTPStatus != 200 || received.Err != nil {
		t.Fatal(received)
	}
	if err := s.shipPaid(context.Background()); err != nil || s.isShipped(t) {
		t.Error("it is shipped", err)
	}
}

func TestALostResponseTakesNoSecondPayment(t *testing.T) {
	sandbox := merchantpaytest.Start(t)
	s := serve(t, sandbox)
	if err := sandbox.Fail(merchantpaytest.Fault{Kind: "dropAfterCommit", Operation: "newPayment"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, answer := s.post(t, "/orders/order-1/pay", "79001234567"); !strings.Contains(answer, `"standing":"unknown"`) {
			t.Error(answer)
		}
	}
	if count, err := sandbox.Requests("newPayment"); count != 1 {
		t.Error(count, err)
	}
}

func TestWhatDoesNotVerifyAndWhatCannotBeRightIsRefused(t *testing.T) {
	s := serve(t, merchantpaytest.Start(t))
	forged := merchantpaytest.NewSigner(t).Status(t, "order-1", merchantpay.StatusDoneSuccess, "1500.50")
	answer := httptest.NewRecorder()
	s.Config.Handler.ServeHTTP(answer, forged.Request(t, "/callback/forged"))
	if answer.Code != 400 {
		t.Error(answer.Code)
	}
	for path, wanted := range map[string]int{"/orders/order-1/pay": 400, "/orders/order-2/pay": 404, "/orders/order-1/paid": 409} {
		if status, body := s.post(t, path, ""); status != wanted {
			t.Error(path, status, body)
		}
	}
}
