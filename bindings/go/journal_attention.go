package merchantpay

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// Attention returns what a person must decide: at most limit attempts of each kind, at most limit orphans
// (Entry.IsOrphan), and rows that cannot be read (Entry.Unreadable). Entry.Details explains the reasons.
func (j *Journal) Attention(ctx context.Context, limit int) (entries []*Entry, _ error) {
	items, err := callJournal(ctx, j, func(handle waist.Handle) ([]waist.Attention, *waist.Error) {
		return handle.JournalAttention(int64(limit))
	})
	for i := range items {
		entries = append(entries, newItem(&items[i]))
	}
	return entries, err
}

type decision int

const (
	isOrder decision = iota + 1
	noPayment
	seen
	trusted
)

// Resolution is a person's decision about an entry; see [Journal.Resolve]. The zero value is not a decision.
type Resolution struct {
	decision decision
	orderID  string
	sum      decimal.Decimal
	withSum  bool
}

// The resolutions without an argument; see also [IsOrder].
var (
	// NoPayment: the service made no payment for the attempt, as its support says.
	NoPayment = Resolution{decision: noPayment}
	// Seen: the reasons in the entry's own Attention were seen, or the status of an orphan. What came meanwhile
	// stays on the list. An orphan accepts no other resolution.
	Seen = Resolution{decision: seen}
	// Trusted: a restored attempt is as new as the truth. Ask support about every merchant id of the reference
	// first.
	Trusted = Resolution{decision: trusted}
)

// IsOrder decides that the attempt's payment is this order. The journal asks the service about the order, which
// must have the requested sum.
func IsOrder(orderID string) Resolution { return Resolution{decision: isOrder, orderID: orderID} }

// IsOrderWithSum is like IsOrder, for an order that has this sum and not the requested one. Such an attempt never
// succeeds.
func IsOrderWithSum(orderID string, sum decimal.Decimal) Resolution {
	return Resolution{isOrder, orderID, sum, true}
}

// Resolve stores a person's decision about an item of Attention, or about any other entry, with a note of 1 to 500
// characters: who decided, and why. It returns the new entry, and nil for an orphan. If the decision does not fit,
// the error is CodeInvalidArgument.
func (j *Journal) Resolve(ctx context.Context, entry *Entry, resolution Resolution, note string) (*Entry, error) {
	if entry != nil && entry.IsOrphan {
		if resolution.decision != seen {
			return nil, invalid("an orphan accepts only the resolution Seen")
		}
		_, err := callJournal(ctx, j, func(handle waist.Handle) (struct{}, *waist.Error) {
			return struct{}{}, handle.JournalResolveOrphan(entry.OrderID, string(entry.Status), note)
		})
		return nil, err
	}
	if err := entry.check(); err != nil {
		return nil, err
	}
	sum := amountText(resolution.sum)
	switch {
	case resolution.decision == 0:
		return nil, invalid("the resolution is not set")
	case resolution.withSum && sum == "":
		return nil, invalid("the sum is absent")
	}
	return newEntry(callJournal(ctx, j, func(handle waist.Handle) (waist.Entry, *waist.Error) {
		reference, attempt := entry.Reference, int64(entry.Attempt)
		switch resolution.decision {
		case isOrder:
			return handle.JournalResolveOrder(reference, attempt, resolution.orderID, note, sum)
		case noPayment:
			return handle.JournalResolveNoPayment(reference, attempt, note)
		case trusted:
			return handle.JournalResolveTrusted(reference, attempt, note)
		default:
			var reasons []string
			for _, reason := range entry.Attention {
				reasons = append(reasons, reason.String())
			}
			return handle.JournalResolveSeen(reference, attempt, reasons, note)
		}
	}))
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
	from, err := callJournal(ctx, j, waist.Handle.JournalStats)
	if err != nil {
		return nil, err
	}
	stats := &Stats{
		Standings: map[string]int64{
			StandingSending.String(): from.Sending, StandingUnknown.String(): from.Unknown, StandingOpen.String(): from.Open,
		},
		Attention: from.Attention, Orphans: from.Orphans, Due: from.Due, News: from.News, Pause: from.Pause, DurabilityVouched: from.DurabilityVouched,
	}
	if from.OverdueMs != nil {
		stats.Overdue = time.Duration(*from.OverdueMs) * time.Millisecond
	}
	return stats, nil
}
