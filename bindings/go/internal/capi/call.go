package capi

// #include "bridge.h"
import "C"

// Call is a running call of a client.
type Call struct {
	client *Client
	handle *C.mpay_client // The handle of the client, or a handle of this call.
}

// Interrupt calls mpay_client_interrupt. It is only for a call from BeginInterruptible that has not ended.
func (c Call) Interrupt() { C.mpay_client_interrupt(c.handle) }

// End frees the call's own handle. After Close, the call that ends last frees the client.
func (c Call) End() {
	if c.handle != c.client.handle {
		C.mpay_client_free(c.handle)
	}
	if c.client.guard.leave() {
		C.mpay_client_free(c.client.handle)
	}
}

// NewPayment calls mpay_new_payment.
func (c Call) NewPayment(request *Request) (*Payment, *Error) {
	return c.pay(C.BRIDGE_NEW_PAYMENT, request)
}

// NewPaymentAsync calls mpay_new_payment_async.
func (c Call) NewPaymentAsync(request *Request) (*Payment, *Error) {
	return c.pay(C.BRIDGE_NEW_PAYMENT_ASYNC, request)
}

func (c Call) pay(what C.int32_t, request *Request) (*Payment, *Error) {
	packed, err := request.pack()
	if err != nil {
		return nil, err
	}
	var payment *C.mpay_payment
	base, at := packed.pointers()
	if failure := C.bridge_client_pay(c.handle, what, base, at, &payment); failure != nil {
		return nil, takeError(failure)
	}
	return takePayment(payment), nil
}

// GetAvailableAmounts calls mpay_get_available_amounts.
func (c Call) GetAvailableAmounts(request *Request) (*Amounts, *Error) {
	packed, err := request.pack()
	if err != nil {
		return nil, err
	}
	var amounts C.struct_bridge_amounts
	base, at := packed.pointers()
	if failure := C.bridge_client_amounts(c.handle, base, at, &amounts); failure != nil {
		return nil, takeError(failure)
	}
	return takeAmounts(&amounts), nil
}

// Confirm calls mpay_confirm.
func (c Call) Confirm(orderID string) *Error {
	_, err := c.order(C.BRIDGE_CONFIRM, orderID)
	return err
}

// Cancel calls mpay_cancel.
func (c Call) Cancel(orderID string) *Error {
	_, err := c.order(C.BRIDGE_CANCEL, orderID)
	return err
}

// GetStatus calls mpay_get_status.
func (c Call) GetStatus(orderID string) (*Payment, *Error) {
	return c.order(C.BRIDGE_GET_STATUS, orderID)
}

func (c Call) order(what C.int32_t, orderID string) (*Payment, *Error) {
	id, err := newText("OrderID", orderID)
	if err != nil {
		return nil, err
	}
	var payment *C.mpay_payment
	if failure := C.bridge_client_order(c.handle, what, id.pointer(), &payment); failure != nil {
		return nil, takeError(failure)
	}
	if what != C.BRIDGE_GET_STATUS {
		return nil, nil
	}
	return takePayment(payment), nil
}

// AttachReceipt calls mpay_attach_receipt.
func (c Call) AttachReceipt(receipt *OpenReceipt) *Error {
	if failure := C.bridge_client_attach(c.handle, receipt.handle); failure != nil {
		return takeError(failure)
	}
	return nil
}

// Connect calls mpay_client_connect.
func (c Call) Connect() *Error {
	if failure := C.bridge_client_connect(c.handle); failure != nil {
		return takeError(failure)
	}
	return nil
}

// Wait calls mpay_wait.
func (c Call) Wait(orderID string, timeoutMS uint32) (*Payment, *Error) {
	id, err := newText("OrderID", orderID)
	if err != nil {
		return nil, err
	}
	var payment *C.mpay_payment
	if failure := C.bridge_client_wait(c.handle, id.pointer(), C.uint32_t(timeoutMS), &payment); failure != nil {
		return nil, takeError(failure)
	}
	return takePayment(payment), nil
}
