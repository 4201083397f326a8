package merchantpay_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

var _, ed25519Key, _ = ed25519.GenerateKey(rand.Reader)

// signer simulates an HSM. The test chooses the signatures and errors that the signer returns.
type signer struct {
	public crypto.PublicKey
	sign   func(message []byte) ([]byte, error)
}

func (s signer) Public() crypto.PublicKey { return s.public }

func (s signer) Sign(_ io.Reader, message []byte, options crypto.SignerOpts) ([]byte, error) {
	if options.HashFunc() != 0 {
		return nil, errors.New("the message is not hashed")
	}
	return s.sign(message)
}

func TestASignerSignsInPlaceOfAPrivateKey(t *testing.T) {
	s := newService(t, nil)
	client := s.client(t, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", ed25519Key })
	if err := client.Confirm(background, "o-1"); err != nil {
		t.Fatal(err)
	}
	got := (<-s.arrived).signature
	if signature, err := base64.StdEncoding.DecodeString(got); err != nil || !ed25519.Verify(ed25519Key.Public().(ed25519.PublicKey), []byte(`{"orderId":"o-1"}`), signature) {
		t.Errorf("%q %v", got, err)
	}
}

var errHSM = errors.New("HSM-SECRET")

func TestASignerThatFailsSendsNothing(t *testing.T) {
	s := newService(t, nil)
	for name, row := range map[string]struct {
		code merchantpay.Code
		sign func([]byte) ([]byte, error)
	}{
		"an error":          {merchantpay.CodeSigner, func([]byte) ([]byte, error) { return nil, errHSM }},
		"nothing":           {merchantpay.CodeSigner, func([]byte) ([]byte, error) { return nil, nil }},
		"too short":         {merchantpay.CodeSigner, func([]byte) ([]byte, error) { return make([]byte, 63), nil }},
		"a panic":           {merchantpay.CodeSigner, func([]byte) ([]byte, error) { panic("HSM-SECRET") }},
		"an exit":           {merchantpay.CodeSigner, func([]byte) ([]byte, error) { runtime.Goexit(); return nil, nil }},
		"a wrong signature": {merchantpay.CodeInvalidKey, func([]byte) ([]byte, error) { return make([]byte, 64), nil }},
	} {
		t.Run(name, func(t *testing.T) {
			config := s.config(t)
			config.PrivateKey, config.Signer = "", signer{ed25519Key.Public(), row.sign}
			client, err := merchantpay.NewClient(config)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			protocol, err := merchantpay.NewProtocol(config)
			if err != nil {
				t.Fatal(err)
			}
			defer protocol.Close()
			for _, err := range []error{client.Confirm(background, "o-1"), second(protocol.PrepareConfirm("o-1"))} {
				failure := wantError(t, err, row.code, merchantpay.OutcomeNotSent)
				if strings.Contains(failure.Error(), "HSM-SECRET") || errors.Is(failure, errHSM) != (name == "an error") {
					t.Error(failure)
				}
			}
		})
	}
	if sent := s.calls.Load(); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

func TestEveryAttemptIsOneLineOfTheLogWithoutASecret(t *testing.T) {
	var log bytes.Buffer
	s := newService(t, func(s *service, operation string, body []byte, w http.ResponseWriter) {
		switch {
		case operation == "cancel":
			s.reply(w, 403, `{"success":false,"orderId":"o-1","errorDescription":"payment could not be canceled"}`)
		case operation == "status" && s.calls.Load() == 1:
			panic(http.ErrAbortHandler)
		default:
			s.reply(w, 200, success(body))
		}
	})
	client := s.client(t, func(c *merchantpay.Config) { c.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	if _, err := client.GetStatus(background, "o-1"); err != nil {
		t.Fatal(err)
	}
	wantError(t, client.Cancel(background, "o-1"), merchantpay.CodeRejected, merchantpay.OutcomeRejected)
	if _, err := client.NewPayment(background, request("ACCOUNT-79")); err != nil {
		t.Fatal(err)
	}
	wanted := []string{
		"WARN getStatus o-1 1 0 transport unknown", "INFO getStatus o-1 2 200 ok ok",
		"WARN cancel o-1 1 403 rejected rejected", "INFO newPayment o-1 1 200 ok ok",
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != len(wanted) {
		t.Fatalf("%d lines:\n%s", len(lines), log.String())
	}
	for i, line := range lines {
		var entry struct {
			Level, Operation, Code, Outcome string
			OrderID                         *string `json:"order_id"`
			Attempt                         int
			HTTPStatus                      *int   `json:"http_status"`
			Elapsed                         *int64 `json:"elapsed"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.OrderID == nil || entry.HTTPStatus == nil || entry.Elapsed == nil {
			t.Fatalf("%v in %s", err, line)
		}
		text := strings.Join([]string{
			entry.Level, entry.Operation, *entry.OrderID, string(rune('0' + entry.Attempt)), itoa(*entry.HTTPStatus), entry.Code, entry.Outcome,
		}, " ")
		if text != wanted[i] {
			t.Errorf("%s in place of %s", text, wanted[i])
		}
	}
	for _, secret := range []string{"ACCOUNT-79", "Signature", "=="} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%s is in the log", secret)
		}
	}
}

func itoa(number int) string { return strings.TrimSpace(string(must(json.Marshal(number)))) }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// panicking is a log handler that panics.
type panicking struct{ slog.Handler }

func (panicking) Enabled(context.Context, slog.Level) bool  { return true }
func (panicking) Handle(context.Context, slog.Record) error { panic("the log is broken") }

func TestALoggerThatPanicsLosesNoReply(t *testing.T) {
	client := newService(t, nil).client(t, func(c *merchantpay.Config) { c.Logger = slog.New(panicking{}) })
	if err := client.Confirm(background, "o-1"); err != nil {
		t.Error(err)
	}
}

func TestALoggerThatExitsLosesNoReply(t *testing.T) {
	client := newService(t, nil).client(t, func(c *merchantpay.Config) { c.Logger = slog.New(calling{runtime.Goexit}) })
	ctx, cancel := context.WithTimeout(background, time.Minute)
	defer cancel()
	for _, ctx := range []context.Context{background, ctx} {
		if err := client.Confirm(ctx, "o-1"); err != nil {
			t.Error(err)
		}
		if _, err := client.GetStatus(ctx, "o-1"); err != nil {
			t.Error(err)
		}
	}
}

func TestACallWhoseSignerExitsEnds(t *testing.T) {
	client := newService(t, nil).client(t, func(c *merchantpay.Config) {
		c.PrivateKey, c.Signer = "", signer{ed25519Key.Public(), func([]byte) ([]byte, error) { runtime.Goexit(); return nil, nil }}
	})
	ctx, cancel := context.WithTimeout(background, time.Minute)
	defer cancel()
	_, err := client.GetStatus(ctx, "o-1")
	wantError(t, err, merchantpay.CodeSigner, merchantpay.OutcomeNotSent)
}

func TestALoggerMayCallTheClientItself(t *testing.T) {
	s := newService(t, nil)
	var client *merchantpay.Client
	depth := 0
	client = s.client(t, func(c *merchantpay.Config) {
		c.Logger = slog.New(calling{func() {
			if depth++; depth < 3 {
				if err := client.Confirm(background, "o-1"); err != nil {
					t.Error(err)
				}
			}
		}})
	})
	if err := client.Confirm(background, "o-1"); err != nil || depth != 3 {
		t.Error(err, depth)
	}
}

// calling is a log handler that calls a function.
type calling struct{ call func() }

func (calling) Enabled(context.Context, slog.Level) bool    { return true }
func (c calling) Handle(context.Context, slog.Record) error { c.call(); return nil }
func (c calling) WithAttrs([]slog.Attr) slog.Handler        { return c }
func (c calling) WithGroup(string) slog.Handler             { return c }
