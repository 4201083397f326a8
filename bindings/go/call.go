package merchantpay

import (
	"context"
	"errors"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// deadline is the milliseconds that a context leaves a call; 0 where the client's own deadline comes first. A context that is
// done, or leaves less than a millisecond, is an error: nothing is sent.
func (c *Client) deadline(ctx context.Context, orderID string) (uint32, error) {
	if c == nil || c.c == nil {
		return 0, invalid("the client is nil")
	}
	if ctx == nil {
		return 0, invalid("the context is nil")
	}
	if err := ctx.Err(); err != nil {
		return 0, notSent(err, orderID)
	}
	end, ok := ctx.Deadline()
	if !ok {
		return 0, nil
	}
	left := time.Until(end)
	switch {
	case left < time.Millisecond:
		return 0, notSent(context.DeadlineExceeded, orderID)
	case left >= c.timeout:
		return 0, nil
	default:
		return uint32(left / time.Millisecond), nil
	}
}

// notSent is a context that was done before anything was sent.
func notSent(cause error, orderID string) error {
	message := "the context's deadline passed before anything was sent"
	if errors.Is(cause, context.Canceled) {
		message = "the context was cancelled before anything was sent"
	}
	return &Error{Code: CodeTimeout, Outcome: OutcomeNotSent, Message: message, OrderID: orderID, cause: cause}
}

// result is what a call of the library gives.
type result[T any] struct {
	value *T
	err   *capi.Error
}

// interruptible makes a call that can take no effect, and returns before it has ended if the context is cancelled; the call
// then ends by itself, within its deadline.
func interruptible[T any](ctx context.Context, orderID string, call func() (*T, *capi.Error)) (*T, error) {
	if ctx.Done() == nil {
		value, err := call()
		return value, fromC(err)
	}
	ended := make(chan result[T], 1)
	go func() {
		value, err := call()
		ended <- result[T]{value, err}
	}()
	select {
	case got := <-ended:
		return got.value, fromC(got.err)
	case <-ctx.Done():
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		// The call has the same deadline, and knows better what became of it.
		got := <-ended
		return got.value, fromC(got.err)
	}
	return nil, &Error{
		Code: CodeTimeout, Outcome: OutcomeUnknown, OrderID: orderID, cause: ctx.Err(),
		Message: "the context was cancelled while the call was under way",
	}
}
