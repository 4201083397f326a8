package capi

// #include "bridge.h"
import "C"

import "unsafe"

// Request is the texts of a payment request. An empty text is absent.
type Request [requestTexts]string

// Go and C must count the same number of texts.
var _ [requestTexts]struct{} = [C.BRIDGE_REQUEST_TEXTS]struct{}{}

// packedRequest is a request's texts as C reads them: NUL-terminated, each at its offset in one piece of Go
// memory.
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
