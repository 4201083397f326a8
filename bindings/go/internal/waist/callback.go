package waist

// #include "thread.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// Host is code of the program that the library calls.
type Host struct {
	// Log gets every HTTP attempt; nil for no log.
	Log func(Attempt)
	// Sign returns the 64 bytes of a message's signature; nil if the library has the private key.
	Sign func(message []byte) ([]byte, error)
}

func (h *Host) callbacks() (names []string) {
	if h == nil {
		return nil
	}
	if h.Log != nil {
		names = append(names, "log")
	}
	if h.Sign != nil {
		names = append(names, "sign")
	}
	return names
}

//export merchantpayGoHost
func merchantpayGoHost(token C.size_t, what C.uint32_t, args unsafe.Pointer, length C.size_t, answer *C.mpay_answer_t) C.int32_t {
	handle := cgo.Handle(token)
	if what == callbackRelease {
		handle.Delete()
		return 0
	}
	host, given := handle.Value().(*Host), unsafe.Slice((*byte)(args), int(length))
	slot := C.merchantpay_go_slot()
	failed := C.int32_t(1) // Also if the program's code panics or ends its goroutine.
	isolated(func() {
		switch what {
		case callbackLog:
			host.Log(ReadAttempt(string(given)))
			failed = 0
		case callbackSign:
			// The signer gets a copy, so it may keep or change the bytes.
			signature, err := host.Sign(append([]byte{}, given...))
			if err != nil && slot != 0 {
				*cgo.Handle(slot).Value().(*error) = err
			}
			if err == nil && len(signature) > 0 {
				C.mpay_answer(answer, pointer(signature), C.size_t(len(signature)))
				failed = 0
			}
		}
	})
	return failed
}

// isolated runs code of the program on a goroutine of its own, and waits for it. On the call's goroutine, a panic or
// runtime.Goexit would unwind frames of C.
func isolated(run func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = recover() }()
		run()
	}()
	<-ended
}
