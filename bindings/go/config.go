package merchantpay

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// NoRetries is a value of Config.MaxRetries with which the library retries nothing.
const NoRetries = -1

// Never is a value of Config's idle limits, such as ReuseIdle, with which an idle connection is never used. The
// value 0 means that the limit is not set.
const Never time.Duration = -1

// String leaves out the keys, and the values that may contain a password.
func (c Config) String() string {
	return "merchantpay config of key id " + c.KeyID
}

// Format writes the text of String for every verb.
func (c Config) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(c.String())) }

// LogValue leaves out the values that String leaves out.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON writes the text of String: this JSON is for logs, not for storing settings.
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }

// timeout returns the longest duration of a call.
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
	config := &capi.Config{Settings: c.settings(), Log: attemptLog(c.Logger)}
	if c.Signer != nil {
		if err := c.setSigner(config); err != nil {
			return nil, err
		}
	}
	return config, nil
}

func (c *Config) setSigner(config *capi.Config) (err error) {
	if c.PrivateKey != "" {
		return invalid("PrivateKey and Signer are both set: set one of them")
	}
	public, err := publicKeyOf(c.Signer)
	if err != nil {
		return err
	}
	if c.PublicKey == "" {
		key := base64.StdEncoding.EncodeToString(public)
		config.Settings = append(config.Settings, capi.Setting{Name: "public_key", GoName: "PublicKey", Text: key})
	}
	signer := c.Signer
	config.Sign = func(message []byte) ([]byte, error) { return signer.Sign(nil, message, crypto.Hash(0)) }
	return nil
}

// publicKeyOf asks a signer for its public key. The signer is code of the program, and can panic.
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
		return nil, &Error{Code: CodeInvalidKey, Outcome: OutcomeNotSent, Message: "the Signer's public key is not an Ed25519 key"}
	}
	return public, nil
}

// settings are settings in the library's format.
type settings []capi.Setting

// add adds a setting with a value of a Go type. The type's zero value means that the setting is not set.
func (s *settings) add(name, goName string, value any) {
	put := func(text string) { *s = append(*s, capi.Setting{Name: name, GoName: goName, Text: text}) }
	switch value := value.(type) {
	case string:
		put(value)
	case []string:
		for _, text := range value {
			put(text)
		}
	case bool:
		if value {
			put("1")
		}
	case time.Duration:
		put(numberText(milliseconds(value), int64(Never)))
	case int:
		put(numberText(int64(value), NoRetries))
	case int64:
		put(numberText(value, 0))
	}
}

// milliseconds converts a positive duration to whole milliseconds, at least 1. The values 0 and Never do not
// change. For any other negative duration the result is -2.
func milliseconds(duration time.Duration) int64 {
	switch {
	case duration == 0 || duration == Never:
		return int64(duration)
	case duration < 0:
		return -2
	default:
		return int64(max(duration/time.Millisecond, 1))
	}
}

// numberText returns a number in digits. A number that is equal to the argument none becomes "0". The number 0
// becomes "", because 0 means that the setting is not set.
func numberText(number, none int64) string {
	switch number {
	case 0:
		return ""
	case none:
		return "0"
	default:
		return strconv.FormatInt(number, 10)
	}
}
