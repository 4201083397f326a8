// Package waist is the only package that calls C. Every call of the library is a number and a frame: frames.go has a
// function for each call and a type for each record; it is generated.
package waist

// #cgo noescape quiet_call
// #cgo nocallback quiet_call
// #include "thread.h"
//
// extern int32_t merchantpayGoHost(size_t token, uint32_t what, void *args, size_t len, mpay_answer_t *answer);
//
// // For objects that never call Go. A callback may move Go's stack, so only here the buffers can be on it.
// static int64_t quiet_call(mpay_handle handle, uint32_t call, const void *args, size_t len, const void *bulk, size_t bulk_len,
//                           void *buffer, size_t capacity, void **large) {
//     return mpay_call(handle, call, args, len, bulk, bulk_len, buffer, capacity, large);
// }
import "C"

import (
	"runtime/cgo"
	"sync"
	"unsafe"
)

// Handle is an object of the library. A call on a closed one fails, and does no harm.
type Handle uint64

// callsBack marks an object whose calls may call Go: a logger or a signer. The library does not use this bit.
const callsBack Handle = 1 << 63

// style is how Go spells the names of arguments in errors.
const style = "go"

const (
	// On the stack, and enough for nearly every call.
	argumentsSize = 512
	replySize     = 1024
)

// Library is the object of the calls that need none.
var Library = sync.OnceValue(func() Handle {
	library, _ := Open(KindLibrary, 0, Settings{}, nil)
	return library
})

// secret wipes what the call has copied, because there is a key or a signature in it.
func (h Handle) call(number uint32, args, bulk []byte, secret bool) (string, *Error) {
	if h&callsBack != 0 {
		return h.callBack(number, append([]byte{}, args...), bulk, secret)
	}
	var own [replySize]byte
	var large unsafe.Pointer
	length := C.quiet_call(C.mpay_handle(h), C.uint32_t(number), pointer(args), C.size_t(len(args)), pointer(bulk), C.size_t(len(bulk)),
		unsafe.Pointer(&own), replySize, &large)
	return taken(int64(length), args, own[:], large, secret)
}

// callBack makes a call in which the library may call Go. If the host's signer fails, its error is the cause.
func (h Handle) callBack(number uint32, args, bulk []byte, secret bool) (string, *Error) {
	own, large := make([]byte, replySize), unsafe.Pointer(nil)
	var cause error
	slot := cgo.NewHandle(&cause)
	defer slot.Delete()
	length := C.merchantpay_go_call_back(C.mpay_handle(h&^callsBack), C.uint32_t(number), pointer(args), C.size_t(len(args)), pointer(bulk),
		C.size_t(len(bulk)), unsafe.Pointer(unsafe.SliceData(own)), replySize, &large, C.uintptr_t(slot))
	reply, err := taken(int64(length), args, own, large, secret)
	if err != nil && err.Code == "signer" {
		err.Cause = cause
	}
	return reply, err
}

// bytes makes a call on an object that never calls Go. Its reply has this size, so the library writes it where it stays.
func (h Handle) bytes(number uint32, args []byte, size int64) ([]byte, *Error) {
	own, large := make([]byte, size), unsafe.Pointer(nil)
	length := C.quiet_call(C.mpay_handle(h), C.uint32_t(number), pointer(args), C.size_t(len(args)), nil, 0, pointer(own), C.size_t(size), &large)
	if int64(length) == size {
		return own, nil
	}
	reply, err := taken(int64(length), args, own, large, false)
	return []byte(reply), err
}

// Open makes an object. The host may be nil. Its callbacks are released when nothing can call them any more.
func Open(kind uint32, parent Handle, settings Settings, host *Host) (Handle, *Error) {
	args := settings.frame(host)
	var callback C.mpay_host
	var token C.size_t
	calls := parent & callsBack
	if host != nil {
		callback, token = C.mpay_host(C.merchantpayGoHost), C.size_t(cgo.NewHandle(host))
		calls = callsBack
	}
	own, large := make([]byte, replySize), unsafe.Pointer(nil)
	length := C.mpay_open(C.uint32_t(kind), C.mpay_handle(parent&^callsBack), pointer(args), C.size_t(len(args)), callback, token,
		unsafe.Pointer(unsafe.SliceData(own)), replySize, &large)
	// One of the settings may be the private key.
	reply, err := taken(int64(length), args, own, large, true)
	return calls.object(reply), err
}

// Interrupt ends the running calls of a client or a journal, and lets no more start.
func (h Handle) Interrupt() { _ = C.mpay_interrupt(C.mpay_handle(h &^ callsBack)) }

// Close closes the object. Running calls end normally. Closing it again does nothing.
func (h Handle) Close() { C.mpay_close(C.mpay_handle(h &^ callsBack)) }

func taken(length int64, args, own []byte, large unsafe.Pointer, secret bool) (string, *Error) {
	if secret {
		defer clear(args)
		defer clear(own)
	}
	failed := length < 0
	if failed {
		length = -length
	}
	from := own
	if large != nil {
		from = unsafe.Slice((*byte)(large), int(length))
		defer C.mpay_free(large, C.size_t(length))
	}
	reply := string(from[:length])
	if failed {
		err := ReadError(reply)
		return "", &err
	}
	return reply, nil
}

func pointer(bytes []byte) unsafe.Pointer {
	if len(bytes) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(bytes))
}

// Settings are what an object is opened with. The zero value has none.
type Settings struct {
	// Environment are the names and values of variables by turns; nil if none are read.
	Environment []string
	pairs       []setting
}

type setting struct {
	name, text string
	list       []string
}

func (s *Settings) Text(name, text string) {
	s.pairs = append(s.pairs, setting{name: name, text: text})
}

func (s *Settings) List(name string, texts []string) {
	s.pairs = append(s.pairs, setting{name: name, list: texts})
}

func (s *Settings) frame(host *Host) []byte {
	w := begin(nil, len(opening)).text(style).texts(host.callbacks())
	start := len(w.bytes)
	pairs := begin(w.bytes, 2*len(s.pairs))
	for _, pair := range s.pairs {
		pairs = pairs.value(pair.name)
		if pair.list != nil {
			pairs = pairs.texts(pair.list)
		} else {
			pairs = pairs.value(pair.text)
		}
	}
	return w.end(pairs, start).texts(s.Environment).bytes
}
