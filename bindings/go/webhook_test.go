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
	"github.com/merchantpay/merchantpay-go/internal/capi"
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

func TestAVerifierNeedsNothingButTheServersKey(t *testing.T) {
	s := newService(t, nil)
	event, err := newVerifier(t, merchantpay.Config{ServerPublicKey: s.publicKey()}).Verify([]byte(credentials), s.sign(credentials), "")
	if err != nil {
		t.Fatal(err)
	}
	payment := event.Payment
	got := []string{
		event.Kind.String(), payment.OrderID, merchantpay.AmountText(payment.Sum), payment.PayeeAccount, payment.PayeeAccountBank,
		payment.PayeeName, payment.Currency, merchantpay.AmountText(payment.DealSum), payment.DealCurrency,
		merchantpay.AmountText(payment.DealRate), payment.Deeplink, string(payment.Status), string(payment.JSON),
	}
	wanted := []string{
		"credentials", "o-1", "1500.50", "2200", "Банк", "Иван И.", "RUB", "16.08", "USDT", "92.450", "https://pay.example/o-1", "", credentials,
	}
	if strings.Join(got, "|") != strings.Join(wanted, "|") {
		t.Errorf("%q", got)
	}
	_, err = merchantpay.NewWebhookVerifier(merchantpay.Config{})
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
}

func TestEveryKindOfWebhookIsTold(t *testing.T) {
	s := newService(t, nil)
	verifier := newVerifier(t, s.config(t))
	for body, kind := range map[string]merchantpay.EventKind{
		credentials:                         merchantpay.EventCredentials,
		`{"success":false,"orderId":"o-1"}`: merchantpay.EventCredentialsFailed,
		status:                              merchantpay.EventStatus,
		`{"success":true,"orderId":"o-1","status":"later"}`: merchantpay.EventStatus,
	} {
		event, err := verifier.Verify([]byte(body), s.sign(body), serviceKeyID)
		if err != nil || event.Kind != kind || event.Payment.OrderID != "o-1" {
			t.Errorf("%s: %v %v", body, event, err)
		}
		// The contract names no header for it.
		if _, err := verifier.Verify([]byte(body), s.sign(body), ""); err != nil {
			t.Errorf("%s without a key id: %v", body, err)
		}
	}
	if name := merchantpay.EventKind(99).String(); name != "event" {
		t.Error(name)
	}
}

func TestAWebhookThatIsNotProvenIsRefused(t *testing.T) {
	s := newService(t, nil)
	config := s.config(t)
	verifier := newVerifier(t, config)
	unverified, malformed := merchantpay.CodeUnverified, merchantpay.CodeMalformed
	for _, row := range []struct {
		name, body, signature, keyID string
		code                         merchantpay.Code
	}{
		{"no signature", status, "", serviceKeyID, unverified},
		{"no base64", status, "%%%", serviceKeyID, unverified},
		{"a signature of another body", status, s.sign(credentials), serviceKeyID, unverified},
		{"a changed body", strings.Replace(status, "1350", "9350", 1), s.sign(status), serviceKeyID, unverified},
		{"no body", "", s.sign(status), serviceKeyID, unverified},
		{"a signature with a NUL", status, s.sign(status) + "\x00", serviceKeyID, unverified},
		{"a signature that is no UTF-8", status, "\xff" + s.sign(status), serviceKeyID, unverified},
		{"a long signature", status, strings.Repeat("A", 1<<20), serviceKeyID, unverified},
		{"another key id", status, s.sign(status), "other", unverified},
		{"the merchant's key id", status, s.sign(status), config.KeyID, unverified},
		{"a key id with a NUL", status, s.sign(status), serviceKeyID + "\x00", unverified},
		{"a key id that is no UTF-8", status, s.sign(status), "\xff", unverified},
		{"no JSON", "text", s.sign("text"), serviceKeyID, malformed},
		{"an empty body, signed", "", s.sign(""), serviceKeyID, malformed},
		{"a NUL in the body", "\x00", s.sign("\x00"), serviceKeyID, malformed},
		{"a status that is never sent", `{"success":true,"orderId":"o-1","status":"pending"}`,
			s.sign(`{"success":true,"orderId":"o-1","status":"pending"}`), serviceKeyID, malformed},
	} {
		t.Run(row.name, func(t *testing.T) {
			event, err := verifier.Verify([]byte(row.body), row.signature, row.keyID)
			wantError(t, err, row.code, merchantpay.OutcomeUnknown)
			if event != nil {
				t.Error(event)
			}
		})
	}
	for _, verifier := range []*merchantpay.WebhookVerifier{nil, {}, closedVerifier(t, config)} {
		wantError(t, second(verifier.Verify([]byte(status), s.sign(status), serviceKeyID)), merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
		verifier.Close()
	}
}

func closedVerifier(t testing.TB, config merchantpay.Config) *merchantpay.WebhookVerifier {
	verifier := newVerifier(t, config)
	verifier.Close()
	return verifier
}

func TestKeysAndKeyIDsMayBeRotated(t *testing.T) {
	before, after, other := newService(t, nil), newService(t, nil), newService(t, nil)
	verifier := newVerifier(t, merchantpay.Config{
		ServerPublicKey: before.publicKey(), OtherServerPublicKeys: []string{after.publicKey()},
		ServerKeyID: "before", OtherServerKeyIDs: []string{"after"},
	})
	for id, s := range map[string]*service{"before": before, "after": after} {
		if _, err := verifier.Verify([]byte(status), s.sign(status), id); err != nil {
			t.Error(id, err)
		}
	}
	wantError(t, second(verifier.Verify([]byte(status), other.sign(status), "after")), merchantpay.CodeUnverified, merchantpay.OutcomeUnknown)
}

func TestFinalIsWhatTheLibrarySaysIsFinal(t *testing.T) {
	s := newService(t, nil)
	config := capi.Config{Settings: []capi.Setting{{Name: "server_public_key", GoName: "ServerPublicKey", Text: s.publicKey()}}}
	verifier, failure := capi.NewVerifier(&config)
	if failure != nil {
		t.Fatal(failure)
	}
	defer verifier.Close()
	for _, known := range []merchantpay.Status{
		merchantpay.StatusReceiptRequired, merchantpay.StatusDoneSuccess, merchantpay.StatusDoneFail,
		merchantpay.StatusArbitrageCancelledByMerchant, "later",
	} {
		body := `{"success":true,"orderId":"o-1","status":"` + string(known) + `"}`
		payment, failure := verifier.Verify([]byte(body), s.sign(body), "")
		if failure != nil || payment.Final != known.IsFinal() {
			t.Errorf("%s: %v %v", known, payment, failure)
		}
	}
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
