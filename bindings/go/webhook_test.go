package merchantpay_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/merchantpay/merchantpay-go"
)

const credentials = `{"success":true,"orderId":"o-1","sum":1500.50,"payeeAccount":"2200","payeeAccountBank":"Банк",` +
	`"payeeName":"Иван И.","currency":"RUB","dealSum":16.08,"dealCurrency":"USDT","dealRate":92.450,"deeplink":"https://pay.example/o-1","later":1}`

const status = `{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1350.50}`

func newVerifier(t testing.TB, config merchantpay.Config) *merchantpay.WebhookVerifier {
	t.Helper()
	verifier, err := merchantpay.NewWebhookVerifier(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(verifier.Close)
	return verifier
}

func TestAVerifierNeedsTheServersKey(t *testing.T) {
	_, err := merchantpay.NewWebhookVerifier(merchantpay.Config{})
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
	if name := merchantpay.EventKind(99).String(); name != "event" {
		t.Error(name)
	}
}

func TestATextThatIsNoHeaderIsRefused(t *testing.T) {
	s := newService(t, nil)
	config := s.config(t)
	verifier := newVerifier(t, config)
	for _, row := range []struct{ name, signature, keyID string }{
		{"a signature with a NUL", s.sign(status) + "\x00", serviceKeyID},
		{"a signature that is no UTF-8", "\xff" + s.sign(status), serviceKeyID},
		{"a long signature", strings.Repeat("A", 1<<20), serviceKeyID},
		{"a key id with a NUL", s.sign(status), serviceKeyID + "\x00"},
		{"a key id that is no UTF-8", s.sign(status), "\xff"},
	} {
		t.Run(row.name, func(t *testing.T) {
			event, err := verifier.Verify([]byte(status), row.signature, row.keyID)
			wantError(t, err, merchantpay.CodeUnverified, merchantpay.OutcomeUnknown)
			if event != nil {
				t.Error(event)
			}
		})
	}
	for _, verifier := range []*merchantpay.WebhookVerifier{nil, {}, closedVerifier(t, config)} {
		if err := second(verifier.Verify([]byte(status), s.sign(status), serviceKeyID)); !errors.Is(err, merchantpay.ErrInvalidArgument) {
			t.Error(err)
		}
		verifier.Close()
	}
}

func closedVerifier(t testing.TB, config merchantpay.Config) *merchantpay.WebhookVerifier {
	verifier := newVerifier(t, config)
	verifier.Close()
	return verifier
}

func webhook(body io.Reader, header http.Header) *http.Request {
	request := httptest.NewRequest(http.MethodPost, "/hook", body)
	for name, values := range header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	return request
}

func TestVerifyRequestLeavesTheRequestUsable(t *testing.T) {
	s := newService(t, nil)
	verifier := newVerifier(t, s.config(t))
	large := strings.Repeat(" ", merchantpay.MaxWebhookBytes+5000)
	largest := status + strings.Repeat(" ", merchantpay.MaxWebhookBytes-len(status))
	for _, row := range []struct {
		name, body, signature string
		code                  merchantpay.Code
	}{
		{"a right one", status, s.sign(status), ""},
		{"the largest", largest, s.sign(largest), ""},
		{"an unsigned one", status, "AAAA", merchantpay.CodeUnverified},
		{"one that is too large", large, s.sign(large), merchantpay.CodeTransport},
	} {
		t.Run(row.name, func(t *testing.T) {
			request := webhook(iotest.OneByteReader(strings.NewReader(row.body)), http.Header{
				merchantpay.SignatureHeader: {row.signature}, merchantpay.KeyIDHeader: {serviceKeyID},
			})
			event, err := verifier.VerifyRequest(request)
			var tooLarge *http.MaxBytesError
			switch {
			case row.code == "":
				if err != nil || event.Payment.Status != merchantpay.StatusDoneSuccess {
					t.Error(event, err)
				}
			default:
				wantError(t, err, row.code, merchantpay.OutcomeUnknown)
			}
			if errors.As(err, &tooLarge) != (row.code == merchantpay.CodeTransport) {
				t.Error(err)
			}
			body, err := io.ReadAll(request.Body)
			if err != nil || string(body) != row.body {
				t.Errorf("%d bytes are left, %v", len(body), err)
			}
			if err := request.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestVerifyRequestRefusesWhatItCannotReadOrVerify(t *testing.T) {
	s := newService(t, nil)
	verifier := newVerifier(t, s.config(t))
	broken := errors.New("broken")
	once := http.Header{merchantpay.SignatureHeader: {s.sign(status)}, merchantpay.KeyIDHeader: {serviceKeyID}}
	twice := http.Header{merchantpay.SignatureHeader: {s.sign(status), s.sign(status)}, merchantpay.KeyIDHeader: {serviceKeyID}}
	empty := http.Header{merchantpay.SignatureHeader: {s.sign(status)}, merchantpay.KeyIDHeader: {""}}
	ids := http.Header{merchantpay.SignatureHeader: {s.sign(status)}, merchantpay.KeyIDHeader: {serviceKeyID, serviceKeyID}}
	unread := webhook(io.MultiReader(strings.NewReader(status[:10]), iotest.ErrReader(broken)), once)
	failure := wantError(t, second(verifier.VerifyRequest(unread)), merchantpay.CodeTransport, merchantpay.OutcomeUnknown)
	if !errors.Is(failure, broken) {
		t.Error(failure)
	}
	if body, err := io.ReadAll(unread.Body); string(body) != status[:10] || !errors.Is(err, broken) {
		t.Errorf("%q %v", body, err)
	}
	for _, header := range []http.Header{twice, ids, empty, {}} {
		wantError(t, second(verifier.VerifyRequest(webhook(strings.NewReader(status), header))), merchantpay.CodeUnverified, merchantpay.OutcomeUnknown)
	}
	limited := webhook(nil, once)
	limited.Body = http.MaxBytesReader(httptest.NewRecorder(), io.NopCloser(strings.NewReader(status)), 5)
	wantError(t, second(verifier.VerifyRequest(limited)), merchantpay.CodeTransport, merchantpay.OutcomeUnknown)
	bare := webhook(nil, once)
	bare.Body = nil
	wantError(t, second(verifier.VerifyRequest(bare)), merchantpay.CodeUnverified, merchantpay.OutcomeUnknown)
	wantError(t, second(verifier.VerifyRequest(nil)), merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
	wantError(t, second((*merchantpay.WebhookVerifier)(nil).VerifyRequest(bare)), merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
}

func TestVerifyTakesTheBodyAsItIs(t *testing.T) {
	s := newService(t, nil)
	verifier := newVerifier(t, s.config(t))
	body := []byte(status)
	kept := bytes.Clone(body)
	event, err := verifier.Verify(body, s.sign(status), serviceKeyID)
	if err != nil || !bytes.Equal(body, kept) {
		t.Fatal(err)
	}
	clear(body)
	if string(event.Payment.JSON) != status || event.Payment.OrderID != "o-1" {
		t.Error("the event changes with the caller's bytes")
	}
}

func TestAVerifierMayHaveASigner(t *testing.T) {
	config := newService(t, nil).config(t)
	config.PrivateKey, config.Signer = "", ed25519Key
	newVerifier(t, config)
}
