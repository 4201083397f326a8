package merchantpay

import (
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

// Level is a step of an attempt that matters to the merchant, from credentials to final. An entry has two
// levels: the level that the attempt has reached, and the level that the merchant has acknowledged. Both only
// rise.
type Level int32

// Intent is the state of a confirm or a cancel.
type Intent int32

// Attention is a reason for which an operator must decide about an attempt. The page docs/journal.md has the
// remedy for each reason.
type Attention int32

// Until is the event for which [Journal.Wait] waits.
type Until int32

// String returns a short text without account, name and link.
func (e Entry) String() string {
	if e.IsOrphan {
		return "orphan of order " + e.OrderID
	}
	return "entry " + e.Reference + " attempt " + strconv.Itoa(e.Attempt) + " " + e.Standing.String()
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

// MarshalJSON writes the field JSON; null for an entry that does not come from a journal.
func (e Entry) MarshalJSON() ([]byte, error) {
	if e.JSON == nil {
		return []byte("null"), nil
	}
	return e.JSON, nil
}

// handle returns the library's entry.
func (e *Entry) handle() (*capi.Entry, error) {
	switch {
	case e == nil:
		return nil, invalid("the entry is nil")
	case e.c == nil:
		return nil, invalid("the entry must come from a journal")
	default:
		return e.c, nil
	}
}

func newEntry(from *capi.Entry) (*Entry, error) {
	entry, fields := &Entry{}, from.Fields()
	if err := entry.read(fields); err != nil {
		return nil, err
	}
	if entry.Error != nil {
		entry.Error.OrderID = entry.OrderID
	}
	earlier, err := newEntries(from.Earlier())
	if err != nil {
		return nil, err
	}
	entry.IsOrphan, entry.Earlier, entry.JSON, entry.c = fields.IsOrphan, earlier, []byte(fields.JSON), from
	return entry, nil
}

func newEntries(from []*capi.Entry) ([]*Entry, error) {
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

// entryReader reads the fields of an entry one after another, and keeps the first error.
type entryReader struct {
	*capi.EntryFields
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
