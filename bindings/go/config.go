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

// NoRetries is a value of Config.MaxRetries: nothing is ever sent again.
const NoRetries = -1

// Never is a value of Config's durations that are limits of idling, such as ReuseIdle: not at all. 0 is unset.
const Never time.Duration = -1

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
	settings, err := c.settings()
	if err != nil {
		return nil, err
	}
	config := &capi.Config{Settings: settings, Log: attemptLog(c.Logger)}
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

// settingChecker turns numbers of Go into the library's, and keeps the first fault.
type settingChecker struct{ err error }

func (s *settingChecker) fail(message string) capi.Number {
	if s.err == nil {
		s.err = invalid(message)
	}
	return capi.Number{}
}

// milliseconds is a duration in whole milliseconds, and at least one.
func (s *settingChecker) milliseconds(name string, duration time.Duration) capi.Number {
	switch {
	case duration == 0:
		return capi.Number{}
	case duration == Never:
		return capi.Number{IsSet: true}
	case duration < 0:
		return s.fail(name + " is negative")
	case duration > math.MaxUint32*time.Millisecond:
		return s.fail(name + " is longer than 49 days")
	default:
		return capi.Number{Value: uint64(max(duration/time.Millisecond, 1)), IsSet: true}
	}
}

func (s *settingChecker) number(name string, number int) capi.Number {
	switch {
	case number == 0:
		return capi.Number{}
	case number == NoRetries:
		return capi.Number{IsSet: true}
	case !isUint32(number):
		return s.fail(name + " is neither NoRetries nor a number from 0 to 4294967295")
	default:
		return capi.Number{Value: uint64(number), IsSet: true}
	}
}

// count is a number of something, 0 where it is unset.
func (s *settingChecker) count(name string, number int) capi.Number {
	if !isUint32(number) {
		return s.fail(name + " is not a number from 1 to 4294967295")
	}
	return capi.Number{Value: uint64(number), IsSet: number > 0}
}

func isUint32(number int) bool { return number >= 0 && int64(number) <= math.MaxUint32 }

func (s *settingChecker) bytes(name string, number int64) capi.Number {
	if number < 0 {
		return s.fail(name + " is negative")
	}
	return capi.Number{Value: uint64(number), IsSet: number > 0}
}
