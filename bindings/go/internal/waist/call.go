// Package waist calls the library: every call is a number and a frame. frames.go has a function for each call and a type
// for each record; it is generated.
package waist

// #cgo noescape mpay_call
// #cgo noescape mpay_open
// #include <merchantpay.h>
//
// extern int32_t merchantpayGoHost(size_t token, uint32_t what, void *args, size_t len, mpay_answer_t *answer);
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// Handle is an object of the library. A handle that is closed is an error and does no harm.
type Handle uint64

// Style is how Go spells the names of arguments in errors.
const style = "go"

// argumentsSize is enough for the arguments of most calls.
const argumentsSize = 512

// replySize is enough for the reply of any usual call.
const replySize = 1024

// call makes a call. It wipes what it has copied if there is a key or a signature in it.
func (h Handle) call(number uint32, args, bulk []byte, secret bool) (string, *Error) {
	var own [replySize]byte
	var large unsafe.Pointer
	length := C.mpay_call(C.mpay_handle(h), C.uint32_t(number), pointer(args), C.size_t(len(args)), pointer(bulk), C.size_t(len(bulk)),
		unsafe.Pointer(&own), replySize, &large)
	reply, err := take(int64(length), own[:], large)
	if secret {
		clear(args)
		clear(own[:])
	}
	return reply, err
}

// Open makes an object. The host may be nil. Its callbacks are released when nothing can call them any more.
func Open(kind uint32, parent Handle, settings Settings, host *Host) (Handle, *Error) {
	args := settings.frame(host)
	defer clear(args) // One of the settings may be the private key.
	var callback C.mpay_host
	var token C.size_t
	if host != nil {
		callback, token = C.mpay_host(C.merchantpayGoHost), C.size_t(cgo.NewHandle(host))
	}
	var own [replySize]byte
	var large unsafe.Pointer
	length := C.mpay_open(C.uint32_t(kind), C.mpay_handle(parent), pointer(args), C.size_t(len(args)), callback, token,
		unsafe.Pointer(&own), replySize, &large)
	reply, err := take(int64(length), own[:], large)
	return handleOf(reply), err
}

// Interrupt ends the running calls of a client or a journal, and lets no more start.
func (h Handle) Interrupt() { _ = C.mpay_interrupt(C.mpay_handle(h)) }

// Close closes the object. Running calls end normally. Closing it again does nothing.
func (h Handle) Close() { C.mpay_close(C.mpay_handle(h)) }

// take copies a reply, and reads the error of a call that has failed.
func take(length int64, own []byte, large unsafe.Pointer) (string, *Error) {
	failed := length < 0
	if failed {
		length = -length
	}
	if large != nil {
		own = unsafe.Slice((*byte)(large), int(length))
		defer C.mpay_free(large, C.size_t(length))
	}
	reply := string(own[:length])
	if failed {
		err := readError(reply)
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

// Settings are what an object is opened with: names and texts by turns, and the variables of the environment unless
// they are nil. A setting that is a list has its texts in Lists.
type Settings struct {
	Texts       []string
	Lists       map[string][]string
	Environment []string
}

// frame writes the arguments of mpay_open.
func (s Settings) frame(host *Host) []byte {
	w := begin(nil, len(opening))
	w.text(style)
	w.texts(host.callbacks())
	w.nested(len(s.Texts)+2*len(s.Lists), func(pairs *writer) {
		for _, text := range s.Texts {
			pairs.data([]byte(text))
		}
		for name, texts := range s.Lists {
			pairs.text(name)
			pairs.texts(texts)
		}
	})
	w.texts(s.Environment)
	return w.bytes
}
