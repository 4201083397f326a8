package capi

// #include "bridge.h"
import "C"

import "unsafe"

// Request has the texts of a payment request. An empty text is absent.
type Request [requestTexts]string

// This line does not compile unless Go and C have the same number of texts.
var _ [requestTexts]struct{} = [C.BRIDGE_REQUEST_TEXTS]struct{}{}

// packedRequest has the texts of a request in the form that C reads. All texts are in one piece of Go memory,
// each NUL-terminated and at its own offset.
type packedRequest struct {
	base []byte
	at   [requestTexts]C.int64_t
}

func (r *Request) pack() (*packedRequest, *Error) {
	size := 1
	for _, text := range r {
		size += len(text) + 1
	}
	packed := &packedRequest{base: make([]byte, 0, size)}
	for i, text := range r {
		if text == "" {
			packed.at[i] = -1
			continue
		}
		if hasNUL(text) {
			return nil, Invalid(requestNames[i] + " has a NUL byte in it")
		}
		packed.at[i] = C.int64_t(len(packed.base))
		packed.base = append(append(packed.base, text...), 0)
	}
	packed.base = append(packed.base, 0)
	return packed, nil
}

func (p *packedRequest) pointers() (*C.char, *C.int64_t) {
	return (*C.char)(unsafe.Pointer(&p.base[0])), &p.at[0]
}
