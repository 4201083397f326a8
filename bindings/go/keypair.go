package merchantpay

import "github.com/merchantpay/merchantpay-go/internal/waist"

// Keypair is a new pair of keys. Give PublicKey to the service and keep PrivateKey secret.
type Keypair struct {
	// PrivateKey is base64 of 64 bytes, in the format of Config.PrivateKey. It is a secret.
	PrivateKey string
	// PublicKey is base64 of 32 bytes.
	PublicKey string
}

// GenerateKeypair makes a pair from the operating system's random bytes.
func GenerateKeypair() (*Keypair, error) {
	pair, failure := waist.Library().LibraryKeypair()
	if failure != nil {
		return nil, failed(failure)
	}
	return &Keypair{pair.PrivateKey, pair.PublicKey}, nil
}

// String leaves out the private key.
func (k Keypair) String() string { return "keypair of public key " + k.PublicKey }

// Version is the version of the loaded library, such as "0.1.0".
func Version() string { return waist.Version() }
