package merchantpay_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// Small results are read into a buffer of a fixed size, and larger results into memory of their own size.
func TestResultsOfAnySizeAreReadWhole(t *testing.T) {
	const frame = `{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1350.50,"payeeName":"Ivan","deeplink":"https://pay.example/"}`
	replies := make(chan string, 1)
	s := newService(t, func(s *service, _ arrival, w http.ResponseWriter) { s.reply(w, 400, <-replies) })
	verifier := newVerifier(t, s.config)
	for size := 250; size <= 750; size++ {
		link := "https://pay.example/" + strings.Repeat("x", size)
		body := strings.Replace(frame, "https://pay.example/", link, 1)
		event, err := verifier.Verify([]byte(body), s.sign(body), serviceKeyID)
		if err != nil || event.Payment.Deeplink != link || string(event.Payment.JSON) != body || event.Payment.PayeeName != "Ivan" {
			t.Fatalf("%d bytes: %v %v", len(body), event, err)
		}
	}
	client := s.client(t)
	for _, size := range []int{1, 900, 1000, 2000, 100_000} {
		reply := `{"success":false,"orderId":"o-1","errorDescription":"` + strings.Repeat("x", size) + `"}`
		replies <- reply
		failure := wantError(t, second(client.GetStatus(background, "o-1")), merchantpay.CodeRejected, merchantpay.OutcomeRejected)
		if string(failure.Body) != reply || !strings.HasPrefix(failure.Description, "x") {
			t.Errorf("an error of %d bytes came as %d", len(reply), len(failure.Body))
		}
		config := sandbox.Config
		config.BaseURL = "https://pay.example/" + strings.Repeat("x", min(size, 1500))
		prepared := must(must(merchantpay.NewProtocol(config)).PrepareGetStatus("o-1"))
		if !strings.HasPrefix(prepared.URL, config.BaseURL+"/api/") || prepared.Header.Get(merchantpay.KeyIDHeader) != config.KeyID {
			t.Errorf("a URL of %d bytes: %v", size, prepared)
		}
	}
}

// The texts and the bytes of one result are parts of one piece of memory. A change of the bytes must not be
// visible in the texts.
func TestWritingToBytesChangesNoText(t *testing.T) {
	s := newService(t)
	body := []byte(credentials)
	event := must(newVerifier(t, s.config).Verify(body, s.sign(credentials), serviceKeyID))
	if string(body) != credentials {
		t.Error("the caller's bytes were changed")
	}
	request := must(must(merchantpay.NewProtocol(s.config)).PrepareGetStatus("o-1"))
	payment := event.Payment
	texts := func() string {
		return fmt.Sprint(payment.OrderID, payment.PayeeAccount, payment.PayeeName, payment.Deeplink, event.Kind, request.URL, request.Header)
	}
	before := strings.Clone(texts())
	clear(body)
	if string(payment.JSON) != credentials || len(request.Body) == 0 {
		t.Error("the event changes with the caller's bytes")
	}
	clear(payment.JSON)
	clear(request.Body)
	if after := texts(); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

// If the text buffer were not on the stack, each call would need one more allocation, of a kilobyte.
func TestCallAllocatesNoMoreThanItsResult(t *testing.T) {
	s := newService(t)
	verifier, protocol := newVerifier(t, s.config), must(merchantpay.NewProtocol(s.config))
	body, signature := []byte(credentials), s.sign(credentials)
	for name, call := range map[string]func(){
		"verify":  func() { must(verifier.Verify(body, signature, serviceKeyID)) },
		"prepare": func() { must(protocol.PrepareGetStatus("o-1")) },
	} {
		if times := testing.AllocsPerRun(200, call); times > 9 {
			t.Errorf("%s allocates %v times, and 9 would do", name, times)
		}
	}
}
