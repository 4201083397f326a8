package capi

// #include "bridge.h"
import "C"

import "runtime/cgo"

// Config is the settings of a client, verifier or protocol. An empty text is absent.
type Config struct {
	BaseURL, KeyID, PrivateKey, PublicKey string
	ServerPublicKeys, ServerKeyIDs        []string
	CAFile, CAPEM, Proxy, UserAgent       string
	TimeoutMS, ConnectTimeoutMS           uint32 // 0 is unset.
	MaxRetries                            int64  // Negative is unset.
	MaxReplyBytes                         uint64 // 0 is unset.
	Log                                   Log
	Sign                                  Sign
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

func (c *Config) set(config *C.mpay_config) *Error {
	type setting struct {
		name, value string
		set         func(*C.char) C.int32_t
	}
	settings := []setting{
		{"base_url", c.BaseURL, func(t *C.char) C.int32_t { return C.mpay_config_set_base_url(config, t) }},
		{"key_id", c.KeyID, func(t *C.char) C.int32_t { return C.mpay_config_set_key_id(config, t) }},
		{"private_key", c.PrivateKey, func(t *C.char) C.int32_t { return C.mpay_config_set_private_key(config, t) }},
		{"public_key", c.PublicKey, func(t *C.char) C.int32_t { return C.mpay_config_set_public_key(config, t) }},
		{"ca_file", c.CAFile, func(t *C.char) C.int32_t { return C.mpay_config_set_ca_file(config, t) }},
		{"ca_pem", c.CAPEM, func(t *C.char) C.int32_t { return C.mpay_config_set_ca_pem(config, t) }},
		{"proxy", c.Proxy, func(t *C.char) C.int32_t { return C.mpay_config_set_proxy(config, t) }},
		{"user_agent", c.UserAgent, func(t *C.char) C.int32_t { return C.mpay_config_set_user_agent(config, t) }},
	}
	for _, key := range c.ServerPublicKeys {
		settings = append(settings, setting{"server_public_key", key, func(t *C.char) C.int32_t {
			return C.mpay_config_add_server_public_key(config, t)
		}})
	}
	for _, id := range c.ServerKeyIDs {
		settings = append(settings, setting{"server_key_id", id, func(t *C.char) C.int32_t {
			return C.mpay_config_add_server_key_id(config, t)
		}})
	}
	for _, s := range settings {
		t, err := newText(s.name, keyWithoutNUL(s.name, s.value))
		if err != nil {
			return err
		}
		// A value that is not set stays unset, as it is in a new config.
		code := C.int32_t(C.MPAY_OK)
		if t != nil {
			code = s.set(t.pointer())
		}
		clear(t) // It may be the private key, or a proxy's password.
		if err := setterError(code, s.name); err != nil {
			return err
		}
	}
	if c.TimeoutMS > 0 {
		C.mpay_config_set_timeout_ms(config, C.uint32_t(c.TimeoutMS))
	}
	if c.ConnectTimeoutMS > 0 {
		C.mpay_config_set_connect_timeout_ms(config, C.uint32_t(c.ConnectTimeoutMS))
	}
	if c.MaxRetries >= 0 {
		C.mpay_config_set_max_retries(config, C.uint32_t(c.MaxRetries))
	}
	if c.MaxReplyBytes > 0 {
		C.mpay_config_set_max_reply_bytes(config, C.uint64_t(c.MaxReplyBytes))
	}
	return nil
}
