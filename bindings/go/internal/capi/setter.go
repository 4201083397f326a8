package capi

// #include "bridge.h"
import "C"

import "strings"

// setter gives settings to the library until one is refused. What is absent stays unset, as it is in a new config.
type setter struct{ failure *Error }

func (s *setter) text(name, value string, set func(*C.char) C.int32_t) {
	if s.failure != nil {
		return
	}
	t, err := newText(name, keyWithoutNUL(name, value))
	defer clear(t) // It may be the private key, or a proxy's password.
	if err != nil || t == nil {
		s.failure = err
		return
	}
	s.failure = setterError(set(t.pointer()), name)
}

func (s *setter) texts(name string, values []string, add func(*C.char) C.int32_t) {
	for _, value := range values {
		s.text(name, value, add)
	}
}

// files sets two files that need each other.
func (s *setter) files(firstName, first, secondName, second string, set func(first, second *C.char) C.int32_t) {
	if s.failure != nil || (first == "" && second == "") {
		return
	}
	if first == "" || second == "" {
		s.failure = Invalid(firstName + " and " + secondName + " need each other: one of them is missing")
		return
	}
	firstText, err := newText(firstName, first)
	if err != nil {
		s.failure = err
		return
	}
	secondText, err := newText(secondName, second)
	if err != nil {
		s.failure = err
		return
	}
	s.failure = setterError(set(firstText.pointer(), secondText.pointer()), firstName+" or "+secondName)
}

func (s *setter) flag(name string, value bool, set func(C.int32_t) C.int32_t) {
	if s.failure == nil && value {
		s.failure = setterError(set(1), name)
	}
}

func (s *setter) number(name string, value Number, set func(C.uint64_t) C.int32_t) {
	if s.failure == nil && value.IsSet {
		s.failure = setterError(set(C.uint64_t(value.Value)), name)
	}
}

// setterError is what a setter of C says by its code alone.
func setterError(code C.int32_t, name string) *Error {
	if code == C.MPAY_OK {
		return nil
	}
	err := Invalid(name + " is not valid")
	if code == C.MPAY_INVALID_KEY {
		err.CodeName = "invalid_key"
	}
	return err
}

// keyWithoutNUL makes a key with a NUL in it one that is as wrong, so that the library says what it says of any bad key.
func keyWithoutNUL(name, s string) string {
	if !strings.HasSuffix(name, "Key") {
		return s
	}
	return strings.ReplaceAll(s, "\x00", "\x01")
}
