package capi

// #include "bridge.h"
import "C"

import (
	"strconv"
	"strings"
	"unsafe"
)

// text is a NUL-terminated copy in Go's memory. C keeps no pointer to it.
type text []byte

// newText copies s into a text. If s is empty, the result is nil, which means an absent text.
func newText(name, s string) (text, *Error) {
	if s == "" {
		return nil, nil
	}
	if hasNUL(s) {
		return nil, Invalid(name + " has a NUL byte in it")
	}
	t := make(text, len(s)+1)
	copy(t, s)
	return t, nil
}

// terminated appends s and a NUL to the buffer. It returns this part of the buffer as a text, and the longer
// buffer. If s is empty, the text is nil, which means an absent text.
func terminated(buffer []byte, s string) (text, []byte) {
	if s == "" {
		return nil, buffer
	}
	all := append(append(buffer, s...), 0)
	return text(all[len(buffer):]), all
}

func hasNUL(s string) bool { return strings.IndexByte(s, 0) >= 0 }

func (t text) pointer() *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(t))) }

// bytesPointer returns a pointer to the bytes for C, or NULL if there are no bytes.
func bytesPointer(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}

// bufferSize is enough for the texts of any usual result. One call then copies the texts to a buffer on the
// stack.
const bufferSize = 1024

// bufferPointer returns the address and the size of a buffer, for C.
func bufferPointer(buffer []byte) (*C.char, C.size_t) {
	return text(buffer).pointer(), C.size_t(len(buffer))
}

// separator is the byte between two texts that the library returns together.
var separator = []byte{0}

// Fields has the texts that the library returns together, separated by NUL.
type Fields struct{ rest string }

// absent marks an absent text among the fields.
const absent = "\xff"

// fieldsOf copies the texts.
func fieldsOf(from unsafe.Pointer, length C.size_t) Fields {
	return Fields{string(bytesAt(from, length))}
}

func (f *Fields) ended() bool { return f.rest == "" }

// Next removes and returns the first of the remaining texts; "" for an absent text.
func (f *Fields) Next() string {
	field, rest, _ := strings.Cut(f.rest, "\x00")
	f.rest = rest
	if field == absent {
		return ""
	}
	return field
}

// Number removes the first of the remaining texts, and returns it as a number; 0 for an absent text.
func (f *Fields) Number() int64 {
	number, _ := strconv.ParseInt(f.Next(), 10, 64)
	return number
}

// bytesAt returns C memory as a slice, without a copy.
func bytesAt(from unsafe.Pointer, length C.size_t) []byte {
	return unsafe.Slice((*byte)(from), int(length))
}

// copied returns a copy of the bytes. The copy is never nil.
func copied(b []byte) []byte {
	own := make([]byte, len(b))
	copy(own, b)
	return own
}
