package merchantpay

import (
	"database/sql"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Standing is the state of an attempt in the journal. A standing alone never shows that the attempt
// was paid: only the field Succeeded shows that. Standings are append-only.
type Standing int32

// Intent is an instruction to the service about an attempt.
type Intent int32

// IntentState is what became of an instruction.
type IntentState int32

// Attention is a reason for which a person must decide about an attempt. The page docs/journal.md has the
// remedy for each reason.
type Attention int32

// Until is the event for which [Journal.Wait] waits.
type Until int32

// Style is the way in which a database's driver writes parameters; see [Entry.AcknowledgeSQL].
type Style int32

// AcknowledgeSQL returns a statement and its parameters, which acknowledge the entry's news in the merchant's own
// transaction on the journal's database. Execute it first in the transaction. If it changes no row, another worker
// was first, or there are newer news: roll back, and read the news again. Otherwise the transaction's other work is
// done exactly once for these news.
//
// Use StyleDollar for pgx and lib/pq, and StyleQuestion for go-sql-driver/mysql. With StyleColon and StyleAt the
// parameters are [sql.NamedArg] values. For a Style that this version does not know the statement is empty.
func (e *Entry) AcknowledgeSQL(style Style) (statement string, parameters []any) {
	if e == nil {
		return "", nil
	}
	reference, attempt, news := any(e.Reference), any(e.Attempt), any(e.News)
	var names [3]any
	switch style {
	case StyleQuestion:
		names = [3]any{"?", "?", "?"}
	case StyleDollar:
		names = [3]any{"$1", "$2", "$3"}
	case StylePercent:
		names = [3]any{"%s", "%s", "%s"}
	case StyleColon, StyleAt:
		mark := map[Style]string{StyleColon: ":", StyleAt: "@"}[style]
		names = [3]any{mark + "reference", mark + "attempt", mark + "news"}
		reference, attempt, news = sql.Named("reference", reference), sql.Named("attempt", attempt), sql.Named("news", news)
	default:
		return "", nil
	}
	return fmt.Sprintf(acknowledgeSQL, names[:]...), []any{reference, attempt, news}
}

const acknowledgeSQL = "UPDATE merchantpay_attempts SET acked = news WHERE reference = %s AND attempt = %s AND news = %s AND acked < news"

// String returns a short text without account, name and link.
func (e Entry) String() string {
	attempt := e.Reference + " attempt " + strconv.Itoa(e.Attempt)
	switch {
	case e.IsOrphan:
		return "orphan of order " + e.OrderID
	case e.Unreadable != "":
		return "unreadable entry " + attempt
	default:
		return "entry " + attempt + " " + e.Standing.String()
	}
}

// Format writes the text of String for every verb, so that %+v and %#v leave out the same values.
func (e Entry) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(e.String())) }

// LogValue leaves out the values that String leaves out.
func (e Entry) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("reference", e.Reference),
		slog.Int("attempt", e.Attempt),
		slog.String("standing", e.Standing.String()),
		slog.String("order_id", e.OrderID),
		slog.Bool("succeeded", e.Succeeded),
	)
}

// MarshalJSON writes the field JSON; null if the field is not set.
func (e Entry) MarshalJSON() ([]byte, error) {
	if e.JSON == nil {
		return []byte("null"), nil
	}
	return e.JSON, nil
}

// number returns the attempt's number for the library. An orphan has the number of the attempt to whose URL its
// message came, but is not that attempt.
func (e *Entry) number() (uint32, error) {
	switch {
	case e == nil:
		return 0, invalid("the entry is nil")
	case e.IsOrphan:
		return 0, invalid("an orphan is no attempt: only Resolve accepts it")
	default:
		return natural("the attempt", e.Attempt)
	}
}

func newEntry(from *capi.Entry) (*Entry, error) {
	entry := &Entry{}
	if err := entry.read(from); err != nil {
		return nil, err
	}
	if entry.Error != nil {
		entry.Error.OrderID = entry.OrderID
	}
	entry.Details, entry.IsOrphan, entry.Unreadable, entry.JSON = from.Details, from.IsOrphan, from.Unreadable, []byte(from.JSON)
	return entry, nil
}

// entryReader reads the fields of an entry one after another, and keeps the first error.
type entryReader struct {
	*capi.Entry
	amounts amountReader
	err     error
}

func (r *entryReader) amount() decimal.Decimal { return r.amounts.read(r.Next()) }

func (r *entryReader) flag() bool { return r.Next() == "1" }

// payment returns nil if there is no payment.
func (r *entryReader) payment(from *capi.Payment) *Payment {
	if !r.flag() {
		return nil
	}
	payment, err := newPayment(from)
	if r.err == nil {
		r.err = err
	}
	return payment
}

// problem reads the error of the last call for an attempt.
func (r *entryReader) problem() *Error {
	code := r.Next()
	if code == "" {
		return nil
	}
	return &Error{
		Code: Code(code), Outcome: Outcome(r.ErrorOutcome), Message: "the last call about this attempt failed", Description: r.ErrorDescription,
	}
}

func (r *entryReader) reasons() []Attention {
	var reasons []Attention
	for name := range strings.SplitSeq(r.Next(), ",") {
		if name != "" {
			reasons = append(reasons, named[Attention](name))
		}
	}
	return reasons
}

// time reads a time in milliseconds since 1970.
func (r *entryReader) time() time.Time {
	ms := r.Number()
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(min(ms, int64(longest/time.Millisecond)))
}

func (r *entryReader) fault() error {
	if r.amounts.err != nil {
		return r.amounts.err
	}
	return r.err
}

// named returns the constant with this name: 0 if the name is absent, and -1 if this version does not know the
// name.
func named[W interface {
	~int32
	String() string
}](name string) W {
	const most = 64 // No list of constants is longer.
	for word := W(0); name != "" && word < most; word++ {
		if word.String() == name {
			return word
		}
	}
	if name != "" {
		return -1
	}
	return 0
}
