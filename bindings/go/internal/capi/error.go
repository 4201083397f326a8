package capi

// #cgo noescape bridge_take_error
// #cgo nocallback bridge_take_error
// #include "bridge.h"
import "C"

// Codes and outcomes, by number.
const (
	CodeInvalidArgument = C.MPAY_INVALID_ARGUMENT
	CodeInvalidKey      = C.MPAY_INVALID_KEY
	CodeSigner          = C.MPAY_SIGNER
	CodeTransport       = C.MPAY_TRANSPORT
	CodeTimeout         = C.MPAY_TIMEOUT
	CodeCancelled       = C.MPAY_CANCELLED
	CodeUnverified      = C.MPAY_UNVERIFIED
	CodeMalformed       = C.MPAY_MALFORMED
	CodeRejected        = C.MPAY_REJECTED
	CodeStorage         = C.MPAY_STORAGE
	CodeInternal        = C.MPAY_INTERNAL

	OutcomeNotSent  = C.MPAY_OUTCOME_NOT_SENT
	OutcomeRejected = C.MPAY_OUTCOME_REJECTED
	OutcomeUnknown  = C.MPAY_OUTCOME_UNKNOWN
)

// Error is a failure, copied. A text that is absent is empty; Body is nil if it is absent.
type Error struct {
	Code, Outcome, HTTPStatus      int32
	CodeName, OutcomeName, Message string
	Description, Reason, OrderID   string
	ContentType, Excerpt           string
	Body                           []byte
}

// Invalid is a wrong argument that was found on this side.
func Invalid(message string) *Error {
	return &Error{
		Code: CodeInvalidArgument, CodeName: "invalid_argument",
		Outcome: OutcomeNotSent, OutcomeName: "not_sent",
		Message: message,
	}
}

// unverified is something from outside that was found wrong on this side.
func unverified(message string) *Error {
	return &Error{
		Code: CodeUnverified, CodeName: "unverified",
		Outcome: OutcomeUnknown, OutcomeName: "unknown",
		Message: message,
	}
}

// takeError copies an error and frees it.
func takeError(failure *C.mpay_error) *Error {
	var own [roomSize]byte
	room := own[:]
	var from C.struct_bridge_error
	to, size := roomPointer(room)
	C.bridge_take_error(failure, to, size, &from)
	if from.total > size {
		room = make([]byte, int(from.total))
		to, size = roomPointer(room)
		C.bridge_take_error(failure, to, size, &from)
	}
	var texts [C.BRIDGE_ERROR_TEXTS]string
	split(room, from.lens[:], texts[:])
	err := &Error{
		Code:        int32(from.code),
		Outcome:     int32(from.outcome),
		HTTPStatus:  int32(from.http_status),
		CodeName:    texts[C.BRIDGE_ERROR_CODE_NAME],
		OutcomeName: texts[C.BRIDGE_ERROR_OUTCOME_NAME],
		Message:     texts[C.BRIDGE_ERROR_MESSAGE],
		Description: texts[C.BRIDGE_ERROR_DESCRIPTION],
		Reason:      texts[C.BRIDGE_ERROR_REASON],
		OrderID:     texts[C.BRIDGE_ERROR_ORDER_ID],
		ContentType: texts[C.BRIDGE_ERROR_CONTENT_TYPE],
		Excerpt:     texts[C.BRIDGE_ERROR_EXCERPT],
	}
	if from.has_body != 0 {
		err.Body = copied(room[from.total-from.body_len : from.total])
	}
	return err
}

// setterError is what a setter of C says by its code alone.
func setterError(code C.int32_t, name string) *Error {
	if code == C.MPAY_OK {
		return nil
	}
	err := Invalid(name + " is not valid")
	if code == C.MPAY_INVALID_KEY {
		err.Code, err.CodeName = CodeInvalidKey, "invalid_key"
	}
	return err
}
