package capi

// #include "bridge.h"
import "C"

// Client is a C client. Goroutines may share it.
type Client struct {
	guard  guard
	handle *C.mpay_client
}

// NewClient makes a client.
func NewClient(config *Config) (*Client, *Error) {
	client := &Client{}
	err := config.with(func(config *C.mpay_config) *C.mpay_error { return C.bridge_client_new(config, &client.handle) })
	if err != nil {
		return nil, err
	}
	return client, nil
}

// Close prevents further calls; the client is freed after the last running call has ended.
func (c *Client) Close() {
	if c.guard.close() {
		C.mpay_client_free(c.handle)
	}
}

// Begin starts a call; the call's method End finishes it.
func (c *Client) Begin() (Call, *Error) {
	if !c.guard.enter() {
		return Call{}, Invalid("the client is closed")
	}
	return Call{client: c, handle: c.handle}, nil
}

// BeginInterruptible is like Begin, for a call that can be interrupted. A timeout of 0 means the client's timeout.
func (c *Client) BeginInterruptible(timeoutMS uint32) (Call, *Error) {
	call, err := c.Begin()
	if err != nil {
		return Call{}, err
	}
	if failure := C.bridge_client_derive(c.handle, C.uint32_t(timeoutMS), &call.handle); failure != nil {
		call.handle = c.handle
		call.End()
		return Call{}, takeError(failure)
	}
	return call, nil
}
