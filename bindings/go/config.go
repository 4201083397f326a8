package merchantpay

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// DefaultTimeout is the deadline of a call where Config has none.
const DefaultTimeout = 30 * time.Second

// NoRetries is a value of Config.MaxRetries: nothing is ever sent again.
const NoRetries = -1

// Config is the settings of a client, a protocol or a webhook verifier, which copy them. The zero value of a field is unset.
// Text made of it (String, %+v, slog, JSON) shows neither the private key nor a proxy's password; keep it in an exported field or a
// variable of its own, because fmt does not ask a value in an unexported field how it wants to be printed.
type Config struct {
	// BaseURL is what stands before /api/v1/merchant/pay: an absolute https URL; http only to this
	// machine. Needed but by a verifier.
	BaseURL string
	// KeyID is the merchant's key id, as the service issued it (contract, section 5). Needed but by a verifier, which refuses
	// a webhook that carries it.
	KeyID string
	// PrivateKey is base64 of 64 bytes, seed and public key (contract, section 5). Needed but by a verifier, or where Signer
	// signs.
	PrivateKey string
	// Signer signs in place of PrivateKey, such as an HSM: it is given the message and crypto.Hash(0), as ed25519.PrivateKey
	// takes them, on a goroutine of its own that the call waits for, and may be called by several at once. Each signature is
	// checked before anything is sent.
	Signer crypto.Signer
	// PublicKey is the merchant's own, base64 of 32 bytes. It need not be given: PrivateKey has it in it, and a Signer is
	// asked for it. If it is, it is checked.
	PublicKey string

	// ServerPublicKey is the service's, base64 of 32 bytes. Needed.
	ServerPublicKey string
	// OtherServerPublicKeys are believed too, while the service rotates its keys.
	OtherServerPublicKeys []string
	// ServerKeyID is the service's key id. If there is one, a reply must carry it, or one of the others, and a webhook, for which
	// the contract names no header, must not carry another.
	ServerKeyID string
	// OtherServerKeyIDs are accepted too, while the service rotates its keys.
	OtherServerKeyIDs []string

	// CAFile is a file with certificates, as PEM, of an authority to trust beside the system's. It is read once.
	CAFile string
	// CAPEM is the same as text.
	CAPEM string
	// Proxy is http://[user:password@]host:port. The environment is not asked.
	Proxy string
	// UserAgent is the header of that name.
	UserAgent string

	// Timeout is the deadline of a whole call, retries included; 30 s unless set. A context's deadline that comes sooner
	// counts in its place. It is kept to the millisecond.
	Timeout time.Duration
	// ConnectTimeout is the longest that opening one connection may take; 10 s unless set.
	ConnectTimeout time.Duration
	// MaxRetries is how often a request is sent again: one of which no byte was written, GetStatus and GetAvailableAmounts.
	// 2 unless set; NoRetries for never.
	MaxRetries int
	// MaxReplyBytes is the largest body of a reply that is read; 1 MiB unless set.
	MaxReplyBytes int64

	// Logger is told of every attempt of a client's calls, on a goroutine of its own that the call waits for. No key,
	// signature, body, account or name is in it.
	Logger *slog.Logger
}

// String leaves out the keys and what may hold a password.
func (c Config) String() string {
	return "merchantpay config of key id " + c.KeyID
}

// Format writes String for every verb.
func (c Config) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(c.String())) }

// LogValue leaves out what String leaves out.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON writes String: JSON made of it is for a log, not for keeping.
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }

// timeout is the deadline of a call.
func (c *Config) timeout() time.Duration {
	if c.Timeout == 0 {
		return DefaultTimeout
	}
	return c.Timeout
}

func (c *Config) toC() (*capi.Config, error) {
	if err := capi.Check(); err != nil {
		return nil, fromC(err)
	}
	timeout, err := milliseconds("Timeout", c.timeout())
	if err != nil {
		return nil, err
	}
	connectTimeout, err := milliseconds("ConnectTimeout", c.ConnectTimeout)
	if err != nil {
		return nil, err
	}
	if c.MaxReplyBytes < 0 {
		return nil, invalid("MaxReplyBytes is negative")
	}
	config := &capi.Config{
		BaseURL:          c.BaseURL,
		KeyID:            c.KeyID,
		PrivateKey:       c.PrivateKey,
		PublicKey:        c.PublicKey,
		ServerPublicKeys: append([]string{c.ServerPublicKey}, c.OtherServerPublicKeys...),
		ServerKeyIDs:     append([]string{c.ServerKeyID}, c.OtherServerKeyIDs...),
		CAFile:           c.CAFile,
		CAPEM:            c.CAPEM,
		Proxy:            c.Proxy,
		UserAgent:        c.UserAgent,
		TimeoutMS:        timeout,
		ConnectTimeoutMS: connectTimeout,
		MaxReplyBytes:    uint64(c.MaxReplyBytes),
		Log:              attemptLog(c.Logger),
	}
	switch {
	case c.MaxRetries == 0:
		config.MaxRetries = -1
	case c.MaxRetries == NoRetries:
		config.MaxRetries = 0
	case c.MaxRetries < 0 || int64(c.MaxRetries) > math.MaxUint32:
		return nil, invalid("MaxRetries is neither NoRetries nor a number of retries")
	default:
		config.MaxRetries = int64(c.MaxRetries)
	}
	if c.Signer != nil {
		if err := c.setSigner(config); err != nil {
			return nil, err
		}
	}
	return config, nil
}

func (c *Config) setSigner(config *capi.Config) (err error) {
	if c.PrivateKey != "" {
		return invalid("there is both a PrivateKey and a Signer")
	}
	public, err := publicKeyOf(c.Signer)
	if err != nil {
		return err
	}
	if config.PublicKey == "" {
		config.PublicKey = base64.StdEncoding.EncodeToString(public)
	}
	signer := c.Signer
	config.Sign = func(message []byte) ([]byte, error) { return signer.Sign(nil, message, crypto.Hash(0)) }
	return nil
}

// publicKeyOf asks a signer, which is somebody else's code and may panic.
func publicKeyOf(signer crypto.Signer) (public ed25519.PublicKey, err error) {
	defer func() {
		if recover() != nil {
			err = invalid("the Signer panics when it is asked for its public key")
		}
	}()
	switch key := signer.Public().(type) {
	case ed25519.PublicKey:
		public = key
	case *ed25519.PublicKey:
		public = *key
	}
	if len(public) != ed25519.PublicKeySize {
		return nil, &Error{Code: CodeInvalidKey, Outcome: OutcomeNotSent, Message: "the Signer's public key is no ed25519 key"}
	}
	return public, nil
}

// milliseconds is a duration as C takes it: whole, and not 0 unless it is unset.
func milliseconds(name string, duration time.Duration) (uint32, error) {
	switch {
	case duration < 0:
		return 0, invalid(name + " is negative")
	case duration > math.MaxUint32*time.Millisecond:
		return 0, invalid(name + " is longer than 49 days")
	case duration > 0 && duration < time.Millisecond:
		return 1, nil
	default:
		return uint32(duration / time.Millisecond), nil
	}
}
