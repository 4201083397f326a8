package merchantpay

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// deadline returns the number of milliseconds that a context leaves for a call; 0 if the client's deadline is
// earlier. If the context has ended, or leaves less than a millisecond, deadline returns an error and nothing
// is sent.
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

// endedBy returns the error of a call that was ended by its context.
func endedBy(cause error, outcome Outcome, orderID string) error {
	code, message := codeOf(cause), "the context was cancelled"
	if code == CodeTimeout {
		message = "the context's deadline passed"
	}
	if outcome == OutcomeNotSent {
		message += " before anything was sent"
	} else {
		message += " after the request was sent"
	}
	return &Error{Code: code, Outcome: outcome, Message: message, OrderID: orderID, transient: true, cause: cause}
}

// codeOf returns the code for a context's error.
func codeOf(cause error) Code {
	if errors.Is(cause, context.DeadlineExceeded) {
		return CodeTimeout
	}
	return CodeCancelled
}

// call is a running call. The end of its context interrupts it.
type call struct {
	capi.Call
	interruption
	ctx context.Context
	row *row
}

// interruption ends a call when its context ends. The zero value does nothing.
type interruption struct {
	stop        func() bool
	interrupted chan struct{}
}

// interruptAfter calls interrupt when the context ends. The result's method "end" prevents that call. For a
// context that cannot end, interruptAfter does nothing.
func interruptAfter(ctx context.Context, interrupt func()) interruption {
	if ctx.Done() == nil {
		return interruption{}
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		interrupt()
	})
	return interruption{stop, interrupted}
}

// end prevents an interruption. If the interruption has already started, the method waits for its end, because
// the interruption uses memory that the caller frees next.
func (i *interruption) end() {
	if i.stop != nil && !i.stop() {
		<-i.interrupted
	}
}

// begin starts a call, and the call's method "end" finishes it. If begin returns an error, nothing is sent. A
// call needs no handle of its own if its context cannot end.
func (c *Client) begin(ctx context.Context, orderID string) (call, error) {
	timeout, err := c.deadline(ctx, orderID)
	if err != nil {
		return call{}, err
	}
	c.row.begin()
	begun := call{ctx: ctx, row: c.row}
	var failure *capi.Error
	if timeout == 0 && ctx.Done() == nil {
		begun.Call, failure = c.c.Begin()
		return begun, fromC(failure)
	}
	if begun.Call, failure = c.c.BeginInterruptible(timeout); failure != nil {
		return call{}, fromC(failure)
	}
	begun.interruption = interruptAfter(ctx, begun.Interrupt)
	return begun, nil
}

func (c *call) end() {
	c.interruption.end()
	c.End()
	c.row.end()
}

// failure returns the error of the call, or nil. If the context interrupted the call, the context's error is
// the cause of the returned error.
func (c *call) failure(err *capi.Error) error {
	if err == nil || err.CodeName != string(CodeCancelled) {
		return fromC(err)
	}
	return endedBy(c.ctx.Err(), Outcome(err.OutcomeName), err.OrderID)
}

// timeLeft returns the number of milliseconds until the context's deadline, or the maximum if there is no deadline.
func (c *call) timeLeft() uint32 {
	end, ok := c.ctx.Deadline()
	if !ok {
		return math.MaxUint32
	}
	return uint32(min(max(time.Until(end)/time.Millisecond, 0), math.MaxUint32))
}

// waitFailure is like the method failure, for a call that queries the status several times. The error's outcome
// is unknown even if the last query was not sent, because the payment's result is not known.
func (c *call) waitFailure(err *capi.Error) error {
	if err.CodeName != string(CodeCancelled) {
		return fromC(err)
	}
	return &Error{
		Code: codeOf(c.ctx.Err()), Outcome: OutcomeUnknown, Message: "the context ended before the status was final", OrderID: err.OrderID,
		transient: true, cause: c.ctx.Err(),
	}
}
