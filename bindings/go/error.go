package merchantpay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// Code is the kind of an error. Codes are append-only: a later version of the library can have more codes.
type Code string

// codeError is the sentinel of a code: errors.Is finds the sentinel in every Error with this code.
type codeError Code

func (c codeError) Error() string { return "merchantpay: " + string(c) }

// Outcome shows whether the failed request may have taken effect.
type Outcome string

// Reason is the reason of a refusal. It is empty if the contract does not list the refusal's text (section 7).
type Reason string

// Error returns "CODE OUTCOME: MESSAGE".
func (e *Error) Error() string {
	if e == nil {
		return "<nil>"
	}
	return string(e.Code) + " " + string(e.Outcome) + ": " + e.Message
}

// Unwrap returns the cause, or nil. The cause is, for example, the context's error if the context ended the
// call, the error of Config.Signer, or the error with which reading a webhook's body failed. For any other
// timeout the cause is context.DeadlineExceeded.
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

// Is reports whether target is the sentinel of the error's Code, such as ErrTimeout.
func (e *Error) Is(target error) bool {
	code, ok := target.(codeError)
	return ok && e != nil && e.Code == Code(code)
}

// IsTransient reports whether the same call may succeed later, for example after a broken connection, an
// exceeded deadline or an overloaded service. Only Outcome shows whether the failed call may have taken effect.
func (e *Error) IsTransient() bool { return e != nil && e.transient }

// Timeout reports whether a deadline passed, as net.Error does. It is false for a cancelled context.
func (e *Error) Timeout() bool { return e != nil && e.Code == CodeTimeout }

// Format writes the text of Error for every verb, so that %+v and %#v leave out the same values. This is also
// true for an Error that is not a pointer.
func (e Error) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(e.Error())) }

// LogValue leaves out values that may contain personal data.
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

func failed(err *waist.Error) error {
	if err == nil {
		return nil
	}
	return newError(err)
}

// OutcomeOf returns the outcome of the [*Error] in err. It returns OutcomeUnknown if err contains no [*Error],
// and "" if err is nil.
func OutcomeOf(err error) Outcome {
	var failure *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failure) && failure != nil:
		return failure.Outcome
	default:
		return OutcomeUnknown
	}
}

func invalid(message string) error {
	return &Error{Code: CodeInvalidArgument, Outcome: OutcomeNotSent, Message: message}
}
