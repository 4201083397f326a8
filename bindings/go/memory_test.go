package merchantpay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

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
