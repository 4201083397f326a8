package merchantpay_test

import (
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
	verifier := must(merchantpay.NewWebhookVerifier(config))
	t.Cleanup(verifier.Close)
	return verifier
}

func TestTextThatIsNoHeaderIsRefused(t *testing.T) {
	s := newService(t)
	verifier := newVerifier(t, s.config)
	for name, header := range map[string][2]string{
		"a signature with a NUL":       {s.sign(status) + "\x00", serviceKeyID},
		"a signature that is no UTF-8": {"\xff" + s.sign(status), serviceKeyID},
		"a long signature":             {strings.Repeat("A", 1<<20), serviceKeyID},
		"a key id with a NUL":          {s.sign(status), serviceKeyID + "\x00"},
		"a key id that is no UTF-8":    {s.sign(status), "\xff"},
	} {
		t.Run(name, func(t *testing.T) {
			event, err := verifier.Verify([]byte(status), header[0], header[1])
			if wantError(t, err, merchantpay.CodeUnverified, merchantpay.OutcomeUnknown); event != nil {
				t.Error(event)
			}
		})
	}
}

func TestVerifyRequestLeavesTheRequestUsable(t *testing.T) {
	s := newService(t)
	config := s.config
	config.PrivateKey, config.Signer = "", ed25519Key // A verifier needs neither, and takes both.
	verifier := newVerifier(t, config)
	broken := errors.New("broken")
	large := strings.Repeat(" ", merchantpay.MaxWebhookBytes+5000)
	largest := status + strings.Repeat(" ", merchantpay.MaxWebhookBytes-len(status))
	once, keyID := []string{s.sign(status)}, []string{serviceKeyID}
	var tooLarge *http.MaxBytesError
	for _, row := range []struct {
		name, body         string
		signatures, keyIDs []string
		code               merchantpay.Code
		end                error
	}{
		{"a right one", status, once, keyID, "", io.EOF},
		{"the largest", largest, []string{s.sign(largest)}, keyID, "", io.EOF},
		{"an unsigned one", status, []string{"AAAA"}, keyID, merchantpay.CodeUnverified, io.EOF},
		{"one that is too large", large, []string{s.sign(large)}, keyID, merchantpay.CodeTransport, io.EOF},
		{"one that breaks off", status[:10], once, keyID, merchantpay.CodeTransport, broken},
		{"two signatures", status, append(once, once...), keyID, merchantpay.CodeUnverified, io.EOF},
		{"two key ids", status, once, append(keyID, keyID...), merchantpay.CodeUnverified, io.EOF},
		{"an empty key id", status, once, []string{""}, merchantpay.CodeUnverified, io.EOF},
		{"no headers", status, nil, nil, merchantpay.CodeUnverified, io.EOF},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := io.MultiReader(iotest.OneByteReader(strings.NewReader(row.body)), iotest.ErrReader(row.end))
			request := httptest.NewRequest(http.MethodPost, "/hook", body)
			request.Header = http.Header{"X-Signature": row.signatures, "X-Keyid": row.keyIDs}
			event, err := verifier.VerifyRequest(request)
			if row.code != "" {
				wantError(t, err, row.code, merchantpay.OutcomeUnknown)
			} else if err != nil || event.Payment.Status != merchantpay.StatusDoneSuccess {
				t.Error(event, err)
			}
			if errors.As(err, &tooLarge) != (row.name == "one that is too large") || errors.Is(err, broken) != (row.end == broken) {
				t.Error(err)
			}
			left, err := io.ReadAll(request.Body)
			if string(left) != row.body || err != nil != (row.end == broken) || request.Body.Close() != nil {
				t.Errorf("%d bytes are left, %v", len(left), err)
			}
		})
	}
	limited := httptest.NewRequest(http.MethodPost, "/hook", nil)
	limited.Body = http.MaxBytesReader(httptest.NewRecorder(), io.NopCloser(strings.NewReader(status)), 5)
	wantError(t, errorOf(verifier.VerifyRequest(limited)), merchantpay.CodeTransport, merchantpay.OutcomeUnknown)
	limited.Body = nil
	wantError(t, errorOf(verifier.VerifyRequest(limited)), merchantpay.CodeUnverified, merchantpay.OutcomeUnknown)
	wantInvalid(t, errorOf(verifier.VerifyRequest(nil)))
	wantInvalid(t, errorOf((*merchantpay.WebhookVerifier)(nil).VerifyRequest(limited)))
}
