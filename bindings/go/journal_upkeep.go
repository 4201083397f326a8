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
	// Standings has how many attempts have each standing, by its name. Only "final" may be estimated.
	Standings map[string]int64
	// Estimated is true if the number of final attempts is the database's estimate, as it is if there are more than a thousand attempts.
	Estimated bool
	// Attention is how many attempts and messages a person must look at; a changed server counts as one.
	Attention int64
	// Reasons has how many of them have each reason, by its name; the reason of a message is "orphan".
	Reasons map[string]int64
	// Due is how many attempts are due.
	Due int64
	// Overdue is how long the oldest of them has been due; 0 if nothing is due.
	Overdue time.Duration
	// DurabilityVouched has the settings of the database that the merchant vouches for.
	DurabilityVouched []string
	// Pause is nil if the journal is not paused.
	Pause *Pause
	// Server is the database's server; empty for SQLite, or if the server cannot be asked.
	Server string
	// ServerBefore is the server that an operator knows, if another one answers now.
	ServerBefore string
}

// Pause is the note of the operator who paused a journal, and its time.
type Pause struct {
	// Note is the operator's.
	Note string
	// At is a time of the database's clock.
	At time.Time
}

// Stats counts the attempts that are not final, and estimates the number of final ones if there are more than a thousand attempts: the
// cost is the same for any number.
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

// Purge deletes the details of attempts and messages that were last written before a time and of which nothing more is expected.
// Reference, attempt, standing, order id and token stay for ever. It returns how many it emptied. A time before 1970, such as the zero
// Time, is CodeInvalidArgument.
func (j *Journal) Purge(ctx context.Context, before time.Time) (int64, error) {
	return j.counted(ctx, func(call capi.JournalCall) (uint64, *capi.Error) { return call.Purge(before.UnixMilli()) })
}

// Forget deletes the details of all attempts of a reference, and of the messages that came for them. It serves a customer who asks for
// it, and returns how many had details. If something is still expected of one of them, or there is no such reference, it is
// CodeInvalidArgument.
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

// Export calls line with each attempt and each orphan, as a line for Import. Pause the journal first. An error of line ends the export,
// and is returned.
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

// Import stores a line of an export, and marks it as restored. It returns false if the journal already has that attempt or orphan. Another
// text, or an attempt of another account, is CodeInvalidArgument.
func (j *Journal) Import(ctx context.Context, line string) (bool, error) {
	var imported bool
	err := j.operate(ctx, func(call capi.JournalCall) (failure *capi.Error) {
		imported, failure = call.Import(line)
		return failure
	})
	return imported, err
}

// Pause stops Pay and News in every process that uses the journal, until Resume: they fail with CodeStorage and OutcomeNotSent. It returns
// when no call that makes a payment runs any more; the call of a killed process counts until its deadline. If the context ends first, the
// journal is paused all the same.
func (j *Journal) Pause(ctx context.Context, note string) error {
	return j.operate(ctx, func(call capi.JournalCall) *capi.Error { return call.Pause(note) })
}

// Resume ends a pause, and keeps the note.
func (j *Journal) Resume(ctx context.Context, note string) error {
	return j.operate(ctx, func(call capi.JournalCall) *capi.Error { return call.Resume(note) })
}

// Backup copies a journal in a file into a new file at an absolute path, while the journal is in use. The copy is paused, and its rows are
// marked as restored. A journal in a DB and a relative path are CodeInvalidArgument.
func (j *Journal) Backup(ctx context.Context, file string) error {
	return j.operate(ctx, func(call capi.JournalCall) *capi.Error { return call.Backup(file) })
}

// operate makes calls that give no entry.
func (j *Journal) operate(ctx context.Context, ask func(capi.JournalCall) *capi.Error) error {
	defer runtime.KeepAlive(j)
	call, err := j.begin(ctx)
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(ask(call.JournalCall))
}
