package merchantpay

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Keypair is a new pair of keys. Give PublicKey to the service and keep PrivateKey secret.
type Keypair struct {
	// PrivateKey is base64 of 64 bytes, in the format of Config.PrivateKey. It is a secret.
	PrivateKey string
	// PublicKey is base64 of 32 bytes.
	PublicKey string
}

// GenerateKeypair makes a pair from the operating system's random bytes.
func GenerateKeypair() (*Keypair, error) {
	private, public, err := capi.GenerateKeypair()
	if err != nil {
		return nil, fromC(err)
	}
	return &Keypair{PrivateKey: private, PublicKey: public}, nil
}

// String leaves out the private key.
func (k Keypair) String() string { return "keypair of public key " + k.PublicKey }

// Format writes the text of String for every verb.
func (k Keypair) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(k.String())) }

// LogValue leaves out the private key.
func (k Keypair) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalJSON writes the text of String: this JSON is for logs, not for storing keys.
func (k Keypair) MarshalJSON() ([]byte, error) { return json.Marshal(k.String()) }
