package capi

// #include "bridge.h"
import "C"

import (
	"crypto/ed25519"
	"runtime/cgo"
	"time"
	"unsafe"
)

// Attempt is one attempt of a call, as a log may tell of it.
type Attempt struct {
	Operation, OrderID        string
	Number                    uint32
	HTTPStatus, Code, Outcome int32
	Elapsed                   time.Duration
}

// Log is told of every attempt, on the goroutine that makes the call.
type Log func(Attempt)

// Sign gives the 64 bytes of the signature of a message.
type Sign func(message []byte) ([]byte, error)

//export merchantpayGoAttempt
func merchantpayGoAttempt(handle C.uintptr_t, from *C.struct_bridge_attempt) {
	defer func() { _ = recover() }() // A log is worth less than the reply that it tells of.
	log := cgo.Handle(handle).Value().(Log)
	log(Attempt{
		Operation:  C.GoString(from.operation),
		OrderID:    C.GoString(from.order_id),
		Number:     uint32(from.number),
		HTTPStatus: int32(from.http_status),
		Code:       int32(from.code),
		Outcome:    int32(from.outcome),
		Elapsed:    time.Duration(from.elapsed_ms) * time.Millisecond,
	})
}

//export merchantpayGoSign
func merchantpayGoSign(handle C.uintptr_t, message unsafe.Pointer, length C.size_t, signature unsafe.Pointer) (failed C.int32_t) {
	failed = 1
	defer func() { _ = recover() }() // A signer that panics has not signed, and nothing was sent.
	sign := cgo.Handle(handle).Value().(Sign)
	// The signer gets a copy: what it keeps or changes is its own.
	signed, err := sign(append([]byte{}, unsafe.Slice((*byte)(message), int(length))...))
	if err != nil || len(signed) != ed25519.SignatureSize {
		return 1
	}
	copy(unsafe.Slice((*byte)(signature), ed25519.SignatureSize), signed)
	return 0
}
