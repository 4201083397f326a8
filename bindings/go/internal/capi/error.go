package capi

// #cgo CFLAGS: -Werror=unused-result
// #include "bridge.h"
import "C"
import "time"

// Error is a copy of an error of the library. An absent text is empty; an absent Body is nil.
type Error struct {
	CodeName, OutcomeName, Message string
	Description, Reason, OrderID   string
	ContentType, Excerpt           string
	HTTPStatus                     int32
	RetryAfter                     time.Duration
	IsTransient                    bool
	Body                           []byte
}

// Invalid makes the error of a wrong argument that Go found.
func Invalid(message string) *Error {
	return &Error{CodeName: "invalid_argument", OutcomeName: "not_sent", Message: message}
}

// unverified makes the error of a message that Go finds invalid before the library sees it.
func unverified(message string) *Error {
	return &Error{CodeName: "unverified", OutcomeName: "unknown", Message: message}
}

// unmade makes the error of a failure for which the library could not make an error. The request may have taken
// effect, whatever the code is.
func unmade(code C.int32_t) *Error {
	name := C.mpay_code_name(code)
	if name == nil {
		name = C.mpay_code_name(C.MPAY_INTERNAL)
	}
	return &Error{
		CodeName: C.GoString(name), OutcomeName: "unknown", Message: "the call failed, and the library could not create the error object",
	}
}

// takeError copies an error and frees it.
func takeError(failure *C.mpay_error) *Error {
	if code := C.bridge_unmade(failure); code != C.MPAY_OK {
		return unmade(code)
	}
	defer C.mpay_error_free(failure)
	var length C.size_t
	texts := C.mpay_error_fields(failure, &length) // A separate statement, so that length is set before it is read.
	from := fieldsOf(texts, length)
	err := &Error{
		CodeName:    from.Next(),
		OutcomeName: from.Next(),
		IsTransient: from.Next() == "1",
		HTTPStatus:  int32(from.Number()),
		Message:     from.Next(),
		Description: from.Next(),
		Reason:      from.Next(),
		OrderID:     from.Next(),
		ContentType: from.Next(),
		Excerpt:     from.Next(),
		RetryAfter:  time.Duration(from.Number()) * time.Millisecond,
	}
	if body := C.mpay_error_body(failure); body != nil {
		err.Body = copied(bytesAt(body, C.mpay_error_body_len(failure)))
	}
	return err
}

// errorOr returns nil if the function did not fail.
func errorOr(failure *C.mpay_error) *Error {
	if failure == nil {
		return nil
	}
	return takeError(failure)
}
