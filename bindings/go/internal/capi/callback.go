package capi

// #include "bridge.h"
import "C"

import (
	"crypto/ed25519"
	"runtime/cgo"
	"time"
	"unsafe"
)

// Attempt is one HTTP attempt of a call, for a log.
type Attempt struct {
	Operation, OrderID string
	Code, Outcome      string // Empty for a success.
	Number             uint32
	HTTPStatus         int32
	Elapsed            time.Duration
}

// Log is called for every attempt, on a separate goroutine for which the call waits.
type Log func(Attempt)

// Sign returns the 64 bytes of a message's signature, on a separate goroutine for which the call waits.
type Sign func(message []byte) ([]byte, error)

// RunIsolated runs the host's code and waits for it. A panic ends it, and so does runtime.Goexit, which on
// the call's goroutine would unwind through C.
func RunIsolated(run func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = recover() }()
		run()
	}()
	<-ended
}

//export merchantpayGoRelease
func merchantpayGoRelease(handle C.uintptr_t) { cgo.Handle(handle).Delete() }

//export merchantpayGoAttempt
func merchantpayGoAttempt(handle C.uintptr_t, fields unsafe.Pointer, length C.size_t) {
	log := cgo.Handle(handle).Value().(Log)
	from := fieldsOf(fields, length)
	from.Next() // Skips the text line, because slog has fields.
	attempt := Attempt{
		Operation:  from.Next(),
		OrderID:    from.Next(),
		Number:     uint32(from.Number()),
		HTTPStatus: int32(from.Number()),
		Elapsed:    time.Duration(from.Number()) * time.Millisecond,
		Code:       from.Next(),
		Outcome:    from.Next(),
	}
	RunIsolated(func() { log(attempt) }) // A panic in the logger is ignored.
}

//export merchantpayGoSign
func merchantpayGoSign(handle C.uintptr_t, message unsafe.Pointer, length C.size_t, signature unsafe.Pointer) C.int32_t {
	sign := cgo.Handle(handle).Value().(Sign)
	// The signer gets a copy, which it may keep or change.
	own := append([]byte{}, unsafe.Slice((*byte)(message), int(length))...)
	var signed []byte // A signer that does not return has not signed, and nothing is sent.
	RunIsolated(func() {
		if signature, err := sign(own); err == nil {
			signed = signature
		}
	})
	if len(signed) != ed25519.SignatureSize {
		return 1
	}
	copy(unsafe.Slice((*byte)(signature), ed25519.SignatureSize), signed)
	return 0
}
