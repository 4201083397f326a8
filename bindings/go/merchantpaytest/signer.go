package merchantpaytest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// Signer signs webhooks as the service does, but with a key of the Signer's own. It needs no sandbox.
type Signer struct {
	// Config has the settings with which a WebhookVerifier accepts the webhooks of this Signer.
	Config merchantpay.Config

	key ed25519.PrivateKey
}

// Webhook is a signed webhook.
type Webhook struct {
	Body             []byte
	Signature, KeyID string
	// Path is the path to which a sandbox sent the webhook; empty for a webhook of a Signer.
	Path string
}

// NewSigner makes a signer with a new key.
func NewSigner(t testing.TB) *Signer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key := base64.StdEncoding.EncodeToString(public)
	return &Signer{Config: merchantpay.Config{ServerPublicKey: key, ServerKeyID: "test-service"}, key: private}
}

// Status returns a status webhook of a payment. The sum is the exact text of a number, such as "1500.50".
func (s *Signer) Status(t testing.TB, orderID string, status merchantpay.Status, sum string) Webhook {
	t.Helper()
	return s.Webhook(t, map[string]any{"success": true, "orderId": orderID, "status": status, "sum": json.Number(sum)})
}

// Webhook signs a body with these fields of the contract.
func (s *Signer) Webhook(t testing.TB, fields map[string]any) Webhook {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	signature := base64.StdEncoding.EncodeToString(ed25519.Sign(s.key, body))
	return Webhook{Body: body, Signature: signature, KeyID: s.Config.ServerKeyID}
}

// Request returns the webhook as an HTTP request for a handler.
func (w Webhook) Request(t testing.TB, path string) *http.Request {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, path, bytes.NewReader(w.Body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Signature", w.Signature)
	request.Header.Set("X-KeyId", w.KeyID)
	return request
}
