package merchantpay_test

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
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

var errHSM = errors.New("HSM-SECRET")

func TestASignerThatFailsSendsNothing(t *testing.T) {
	s := newService(t, nil)
	for name, sign := range map[string]func([]byte) ([]byte, error){
		"an error": func([]byte) ([]byte, error) { return nil, errHSM },
		"a panic":  func([]byte) ([]byte, error) { panic("HSM-SECRET") },
		"an exit":  func([]byte) ([]byte, error) { runtime.Goexit(); return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			config := s.config(t)
			config.PrivateKey, config.Signer = "", signer{ed25519Key.Public(), sign}
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
				failure := wantError(t, err, merchantpay.CodeSigner, merchantpay.OutcomeNotSent)
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
