package capi

// #include "bridge.h"
import "C"

import "runtime/cgo"

// Config is the settings of a client, verifier or protocol.
type Config struct {
	Settings []Setting
	Log      Log
	Sign     Sign
}

// with passes these settings to the function make, which makes an object from them. The library releases the
// callbacks when nothing can call them any more.
func (c *Config) with(make func(config *C.mpay_config) *C.mpay_error) *Error {
	config := C.mpay_config_new()
	defer C.mpay_config_free(config)
	err := give(c.Settings, func(name, text *C.char) *C.mpay_error { return C.bridge_config_set(config, name, text) })
	if err != nil {
		return err
	}
	if c.Log != nil {
		C.bridge_config_set_log(config, C.uintptr_t(cgo.NewHandle(c.Log)))
	}
	if c.Sign != nil {
		C.bridge_config_set_signer(config, C.uintptr_t(cgo.NewHandle(c.Sign)))
	}
	return errorOr(make(config))
}
