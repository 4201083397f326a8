package merchantpay

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Error is why a call failed. Get it by errors.As:
//
//	var failure *merchantpay.Error
//	if errors.As(err, &failure) && failure.Outcome == merchantpay.OutcomeNotSent { … }
//
// Its text has no key, signature, account or name in it; Description, Excerpt and Body may hold personal data, and are in no
// text that this package makes.
type Error struct {
	// Code is what went wrong.
	Code Code
	// Outcome is what became of the request.
	Outcome Outcome
	// Message is what happened, for a person to read. The wording may change.
	Message string
	// Description is the service's own words of a refusal (contract, section 7).
	Description string
	// Reason is the refusal where the contract names it, else empty.
	Reason Reason
	// HTTPStatus is the status where a reply came, else 0. It is not signed and says nothing about the payment.
	HTTPStatus int
	// OrderID is the order that was asked about, or that a verified reply names.
	OrderID string
	// ContentType is that of a reply that could not be verified.
	ContentType string
	// Excerpt is the printable beginning of a reply that could not be verified and is not JSON, such as a proxy's page.
	Excerpt string
	// Body is the verified body of a reply or webhook that is rejected or malformed, as it came.
	Body []byte

	cause error
}

// Error is "CODE OUTCOME: MESSAGE".
func (e *Error) Error() string {
	if e == nil {
		return "<nil>"
	}
	return string(e.Code) + " " + string(e.Outcome) + ": " + e.Message
}

// Unwrap is the cause: the context's error where that ended the call, context.DeadlineExceeded for any timeout, the error of
// reading a webhook's body; else nil.
func (e *Error) Unwrap() error {
	switch {
	case e == nil:
		return nil
	case e.cause == nil && e.Code == CodeTimeout:
		return context.DeadlineExceeded
	default:
		return e.cause
	}
}

// Timeout says whether a deadline passed, as net.Error does; a context that was cancelled is none.
func (e *Error) Timeout() bool { return e != nil && e.Code == CodeTimeout }

// Format writes Error for every verb, so that %+v and %#v, also of an Error that is no pointer, leave out the same.
func (e Error) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(e.Error())) }

// LogValue leaves out what may hold personal data.
func (e Error) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("code", string(e.Code)),
		slog.String("outcome", string(e.Outcome)),
		slog.String("message", e.Message),
		slog.String("reason", string(e.Reason)),
		slog.Int("http_status", e.HTTPStatus),
		slog.String("order_id", e.OrderID),
	)
}

// fromC turns a failure of the library into an error; nil into nil.
func fromC(err *capi.Error) error {
	if err == nil {
		return nil
	}
	return &Error{
		Code:        Code(err.CodeName),
		Outcome:     Outcome(err.OutcomeName),
		Message:     err.Message,
		Description: err.Description,
		Reason:      Reason(err.Reason),
		HTTPStatus:  int(err.HTTPStatus),
		OrderID:     err.OrderID,
		ContentType: err.ContentType,
		Excerpt:     err.Excerpt,
		Body:        err.Body,
	}
}

// invalid is a wrong argument, with nothing sent.
func invalid(message string) error {
	return &Error{Code: CodeInvalidArgument, Outcome: OutcomeNotSent, Message: message}
}
