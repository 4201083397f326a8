package capi

// #cgo noescape bridge_read_http_request
// #cgo nocallback bridge_read_http_request
// #include "bridge.h"
import "C"

import "runtime"

// The operations that take a payment request, and those that take an order id.
const (
	OperationNewPayment          = C.BRIDGE_NEW_PAYMENT
	OperationNewPaymentAsync     = C.BRIDGE_NEW_PAYMENT_ASYNC
	OperationGetAvailableAmounts = C.BRIDGE_GET_AVAILABLE_AMOUNTS

	OperationConfirm   = C.BRIDGE_CONFIRM
	OperationCancel    = C.BRIDGE_CANCEL
	OperationGetStatus = C.BRIDGE_GET_STATUS
)

// Protocol is a C protocol. Goroutines may share it.
type Protocol struct {
	guard  guard
	handle *C.mpay_protocol
}

// NewProtocol makes a protocol.
func NewProtocol(config *Config) (*Protocol, *Error) {
	protocol := &Protocol{}
	err := config.with(func(config *C.mpay_config) *C.mpay_error { return C.bridge_protocol_new(config, &protocol.handle) })
	if err != nil {
		return nil, err
	}
	return protocol, nil
}

// Close prevents further calls; the protocol is freed after the last running call has ended.
func (p *Protocol) Close() {
	if p.guard.close() {
		C.mpay_protocol_free(p.handle)
	}
}

// prepare runs a function that prepares a request, and stores the result in the argument "to". That argument is
// part of a larger object, so that few cleanups are on the object's memory page. To find a cleanup, the runtime
// searches all cleanups of a page, and small objects share pages.
func (p *Protocol) prepare(to *HTTPRequest, prepare func() C.struct_bridge_prepared) *Error {
	if !p.guard.enter() {
		return Invalid("the protocol is closed")
	}
	defer func() {
		if p.guard.leave() {
			C.mpay_protocol_free(p.handle)
		}
	}()
	prepared := prepare()
	if prepared.failure != nil {
		return takeError(prepared.failure)
	}
	to.handle = prepared.request
	runtime.AddCleanup(to, func(handle *C.mpay_http_request) { C.mpay_http_request_free(handle) }, to.handle)
	return nil
}

// PrepareRequest calls the function mpay_prepare_… of an operation that takes a payment request.
func (p *Protocol) PrepareRequest(operation int32, request *Request, to *HTTPRequest) *Error {
	packed, err := request.pack()
	if err != nil {
		return err
	}
	base, at := packed.pointers()
	return p.prepare(to, func() C.struct_bridge_prepared {
		return C.bridge_prepare_request(p.handle, C.int32_t(operation), base, at)
	})
}

// PrepareOrder calls the function mpay_prepare_… of an operation that takes an order id.
func (p *Protocol) PrepareOrder(operation int32, orderID string, to *HTTPRequest) *Error {
	id, err := newText("OrderID", orderID)
	if err != nil {
		return err
	}
	return p.prepare(to, func() C.struct_bridge_prepared {
		return C.bridge_prepare_order(p.handle, C.int32_t(operation), id.pointer())
	})
}

// PrepareReceipt calls mpay_prepare_attach_receipt.
func (p *Protocol) PrepareReceipt(receipt *Receipt, to *HTTPRequest) *Error {
	handle, err := receipt.open()
	if err != nil {
		return err
	}
	defer C.mpay_receipt_free(handle)
	return p.prepare(to, func() C.struct_bridge_prepared {
		return C.bridge_prepare_receipt(p.handle, handle)
	})
}

// HTTPRequest is a prepared request. Goroutines may share it, and it is freed after its last use.
type HTTPRequest struct{ handle *C.mpay_http_request }

// Read copies the whole URL, passes each header, in order, to a function, and copies the signed bytes.
func (r *HTTPRequest) Read(header func(name, value string)) (url string, body []byte) {
	defer runtime.KeepAlive(r)
	var own [bufferSize]byte
	buffer := own[:]
	to, size := bufferPointer(buffer)
	from := C.bridge_read_http_request(r.handle, to, size)
	head, all := int(from.head_len), int(from.head_len+from.body_len)
	var texts Fields
	if all <= len(buffer) {
		texts, body = Fields{string(buffer[:head])}, copied(buffer[head:all])
	} else {
		large := make([]byte, all) // If the variable buffer were used again, it would move from the stack to the heap.
		to, size = bufferPointer(large)
		C.bridge_read_http_request(r.handle, to, size)
		texts, body = Fields{string(large[:head])}, large[head:]
	}
	url = texts.Next()
	for !texts.ended() {
		name := texts.Next()
		header(name, texts.Next())
	}
	return url, body
}

// HTTPResponse is a response exactly as the program received it.
type HTTPResponse struct {
	Status  int32
	Headers [][2]string
	Body    []byte
}

// open converts the response to a C object. The caller frees the object.
func (r *HTTPResponse) open() (*C.mpay_http_response, *Error) {
	for _, header := range r.Headers {
		if hasNUL(header[0]) || hasNUL(header[1]) {
			return nil, unverified("a header of the reply has a NUL byte in it")
		}
	}
	handle := C.mpay_http_response_new()
	C.mpay_http_response_set_status(handle, C.int32_t(r.Status))
	for _, header := range r.Headers {
		// An empty value becomes an empty C text and not NULL, because the header is present.
		name, value := append(text(header[0]), 0), append(text(header[1]), 0)
		C.mpay_http_response_add_header(handle, name.pointer(), value.pointer())
	}
	C.mpay_http_response_set_body(handle, bytesPointer(r.Body), C.size_t(len(r.Body)))
	return handle, nil
}

// OpenPayment calls mpay_open_new_payment or mpay_open_new_payment_async.
func (r *HTTPRequest) OpenPayment(operation int32, response *HTTPResponse) (*Payment, *Error) {
	handle, err := response.open()
	if err != nil {
		return nil, err
	}
	defer C.mpay_http_response_free(handle)
	defer runtime.KeepAlive(r)
	var payment *C.mpay_payment
	if failure := C.bridge_open_request(r.handle, handle, C.int32_t(operation), &payment, nil); failure != nil {
		return nil, takeError(failure)
	}
	return takePayment(payment), nil
}

// OpenAmounts calls mpay_open_get_available_amounts.
func (r *HTTPRequest) OpenAmounts(response *HTTPResponse) (*Amounts, *Error) {
	handle, err := response.open()
	if err != nil {
		return nil, err
	}
	defer C.mpay_http_response_free(handle)
	defer runtime.KeepAlive(r)
	var amounts C.struct_bridge_amounts
	if failure := C.bridge_open_request(r.handle, handle, C.BRIDGE_GET_AVAILABLE_AMOUNTS, nil, &amounts); failure != nil {
		return nil, takeError(failure)
	}
	return takeAmounts(&amounts), nil
}

// OpenOrder calls mpay_open_confirm, mpay_open_cancel or mpay_open_get_status. Only mpay_open_get_status returns a
// payment.
func (r *HTTPRequest) OpenOrder(operation int32, response *HTTPResponse) (*Payment, *Error) {
	handle, err := response.open()
	if err != nil {
		return nil, err
	}
	defer C.mpay_http_response_free(handle)
	defer runtime.KeepAlive(r)
	var payment *C.mpay_payment
	if failure := C.bridge_open_order(r.handle, handle, C.int32_t(operation), &payment); failure != nil {
		return nil, takeError(failure)
	}
	if operation != OperationGetStatus {
		return nil, nil
	}
	return takePayment(payment), nil
}

// OpenReceipt calls mpay_open_attach_receipt.
func (r *HTTPRequest) OpenReceipt(response *HTTPResponse) *Error {
	handle, err := response.open()
	if err != nil {
		return err
	}
	defer C.mpay_http_response_free(handle)
	defer runtime.KeepAlive(r)
	if failure := C.bridge_open_receipt(r.handle, handle); failure != nil {
		return takeError(failure)
	}
	return nil
}
