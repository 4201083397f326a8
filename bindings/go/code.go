package merchantpay

import "github.com/merchantpay/merchantpay-go/internal/capi"

// Code is what went wrong. Codes are append-only: a later library may know more of them.
type Code string

// The codes.
const (
	// CodeInvalidArgument was caught before anything was sent: a wrong value, text that is not UTF-8, an unreadable file.
	CodeInvalidArgument Code = "invalid_argument"
	// CodeInvalidKey is a key that is not base64, has the wrong length, whose halves differ, or that is not a point.
	CodeInvalidKey Code = "invalid_key"
	// CodeSigner is a Signer that failed: nothing was sent.
	CodeSigner Code = "signer"
	// CodeTransport is DNS, connect, TLS, a broken connection, a redirect, a body that is too large.
	CodeTransport Code = "transport"
	// CodeTimeout is a deadline that passed: the client's, or the context's.
	CodeTimeout Code = "timeout"
	// CodeCancelled is a call whose context was cancelled.
	CodeCancelled Code = "cancelled"
	// CodeUnverified is a reply or webhook that is not provably the service's.
	CodeUnverified Code = "unverified"
	// CodeMalformed is provably the service's, but not what the contract says, or for another order.
	CodeMalformed Code = "malformed"
	// CodeRejected is the service's refusal, provably.
	CodeRejected Code = "rejected"
	// CodeStorage is a journal that could not be read or written.
	CodeStorage Code = "storage"
	// CodeInternal is a bug of this library.
	CodeInternal Code = "internal"
)

// Outcome is what became of the request that an error is about.
type Outcome string

// The outcomes.
const (
	// OutcomeNotSent: not one byte of the request was written; it is safe to send it again.
	OutcomeNotSent Outcome = "not_sent"
	// OutcomeRejected: the service refused, provably; nothing took effect.
	OutcomeRejected Outcome = "rejected"
	// OutcomeUnknown: it may have taken effect; ask for the status, or support, before sending it again.
	OutcomeUnknown Outcome = "unknown"
)

// Reason is a refusal that the contract names (section 7); empty for any other.
type Reason string

// The reasons.
const (
	ReasonInvalidCurrency           Reason = "invalid_currency"
	ReasonInvalidOrderID            Reason = "invalid_order_id"
	ReasonOrderNotFound             Reason = "order_not_found"
	ReasonInvalidFileFormat         Reason = "invalid_file_format"
	ReasonPaymentCouldNotBeCanceled Reason = "payment_could_not_be_canceled"
)

var codeNumbers = map[Code]int32{
	CodeInvalidArgument: capi.CodeInvalidArgument,
	CodeInvalidKey:      capi.CodeInvalidKey,
	CodeSigner:          capi.CodeSigner,
	CodeTransport:       capi.CodeTransport,
	CodeTimeout:         capi.CodeTimeout,
	CodeCancelled:       capi.CodeCancelled,
	CodeUnverified:      capi.CodeUnverified,
	CodeMalformed:       capi.CodeMalformed,
	CodeRejected:        capi.CodeRejected,
	CodeStorage:         capi.CodeStorage,
	CodeInternal:        capi.CodeInternal,
}

var outcomeNumbers = map[Outcome]int32{
	OutcomeNotSent:  capi.OutcomeNotSent,
	OutcomeRejected: capi.OutcomeRejected,
	OutcomeUnknown:  capi.OutcomeUnknown,
}

// Number is the code as C and every other language number it; 0 for one that this version does not know.
func (c Code) Number() int { return int(codeNumbers[c]) }

// Number is the outcome as C and every other language number it; 0 for one that this version does not know.
func (o Outcome) Number() int { return int(outcomeNumbers[o]) }

// nameOf is the name that has a number, or "" if this version knows none.
func nameOf[Name Code | Outcome](numbers map[Name]int32, number int32) Name {
	for name, known := range numbers {
		if known == number {
			return name
		}
	}
	return ""
}
