package merchantpay

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Stats are the counts of a journal.
type Stats struct {
	// Standings has the number of attempts by standing. Only the number for "final" can be an estimate.
	Standings map[string]int64
	// Estimated is true if the number of final attempts is an estimate of the database. If there are more than
	// a thousand attempts, the journal uses the estimate.
	Estimated bool
	// Attention is the number of items about which an operator must decide: attempts, orphans and a changed database
	// server.
	Attention int64
	// Reasons has the number of these items by reason; an orphan has the reason "orphan".
	Reasons map[string]int64
	// Due is the number of due attempts, which Settle can process now.
	Due int64
	// Overdue is the time since the oldest due attempt became due; 0 if no attempt is due.
	Overdue time.Duration
	// DurabilityVouched has the risky database settings that the merchant accepts; see
	// JournalConfig.DurabilityVouched.
	DurabilityVouched []string
	// Pause has the note and the time of an operator's pause; nil if the journal is not paused.
	Pause *Pause
	// Server is the identity of the database server; empty for SQLite, or if the server does not report it.
	Server string
	// ServerBefore is the server that an operator has accepted; empty unless a different server answers now.
	ServerBefore string
}

// Pause has the note of the operator who paused a journal, and the time of the pause.
type Pause struct {
	// Note is the operator's note.
	Note string
	// At is the time of the pause by the database's clock.
	At time.Time
}

// Stats counts the attempts of each standing. If there are more than a thousand attempts, it estimates the number
// of final attempts, so that the cost does not grow.
func (j *Journal) Stats(ctx context.Context) (*Stats, error) {
	var text string
	err := j.operate(ctx, func(call capi.JournalCall) (failure *capi.Error) {
		text, failure = call.Stats()
		return failure
	})
	if err != nil {
		return nil, err
	}
	return readStats(text)
}

func readStats(text string) (*Stats, error) {
	var read struct {
		Stats
		OverdueMs int64
		Pause     *struct {
			Note string
			At   int64
		}
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		return nil, fmt.Errorf("merchantpay: the stats cannot be read: %w", err)
	}
	stats := read.Stats
	stats.Overdue = time.Duration(read.OverdueMs) * time.Millisecond
	if read.Pause != nil {
		stats.Pause = &Pause{Note: read.Pause.Note, At: time.UnixMilli(read.Pause.At)}
	}
	return &stats, nil
}

// Purge deletes the details of finished attempts and seen orphans that were last written before a time.
// Reference, attempt, standing, order id and token stay for ever. Purge returns the number of attempts and
// orphans whose details it deleted. For a time before 1970, such as the zero Time, the error is
// CodeInvalidArgument.
func (j *Journal) Purge(ctx context.Context, before time.Time) (int64, error) {
	return j.counted(ctx, func(call capi.JournalCall) (uint64, *capi.Error) { return call.Purge(before.UnixMilli()) })
}

// Forget deletes the details of all attempts of a reference, and of their orphans. Use it when a customer asks
// for erasure. It returns the number of attempts and orphans that had details. The error is CodeInvalidArgument
// if one of the attempts or orphans is not finished, or if there is no such reference.
func (j *Journal) Forget(ctx context.Context, reference string) (int64, error) {
	return j.counted(ctx, func(call capi.JournalCall) (uint64, *capi.Error) { return call.Forget(reference) })
}

func (j *Journal) counted(ctx context.Context, count func(capi.JournalCall) (uint64, *capi.Error)) (int64, error) {
	var counted uint64
	err := j.operate(ctx, func(call capi.JournalCall) (failure *capi.Error) {
		counted, failure = count(call)
		return failure
	})
	return int64(counted), err
}

// Export passes each attempt and each orphan to the function line, as one line of text for Import. Pause the
// journal first. If the function line returns an error, Export ends and returns this error.
func (j *Journal) Export(ctx context.Context, line func(line string) error) error {
	var stopped error
	err := j.operate(ctx, func(call capi.JournalCall) *capi.Error {
		return call.Export(func(text string) bool {
			stopped = line(text)
			return stopped == nil
		})
	})
	if err != nil {
		return err
	}
	return stopped
}

// Import stores a line of an export, and marks it as restored. It returns false if the journal already has that
// attempt or orphan. If the text is not a line of an export, or belongs to a different account, the error is
// CodeInvalidArgument.
func (j *Journal) Import(ctx context.Context, line string) (bool, error) {
	var imported bool
	err := j.operate(ctx, func(call capi.JournalCall) (failure *capi.Error) {
		imported, failure = call.Import(line)
		return failure
	})
	return imported, err
}

// Pause stops Pay and News in every process that uses the journal, until Resume: they fail with CodeStorage and
// OutcomeNotSent. Pause returns when no payment call is running. It treats the call of a killed process as running
// until the call's deadline. If the context ends first, the journal is paused, but payment calls can still run.
func (j *Journal) Pause(ctx context.Context, note string) error {
	return j.operate(ctx, func(call capi.JournalCall) *capi.Error { return call.Pause(note) })
}

// Resume ends a pause, and stores the note.
func (j *Journal) Resume(ctx context.Context, note string) error {
	return j.operate(ctx, func(call capi.JournalCall) *capi.Error { return call.Resume(note) })
}

// Backup copies a journal's file to a new file at an absolute path, also while other processes use the journal.
// The new journal in the copy is paused, and its rows are marked as restored. The error is CodeInvalidArgument
// if the journal is in the merchant's database (DB), or if the path is relative.
func (j *Journal) Backup(ctx context.Context, file string) error {
	return j.operate(ctx, func(call capi.JournalCall) *capi.Error { return call.Backup(file) })
}

// operate makes a call that returns no entry.
func (j *Journal) operate(ctx context.Context, ask func(capi.JournalCall) *capi.Error) error {
	defer runtime.KeepAlive(j)
	call, err := j.begin(ctx)
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(ask(call.JournalCall))
}
