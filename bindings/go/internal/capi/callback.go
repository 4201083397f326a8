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

// Log gets every HTTP attempt. It runs on a separate goroutine, and the call waits for it.
type Log func(Attempt)

// Sign returns the 64 bytes of a message's signature. It runs on a separate goroutine, and the call waits for
// it.
type Sign func(message []byte) ([]byte, error)

// runIsolated runs code of the program on a separate goroutine, and waits for it. On the call's goroutine, a
// panic or runtime.Goexit would unwind frames of C.
func runIsolated(run func()) {
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
	from.Next() // Skips the text line, because slog gets the separate fields.
	attempt := Attempt{
		Operation:  from.Next(),
		OrderID:    from.Next(),
		Number:     uint32(from.Number()),
		HTTPStatus: int32(from.Number()),
		Elapsed:    time.Duration(from.Number()) * time.Millisecond,
		Code:       from.Next(),
		Outcome:    from.Next(),
	}
	runIsolated(func() { log(attempt) }) // A panic in the logger is ignored.
}

//export merchantpayGoSign
func merchantpayGoSign(handle C.uintptr_t, message unsafe.Pointer, length C.size_t, signature unsafe.Pointer) C.int32_t {
	sign := cgo.Handle(handle).Value().(Sign)
	// The signer gets a copy of the message, so it may keep or change the bytes.
	own := append([]byte{}, unsafe.Slice((*byte)(message), int(length))...)
	var signed []byte // It stays nil if the signer does not return; then nothing is sent.
	runIsolated(func() {
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
