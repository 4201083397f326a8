package merchantpay_test

import (
	"io"
	"net/http"
	"runtime"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

func TestPreparedRequestIsSentByNetHTTP(t *testing.T) {
	protocol := must(merchantpay.NewProtocol(sandbox.Config))
	prepared := must(protocol.PrepareNewPayment(request("79001234567")))
	protocol.Close() // Prepared requests stay valid.
	runtime.GC()
	request := must(prepared.NewRequest(background))
	if encoding := request.Header.Get("Accept-Encoding"); encoding != "identity" || request.GetBody != nil {
		t.Error(encoding)
	}
	response := must(http.DefaultClient.Do(request))
	defer func() { _ = response.Body.Close() }()
	reply := merchantpay.HTTPResponse{Status: response.StatusCode, Header: response.Header, Body: must(io.ReadAll(response.Body))}
	if payment, err := prepared.OpenNewPayment(reply); err != nil || payment.PayeeAccount == "" {
		t.Fatal(payment, err)
	}
	wantError(t, prepared.OpenConfirm(reply), merchantpay.CodeInvalidArgument, merchantpay.OutcomeUnknown)
	signature := reply.Header.Get("X-Signature")
	for _, wrong := range []string{signature + "\x00", "\xff"} {
		reply.Header.Set("X-Signature", wrong)
		wantError(t, errorOf(prepared.OpenNewPayment(reply)), merchantpay.CodeUnverified, merchantpay.OutcomeUnknown)
	}
	reply.Header.Set("X-Signature", signature)
	for _, reply.Status = range []int{-1, 0, 1 << 40, 1000} {
		if failure := failed(t, errorOf(prepared.OpenNewPayment(reply))); failure.Outcome != merchantpay.OutcomeUnknown {
			t.Errorf("the status %d: %v", reply.Status, failure)
		}
	}
}
