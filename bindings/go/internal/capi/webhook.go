package capi

// #cgo noescape bridge_verify
// #cgo nocallback bridge_verify
// #cgo noescape bridge_take_event
// #cgo nocallback bridge_take_event
// #cgo noescape bridge_explain
// #cgo nocallback bridge_explain
// #include "bridge.h"
import "C"

import "strings"

// Verifier is a C verifier. Goroutines may share it.
type Verifier struct {
	guard  guard
	handle *C.mpay_verifier
}

// NewVerifier makes a verifier.
func NewVerifier(config *Config) (*Verifier, *Error) {
	verifier := &Verifier{}
	// A verifier has no callbacks.
	settings := *config
	settings.Log, settings.Sign = nil, nil
	err := settings.with(func(config *C.mpay_config) *C.mpay_error { return C.bridge_verifier_new(config, &verifier.handle) })
	if err != nil {
		return nil, err
	}
	return verifier, nil
}

// Close prevents further calls; the verifier is freed after the last running call has ended.
func (v *Verifier) Close() {
	if v.guard.close() {
		C.mpay_verifier_free(v.handle)
	}
}

func (v *Verifier) leave() {
	if v.guard.leave() {
		C.mpay_verifier_free(v.handle)
	}
}

// Verify calls mpay_verify_webhook. An empty signature or key id means that the header is absent.
func (v *Verifier) Verify(body []byte, signature, keyID string) (Payment, *Error) {
	if hasNUL(signature) || hasNUL(keyID) {
		// The sender of the webhook wrote the header, so the NUL is not the caller's fault.
		return Payment{}, unverified("the signature or key id of the webhook has a NUL byte in it")
	}
	// This buffer is large enough for a usual signature and key id, which then need no allocation.
	var given [192]byte
	signatureText, rest := terminated(given[:0], signature)
	keyIDText, _ := terminated(rest, keyID)

	if !v.guard.enter() {
		return Payment{}, Invalid("the verifier is closed")
	}
	defer v.leave()
	var own [bufferSize]byte
	buffer := own[:]
	to, size := bufferPointer(buffer)
	event := C.bridge_verify(v.handle, bytesPointer(body), C.size_t(len(body)), signatureText.pointer(), keyIDText.pointer(), to, size)
	if event.failure != nil {
		return Payment{}, takeError(event.failure)
	}
	if event.left != nil {
		buffer = make([]byte, int(event.total))
		to, size = bufferPointer(buffer)
		event = C.bridge_take_event(event.left, to, size)
	}
	return newEvent(buffer[:event.total]), nil
}

// Explain calls mpay_explain_webhook. The cause is 0 if the signature and the key id are accepted. An empty
// signature or key id means that the header is absent.
func (v *Verifier) Explain(body []byte, signature, keyID string) (cause int32, hint string, err *Error) {
	// A correct header contains no NUL. So a text with a NUL is replaced by a different text that cannot be
	// correct, and that C can read.
	signature, keyID = strings.ReplaceAll(signature, "\x00", "\x01"), strings.ReplaceAll(keyID, "\x00", "\x01")
	var given [192]byte
	signatureText, rest := terminated(given[:0], signature)
	keyIDText, _ := terminated(rest, keyID)

	if !v.guard.enter() {
		return 0, "", Invalid("the verifier is closed")
	}
	defer v.leave()
	explained := C.bridge_explain(v.handle, bytesPointer(body), C.size_t(len(body)), signatureText.pointer(), keyIDText.pointer())
	if explained.failure != nil {
		return 0, "", takeError(explained.failure)
	}
	defer C.mpay_explanation_free(explained.owner)
	return int32(explained.cause), C.GoString(explained.hint), nil
}
