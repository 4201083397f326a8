package merchantpay_test

import (
	"io"
	"net/http"
	"runtime"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// send sends the request in the way of a program with its own HTTP client.
func send(t testing.TB, prepared *merchantpay.HTTPRequest) merchantpay.HTTPResponse {
	t.Helper()
	request, err := prepared.NewRequest(background)
	if err != nil {
		t.Fatal(err)
	}
	if encoding := request.Header.Get("Accept-Encoding"); encoding != "identity" {
		t.Error(encoding)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return merchantpay.HTTPResponse{Status: response.StatusCode, Header: response.Header, Body: body}
}

func TestAPaymentByAnotherHTTPStack(t *testing.T) {
	protocol, err := merchantpay.NewProtocol(sandbox.config)
	if err != nil {
		t.Fatal(err)
	}
	defer protocol.Close()
	pay, err := protocol.PrepareNewPayment(request("79001234567"))
	if err != nil {
		t.Fatal(err)
	}
	if payment, err := pay.OpenNewPayment(send(t, pay)); err != nil || payment.PayeeAccount == "" {
		t.Fatal(payment, err)
	}
}

func TestAReplyIsOpenedOnlyByWhatWasPrepared(t *testing.T) {
	s := newService(t, nil)
	protocol, err := merchantpay.NewProtocol(s.config(t))
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := protocol.PrepareConfirm("o-1")
	if err != nil {
		t.Fatal(err)
	}
	protocol.Close() // Prepared requests stay valid.
	body := `{"success":true,"orderId":"o-1"}`
	right := merchantpay.HTTPResponse{Status: 200, Body: []byte(body), Header: http.Header{"X-Keyid": {serviceKeyID}, "X-Signature": {s.sign(body)}}}
	if err := prepared.OpenConfirm(right); err != nil {
		t.Error(err)
	}
	wantError(t, second(prepared.OpenNewPayment(right)), merchantpay.CodeInvalidArgument, merchantpay.OutcomeUnknown)
	for name, header := range map[string]http.Header{
		"a signature with NUL":  {"X-Keyid": {serviceKeyID}, "X-Signature": {s.sign(body) + "\x00"}},
		"a signature, no UTF-8": {"X-Keyid": {serviceKeyID}, "X-Signature": {"\xff"}},
	} {
		t.Run(name, func(t *testing.T) {
			reply := right
			reply.Header = header
			if failure := failed(t, prepared.OpenConfirm(reply)); failure.Outcome != merchantpay.OutcomeUnknown {
				t.Error(failure)
			}
		})
	}
	for _, status := range []int{-1, 0, 1 << 40, 1000} {
		reply := right
		reply.Status = status
		if failure := failed(t, prepared.OpenConfirm(reply)); failure.Outcome != merchantpay.OutcomeUnknown {
			t.Errorf("the status %d: %v", status, failure)
		}
	}
	runtime.GC()
	if err := prepared.OpenConfirm(right); err != nil {
		t.Error(err)
	}
	if _, err := (*merchantpay.HTTPRequest)(nil).NewRequest(background); err == nil {
		t.Error("no request is a request")
	}
}
