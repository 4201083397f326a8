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
		return 0, endedBy(err, OutcomeNotSent, orderID)
	}
	end, ok := ctx.Deadline()
	if !ok {
		return 0, nil
	}
	left := time.Until(end)
	switch {
	case left < time.Millisecond:
		return 0, endedBy(context.DeadlineExceeded, OutcomeNotSent, orderID)
	case left >= c.timeout:
		return 0, nil
	default:
		return uint32(left / time.Millisecond), nil
	}
}

// endedBy is the error of a call that a context's error ended.
func endedBy(cause error, outcome Outcome, orderID string) error {
	code, message := CodeCancelled, "the context was cancelled"
	if errors.Is(cause, context.DeadlineExceeded) {
		code, message = CodeTimeout, "the context's deadline passed"
	}
	if outcome == OutcomeNotSent {
		message += " before anything was sent"
	} else {
		message += " after the request was sent"
	}
	return &Error{Code: code, Outcome: outcome, Message: message, OrderID: orderID, cause: cause}
}

// call is a call under way, which its context may end.
type call struct {
	capi.Call
	ctx         context.Context
	stop        func() bool
	interrupted chan struct{}
}

// begin lets a call in, which end ends; an error means that nothing is sent. Only a context that can end costs anything.
func (c *Client) begin(ctx context.Context, orderID string) (call, error) {
	timeout, err := c.deadline(ctx, orderID)
	if err != nil {
		return call{}, err
	}
	begun := call{ctx: ctx}
	var failure *capi.Error
	if timeout == 0 && ctx.Done() == nil {
		begun.Call, failure = c.c.Begin()
		return begun, fromC(failure)
	}
	if begun.Call, failure = c.c.BeginInterruptible(timeout); failure != nil {
		return call{}, fromC(failure)
	}
	running, interrupted := begun.Call, make(chan struct{})
	begun.interrupted = interrupted
	begun.stop = context.AfterFunc(ctx, func() {
		defer close(interrupted)
		running.Interrupt()
	})
	return begun, nil
}

// end waits for an interruption that has begun, which still needs what is freed here.
func (c *call) end() {
	if c.stop != nil && !c.stop() {
		<-c.interrupted
	}
	c.End()
}

// failure is the error that the call ended with, if any: the context's, if that interrupted it.
func (c *call) failure(err *capi.Error) error {
	if err == nil || err.Code != capi.CodeCancelled {
		return fromC(err)
	}
	return endedBy(c.ctx.Err(), Outcome(err.OutcomeName), err.OrderID)
}
