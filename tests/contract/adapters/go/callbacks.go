package main

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"

	merchantpay "github.com/merchantpay/merchantpay-go"
)

// heard is what the callbacks of the running command got. Each call waits for its callbacks.
var heard struct {
	signed []string
	log    []object
}

// withHeard adds what the callbacks got to an answer, and forgets it.
func withHeard(command, answer object) object {
	if command["signer"] != nil {
		answer["signed"] = append([]string{}, heard.signed...)
	}
	if command["logger"] != nil {
		answer["log"] = append([]object{}, heard.log...)
	}
	heard.signed, heard.log = nil, nil
	return answer
}

func setCallbacks(config *merchantpay.Config, command object) {
	if says, ok := command["signer"].(object); ok {
		public, _ := base64.StdEncoding.DecodeString(config.PublicKey)
		config.PublicKey, config.Signer = "", signer{ed25519.PublicKey(public), says}
	}
	if command["logger"] != nil {
		config.Logger = slog.New(handler{slog.DiscardHandler, command["logger"] == "fails"})
	}
}

type signer struct {
	public ed25519.PublicKey
	says   object
}

func (s signer) Public() crypto.PublicKey { return s.public }

func (s signer) Sign(_ io.Reader, message []byte, options crypto.SignerOpts) ([]byte, error) {
	heard.signed = append(heard.signed, hex.EncodeToString(message))
	if options.HashFunc() != 0 {
		return nil, errors.New("the message is not hashed")
	}
	if reason := text(s.says["fails"]); reason != "" {
		return nil, errors.New(reason)
	}
	return unhex(s.says["returns"]), nil
}

type handler struct {
	slog.Handler
	fails bool
}

func (h handler) Enabled(context.Context, slog.Level) bool { return true }

func (h handler) Handle(_ context.Context, record slog.Record) error {
	event := object{}
	record.Attrs(func(attribute slog.Attr) bool {
		name, value := attribute.Key, attribute.Value.String()
		switch name {
		case "attempt":
			name = "number"
		case "elapsed":
			return true
		case "code", "outcome": // A success is information, and both are "ok".
			if record.Level == slog.LevelInfo {
				return true
			}
		}
		if value != "" && value != "0" {
			event[name] = value
		}
		return true
	})
	heard.log = append(heard.log, event)
	if h.fails {
		panic("the disk is full")
	}
	return nil
}

// interruptible returns a context that ends before the call or when the next line of the input comes, and a function
// that ends it after the call.
func interruptible(command object) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	switch command["interrupt"] {
	case "before":
		cancel()
	case "during":
		read := make(chan struct{})
		go func() {
			defer close(read)
			_, _ = input.ReadBytes('\n')
			cancel()
		}()
		return ctx, func() { <-read }
	}
	return ctx, cancel
}
