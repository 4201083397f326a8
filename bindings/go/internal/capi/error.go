package capi

// #cgo CFLAGS: -Werror=unused-result
// #cgo noescape bridge_take_error
// #cgo nocallback bridge_take_error
// #include "bridge.h"
import "C"

// Error is a failure, copied. A text that is absent is empty; Body is nil if it is absent.
type Error struct {
	CodeName, OutcomeName, Message string
	Description, Reason, OrderID   string
	ContentType, Excerpt           string
	HTTPStatus                     int32
	IsTransient                    bool
	Body                           []byte
}

// Invalid is a wrong argument that was found on this side.
func Invalid(message string) *Error {
	return &Error{CodeName: "invalid_argument", OutcomeName: "not_sent", Message: message}
}

// unverified is something from outside that was found wrong on this side.
func unverified(message string) *Error {
	return &Error{CodeName: "unverified", OutcomeName: "unknown", Message: message}
}

// takeError copies an error and frees it.
func takeError(failure *C.mpay_error) *Error {
	var own [bufferSize]byte
	buffer := own[:]
	var from C.struct_bridge_error
	to, size := bufferPointer(buffer)
	C.bridge_take_error(failure, to, size, &from)
	if from.total > size {
		buffer = make([]byte, int(from.total))
		to, size = bufferPointer(buffer)
		C.bridge_take_error(failure, to, size, &from)
	}
	var texts [C.BRIDGE_ERROR_TEXTS]string
	split(buffer, from.lens[:], texts[:])
	err := &Error{
		CodeName:    texts[C.BRIDGE_ERROR_CODE_NAME],
		OutcomeName: texts[C.BRIDGE_ERROR_OUTCOME_NAME],
		Message:     texts[C.BRIDGE_ERROR_MESSAGE],
		Description: texts[C.BRIDGE_ERROR_DESCRIPTION],
		Reason:      texts[C.BRIDGE_ERROR_REASON],
		OrderID:     texts[C.BRIDGE_ERROR_ORDER_ID],
		ContentType: texts[C.BRIDGE_ERROR_CONTENT_TYPE],
		Excerpt:     texts[C.BRIDGE_ERROR_EXCERPT],
		HTTPStatus:  int32(from.http_status),
		IsTransient: from.is_transient != 0,
	}
	if from.has_body != 0 {
		err.Body = copied(buffer[from.total-from.body_len : from.total])
	}
	return err
}
