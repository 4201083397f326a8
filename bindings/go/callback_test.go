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

func (s signer) Sign(_ io.Reader, message []byte, _ crypto.SignerOpts) ([]byte, error) {
	return s.sign(message)
}

type calling struct{ call func() }

func (calling) Enabled(context.Context, slog.Level) bool    { return true }
func (c calling) Handle(context.Context, slog.Record) error { c.call(); return nil }
func (c calling) WithAttrs([]slog.Attr) slog.Handler        { return c }
func (c calling) WithGroup(string) slog.Handler             { return c }

func TestFailedSignerSendsNothing(t *testing.T) {
	s := newService(t)
	reason := errors.New("HSM-SECRET")
	ctx, cancel := context.WithTimeout(background, time.Minute)
	defer cancel()
	for name, sign := range map[string]func([]byte) ([]byte, error){
		"an error": func([]byte) ([]byte, error) { return nil, reason },
		"a panic":  func([]byte) ([]byte, error) { panic("HSM-SECRET") },
		"an exit":  func([]byte) ([]byte, error) { runtime.Goexit(); return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			config := s.config
			config.PrivateKey, config.Signer = "", signer{ed25519Key.Public(), sign}
			client, protocol := newClient(t, config), must(merchantpay.NewProtocol(config))
			defer protocol.Close()
			for _, err := range []error{client.Confirm(background, "o-1"), client.Confirm(ctx, "o-1"), errorOf(protocol.PrepareConfirm("o-1"))} {
				failure := wantError(t, err, merchantpay.CodeSigner, merchantpay.OutcomeNotSent)
				if strings.Contains(failure.Error(), "HSM-SECRET") || errors.Is(failure, reason) != (name == "an error") {
					t.Error(failure)
				}
			}
		})
	}
	s.wantCalls(t, 0)
}

func TestLoggerMayExitOrCallTheClient(t *testing.T) {
	s := newService(t)
	ctx, cancel := context.WithTimeout(background, time.Minute)
	defer cancel()
	exiting := s.client(t, func(c *merchantpay.Config) { c.Logger = slog.New(calling{runtime.Goexit}) })
	for _, ctx := range []context.Context{background, ctx} {
		if _, err := exiting.GetStatus(ctx, "o-1"); err != nil {
			t.Error(err)
		}
	}
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
