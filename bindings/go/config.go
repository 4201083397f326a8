package merchantpay

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// NoRetries is a value of Config.MaxRetries with which the library retries nothing.
const NoRetries = -1

// Never is a value of Config's idle limits, such as ReuseIdle, with which an idle connection is never used. The
// value 0 means that the limit is not set.
const Never time.Duration = -1

// String leaves out the keys, and the values that may contain a password.
func (c Config) String() string { return "merchantpay config of key id " + c.KeyID }

// String leaves out the place.
func (c JournalConfig) String() string { return "merchantpay config of a journal" }

func (c *Config) readEnvironment() error {
	var variables []string
	for _, variable := range os.Environ() {
		if name, text, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "MERCHANTPAY_") {
			variables = append(variables, name, text)
		}
	}
	texts, failure := waist.Library().LibraryEnvironment(variables)
	set := map[string]string{}
	for i := 0; i+1 < len(texts); i += 2 {
		set[texts[i]] = texts[i+1]
	}
	for _, field := range c.fields() {
		if text := set[field.name]; text != "" {
			field.read(text)
		}
	}
	c.fromEnvironment = true
	return failed(failure)
}

func (c *Config) open(kind uint32) (waist.Handle, error) {
	if fault := waist.Check(); fault != "" {
		return 0, &Error{Code: CodeInternal, Outcome: OutcomeNotSent, Message: fault}
	}
	settings := settingsOf(c.fields())
	if c.fromEnvironment {
		// An error about a missing setting then names the variable.
		settings.Environment = []string{}
	}
	var host *waist.Host
	if c.Logger != nil || c.Signer != nil {
		host = &waist.Host{Log: attemptLog(c.Logger)}
	}
	if signer := c.Signer; signer != nil {
		public, err := publicKeyOf(signer)
		if err != nil {
			return 0, err
		}
		if c.PublicKey == "" {
			settings.Text("public_key", base64.StdEncoding.EncodeToString(public))
		}
		host.Sign = func(message []byte) ([]byte, error) { return signer.Sign(nil, message, crypto.Hash(0)) }
	}
	handle, failure := waist.Open(kind, 0, settings, host)
	return handle, failed(failure)
}

func attemptLog(logger *slog.Logger) func(waist.Attempt) {
	if logger == nil {
		return nil
	}
	return func(attempt waist.Attempt) {
		level, code, outcome := slog.LevelInfo, "ok", "ok"
		if attempt.Code != "" {
			level, code, outcome = slog.LevelWarn, attempt.Code, attempt.Outcome
		}
		logger.LogAttrs(context.Background(), level, "merchantpay attempt",
			slog.String("operation", attempt.Operation),
			slog.String("order_id", attempt.OrderID),
			slog.Int64("attempt", attempt.Number),
			slog.Int64("http_status", attempt.HTTPStatus),
			slog.Duration("elapsed", time.Duration(attempt.ElapsedMs)*time.Millisecond),
			slog.String("code", code),
			slog.String("outcome", outcome),
		)
	}
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

// field is a setting's name, and a pointer to its value. The zero value means that the setting is not set.
type field struct {
	name  string
	value any
}

// rotated are a setting's value, and further ones that are valid while the service rotates its keys.
type rotated struct {
	first  *string
	others *[]string
}

// commas is a list in one text.
type commas struct{ text *string }

// read sets the value from a text that the library has checked.
func (f field) read(text string) {
	number, _ := strconv.ParseInt(text, 10, 64) // A number that is too large becomes the largest.
	switch value := f.value.(type) {
	case *string:
		*value = text
	case *[]string:
		*value = listOf(text)
	case rotated:
		if list := listOf(text); len(list) > 0 {
			*value.first, *value.others = list[0], list[1:]
		}
	case *bool:
		*value = text == "1"
	case *time.Duration:
		*value = orNone(time.Duration(number)*time.Millisecond, Never)
	case *int:
		*value = orNone(int(min(number, math.MaxInt)), NoRetries)
	case *int64:
		*value = number
	}
}

func listOf(text string) (list []string) {
	for text := range strings.SplitSeq(text, ",") {
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// orNone replaces 0, which means that a setting is not set.
func orNone[Number ~int | ~int64](number, none Number) Number {
	if number == 0 {
		return none
	}
	return number
}

func settingsOf(fields []field) (to waist.Settings) {
	number := func(name string, number, none int64) {
		switch number {
		case 0:
		case none:
			to.Text(name, "0")
		default:
			to.Text(name, strconv.FormatInt(number, 10))
		}
	}
	list := func(name string, texts []string) {
		if len(texts) > 0 {
			to.List(name, texts)
		}
	}
	for _, field := range fields {
		switch value := field.value.(type) {
		case *string:
			if *value != "" {
				to.Text(field.name, *value)
			}
		case *[]string:
			list(field.name, *value)
		case commas:
			list(field.name, listOf(*value.text))
		case rotated:
			texts := *value.others
			if *value.first != "" {
				texts = append([]string{*value.first}, texts...)
			}
			list(field.name, texts)
		case *bool:
			if *value {
				to.Text(field.name, "1")
			}
		case *time.Duration:
			number(field.name, milliseconds(*value), int64(Never))
		case *int:
			number(field.name, int64(*value), NoRetries)
		case *int64:
			number(field.name, *value, 0)
		}
	}
	return to
}

// milliseconds converts a positive duration to whole milliseconds, at least 1. The values 0 and Never do not
// change. For any other negative duration the result is -2, which the library refuses.
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
