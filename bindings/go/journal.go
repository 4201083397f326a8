package merchantpay

import (
	"context"
	"database/sql"
	"runtime"
	"strconv"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Journal records the payments of the merchant's orders. The reference of a payment is the merchant's own order
// number. Each reference has at most one payment that a customer can pay, so Pay can be repeated safely. The
// page docs/journal.md explains what the journal promises. Receive handles the service's webhooks, and Settle
// queries open attempts. Act on a payment only when News returns its entry. Attention lists what an operator
// must decide.
//
// The journal keeps its rows in a SQLite file that only the journal may open, or in the merchant's own
// database. Any number of goroutines may share a journal; make one and keep it.
//
// The end of a context interrupts a call immediately, also while the call waits for the service, for a
// connection or for a statement that only reads. A started write is still completed. So an interrupted Pay
// returns an entry, and the entry's standing shows what is known. If nothing was started, the error is
// CodeCancelled or CodeTimeout. A call does not return an error of the service or the network: that error is in
// Entry.Error.
type Journal struct {
	c       *capi.Journal
	timeout time.Duration
}

// defaultPaymentTimeout and shortestPaymentTimeout have the library's values. The service alone can take 10 s.
const (
	defaultPaymentTimeout  = 30 * time.Second
	shortestPaymentTimeout = 15 * time.Second
)

// OpenJournal opens a journal with a client. The client can be closed before the journal. The error is
// CodeStorage if the file or the database cannot be used. It is CodeInvalidArgument if the file or the database
// has the payments of a different account.
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
		return nil, invalid("File and DB are both set: set one of them")
	case config.DB != nil:
		given.Run = (&database{config.DB, timeout}).run
	case config.Dialect != 0:
		return nil, invalid("Dialect is set, but DB is not")
	}
	handle, failure := capi.OpenJournal(client.c, given)
	if failure != nil {
		return nil, fromC(failure)
	}
	journal := &Journal{c: handle, timeout: timeout}
	runtime.AddCleanup(journal, (*capi.Journal).Close, handle)
	return journal, nil
}

// Close prevents further calls; running calls end normally. It can be called more than once. Calling it is
// optional, because the garbage collector also closes the journal. Entries stay valid, and the DB stays open.
func (j *Journal) Close() {
	defer runtime.KeepAlive(j)
	if j != nil && j.c != nil {
		j.c.Close()
	}
}

// Pay creates a payment by Client.NewPayment, or returns the existing payment of the reference, so it can be
// repeated safely. The reference is the merchant's own order number, 1 to 120 printable characters. If the
// entry has Credentials, show them to the customer. If the entry's standing is StandingRefused, call Pay again.
// StandingUnknown does not change until a webhook arrives or an operator decides. If a cashier cannot wait for
// that, call Replace. The error is CodeInvalidArgument if the reference belongs to a different request, or if
// the context leaves less than 15 s: the service can take 10 s. After CodeStorage with OutcomeNotSent nothing
// was sent. After CodeStorage with OutcomeUnknown the error has the order id if a reply arrived.
func (j *Journal) Pay(ctx context.Context, reference string, request PaymentRequest) (*Entry, error) {
	return j.pay(ctx, false, reference, 0, request)
}

// PayAsync is like Pay, but uses Client.NewPaymentAsync: the credentials arrive by webhook, and News and Wait
// return them. Prefer PayAsync if replies often get lost. It needs JournalConfig.CallbackURL, and its context
// may leave less than 15 s.
func (j *Journal) PayAsync(ctx context.Context, reference string, request PaymentRequest) (*Entry, error) {
	return j.pay(ctx, true, reference, 0, request)
}

// Replace creates a payment that replaces the last attempt of the reference. The argument attempt is the number
// of that last attempt. A person must decide this, because only a person can know that no customer has seen the
// old attempt's credentials. Without credentials nobody can pay the old attempt. For any other number Replace
// does nothing, so that a double click makes no third payment. An open attempt must be cancelled first.
func (j *Journal) Replace(ctx context.Context, reference string, attempt int, request PaymentRequest) (*Entry, error) {
	return j.replace(ctx, false, reference, attempt, request)
}

// ReplaceAsync is like Replace, but uses Client.NewPaymentAsync.
func (j *Journal) ReplaceAsync(ctx context.Context, reference string, attempt int, request PaymentRequest) (*Entry, error) {
	return j.replace(ctx, true, reference, attempt, request)
}

func (j *Journal) replace(ctx context.Context, async bool, reference string, attempt int, request PaymentRequest) (*Entry, error) {
	number, err := natural("the attempt", attempt)
	if err != nil {
		return nil, err
	}
	if number == 0 {
		return nil, invalid("the attempt number must be at least 1")
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
		return nil, invalid("the context must leave at least 15 s: the service itself can take 10 s")
	}
	fields, err := request.toC()
	if err != nil {
		return nil, err
	}
	return call.entry(call.Pay(async, reference, &fields, replace))
}

// Confirm reports to the service that the customer has paid this attempt. The journal stores the report before
// it sends the report. Settle retries the report while its outcome is unknown. Entry.Confirm is the state of the
// report. If the attempt's order id is not known, the error is CodeInvalidArgument.
func (j *Journal) Confirm(ctx context.Context, entry *Entry) (*Entry, error) {
	return j.instruct(ctx, entry, capi.JournalCall.Confirm)
}

// Cancel cancels this attempt, in the same way as Confirm confirms an attempt. From then on the attempt's
// credentials are not shown. When Entry.Cancel is IntentAccepted, the attempt can be replaced.
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

// ConfirmBy confirms the attempt with this reference and number, for a caller that has no Entry. If there is no
// such attempt, the error is CodeInvalidArgument.
func (j *Journal) ConfirmBy(ctx context.Context, reference string, attempt int) (*Entry, error) {
	return j.instructBy(ctx, reference, attempt, capi.JournalCall.ConfirmBy)
}

// CancelBy cancels the attempt with this reference and number, for a caller that has no Entry.
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
	// NextDue is the time until the next attempt is due; Never if no attempt will be due.
	NextDue time.Duration
}

// Settle asks the service about attempts whose time Entry.DueAt has come, at most limit of them. It retries
// unanswered confirms and cancels. Call Settle in a loop or from cron; several workers may share the work. The
// results of the calls are in the entries. Settle returns an error only if the journal itself failed.
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

// Wait waits until the last attempt of a reference has reached the event in the argument until, or until the
// timeout. Then it returns the attempt's entry. Meanwhile it queries the service. If the context ends first,
// Wait returns an error.
func (j *Journal) Wait(ctx context.Context, reference string, timeout time.Duration, until Until) (*Entry, error) {
	timeout = min(max(timeout, 0), longestWait)
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) {
		return call.Wait(reference, uint32(timeout/time.Millisecond), int32(until))
	})
}

// Find returns the last attempt of a reference, with the earlier attempts in Entry.Earlier; nil if there is no
// such reference.
func (j *Journal) Find(ctx context.Context, reference string) (*Entry, error) {
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) { return call.Find(reference) })
}

// List returns at most limit entries of one standing, or of all standings (0), the newest first. If before is
// not nil, the list has only entries that are older than that entry.
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

// News returns at most limit entries whose level is above the acknowledged level, the oldest first. Act on a
// payment only when News returns its entry. After a crash the same rule applies. News claims each entry for a
// minute, so that concurrent workers get different entries. If an entry is not acknowledged within that minute,
// News returns it again.
func (j *Journal) News(ctx context.Context, limit int) ([]*Entry, error) {
	return j.NewsFor(ctx, limit, time.Minute)
}

// NewsFor is like News, but claims each entry for the time in the argument claim.
func (j *Journal) NewsFor(ctx context.Context, limit int, claim time.Duration) ([]*Entry, error) {
	defer runtime.KeepAlive(j)
	if claim < time.Millisecond || claim > longestWait {
		return nil, invalid("the claim must be at least a millisecond and at most 49 days")
	}
	return j.entries(ctx, limit, func(call capi.JournalCall, limit uint32) ([]*capi.Entry, *capi.Error) {
		return call.News(limit, uint32(claim/time.Millisecond))
	})
}

// Attention returns what an operator must decide: at most limit attempts, and at most limit orphans
// (Entry.IsOrphan).
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

// Acknowledge records that the merchant has acted on this entry's level. News still reports later changes of
// the entry. Acknowledge returns true if this call acknowledged the level: of two workers only one gets true.
func (j *Journal) Acknowledge(ctx context.Context, entry *Entry) (bool, error) {
	of, err := entry.handle()
	if err != nil {
		return false, err
	}
	return j.acknowledge(ctx, nil, func(call capi.JournalCall, run capi.RunStatement) (bool, *capi.Error) {
		return call.Acknowledge(of, run)
	})
}

// AcknowledgeTx is like Acknowledge, within the merchant's own transaction on the journal's database. Call it
// first in the transaction; the transaction's other work is then done exactly once. If another worker has
// acknowledged the entry, the error is ErrConflict: roll back. Keep the transaction short, and use the
// isolation level READ COMMITTED. On a [sql.Conn], execute BEGIN first. If BEGIN is missing, SQLite, PostgreSQL
// and MariaDB show that, but MySQL records the acknowledgement at once.
func (j *Journal) AcknowledgeTx(ctx context.Context, tx Transaction, entry *Entry) error {
	of, err := entry.handle()
	if err != nil {
		return err
	}
	return j.acknowledgeTx(ctx, tx, func(call capi.JournalCall, run capi.RunStatement) (bool, *capi.Error) {
		return call.Acknowledge(of, run)
	})
}

// AcknowledgeBy acknowledges the attempt with this reference and number, for a caller that has no Entry. The level
// is the value of Entry.Reported on which the caller has acted. News still reports a higher level. The error is
// CodeInvalidArgument if there is no such attempt, or if the level is LevelNone or above the reported level.
func (j *Journal) AcknowledgeBy(ctx context.Context, reference string, attempt int, level Level) (bool, error) {
	number, err := natural("the attempt", attempt)
	if err != nil {
		return false, err
	}
	return j.acknowledge(ctx, nil, func(call capi.JournalCall, run capi.RunStatement) (bool, *capi.Error) {
		return call.AcknowledgeBy(reference, number, int32(level), run)
	})
}

// AcknowledgeByTx is like AcknowledgeBy, within the merchant's own transaction; see AcknowledgeTx. Only one
// goroutine at a time may use the transaction.
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

// acknowledge runs its statements in the transaction tx, or on the journal's own connections if tx is nil.
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

// The resolutions without an argument; see also [IsOrder].
var (
	// NoPayment: the service made no payment for the attempt. If the service reports a payment later, an
	// operator sees it.
	NoPayment = Resolution{number: capi.ResolutionNoPayment}
	// Seen: the operator has seen the item. The item leaves the list until it has a new reason. An orphan
	// accepts no other resolution.
	Seen = Resolution{number: capi.ResolutionSeen}
)

// IsOrder decides that the attempt belongs to this order. The journal first asks the service for the order's
// status, and requires that the order's sum is the requested one.
func IsOrder(orderID string) Resolution { return Resolution{capi.ResolutionOrderID, orderID} }

// Resolve stores an operator's decision about an attempt, with a note of 1 to 500 characters: who decided, and
// why. If the decision does not fit the attempt, the error is CodeInvalidArgument. The argument entry does not
// change: Find returns the new entry.
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

// natural converts a number to the library's type.
func natural(name string, number int) (uint32, error) {
	if number < 0 || int64(number) > maxUint32 {
		return 0, invalid(name + " is not a number from 0 to " + strconv.FormatInt(maxUint32, 10))
	}
	return uint32(number), nil
}
