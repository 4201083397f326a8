package merchantpay

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/waist"
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
type Journal struct{ handle waist.Handle }

// JournalAPI has the methods of a [Journal] that a shop calls. Use it in code that is tested with a replacement
// for the Journal. A later version can add methods.
type JournalAPI interface {
	Pay(ctx context.Context, reference string, request PaymentRequest) (*Entry, error)
	PayAsync(ctx context.Context, reference string, request PaymentRequest) (*Entry, error)
	Replace(ctx context.Context, reference string, attempt int, request PaymentRequest) (*Entry, error)
	Confirm(ctx context.Context, entry *Entry) (*Entry, error)
	Cancel(ctx context.Context, entry *Entry) (*Entry, error)
	Receive(ctx context.Context, path string, body []byte, signature, keyID string) Received
	ReceiveRequest(request *http.Request) Received
	Settle(ctx context.Context, limit int) (Settled, error)
	Wait(ctx context.Context, reference string, timeout time.Duration, until Until) (*Entry, error)
	Find(ctx context.Context, reference string) (*Entry, error)
	List(ctx context.Context, standing Standing, limit int, before *Entry) ([]*Entry, error)
	News(ctx context.Context, limit int) ([]*Entry, error)
	Attention(ctx context.Context, limit int) ([]*Entry, error)
	Acknowledge(ctx context.Context, entry *Entry) (bool, error)
	Resolve(ctx context.Context, entry *Entry, resolution Resolution, note string) (*Entry, error)
	Stats(ctx context.Context) (*Stats, error)
}

var (
	_ ClientAPI  = (*Client)(nil)
	_ JournalAPI = (*Journal)(nil)
)

// shortestPaymentTimeout is the library's limit: the service alone can take 10 s.
const shortestPaymentTimeout = 15 * time.Second

// OpenJournal opens a journal with a client. The client can be closed before the journal. The error is
// CodeStorage if the place cannot be used. It is CodeInvalidArgument if the journal belongs to a different
// account.
func OpenJournal(client *Client, config JournalConfig) (*Journal, error) {
	defer runtime.KeepAlive(client)
	if client == nil || client.handle == 0 {
		return nil, invalid("the client is nil")
	}
	handle, failure := waist.Open(waist.KindJournal, client.handle, settingsOf(config.fields()), nil)
	if failure != nil {
		return nil, failed(failure)
	}
	journal := &Journal{handle}
	runtime.AddCleanup(journal, waist.Handle.Close, handle)
	return journal, nil
}

// Close prevents further calls; running calls end normally. It can be called more than once. Calling it is
// optional, because the garbage collector also closes the journal. Entries are values, and stay valid.
func (j *Journal) Close() {
	if j != nil {
		j.handle.Close()
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
	if err := checkPaymentTimeout(ctx); err != nil {
		return nil, err
	}
	return newEntry(callJournal(ctx, j, func(handle waist.Handle) (waist.Entry, *waist.Error) {
		return handle.JournalPay(reference, request.texts())
	}))
}

// PayAsync is like Pay, but uses Client.NewPaymentAsync: the credentials arrive by webhook, and News and Wait
// return them. Prefer PayAsync if replies often get lost. It needs JournalConfig.CallbackURL, and its context
// may leave less than 15 s.
func (j *Journal) PayAsync(ctx context.Context, reference string, request PaymentRequest) (*Entry, error) {
	return newEntry(callJournal(ctx, j, func(handle waist.Handle) (waist.Entry, *waist.Error) {
		return handle.JournalPayAsync(reference, request.texts())
	}))
}

// Replace creates a payment that replaces the last attempt of the reference. The argument attempt is the number
// of that last attempt. A person must decide this, because only a person can know that no customer has seen the
// old attempt's credentials. Without credentials nobody can pay the old attempt. For any other number Replace
// does nothing, so that a double click makes no third payment. An open attempt must be cancelled first.
func (j *Journal) Replace(ctx context.Context, reference string, attempt int, request PaymentRequest) (*Entry, error) {
	if err := checkPaymentTimeout(ctx); err != nil {
		return nil, err
	}
	return newEntry(callJournal(ctx, j, func(handle waist.Handle) (waist.Entry, *waist.Error) {
		return handle.JournalReplace(reference, int64(attempt), request.texts())
	}))
}

func checkPaymentTimeout(ctx context.Context) error {
	if ctx == nil || ctx.Err() != nil {
		return nil // The call itself refuses it.
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < shortestPaymentTimeout {
		return invalid("the context must leave at least 15 s: the service itself can take 10 s")
	}
	return nil
}

// Confirm reports to the service that the customer has paid this attempt. The journal stores the report before
// it sends the report. Settle retries the report while its outcome is unknown. Entry.Intent and Entry.IntentState
// show the report. If the attempt's order id is not known, the error is CodeInvalidArgument.
//
// Of the argument entry only Reference and Attempt are used, so a caller that has these two values, for example
// from a form, passes &Entry{Reference: …, Attempt: …}.
func (j *Journal) Confirm(ctx context.Context, entry *Entry) (*Entry, error) {
	return j.instruct(ctx, entry, waist.Handle.JournalConfirm)
}

// Cancel cancels this attempt, in the same way as Confirm confirms an attempt. From then on the attempt's
// credentials are not shown. When Entry.IntentState is IntentStateAccepted, the attempt can be replaced.
func (j *Journal) Cancel(ctx context.Context, entry *Entry) (*Entry, error) {
	return j.instruct(ctx, entry, waist.Handle.JournalCancel)
}

func (j *Journal) instruct(
	ctx context.Context, entry *Entry, instruct func(waist.Handle, string, int64) (waist.Entry, *waist.Error),
) (*Entry, error) {
	if err := entry.check(); err != nil {
		return nil, err
	}
	return newEntry(callJournal(ctx, j, func(handle waist.Handle) (waist.Entry, *waist.Error) {
		return instruct(handle, entry.Reference, int64(entry.Attempt))
	}))
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
	from, err := callJournal(ctx, j, func(handle waist.Handle) (waist.Settled, *waist.Error) { return handle.JournalSettle(int64(limit)) })
	settled := Settled{Done: int(from.Done), NextDue: Never}
	if from.NextDueMs != nil {
		settled.NextDue = time.Duration(*from.NextDueMs) * time.Millisecond
	}
	return settled, err
}

// Wait waits until the last attempt of a reference has reached the event in the argument until, or until the
// timeout. Then it returns the attempt's entry. Meanwhile it queries the service. If the context ends first,
// Wait returns an error.
func (j *Journal) Wait(ctx context.Context, reference string, timeout time.Duration, until Until) (*Entry, error) {
	timeout = min(max(timeout, 0), longestWait)
	return newEntry(callJournal(ctx, j, func(handle waist.Handle) (waist.Entry, *waist.Error) {
		return handle.JournalWait(reference, until.String(), timeout.Milliseconds())
	}))
}

// Find returns the last attempt of a reference; nil if there is no such reference.
func (j *Journal) Find(ctx context.Context, reference string) (*Entry, error) {
	from, err := callJournal(ctx, j, func(handle waist.Handle) (*waist.Entry, *waist.Error) { return handle.JournalFind(reference) })
	if from == nil {
		return nil, err
	}
	return newEntry(*from, err)
}

// List returns at most limit entries, the newest first: each reference's last attempt, or the attempts of one
// standing. If before is not nil, the list continues behind this last entry of a page.
func (j *Journal) List(ctx context.Context, standing Standing, limit int, before *Entry) ([]*Entry, error) {
	var only string
	if standing != 0 {
		only = standing.String()
	}
	var position []string
	if before != nil {
		created := strconv.FormatInt(before.CreatedAt.UnixMilli(), 10)
		position = []string{waist.PositionCreatedAt: created, waist.PositionReference: before.Reference}
	}
	return newEntries(callJournal(ctx, j, func(handle waist.Handle) ([]waist.Entry, *waist.Error) {
		return handle.JournalList(only, int64(limit), position)
	}))
}

// News returns at most limit entries that have changed and are not acknowledged, the oldest first. Act on a
// payment only when News returns its entry. After a crash the same rule applies. News leases each entry for a
// minute, so that concurrent workers get different entries. If an entry is not acknowledged within that minute,
// News returns it again.
func (j *Journal) News(ctx context.Context, limit int) ([]*Entry, error) {
	return newEntries(callJournal(ctx, j, func(handle waist.Handle) ([]waist.Entry, *waist.Error) { return handle.JournalNews(int64(limit)) }))
}

// Acknowledge records that the merchant has acted on the news that this entry shows. It returns false if they
// were acknowledged before, or if there are newer ones, which News returns. To acknowledge in your own
// transaction, use [Entry.AcknowledgeSQL].
//
// Of the argument entry only Reference, Attempt and News are used: a caller that has these values, for example
// from a queue, makes an Entry of them.
func (j *Journal) Acknowledge(ctx context.Context, entry *Entry) (bool, error) {
	if err := entry.check(); err != nil {
		return false, err
	}
	return callJournal(ctx, j, func(handle waist.Handle) (bool, *waist.Error) {
		return handle.JournalAcknowledge(entry.Reference, int64(entry.Attempt), entry.News)
	})
}
