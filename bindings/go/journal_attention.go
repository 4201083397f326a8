package merchantpay

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Attention returns what a person must decide: at most limit attempts of each kind, at most limit orphans
// (Entry.IsOrphan), and rows that cannot be read (Entry.Unreadable). Entry.Details explains the reasons.
func (j *Journal) Attention(ctx context.Context, limit int) ([]*Entry, error) {
	return j.entries(ctx, limit, capi.JournalCall.Attention)
}

// Resolution is a person's decision about an entry; see [Journal.Resolve]. The zero value is not a decision.
type Resolution struct {
	decision capi.Decision
	orderID  string
	sum      decimal.Decimal
	withSum  bool
}

// The resolutions without an argument; see also [IsOrder].
var (
	// NoPayment: the service made no payment for the attempt, as its support says.
	NoPayment = Resolution{decision: capi.NoPayment}
	// Seen: the reasons in the entry's own Attention were seen, or the status of an orphan. What came meanwhile
	// stays on the list. An orphan accepts no other resolution.
	Seen = Resolution{decision: capi.Seen}
	// Trusted: a restored attempt is as new as the truth. Ask support about every merchant id of the reference
	// first.
	Trusted = Resolution{decision: capi.Trusted}
)

// IsOrder decides that the attempt's payment is this order. The journal asks the service about the order, which
// must have the requested sum.
func IsOrder(orderID string) Resolution { return Resolution{decision: capi.Order, orderID: orderID} }

// IsOrderWithSum is like IsOrder, for an order that has this sum and not the requested one. Such an attempt never
// succeeds.
func IsOrderWithSum(orderID string, sum decimal.Decimal) Resolution {
	return Resolution{capi.Order, orderID, sum, true}
}

// Resolve stores a person's decision about an item of Attention, or about any other entry, with a note of 1 to 500
// characters: who decided, and why. It returns the new entry, and nil for an orphan. If the decision does not fit,
// the error is CodeInvalidArgument.
func (j *Journal) Resolve(ctx context.Context, entry *Entry, resolution Resolution, note string) (*Entry, error) {
	if entry != nil && entry.IsOrphan {
		if resolution.decision != capi.Seen {
			return nil, invalid("an orphan accepts only the resolution Seen")
		}
		return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) {
			return nil, call.ResolveOrphan(entry.OrderID, string(entry.Status), note)
		})
	}
	number, err := entry.number()
	if err != nil {
		return nil, err
	}
	sum, err := amountText("the sum", resolution.sum)
	if err != nil {
		return nil, err
	}
	switch {
	case resolution.decision == 0:
		return nil, invalid("the resolution is not set")
	case resolution.withSum && sum == "":
		return nil, invalid("the sum is absent")
	}
	var reasons []string
	for _, reason := range entry.Attention {
		reasons = append(reasons, reason.String())
	}
	return j.entry(ctx, func(call capi.JournalCall) (*capi.Entry, *capi.Error) {
		return call.Resolve(resolution.decision, entry.Reference, number, resolution.orderID, sum, strings.Join(reasons, ","), note)
	})
}

// Stats are the counts of a journal.
type Stats struct {
	// Standings has the number of attempts by standing: sending, unknown and open.
	Standings map[string]int64
	// Attention is the number of items about which a person must decide: attempts and orphans.
	Attention int64
	// Orphans is the number of orphans among them.
	Orphans int64
	// Due is the number of due attempts, which Settle can process now.
	Due int64
	// Overdue is the time since the oldest due attempt became due; 0 if no attempt is due.
	Overdue time.Duration
	// News is the number of entries that are not acknowledged.
	News int64
	// Pause is the note of the pause that stops Pay and News; empty if the journal is not paused.
	Pause string
	// DurabilityVouched has the risky database settings that the merchant accepts; see
	// JournalConfig.DurabilityVouched.
	DurabilityVouched []string
}

// Stats counts what is open, due, new and for a person.
func (j *Journal) Stats(ctx context.Context) (*Stats, error) {
	text, err := called(ctx, j, capi.JournalCall.Stats)
	if err != nil {
		return nil, err
	}
	var read struct {
		Stats
		OverdueMs int64
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		return nil, fmt.Errorf("merchantpay: the stats cannot be read: %w", err)
	}
	read.Overdue = time.Duration(read.OverdueMs) * time.Millisecond
	return &read.Stats, nil
}
