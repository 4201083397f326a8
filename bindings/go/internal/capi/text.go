package capi

// #include "bridge.h"
import "C"

import (
	"strings"
	"unsafe"
)

// text is a NUL-terminated copy in Go's memory. C keeps no pointer to it.
type text []byte

// newText copies s. An empty s is absent.
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

// terminated puts s and a NUL behind what is in the room already, and gives what room is left. An empty s is absent.
func terminated(room []byte, s string) (text, []byte) {
	if s == "" {
		return nil, room
	}
	all := append(append(room, s...), 0)
	return text(all[len(room):]), all
}

// keyWithoutNUL makes a key with a NUL in it one that is as wrong, so that the library says what it says of any bad key.
func keyWithoutNUL(name, s string) string {
	if !strings.HasSuffix(name, "_key") {
		return s
	}
	return strings.ReplaceAll(s, "\x00", "\x01")
}

func hasNUL(s string) bool { return strings.IndexByte(s, 0) >= 0 }

func (t text) pointer() *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(t))) }

// bytesPointer is NULL for no bytes.
func bytesPointer(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}

// copyTexts copies borrowed texts, all into one piece of memory; what is absent is empty.
func copyTexts(borrowed []*C.char, lens []C.size_t, copied []string) {
	total := 0
	for _, n := range lens {
		total += int(n)
	}
	var all strings.Builder
	all.Grow(total)
	for i, from := range borrowed {
		if from != nil {
			all.WriteString(unsafe.String((*byte)(unsafe.Pointer(from)), int(lens[i])))
		}
	}
	rest := all.String()
	for i, n := range lens {
		copied[i], rest = rest[:n], rest[n:]
	}
}
