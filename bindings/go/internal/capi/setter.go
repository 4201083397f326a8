package capi

// #include "bridge.h"
import "C"

import (
	"strings"
)

// Setting is the text of a setting, with the setting's C name and its Go name. Errors use the Go name. An empty
// text is absent.
type Setting struct{ Name, GoName, Text string }

// give passes settings to the library until the library refuses one of them.
func give(settings []Setting, set func(name, text *C.char) *C.mpay_error) *Error {
	for _, setting := range settings {
		text, err := newText(setting.GoName, keyText(setting))
		if text != nil {
			name, _ := newText("the name", setting.Name)
			err = errorOr(set(name.pointer(), text.pointer()))
			clear(text) // The text may be the private key, or a proxy's password.
		}
		if err != nil {
			err.Message = strings.Replace(err.Message, setting.Name, setting.GoName, 1)
			return err
		}
	}
	return nil
}

// keyText returns a setting's text. A key with a NUL becomes an invalid key: the library would not see the NUL.
func keyText(setting Setting) string {
	if strings.HasSuffix(setting.GoName, "Key") && strings.Contains(setting.Text, "\x00") {
		return "?"
	}
	return setting.Text
}
