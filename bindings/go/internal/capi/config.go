package capi

// #include "bridge.h"
import "C"

import "runtime/cgo"

// Config is the settings of a client, verifier or protocol.
type Config struct {
	Settings
	Log  Log
	Sign Sign
}

// Number is a setting that is a number.
type Number struct {
	Value uint64
	IsSet bool
}

// callbacks are what a handle of C may call; they stay until it is freed.
type callbacks []cgo.Handle

func (c callbacks) free() {
	for _, handle := range c {
		handle.Delete()
	}
}

// with makes something of these settings, and keeps the callbacks if that succeeds.
func (c *Config) with(make func(config *C.mpay_config) *Error) (callbacks, *Error) {
	config := C.mpay_config_new()
	defer C.mpay_config_free(config)
	if err := c.set(config); err != nil {
		return nil, err
	}
	var kept callbacks
	if c.Log != nil {
		handle := cgo.NewHandle(c.Log)
		kept = append(kept, handle)
		C.bridge_config_set_log(config, C.uintptr_t(handle))
	}
	if c.Sign != nil {
		handle := cgo.NewHandle(c.Sign)
		kept = append(kept, handle)
		C.bridge_config_set_signer(config, C.uintptr_t(handle))
	}
	if err := make(config); err != nil {
		kept.free()
		return nil, err
	}
	return kept, nil
}
