package merchantpay

import (
	"context"
	"database/sql"
	"runtime"
	"strconv"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Journal takes each payment once, by the merchant's own order number, the reference. Pay can be repeated
// safely: each reference has at most one payment that a customer can pay. The page docs/journal.md has the
// promise. Receive takes the service's webhooks, Settle queries open attempts, News is the one place to act,
// and Attention lists what an operator must decide.
//
// The journal keeps its rows in a SQLite file that only it may open, or in the merchant's own database. Any
// number of goroutines may share it; make one and keep it.
//
// A context that ends interrupts a call immediately, whether it waits for the service, for a connection or
// for a reading statement. A started write is still completed: an interrupted Pay returns an entry whose
// standing shows what is known. If nothing was started, the error is CodeCancelled or CodeTimeout. An error
// of the service or the network is in Entry.Error; it is not an error of the call.
type Journal struct {
	c       *capi.Journal
	timeout time.Duration
}

// defaultPaymentTimeout and shortestPaymentTimeout are the library's values: the service alone may take 10 s.
const (
	defaultPaymentTimeout  = 30 * time.Second
	shortestPaymentTimeout = 15 * time.Second
)

// OpenJournal opens a journal with a client, which may be closed before the journal. The error is CodeStorage
// if the file or the database cannot be used, and CodeInvalidArgument if it has the payments of another
// account.
func OpenJournal(client *Client, config JournalConfig) (*Journal, error) {
	defer runtime.KeepAlive(client)
	if client == nil || client.c == nil {
		return nil, invalid("the client is nil")
	}
	timeout := config.Timeout
	if timeout == 0 {
		timeout = defaultPaymentTimeout
	}
	given := &capi.JournalConfig{Settings: config.settings(), Dialect: int32(config.Dialect)}
	switch {
	case config.DB != nil && config.File != "":
		return nil, invalid("there is both a File and a DB")
	case config.DB != nil:
		given.Run = (&database{config.DB, timeout}).run
	case config.Dialect != 0:
		return nil, invalid("there is a Dialect and no DB")
	}
	handle, failure := capi.OpenJournal(client.c, given)
	if failure != nil {
		return nil, fromC(failure)
	}
	journal := &Journal{c: handle, timeout: timeout}
	runtime.AddCleanup(journal, (*capi.Journal).Close, handle)
	return journal, nil
}

// Close prevents further calls; running calls end normally. It may be called more than once. It is optional,
// because the garbage collector also closes the journal. Entries stay valid, and the DB stays open.
func (j *Journal) Close() {
	defer runtime.KeepAlive(j)
	if j != nil && j.c != nil {
		j.c.Close()
	}
}

// Pay takes a payment by Client.NewPayment, or returns the existing one. reference is the merchant's own
// order number, 1 to 120 printable characters. Show the customer Entry.Credentials if there are some, and
// call Pay again if the standing is StandingRefused. StandingUnknown stays until a webhook or an operator
// decides; a cashier who does not wait calls Replace. A different request with the same reference is
// CodeInvalidArgument. So is a context that leaves less than 15 s, because the service may take 10 s.
// CodeStorage with OutcomeNotSent means that nothing was sent; with OutcomeUnknown the error has the order id
// if a reply arrived.
func (j *Journal) Pay(ctx context.Context, reference string, request PaymentRequest) (*Entry, error) {
	return j.pay(ctx, false, reference, 0, request)
}

// PayAsync is Pay by Client.NewPaymentAsync: the credentials arrive by webhook, and News and Wait return
// them. Prefer it if replies may get lost. It needs JournalConfig.CallbackURL, and its context may leave less
// time.
func (j *Journal) PayAsync(ctx context.Context, reference string, request PaymentRequest) (*Entry, error) {
	return j.pay(ctx, true, reference, 0, request)
}

// Replace is Pay for a reference whose last attempt it replaces. This is a person's decision: nobody can pay
// the old attempt, because nobody has seen its credentials. It does nothing if attempt is not the last one,
// so that a double click makes no third payment. An open attempt must be cancelled first.
func (j *Journal) Replace(ctx context.Context, reference string, attempt int, request PaymentRequest) (*Entry, error) {
	return j.replace(ctx, false, reference, attempt, request)
}

// ReplaceAsync is Replace by Client.NewPaymentAsync.
func (j *Journal) ReplaceAsync(ctx context.Context, reference string, attempt int, request PaymentRequest) (*Entry, error) {
	return j.replace(ctx, true, reference, attempt, request)
}

func (j *Journal) replace(ctx context.Context, async bool, reference string, attempt int, request PaymentRequest) (*Entry, error) {
	number, err := natural("the attempt", attempt)
	if err != nil {
		return nil, err
	}
	if number == 0 {
		return nil, invalid("the attempt number is 0: attempts are numbered from 1")
	}
	return j.pay(ctx, async, reference, number, request)
}

func (j *Journal) pay(ctx context.Context, async bool, reference string, replace uint32, request PaymentRequest) (*Entry, error) {
	defer runtime.KeepAlive(j)
	call, err := j.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer call.end()
	if end, ok := ctx.Deadline(); ok && !async && time.Until(end) < shortestPaymentTimeout {
		return nil, invalid("the context leaves less than 15 s: the service itself may take 10")
	}
	fields, err := request.toC()
	if err != nil {
		return nil, err
	}
	return call.entry(call.Pay(async, reference, &fields, replace))
}

// Confirm reports to the service that the customer has paid this attempt. The journal stores the report before
// it sends it, and Settle retries it while its outcome is unknown. Entry.Confirm is the state of the report.
// For an attempt without a known order id the error is CodeInvalidArgument.
func (j *Journal) Confirm(ctx context.Context, entry *Entry) (*Entry, error) {
	return j.instruct(ctx, entry, capi.JournalCall.Confirm)
}

// Cancel cancels this attempt, as Confirm confirms it. From now on its credentials are not shown; once
// Entry.Cancel is IntentAccepted it can be replaced.
func (j *Journal) Cancel(ctx context.Context, entry *Entry) (*Entry, error) {
	return j.instruct(ctx, entry, capi.JournalCall.Cancel)
}

func (j *Journal) instruct(
	ctx context.Context, entry *Entry, instruct func(capi.JournalCall, *capi.Entry) (*capi.Entry, *capi.Error),
) (*Entry, error) {
	of, err := entry.handle()
	if err != nil {
		return nil, err
	}
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) { return instruct(call, of) })
}

// ConfirmBy is Confirm for a caller that has only the reference and the attempt's number. A missing attempt
// is CodeInvalidArgument.
func (j *Journal) ConfirmBy(ctx context.Context, reference string, attempt int) (*Entry, error) {
	return j.instructBy(ctx, reference, attempt, capi.JournalCall.ConfirmBy)
}

// CancelBy is Cancel for a caller that has only the reference and the attempt's number.
func (j *Journal) CancelBy(ctx context.Context, reference string, attempt int) (*Entry, error) {
	return j.instructBy(ctx, reference, attempt, capi.JournalCall.CancelBy)
}

func (j *Journal) instructBy(
	ctx context.Context, reference string, attempt int, instruct func(capi.JournalCall, string, uint32) (*capi.Entry, *capi.Error),
) (*Entry, error) {
	number, err := natural("the attempt", attempt)
	if err != nil {
		return nil, err
	}
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) { return instruct(call, reference, number) })
}

// entry makes a call that returns an entry.
func (j *Journal) entry(ctx context.Context, ask func(capi.JournalCall) (*capi.Entry, *capi.Error)) (*Entry, error) {
	defer runtime.KeepAlive(j)
	call, err := j.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer call.end()
	return call.entry(ask(call.JournalCall))
}

// Settled is the result of [Journal.Settle].
type Settled struct {
	// Done is the number of processed attempts.
	Done int
	// NextDue is the time until the next attempt is due; Never if there is none.
	NextDue time.Duration
}

// Settle asks the service about at most limit attempts that are due, and retries unanswered confirms and
// cancels. Call it in a loop or from cron; several workers may share the work. The service's reports are in
// the entries; a returned error is the journal's own.
func (j *Journal) Settle(ctx context.Context, limit int) (Settled, error) {
	defer runtime.KeepAlive(j)
	most, err := natural("the limit", limit)
	if err != nil {
		return Settled{}, err
	}
	call, err := j.begin(ctx)
	if err != nil {
		return Settled{}, err
	}
	defer call.end()
	done, next, failure := call.Settle(most)
	if failure != nil {
		return Settled{}, call.failure(failure)
	}
	settled := Settled{Done: int(done), NextDue: Never}
	if next >= 0 {
		settled.NextDue = time.Duration(min(next, int64(longest/time.Millisecond))) * time.Millisecond
	}
	return settled, nil
}

// Wait waits until the last attempt of a reference has reached until or the time is up, and returns its
// entry. Meanwhile it queries the service. If the context ends first, it returns an error.
func (j *Journal) Wait(ctx context.Context, reference string, timeout time.Duration, until Until) (*Entry, error) {
	timeout = min(max(timeout, 0), longestWait)
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) {
		return call.Wait(reference, uint32(timeout/time.Millisecond), int32(until))
	})
}

// Find returns the last attempt of a reference, with the earlier ones as Entry.Earlier; nil if there is no
// such reference.
func (j *Journal) Find(ctx context.Context, reference string) (*Entry, error) {
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) { return call.Find(reference) })
}

// List returns at most limit entries of one standing, or of all (0), the newest first; starting after the
// entry before, or at the newest one (nil).
func (j *Journal) List(ctx context.Context, standing Standing, limit int, before *Entry) ([]*Entry, error) {
	defer runtime.KeepAlive(j)
	var behind *capi.Entry
	if before != nil {
		var err error
		if behind, err = before.handle(); err != nil {
			return nil, err
		}
	}
	return j.entries(ctx, limit, func(call capi.JournalCall, limit uint32) ([]*capi.Entry, *capi.Error) {
		return call.List(int32(standing), limit, behind)
	})
}

// News returns at most limit entries whose level is above the acknowledged one, the oldest first: the one
// place to act, also after a crash. It claims each entry for a minute, so that concurrent workers get
// different entries. An entry that is not acknowledged by then is returned again.
func (j *Journal) News(ctx context.Context, limit int) ([]*Entry, error) {
	return j.NewsFor(ctx, limit, time.Minute)
}

// NewsFor is News with a claim of this length.
func (j *Journal) NewsFor(ctx context.Context, limit int, claim time.Duration) ([]*Entry, error) {
	defer runtime.KeepAlive(j)
	if claim < time.Millisecond || claim > longestWait {
		return nil, invalid("the claim is shorter than a millisecond or longer than 49 days")
	}
	return j.entries(ctx, limit, func(call capi.JournalCall, limit uint32) ([]*capi.Entry, *capi.Error) {
		return call.News(limit, uint32(claim/time.Millisecond))
	})
}

// Attention returns at most limit attempts, and as many orphans (Entry.IsOrphan), that an operator must decide.
func (j *Journal) Attention(ctx context.Context, limit int) ([]*Entry, error) {
	defer runtime.KeepAlive(j)
	return j.entries(ctx, limit, capi.JournalCall.Attention)
}

func (j *Journal) entries(
	ctx context.Context, limit int, ask func(capi.JournalCall, uint32) ([]*capi.Entry, *capi.Error),
) ([]*Entry, error) {
	most, err := natural("the limit", limit)
	if err != nil {
		return nil, err
	}
	call, err := j.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer call.end()
	from, failure := ask(call.JournalCall, most)
	if failure != nil {
		return nil, call.failure(failure)
	}
	return newEntries(from)
}

// Acknowledge reports that the merchant has acted on this entry's level; later changes are reported again. Of
// two workers that acknowledge it, only one gets true.
func (j *Journal) Acknowledge(ctx context.Context, entry *Entry) (bool, error) {
	of, err := entry.handle()
	if err != nil {
		return false, err
	}
	return j.acknowledge(ctx, nil, func(call capi.JournalCall, run capi.RunStatement) (bool, *capi.Error) {
		return call.Acknowledge(of, run)
	})
}

// AcknowledgeTx is Acknowledge within the merchant's own transaction on the journal's database. Call it first
// in the transaction; the transaction's other work is then done exactly once. If another worker has
// acknowledged the entry, the error is ErrConflict: roll back. Keep the transaction short, and READ
// COMMITTED.
func (j *Journal) AcknowledgeTx(ctx context.Context, tx Transaction, entry *Entry) error {
	of, err := entry.handle()
	if err != nil {
		return err
	}
	return j.acknowledgeTx(ctx, tx, func(call capi.JournalCall, run capi.RunStatement) (bool, *capi.Error) {
		return call.Acknowledge(of, run)
	})
}

// AcknowledgeBy is Acknowledge for a caller without the entry: level is the Entry.Reported on which it acted.
// Higher levels stay in the news. A missing attempt is CodeInvalidArgument, and so is a level that is
// LevelNone or above the reported one. Any number of goroutines may call it.
func (j *Journal) AcknowledgeBy(ctx context.Context, reference string, attempt int, level Level) (bool, error) {
	number, err := natural("the attempt", attempt)
	if err != nil {
		return false, err
	}
	return j.acknowledge(ctx, nil, func(call capi.JournalCall, run capi.RunStatement) (bool, *capi.Error) {
		return call.AcknowledgeBy(reference, number, int32(level), run)
	})
}

// AcknowledgeByTx is AcknowledgeBy within the merchant's own transaction, as AcknowledgeTx is Acknowledge.
// Only one goroutine at a time may use the transaction.
func (j *Journal) AcknowledgeByTx(ctx context.Context, tx Transaction, reference string, attempt int, level Level) error {
	number, err := natural("the attempt", attempt)
	if err != nil {
		return err
	}
	return j.acknowledgeTx(ctx, tx, func(call capi.JournalCall, run capi.RunStatement) (bool, *capi.Error) {
		return call.AcknowledgeBy(reference, number, int32(level), run)
	})
}

type acknowledging = func(capi.JournalCall, capi.RunStatement) (bool, *capi.Error)

func (j *Journal) acknowledgeTx(ctx context.Context, tx Transaction, acknowledge acknowledging) error {
	switch tx.(type) {
	case nil:
		return invalid("the transaction is nil")
	case interface{ Stats() sql.DBStats }: // A pool: *sql.DB, or a type that embeds it.
		return invalid("the connection is in autocommit: begin a transaction first")
	}
	_, err := j.acknowledge(ctx, tx, acknowledge)
	return err
}

// acknowledge runs its statements in a transaction, unless the transaction is nil.
func (j *Journal) acknowledge(ctx context.Context, tx Transaction, acknowledge acknowledging) (bool, error) {
	defer runtime.KeepAlive(j)
	call, err := j.begin(ctx)
	if err != nil {
		return false, err
	}
	defer call.end()
	var run capi.RunStatement
	if tx != nil {
		run = func(_ any, statement string, parameters []nullText) capi.DatabaseAnswer {
			return guarded(call.statements, func() (capi.DatabaseAnswer, error) { return runOn(ctx, tx, statement, parameters) })
		}
	}
	changed, failure := acknowledge(call.JournalCall, run)
	return changed, call.failure(failure)
}

// Resolution is an operator's decision about an entry; see Journal.Resolve.
type Resolution struct {
	number  int32
	orderID string
}

// The other resolutions, in addition to [IsOrder].
var (
	// NoPayment: the service made no payment for the attempt. If a payment turns up later, it is shown to an
	// operator.
	NoPayment = Resolution{number: capi.ResolutionNoPayment}
	// Seen: the operator has seen it; it leaves the list until a new reason appears. The only resolution for an
	// orphan.
	Seen = Resolution{number: capi.ResolutionSeen}
)

// IsOrder decides that the attempt is this order. The journal first asks the service for its status and
// requires that the sum matches.
func IsOrder(orderID string) Resolution { return Resolution{capi.ResolutionOrderID, orderID} }

// Resolve stores an operator's decision about an attempt, with a note of 1 to 500 characters: who decided,
// and why. A decision that does not fit the attempt is CodeInvalidArgument. The entry itself does not change:
// read the new one by Find.
func (j *Journal) Resolve(ctx context.Context, entry *Entry, resolution Resolution, note string) error {
	defer runtime.KeepAlive(j)
	of, err := entry.handle()
	if err != nil {
		return err
	}
	call, err := j.begin(ctx)
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(call.Resolve(of, resolution.number, resolution.orderID, note))
}

// natural is a number in the library's type.
func natural(name string, number int) (uint32, error) {
	if number < 0 || int64(number) > maxUint32 {
		return 0, invalid(name + " is not a number from 0 to " + strconv.FormatInt(maxUint32, 10))
	}
	return uint32(number), nil
}
