package merchantpay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

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
	// Outcome reports whether the request may have taken effect.
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

	transient bool
	cause     error
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

// Is reports whether target is the sentinel of the error's Code, such as ErrTimeout.
func (e *Error) Is(target error) bool {
	code, ok := target.(codeError)
	return ok && e != nil && e.Code == Code(code)
}

// IsTransient reports whether the same call may succeed later: a connection that broke, a deadline that passed, a service that is
// overloaded. Whether it may be sent again without taking effect twice is another question, which Outcome answers.
func (e *Error) IsTransient() bool { return e != nil && e.transient }

// Timeout reports whether a deadline passed, as net.Error does; a context that was cancelled is none.
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
	message := err.Message
	if code := Code(err.CodeName); code == CodeInvalidArgument || code == CodeInvalidKey {
		message = inGoNames(message)
	}
	return &Error{
		Code:        Code(err.CodeName),
		Outcome:     Outcome(err.OutcomeName),
		Message:     message,
		Description: err.Description,
		Reason:      Reason(err.Reason),
		HTTPStatus:  int(err.HTTPStatus),
		OrderID:     err.OrderID,
		ContentType: err.ContentType,
		Excerpt:     err.Excerpt,
		Body:        err.Body,
		transient:   err.IsTransient,
	}
}

// OutcomeOf is the outcome of the [*Error] in err. It is OutcomeUnknown for an error without one, of which nothing is known, and ""
// for no error.
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

// invalid is a wrong argument, with nothing sent.
func invalid(message string) error {
	return &Error{Code: CodeInvalidArgument, Outcome: OutcomeNotSent, Message: message}
}

// inGoNames is the library's message about an argument with the names that Go has for settings, fields and operations.
func inGoNames(message string) string {
	words := strings.Split(message, " ")
	for i, word := range words {
		name := strings.TrimRight(word, ",:;")
		if goName, ok := goNames[name]; ok {
			words[i] = goName + word[len(name):]
		}
	}
	message = strings.Join(words, " ")
	if name, ok := strings.CutSuffix(message, " is NULL"); ok {
		return name + " is missing"
	}
	return message
}
