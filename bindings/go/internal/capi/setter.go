package capi

// #include "journal.h"
import "C"

import (
	"strings"
	"unicode"
)

// Setting is a setting by its name in C and its name in Go, which is the one that errors have. An empty text is absent.
type Setting struct{ Name, GoName, Text string }

// give gives settings to the library until one is refused.
func give(settings []Setting, set func(name, text *C.char) *C.mpay_error) *Error {
	for _, setting := range settings {
		text, err := newText(setting.GoName, keyText(setting))
		if text != nil {
			name, _ := newText("the name", setting.Name)
			err = errorOr(set(name.pointer(), text.pointer()))
			clear(text) // It may be the private key, or a proxy's password.
		}
		if err != nil {
			err.Message = strings.Replace(err.Message, setting.Name, setting.GoName, 1)
			return err
		}
	}
	return nil
}

// keyText is a setting's text. A key with white space, a comma or a NUL in it is as wrong as any bad key, and becomes one: the library
// would leave out the first, split at the second and not see the third.
func keyText(setting Setting) string {
	isOutside := func(letter rune) bool { return unicode.IsSpace(letter) || letter == ',' || letter == 0 }
	if strings.HasSuffix(setting.GoName, "Key") && strings.ContainsFunc(setting.Text, isOutside) {
		return "?"
	}
	return setting.Text
}
