package capi

// #include "bridge.h"
import "C"

// Client is a client of C. It is shared by goroutines.
type Client struct {
	guard     guard
	handle    *C.mpay_client
	callbacks callbacks
}

// NewClient makes a client.
func NewClient(config *Config) (*Client, *Error) {
	client := &Client{}
	kept, err := config.with(func(config *C.mpay_config) *Error {
		if failure := C.bridge_client_new(config, &client.handle); failure != nil {
			return takeError(failure)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	client.callbacks = kept
	return client, nil
}

// Close lets no further call in; the client is freed when the last one that is under way has ended.
func (c *Client) Close() {
	if c.guard.close() {
		c.free()
	}
}

func (c *Client) free() {
	C.mpay_client_free(c.handle)
	c.callbacks.free()
}

func (c *Client) enter() *Error {
	if !c.guard.enter() {
		return Invalid("the client is closed")
	}
	return nil
}

func (c *Client) leave() {
	if c.guard.leave() {
		c.free()
	}
}

// NewPayment is mpay_new_payment. A timeout of 0 is the client's.
func (c *Client) NewPayment(timeoutMS uint32, request *Request) (*Payment, *Error) {
	return c.pay(timeoutMS, C.BRIDGE_NEW_PAYMENT, request)
}

// NewPaymentAsync is mpay_new_payment_async.
func (c *Client) NewPaymentAsync(timeoutMS uint32, request *Request) (*Payment, *Error) {
	return c.pay(timeoutMS, C.BRIDGE_NEW_PAYMENT_ASYNC, request)
}

func (c *Client) pay(timeoutMS uint32, what C.int32_t, request *Request) (*Payment, *Error) {
	texts, err := request.texts()
	if err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	var payment *C.mpay_payment
	base, at := texts.pointers()
	if failure := C.bridge_client_pay(c.handle, C.uint32_t(timeoutMS), what, base, at, &payment); failure != nil {
		return nil, takeError(failure)
	}
	return takePayment(payment), nil
}

// GetAvailableAmounts is mpay_get_available_amounts.
func (c *Client) GetAvailableAmounts(timeoutMS uint32, request *Request) (*Amounts, *Error) {
	texts, err := request.texts()
	if err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	var amounts C.struct_bridge_amounts
	base, at := texts.pointers()
	if failure := C.bridge_client_amounts(c.handle, C.uint32_t(timeoutMS), base, at, &amounts); failure != nil {
		return nil, takeError(failure)
	}
	return takeAmounts(&amounts), nil
}

// Confirm is mpay_confirm.
func (c *Client) Confirm(timeoutMS uint32, orderID string) *Error {
	_, err := c.order(timeoutMS, C.BRIDGE_CONFIRM, orderID)
	return err
}

// Cancel is mpay_cancel.
func (c *Client) Cancel(timeoutMS uint32, orderID string) *Error {
	_, err := c.order(timeoutMS, C.BRIDGE_CANCEL, orderID)
	return err
}

// GetStatus is mpay_get_status.
func (c *Client) GetStatus(timeoutMS uint32, orderID string) (*Payment, *Error) {
	return c.order(timeoutMS, C.BRIDGE_GET_STATUS, orderID)
}

func (c *Client) order(timeoutMS uint32, what C.int32_t, orderID string) (*Payment, *Error) {
	id, err := newText("order_id", orderID)
	if err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	var payment *C.mpay_payment
	if failure := C.bridge_client_order(c.handle, C.uint32_t(timeoutMS), what, id.pointer(), &payment); failure != nil {
		return nil, takeError(failure)
	}
	if what != C.BRIDGE_GET_STATUS {
		return nil, nil
	}
	return takePayment(payment), nil
}

// AttachReceipt is mpay_attach_receipt.
func (c *Client) AttachReceipt(timeoutMS uint32, receipt *OpenReceipt) *Error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	if failure := C.bridge_client_attach(c.handle, C.uint32_t(timeoutMS), receipt.handle); failure != nil {
		return takeError(failure)
	}
	return nil
}
