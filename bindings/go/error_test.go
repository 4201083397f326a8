package merchantpay_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// failed is the error as this package's own, which every failure has to be.
func failed(t testing.TB, err error) *merchantpay.Error {
	t.Helper()
	var failure *merchantpay.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v (%T) is no *Error", err, err)
	}
	if failure.Message == "" || failure.Code.Number() == 0 || failure.Outcome.Number() == 0 {
		t.Errorf("an error without a message, a code or an outcome: %v", failure)
	}
	return failure
}

func wantError(t testing.TB, err error, code merchantpay.Code, outcome merchantpay.Outcome) *merchantpay.Error {
	t.Helper()
	failure := failed(t, err)
	if failure.Code != code || failure.Outcome != outcome {
		t.Errorf("%v in place of %s %s", failure, code, outcome)
	}
	return failure
}

func TestEveryFaultOfAReplyHasItsCodeAndOutcome(t *testing.T) {
	html := "<html><body>Bad Gateway</body></html>"
	long := `{"success":true,"orderId":"o-1","x":"` + strings.Repeat("x", 2000) + `"}`
	table := []struct {
		name    string
		answer  func(s *service, w http.ResponseWriter)
		code    merchantpay.Code
		outcome merchantpay.Outcome
		status  int

		isTransient bool
	}{
		{"a proxy's page", func(s *service, w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(502)
			_, _ = w.Write([]byte(html))
		}, merchantpay.CodeUnverified, merchantpay.OutcomeUnknown, 502, true},
		{"an unsigned 401", func(s *service, w http.ResponseWriter) {
			w.WriteHeader(401)
			_, _ = w.Write([]byte(`{"success":false,"errorDescription":"invalid signature"}`))
		}, merchantpay.CodeUnverified, merchantpay.OutcomeUnknown, 401, false},
		{"somebody else's signature", func(s *service, w http.ResponseWriter) {
			w.Header().Set("X-KeyId", serviceKeyID)
			w.Header().Set("X-Signature", strings.Repeat("A", 86)+"==")
			_, _ = w.Write([]byte(success(nil)))
		}, merchantpay.CodeUnverified, merchantpay.OutcomeUnknown, 200, false},
		{"another order", func(s *service, w http.ResponseWriter) { s.reply(w, 200, `{"success":true,"orderId":"o-2"}`) },
			merchantpay.CodeMalformed, merchantpay.OutcomeUnknown, 200, false},
		{"a name twice", func(s *service, w http.ResponseWriter) {
			s.reply(w, 200, `{"success":true,"orderId":"o-1","orderId":"o-1"}`)
		},
			merchantpay.CodeMalformed, merchantpay.OutcomeUnknown, 200, false},
		{"no JSON", func(s *service, w http.ResponseWriter) { s.reply(w, 200, `success`) },
			merchantpay.CodeMalformed, merchantpay.OutcomeUnknown, 200, false},
		{"a refusal", func(s *service, w http.ResponseWriter) {
			s.reply(w, 403, `{"success":false,"orderId":"o-1","errorDescription":"payment could not be canceled"}`)
		}, merchantpay.CodeRejected, merchantpay.OutcomeRejected, 403, false},
		{"a redirect", func(s *service, w http.ResponseWriter) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(307)
		}, merchantpay.CodeTransport, merchantpay.OutcomeUnknown, 307, false},
		{"too many bytes", func(s *service, w http.ResponseWriter) { s.reply(w, 200, long) },
			merchantpay.CodeTransport, merchantpay.OutcomeUnknown, 200, false},
		{"a connection that closes", func(*service, http.ResponseWriter) { panic(http.ErrAbortHandler) },
			merchantpay.CodeTransport, merchantpay.OutcomeUnknown, 0, true},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := newService(t, func(s *service, _ string, _ []byte, w http.ResponseWriter) { row.answer(s, w) })
			client := s.client(t, func(c *merchantpay.Config) { c.MaxReplyBytes = 1000 })
			failure := wantError(t, client.Cancel(background, "o-1"), row.code, row.outcome)
			if failure.HTTPStatus != row.status || failure.OrderID != "o-1" || failure.IsTransient() != row.isTransient {
				t.Errorf("HTTP status %d, order %q, transient %v", failure.HTTPStatus, failure.OrderID, failure.IsTransient())
			}
			if calls := s.calls.Load(); calls != 1 {
				t.Errorf("sent %d times", calls)
			}
			switch row.code {
			case merchantpay.CodeRejected:
				if failure.Reason != merchantpay.ReasonPaymentCouldNotBeCanceled || failure.Description != "payment could not be canceled" ||
					!strings.HasPrefix(string(failure.Body), `{"success":false`) {
					t.Errorf("%q %q %q", failure.Reason, failure.Description, failure.Body)
				}
			case merchantpay.CodeUnverified:
				if row.status == 502 && (failure.ContentType != "text/html" || !strings.Contains(failure.Excerpt, "Bad Gateway")) {
					t.Errorf("%q %q", failure.ContentType, failure.Excerpt)
				}
				if failure.Body != nil {
					t.Errorf("a body that nobody signed: %q", failure.Body)
				}
			}
		})
	}
}

func TestEveryReasonOfTheContractHasItsName(t *testing.T) {
	for text, reason := range map[string]merchantpay.Reason{
		"invalid currency":              merchantpay.ReasonInvalidCurrency,
		"invalid orderId":               merchantpay.ReasonInvalidOrderID,
		"order not found":               merchantpay.ReasonOrderNotFound,
		"invalid file format":           merchantpay.ReasonInvalidFileFormat,
		"payment could not be canceled": merchantpay.ReasonPaymentCouldNotBeCanceled,
		"something else":                "",
	} {
		s := newService(t, func(s *service, _ string, _ []byte, w http.ResponseWriter) {
			s.reply(w, 400, `{"success":false,"errorDescription":"`+text+`"}`)
		})
		_, err := s.client(t).GetStatus(background, "o-1")
		if failure := wantError(t, err, merchantpay.CodeRejected, merchantpay.OutcomeRejected); failure.Reason != reason || failure.Description != text {
			t.Errorf("%s: %q %q", text, failure.Reason, failure.Description)
		}
	}
}

func TestAnErrorsTextHasNoPersonalDataInIt(t *testing.T) {
	failure := &merchantpay.Error{
		Code: merchantpay.CodeRejected, Outcome: merchantpay.OutcomeRejected, Message: "the service refused",
		Description: "IVAN", Excerpt: "IVAN", Body: []byte("IVAN"),
	}
	for _, text := range everyText(failure, *failure, fmt.Errorf("wrapped: %w", failure)) {
		if strings.Contains(text, "IVAN") || strings.Contains(text, "73 86 65 78") || strings.Contains(text, "0x49") {
			t.Error(text)
		}
	}
	if text := failure.Error(); text != "rejected rejected: the service refused" {
		t.Error(text)
	}
}

func TestEveryCodeHasItsSentinel(t *testing.T) {
	for code, sentinel := range definedCodes {
		failure := &merchantpay.Error{Code: code, Outcome: merchantpay.OutcomeUnknown, Message: "wrong"}
		for other, otherSentinel := range definedCodes {
			for _, err := range []error{failure, fmt.Errorf("wrapped: %w", failure)} {
				if errors.Is(err, otherSentinel) != (other == code) {
					t.Errorf("%v is %v: %v", err, otherSentinel, other != code)
				}
			}
		}
		if errors.Is(errors.New("another"), sentinel) || !strings.Contains(sentinel.Error(), string(code)) {
			t.Errorf("%v", sentinel)
		}
	}
}

func TestTheOutcomeOfAnyErrorCanBeAskedFor(t *testing.T) {
	for _, row := range []struct {
		err    error
		wanted merchantpay.Outcome
	}{
		{nil, ""},
		{errors.New("another"), merchantpay.OutcomeUnknown},
		{(*merchantpay.Error)(nil), merchantpay.OutcomeUnknown},
		{&merchantpay.Error{Outcome: merchantpay.OutcomeNotSent}, merchantpay.OutcomeNotSent},
		{fmt.Errorf("wrapped: %w", &merchantpay.Error{Outcome: merchantpay.OutcomeRejected}), merchantpay.OutcomeRejected},
	} {
		if got := merchantpay.OutcomeOf(row.err); got != row.wanted {
			t.Errorf("%v: %q", row.err, got)
		}
	}
}

func TestANilErrorHarmsNobody(t *testing.T) {
	var failure *merchantpay.Error
	if failure.Timeout() || failure.IsTransient() || failure.Is(merchantpay.ErrTimeout) || failure.Unwrap() != nil || failure.Error() == "" {
		t.Error("a nil error is something")
	}
	for _, text := range everyText(failure) {
		if strings.Contains(text, "PANIC") {
			t.Error(text)
		}
	}
}
