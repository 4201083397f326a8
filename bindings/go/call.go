package merchantpay

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

func call[Argument, Result any](
	ctx context.Context, c *Client, orderID string, method func(waist.Handle, Argument) (Result, *waist.Error), argument Argument,
) (Result, error) {
	defer runtime.KeepAlive(c)
	var none Result
	if c == nil || c.handle == 0 {
		return none, invalid("the client is nil")
	}
	timeout, err := timeLeft(ctx, c.timeout, orderID)
	if err != nil {
		return none, err
	}
	c.row.begin()
	defer c.row.end()
	derive := func() (waist.Handle, *waist.Error) { return c.handle.Derive(timeout) }
	return withContext(ctx, c.handle, derive, func(handle waist.Handle) (Result, *waist.Error) { return method(handle, argument) })
}

func callJournal[Result any](ctx context.Context, j *Journal, method func(waist.Handle) (Result, *waist.Error)) (Result, error) {
	defer runtime.KeepAlive(j)
	var none Result
	switch {
	case j == nil || j.handle == 0:
		return none, invalid("the journal is nil")
	case ctx == nil:
		return none, invalid("the context is nil")
	case ctx.Err() != nil:
		return none, endedBy(ctx.Err(), OutcomeNotSent, "")
	}
	return withContext(ctx, j.handle, j.handle.JournalDerive, method)
}

// If the context can end, the call has a handle of its own, which the end of the context interrupts.
func withContext[Result any](
	ctx context.Context, handle waist.Handle, derive func() (waist.Handle, *waist.Error), method func(waist.Handle) (Result, *waist.Error),
) (Result, error) {
	if ctx.Done() != nil {
		own, failure := derive()
		if failure != nil {
			var none Result
			return none, failed(failure)
		}
		handle = own
		defer own.Close()
		defer context.AfterFunc(ctx, own.Interrupt)()
	}
	result, failure := method(handle)
	return result, interrupted(ctx, failure)
}

// timeLeft is in milliseconds; 0 if the call's own timeout is earlier than the context's.
func timeLeft(ctx context.Context, timeout time.Duration, orderID string) (int64, error) {
	if ctx == nil {
		return 0, invalid("the context is nil")
	}
	if err := ctx.Err(); err != nil {
		return 0, endedBy(err, OutcomeNotSent, orderID)
	}
	end, ok := ctx.Deadline()
	left := time.Until(end)
	switch {
	case ok && left < time.Millisecond:
		return 0, endedBy(context.DeadlineExceeded, OutcomeNotSent, orderID)
	case !ok || left >= timeout:
		return 0, nil
	default:
		return int64(left / time.Millisecond), nil
	}
}

// interrupted makes the context's error the cause, if the context interrupted the call.
func interrupted(ctx context.Context, err *waist.Error) error {
	if err == nil || err.Code != string(CodeCancelled) || ctx.Err() == nil {
		return failed(err)
	}
	return endedBy(ctx.Err(), Outcome(err.Outcome), err.OrderID)
}

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
	return &Error{Code: code, Outcome: outcome, Message: message, OrderID: orderID, transient: true, cause: cause}
}

const longestWait = math.MaxUint32 * time.Millisecond // The library takes 32 bits of milliseconds.

// waitLeft is in milliseconds.
func waitLeft(ctx context.Context) int64 {
	end, ok := ctx.Deadline()
	if !ok {
		return math.MaxUint32
	}
	return min(max(time.Until(end), 0), longestWait).Milliseconds()
}

// Go's monitor takes the processor from a goroutine that has run for 10 ms. A return from C does not start a
// new time slice. So a goroutine with many calls in a row would lose its processor at each tick of the monitor,
// which costs a quarter more processor time per call. To avoid that, the client itself yields the processor
// once in each rowSlice.
const (
	rowSlice = 4 * time.Millisecond
	rowPause = time.Millisecond // Calls with a longer pause between them are not in one row.
)

// row is a sequence of calls of a client without a pause between them.
type row struct{ began, ended atomic.Int64 }

var processBegan = time.Now()

func (r *row) begin() {
	if r.isDue(time.Since(processBegan)) {
		runtime.Gosched()
	}
}

func (r *row) isDue(now time.Duration) bool {
	follows := now-time.Duration(r.ended.Load()) <= rowPause
	if follows && now-time.Duration(r.began.Load()) < rowSlice {
		return false
	}
	r.began.Store(int64(now))
	return follows
}

func (r *row) end() { r.ended.Store(int64(time.Since(processBegan))) }
