package merchantpay

import (
	"database/sql"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/waist"
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
	from, failure := waist.Library().LibraryAcknowledgeSql(e.Reference, int64(e.Attempt), e.News, style.String())
	if failure != nil {
		return "", nil
	}
	if style == StyleColon || style == StyleAt {
		return from.Text, []any{sql.Named("reference", e.Reference), sql.Named("attempt", e.Attempt), sql.Named("news", e.News)}
	}
	return from.Text, []any{e.Reference, e.Attempt, e.News}
}

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

// An orphan has the number of the attempt to whose URL its message came, but is not that attempt.
func (e *Entry) check() error {
	switch {
	case e == nil:
		return invalid("the entry is nil")
	case e.IsOrphan:
		return invalid("an orphan is no attempt: only Resolve accepts it")
	default:
		return nil
	}
}

func newEntry(from waist.Entry, err error) (*Entry, error) {
	if err != nil {
		return nil, err
	}
	return entryOf(&from), nil
}

func newEntries(from []waist.Entry, err error) (entries []*Entry, _ error) {
	for i := range from {
		entries = append(entries, entryOf(&from[i]))
	}
	return entries, err
}

func newItem(from *waist.Attention) *Entry {
	entry := &Entry{}
	switch {
	case from.Entry != nil:
		entry = entryOf(from.Entry)
	case from.Orphan != nil:
		orphan := from.Orphan
		entry = &Entry{
			Reference: orphan.Reference, Attempt: int(orphan.Attempt), OrderID: orphan.OrderID, Status: Status(orphan.Status),
			CreatedAt: timeOf(orphan.ReceivedAt), IsOrphan: true,
		}
	case from.Unreadable != nil:
		row := from.Unreadable
		entry = &Entry{Reference: row.Reference, Attempt: int(row.Attempt), Unreadable: row.Column}
	}
	entry.Details, entry.JSON = from.Details, json.RawMessage(from.JSON)
	return entry
}

func credentials(from *waist.Payment) *Payment {
	if from == nil {
		return nil
	}
	payment := paymentOf(from)
	return &payment
}

func problem(from *waist.Entry) *Error {
	if from.Error == nil {
		return nil
	}
	return &Error{
		Code: Code(from.Error.Code), Outcome: Outcome(from.Error.Outcome), Message: "the last call about this attempt failed",
		Description: from.Error.Description, OrderID: from.OrderID,
	}
}

func reasons(names []string) (reasons []Attention) {
	for _, name := range names {
		reasons = append(reasons, named[Attention](name))
	}
	return reasons
}

// ms is since 1970; 0 is absent.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
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
