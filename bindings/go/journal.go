package merchantpay

import (
	"context"
	"math"
	"runtime"
	"strconv"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Journal records the payments of the merchant's orders. The reference of a payment is the merchant's own order
// number. Each reference has at most one payment that a customer can pay, so Pay can be repeated safely. The
// page docs/journal.md explains what the journal promises. Receive handles the service's webhooks, and Settle
// queries open attempts. Act on a payment only when News returns its entry. Attention lists what a person must
// decide.
//
// The library keeps the rows itself: in a SQLite file that only the journal may open, or in a PostgreSQL, MariaDB
// or MySQL database. Any number of goroutines may share a journal; make one and keep it.
//
// The end of a context immediately ends a request to the service, and a wait; a statement in the database ends by its
// own time limit. What is known is still stored. So an interrupted Pay returns an entry, and the entry's standing
// shows what is known. If nothing was started, the error is CodeCancelled or CodeTimeout. A call does not return an
// error of the service or the network: that error is in Entry.Error.
type Journal struct{ c *capi.Journal }

const (
	// shortestPaymentTimeout is the library's limit: the service alone can take 10 s.
	shortestPaymentTimeout = 15 * time.Second

	longest     = time.Duration(math.MaxInt64)
	longestWait = math.MaxUint32 * time.Millisecond
)

// OpenJournal opens a journal with a client. The client can be closed before the journal. The error is
// CodeStorage if the place cannot be used. It is CodeInvalidArgument if the journal belongs to a different
// account.
func OpenJournal(client *Client, config JournalConfig) (*Journal, error) {
	defer runtime.KeepAlive(client)
	if client == nil || client.c == nil {
		return nil, invalid("the client is nil")
	}
	handle, failure := capi.OpenJournal(client.c, config.settings())
	if failure != nil {
		return nil, fromC(failure)
	}
	journal := &Journal{handle}
	runtime.AddCleanup(journal, (*capi.Journal).Close, handle)
	return journal, nil
}

// Close prevents further calls; running calls end normally. It can be called more than once. Calling it is
// optional, because the garbage collector also closes the journal. Entries are values, and stay valid.
func (j *Journal) Close() {
	defer runtime.KeepAlive(j)
	if j != nil && j.c != nil {
		j.c.Close()
	}
}

// Pay creates a payment by Client.NewPayment, or returns the existing payment of the reference, so it can be
// repeated safely. The reference is the merchant's own order number, 1 to 120 printable characters. If the
// entry has Credentials, show them to the customer. If the entry's standing is StandingRefused, call Pay again.
// StandingUnknown does not change until a webhook arrives or a person decides. If a cashier cannot wait for
// that, call Replace. The error is CodeInvalidArgument if the reference belongs to a different request, or if
// the context leaves less than 15 s: the service can take 10 s. After CodeStorage with OutcomeNotSent nothing
// was sent. After CodeStorage with OutcomeUnknown the error has the order id if a reply arrived.
func (j *Journal) Pay(ctx context.Context, reference string, request PaymentRequest) (*Entry, error) {
	return j.pay(ctx, capi.Pay, reference, 0, request)
}

// PayAsync is like Pay, but uses Client.NewPaymentAsync: the credentials arrive by webhook, and News and Wait
// return them. Prefer PayAsync if replies often get lost. It needs JournalConfig.CallbackURL, and its context
// may leave less than 15 s.
func (j *Journal) PayAsync(ctx context.Context, reference string, request PaymentRequest) (*Entry, error) {
	return j.pay(ctx, capi.PayAsync, reference, 0, request)
}

// Replace creates a payment that replaces the last attempt of the reference. The argument attempt is the number
// of that last attempt. A person must decide this, because only a person can know that no customer has seen the
// old attempt's credentials. Without credentials nobody can pay the old attempt. For any other number Replace
// does nothing, so that a double click makes no third payment. An open attempt must be cancelled first.
func (j *Journal) Replace(ctx context.Context, reference string, attempt int, request PaymentRequest) (*Entry, error) {
	return j.pay(ctx, capi.Replace, reference, attempt, request)
}

func (j *Journal) pay(ctx context.Context, kind capi.Kind, reference string, attempt int, request PaymentRequest) (*Entry, error) {
	number, err := natural("the attempt", attempt)
	if err != nil {
		return nil, err
	}
	fields, err := request.toC()
	if err != nil {
		return nil, err
	}
	if ctx != nil && ctx.Err() == nil && kind != capi.PayAsync {
		if end, ok := ctx.Deadline(); ok && time.Until(end) < shortestPaymentTimeout {
			return nil, invalid("the context must leave at least 15 s: the service itself can take 10 s")
		}
	}
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) {
		return call.Pay(kind, reference, number, &fields)
	})
}

// Confirm reports to the service that the customer has paid this attempt. The journal stores the report before
// it sends the report. Settle retries the report while its outcome is unknown. Entry.Intent and Entry.IntentState
// show the report. If the attempt's order id is not known, the error is CodeInvalidArgument.
//
// Of the argument entry only Reference and Attempt are used, so a caller that has these two values, for example
// from a form, passes &Entry{Reference: …, Attempt: …}.
func (j *Journal) Confirm(ctx context.Context, entry *Entry) (*Entry, error) {
	return j.instruct(ctx, entry, capi.JournalCall.Confirm)
}

// Cancel cancels this attempt, in the same way as Confirm confirms an attempt. From then on the attempt's
// credentials are not shown. When Entry.IntentState is IntentStateAccepted, the attempt can be replaced.
func (j *Journal) Cancel(ctx context.Context, entry *Entry) (*Entry, error) {
	return j.instruct(ctx, entry, capi.JournalCall.Cancel)
}

func (j *Journal) instruct(
	ctx context.Context, entry *Entry, instruct func(capi.JournalCall, string, uint32) (*capi.Entry, *capi.Error),
) (*Entry, error) {
	number, err := entry.number()
	if err != nil {
		return nil, err
	}
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) {
		return instruct(call, entry.Reference, number)
	})
}

// Settled is the result of [Journal.Settle].
type Settled struct {
	// Done is the number of processed attempts.
	Done int
	// NextDue is the time until the next attempt is due; Never if no attempt will be due.
	NextDue time.Duration
}

// Settle asks the service about due attempts, at most limit of them. It retries unanswered confirms and cancels.
// Call Settle in a loop or from cron; several workers may share the work. The results of the calls are in the
// entries. Settle returns an error only if the journal itself failed.
func (j *Journal) Settle(ctx context.Context, limit int) (Settled, error) {
	most, err := natural("the limit", limit)
	if err != nil {
		return Settled{}, err
	}
	return called(ctx, j, func(call capi.JournalCall) (Settled, *capi.Error) {
		done, next, failure := call.Settle(most)
		settled := Settled{Done: int(done), NextDue: Never}
		if next >= 0 {
			settled.NextDue = time.Duration(min(next, int64(longest/time.Millisecond))) * time.Millisecond
		}
		return settled, failure
	})
}

// Wait waits until the last attempt of a reference has reached the event in the argument until, or until the
// timeout. Then it returns the attempt's entry. Meanwhile it queries the service. If the context ends first,
// Wait returns an error.
func (j *Journal) Wait(ctx context.Context, reference string, timeout time.Duration, until Until) (*Entry, error) {
	timeout = min(max(timeout, 0), longestWait)
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) {
		return call.Wait(reference, uint32(timeout/time.Millisecond), int32(until))
	})
}

// Find returns the last attempt of a reference; nil if there is no such reference.
func (j *Journal) Find(ctx context.Context, reference string) (*Entry, error) {
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) { return call.Find(reference) })
}

// List returns at most limit entries, the newest first: each reference's last attempt, or the attempts of one
// standing. If before is not nil, the list continues behind this last entry of a page.
func (j *Journal) List(ctx context.Context, standing Standing, limit int, before *Entry) ([]*Entry, error) {
	reference, createdAt := "", int64(0)
	if before != nil {
		if before.Reference == "" {
			return nil, invalid("the entry in the argument before has no reference")
		}
		reference, createdAt = before.Reference, before.CreatedAt.UnixMilli()
	}
	return j.entries(ctx, limit, func(call capi.JournalCall, limit uint32) ([]*capi.Entry, *capi.Error) {
		return call.List(int32(standing), limit, reference, createdAt)
	})
}

// News returns at most limit entries that have changed and are not acknowledged, the oldest first. Act on a
// payment only when News returns its entry. After a crash the same rule applies. News leases each entry for a
// minute, so that concurrent workers get different entries. If an entry is not acknowledged within that minute,
// News returns it again.
func (j *Journal) News(ctx context.Context, limit int) ([]*Entry, error) {
	return j.entries(ctx, limit, capi.JournalCall.News)
}

// Acknowledge records that the merchant has acted on the news that this entry shows. It returns false if they
// were acknowledged before, or if there are newer ones, which News returns. To acknowledge in your own
// transaction, use [Entry.AcknowledgeSQL].
//
// Of the argument entry only Reference, Attempt and News are used: a caller that has these values, for example
// from a queue, makes an Entry of them.
func (j *Journal) Acknowledge(ctx context.Context, entry *Entry) (bool, error) {
	number, err := entry.number()
	if err != nil {
		return false, err
	}
	return called(ctx, j, func(call capi.JournalCall) (bool, *capi.Error) {
		return call.Acknowledge(entry.Reference, number, entry.News)
	})
}

// called makes a call of a journal.
func called[Result any](ctx context.Context, j *Journal, ask func(capi.JournalCall) (Result, *capi.Error)) (Result, error) {
	defer runtime.KeepAlive(j)
	var none Result
	call, err := j.begin(ctx)
	if err != nil {
		return none, err
	}
	defer call.end()
	result, failure := ask(call.JournalCall)
	if failure != nil {
		return none, call.failure(failure)
	}
	return result, nil
}

// entry makes a call that returns an entry, or none.
func (j *Journal) entry(ctx context.Context, ask func(capi.JournalCall) (*capi.Entry, *capi.Error)) (*Entry, error) {
	from, err := called(ctx, j, ask)
	if err != nil || from == nil {
		return nil, err
	}
	return newEntry(from)
}

func (j *Journal) entries(
	ctx context.Context, limit int, ask func(capi.JournalCall, uint32) ([]*capi.Entry, *capi.Error),
) ([]*Entry, error) {
	most, err := natural("the limit", limit)
	if err != nil {
		return nil, err
	}
	from, err := called(ctx, j, func(call capi.JournalCall) ([]*capi.Entry, *capi.Error) { return ask(call, most) })
	if err != nil {
		return nil, err
	}
	var entries []*Entry
	for _, from := range from {
		entry, err := newEntry(from)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

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

// natural converts a number to the library's type.
func natural(name string, number int) (uint32, error) {
	if number < 0 || int64(number) > math.MaxUint32 {
		return 0, invalid(name + " is not a number from 0 to " + strconv.FormatInt(math.MaxUint32, 10))
	}
	return uint32(number), nil
}
