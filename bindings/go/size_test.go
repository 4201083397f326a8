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
	var reply string
	replies := make(chan string, 1)
	s := newService(t, func(s *service, _ string, _ []byte, w http.ResponseWriter) { s.reply(w, 200, <-replies) })
	client, verifier := s.client(t), newVerifier(t, s.config(t))
	whole := func(name string, payment *merchantpay.Payment, err error, link string) {
		t.Helper()
		if err != nil || payment.OrderID != "o-1" || payment.Deeplink != link || string(payment.JSON) != reply || payment.PayeeName != "Ivan" {
			t.Errorf("%s of %d bytes: %v %v", name, len(reply), payment, err)
		}
	}
	for size := 500; size <= 1500; size++ {
		link := "https://pay.example/" + strings.Repeat("x", size/2)
		reply = strings.Replace(frame, "https://pay.example/", link, 1)
		event, err := verifier.Verify([]byte(reply), s.sign(reply), serviceKeyID)
		if err != nil {
			t.Fatal(err)
		}
		whole("the webhook", event.Payment, err, link)
		if size%100 > 0 {
			continue
		}
		replies <- reply
		payment, err := client.GetStatus(background, "o-1")
		<-s.arrived
		whole("the reply", payment, err, link)
	}
	for _, size := range []int{1, 900, 1000, 2000, 100_000} {
		reply = `{"success":false,"orderId":"o-1","errorDescription":"` + strings.Repeat("x", size) + `"}`
		replies <- reply
		_, err := client.GetStatus(background, "o-1")
		<-s.arrived
		failure := wantError(t, err, merchantpay.CodeRejected, merchantpay.OutcomeRejected)
		if string(failure.Body) != reply || !strings.HasPrefix(failure.Description, "x") {
			t.Errorf("an error of %d bytes came as %d", len(reply), len(failure.Body))
		}
	}
	for _, size := range []int{1, 900, 1000, 1500} {
		config := sandbox.config
		config.BaseURL = "https://pay.example/" + strings.Repeat("x", size)
		protocol, err := merchantpay.NewProtocol(config)
		if err != nil {
			t.Fatal(err)
		}
		prepared, err := protocol.PrepareGetStatus("o-1")
		if err != nil || !strings.HasPrefix(prepared.URL, config.BaseURL+"/api/") || prepared.Header.Get(merchantpay.KeyIDHeader) != config.KeyID {
			t.Errorf("a URL of %d bytes: %v %v", size, prepared, err)
		}
		protocol.Close()
	}
}

// The texts and the bytes of one result are parts of one piece of memory. A change of the bytes must not be
// visible in the texts.
func TestWhatIsWrittenToBytesChangesNoText(t *testing.T) {
	s := newService(t, nil)
	event, err := newVerifier(t, s.config(t)).Verify([]byte(credentials), s.sign(credentials), serviceKeyID)
	if err != nil {
		t.Fatal(err)
	}
	protocol, err := merchantpay.NewProtocol(s.config(t))
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := protocol.PrepareGetStatus("o-1")
	if err != nil {
		t.Fatal(err)
	}
	payment, request := *event.Payment, *prepared
	texts := func() string {
		return fmt.Sprint(payment.OrderID, payment.PayeeAccount, payment.PayeeName, payment.Deeplink, event.Kind, request.URL, request.Header)
	}
	before := strings.Clone(texts())
	for _, bytes := range [][]byte{payment.JSON, request.Body} {
		if len(bytes) == 0 {
			t.Error("no bytes")
		}
		for i := range bytes {
			bytes[i] = '#'
		}
	}
	if after := texts(); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

// If the text buffer were not on the stack, each call would need one more allocation, of a kilobyte.
func TestACallAsksForNoMoreMemoryThanItsResultHolds(t *testing.T) {
	s := newService(t, nil)
	verifier := newVerifier(t, s.config(t))
	protocol, err := merchantpay.NewProtocol(s.config(t))
	if err != nil {
		t.Fatal(err)
	}
	body, signature := []byte(credentials), s.sign(credentials)
	for name, row := range map[string]struct {
		most float64
		call func() error
	}{
		"verify":  {9, func() error { _, err := verifier.Verify(body, signature, serviceKeyID); return err }},
		"prepare": {9, func() error { _, err := protocol.PrepareGetStatus("o-1"); return err }},
	} {
		if times := testing.AllocsPerRun(200, func() {
			if err := row.call(); err != nil {
				t.Fatal(err)
			}
		}); times > row.most {
			t.Errorf("%s asks for memory %v times, and %v would do", name, times, row.most)
		}
	}
}
