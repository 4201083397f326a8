package merchantpay_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
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
	prepared := func(request *merchantpay.HTTPRequest, err error) *merchantpay.HTTPRequest {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return request
	}

	available := prepared(protocol.PrepareGetAvailableAmounts(merchantpay.AmountsRequest{Sum: amount("1500.50"), PaymentMethod: "sbp"}))
	amounts, err := available.OpenGetAvailableAmounts(send(t, available))
	if err != nil || len(amounts.AvailableAmounts) != 1 || merchantpay.AmountText(amounts.AvailableAmounts[0]) != "1500.50" {
		t.Fatal(amounts, err)
	}
	asked := request("arbitration")
	pay := prepared(protocol.PrepareNewPayment(asked))
	if !strings.HasSuffix(pay.URL, "/api/v1/merchant/pay/new") || pay.Header.Get("X-KeyId") != sandbox.config.KeyID ||
		!strings.Contains(string(pay.Body), `"sum":1500.50`) {
		t.Errorf("%s %v %s", pay.URL, pay.Header, pay.Body)
	}
	payment, err := pay.OpenNewPayment(send(t, pay))
	if err != nil {
		t.Fatal(err)
	}
	confirm := prepared(protocol.PrepareConfirm(payment.OrderID))
	if err := confirm.OpenConfirm(send(t, confirm)); err != nil {
		t.Fatal(err)
	}
	client := newClient(t)
	waitFor(t, client, payment.OrderID, merchantpay.StatusReceiptRequired)
	attach := prepared(protocol.PrepareAttachReceipt(merchantpay.Receipt{
		OrderID: payment.OrderID, Files: []merchantpay.File{{Name: "r.pdf", ContentType: "application/pdf", Data: []byte("%PDF-1.4")}},
	}))
	if err := attach.OpenAttachReceipt(send(t, attach)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, client, payment.OrderID, merchantpay.StatusDoneSuccess)
	state := prepared(protocol.PrepareGetStatus(payment.OrderID))
	if paid, err := state.OpenGetStatus(send(t, state)); err != nil || !paid.IsFinal() {
		t.Fatal(paid, err)
	}
	cancel := prepared(protocol.PrepareCancel(payment.OrderID))
	failure := wantError(t, cancel.OpenCancel(send(t, cancel)), merchantpay.CodeRejected, merchantpay.OutcomeRejected)
	if failure.Reason != merchantpay.ReasonPaymentCouldNotBeCanceled || failure.HTTPStatus != 403 {
		t.Error(failure)
	}
	asked = request("79001234567")
	asked.CredentialsWebhookURL = "http://127.0.0.1:1/hook"
	async := prepared(protocol.PrepareNewPaymentAsync(asked))
	if id, err := async.OpenNewPaymentAsync(send(t, async)); err != nil || id == "" {
		t.Fatal(id, err)
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
		"no signature":          {"X-Keyid": {serviceKeyID}},
		"two signatures":        {"X-Keyid": {serviceKeyID}, "X-Signature": {s.sign(body), s.sign(body)}},
		"a signature with NUL":  {"X-Keyid": {serviceKeyID}, "X-Signature": {s.sign(body) + "\x00"}},
		"an empty signature":    {"X-Keyid": {serviceKeyID}, "X-Signature": {""}},
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
