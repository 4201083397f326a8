package merchantpay_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// What settings of texts have wrong is tested by the vectors in tests/contract. These are values that only Go has.
func TestUnusableSettingsAreRefused(t *testing.T) {
	other := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	key, argument := merchantpay.CodeInvalidKey, merchantpay.CodeInvalidArgument
	for _, row := range []struct {
		begins string
		code   merchantpay.Code
		change func(*merchantpay.Config)
	}{
		{"Timeout must be", argument, func(c *merchantpay.Config) { c.Timeout = -2 }},
		{"Timeout must be", argument, func(c *merchantpay.Config) { c.Timeout = math.MaxInt64 }},
		{"Timeout must be", argument, func(c *merchantpay.Config) { c.Timeout = merchantpay.Never }},
		{"ConnectTimeout must be", argument, func(c *merchantpay.Config) { c.ConnectTimeout = merchantpay.Never }},
		{"ReuseIdle must be", argument, func(c *merchantpay.Config) { c.ReuseIdle = -time.Second }},
		{"MaxRetries must be", argument, func(c *merchantpay.Config) { c.MaxRetries = -2 }},
		{"MaxRetries must be", argument, func(c *merchantpay.Config) { c.MaxRetries = math.MaxInt64 }},
		{"MaxReplyBytes must be", argument, func(c *merchantpay.Config) { c.MaxReplyBytes = -1 }},
		{"PrivateKey and a signer", argument, func(c *merchantpay.Config) { c.Signer = signer{public: ed25519Key.Public()} }},
		{"the Signer's", key, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", other }},
		{"the Signer's", key, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", signer{} }},
		{"the Signer panics", argument, func(c *merchantpay.Config) { c.PrivateKey, c.Signer = "", crypto.Signer((*signer)(nil)) }},
		{"BaseURL, KeyID, PrivateKey and ServerPublicKey are missing", argument, func(c *merchantpay.Config) { *c = merchantpay.Config{} }},
	} {
		config := sandbox.Config
		row.change(&config)
		failure := wantError(t, errorOf(merchantpay.NewClient(config)), row.code, merchantpay.OutcomeNotSent)
		if !strings.HasPrefix(failure.Message, row.begins) || failure.IsTransient() {
			t.Errorf("%q in place of %q", failure.Message, row.begins)
		}
	}
}

func TestNilZeroAndClosedObjectsGiveErrors(t *testing.T) {
	client, protocol, verifier := newClient(t, sandbox.Config), must(merchantpay.NewProtocol(sandbox.Config)), must(merchantpay.NewWebhookVerifier(sandbox.Config))
	client.Close()
	protocol.Close()
	verifier.Close()
	for _, client := range []*merchantpay.Client{nil, {}, client} {
		for _, call := range calls(client) {
			wantInvalid(t, call(background))
		}
		wantInvalid(t, client.Connect(background))
		wantInvalid(t, errorOf(client.Wait(background, "o-1")))
		client.Close()
	}
	file := merchantpay.File{Name: "r.pdf", ContentType: "application/pdf", Data: []byte("%PDF-")}
	for _, protocol := range []*merchantpay.Protocol{nil, {}, protocol} {
		wantInvalid(t, errorOf(protocol.PrepareConfirm("o-1")))
		wantInvalid(t, errorOf(protocol.PrepareAttachReceipt(merchantpay.Receipt{OrderID: "o-1", Files: []merchantpay.File{file}})))
		protocol.Close()
	}
	for _, verifier := range []*merchantpay.WebhookVerifier{nil, {}, verifier} {
		for _, err := range []error{errorOf(verifier.Verify([]byte("{}"), "AAAA", "")), errorOf(verifier.Explain([]byte("{}"), "AAAA", ""))} {
			if !errors.Is(err, merchantpay.ErrInvalidArgument) {
				t.Error(err)
			}
		}
		verifier.Close()
	}
	// A program opens a reply only after it has sent the request, so the outcome is unknown.
	for _, prepared := range []*merchantpay.HTTPRequest{nil, {}} {
		wantError(t, prepared.OpenConfirm(merchantpay.HTTPResponse{}), merchantpay.CodeInvalidArgument, merchantpay.OutcomeUnknown)
	}
	wantInvalid(t, errorOf((*merchantpay.HTTPRequest)(nil).NewRequest(background)))
	wantInvalid(t, errorOf(merchantpay.OpenJournal(nil, merchantpay.JournalConfig{Place: "payments.db"})))
	wantInvalid(t, errorOf(merchantpay.OpenJournal(client, merchantpay.JournalConfig{Place: "payments.db"})))
	wantInvalid(t, errorOf((*merchantpay.Journal)(nil).Find(background, "order")))
}
