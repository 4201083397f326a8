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

// mostAbandoned is how many calls of a client, each with a thread, may go on after their contexts were cancelled.
const mostAbandoned = 32

// interruptible makes a call that can take no effect, and returns before it has ended if the context is cancelled; the call
// then ends by itself, within its deadline. Where too many do that already, it waits.
func interruptible[T any](ctx context.Context, abandoned chan struct{}, orderID string, call func() (*T, *capi.Error)) (*T, error) {
	if ctx.Done() == nil {
		value, err := call()
		return value, fromC(err)
	}
	ended, left := make(chan result[T]), make(chan struct{})
	go func() {
		got := result[T]{err: capi.Unended()}
		defer func() { // Whatever becomes of the call, somebody may be waiting.
			select {
			case ended <- got:
			case <-left:
				<-abandoned
			}
		}()
		got.value, got.err = call()
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
	select {
	case got := <-ended:
		return got.value, fromC(got.err)
	case abandoned <- struct{}{}:
		close(left)
	}
	return nil, &Error{
		Code: CodeTimeout, Outcome: OutcomeUnknown, OrderID: orderID, cause: ctx.Err(),
		Message: "the context was cancelled while the call was under way",
	}
}
