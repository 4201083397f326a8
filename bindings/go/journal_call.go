package merchantpay

import (
	"context"
	"math"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

const (
	longest     = time.Duration(math.MaxInt64)
	longestWait = math.MaxUint32 * time.Millisecond
)

// journalCall is a running call of a journal. The end of its context interrupts it.
type journalCall struct {
	capi.JournalCall
	interruption
	ctx context.Context
}

// begin starts a call; the call's method end finishes it. If the context has ended, nothing is started.
func (j *Journal) begin(ctx context.Context) (journalCall, error) {
	if j == nil || j.c == nil {
		return journalCall{}, invalid("the journal is nil")
	}
	if ctx == nil {
		return journalCall{}, invalid("the context is nil")
	}
	if err := ctx.Err(); err != nil {
		return journalCall{}, endedBy(err, OutcomeNotSent, "")
	}
	begun := journalCall{ctx: ctx}
	var failure *capi.Error
	begun.JournalCall, failure = j.c.Begin(ctx.Done() != nil)
	if failure != nil {
		return journalCall{}, fromC(failure)
	}
	begun.interruption = interruptAfter(ctx, begun.Interrupt)
	return begun, nil
}

func (c *journalCall) end() {
	c.interruption.end()
	c.End()
}

// entry returns the call's entry, or nil if the call has none.
func (c *journalCall) entry(entry *capi.Entry, failure *capi.Error) (*Entry, error) {
	if failure != nil {
		return nil, c.failure(failure)
	}
	if entry == nil {
		return nil, nil
	}
	return newEntry(entry)
}

// failure returns the error of the call, or nil. If the context interrupted the call, the context's error is the
// cause of the returned error.
func (c *journalCall) failure(err *capi.Error) error {
	if err != nil && err.CodeName == string(CodeCancelled) {
		if ended := c.ctx.Err(); ended != nil {
			return endedBy(ended, Outcome(err.OutcomeName), err.OrderID)
		}
	}
	return fromC(err)
}
