package merchantpay_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

var farFuture = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

func TestAnOperatorCountsCopiesStopsAndErases(t *testing.T) {
	client := newClient(t)
	journal := openJournal(t, client)
	for _, reference := range []string{"order-1", "order-2"} {
		if _, err := journal.Pay(background, reference, request("79001234567")); err != nil {
			t.Fatal(err)
		}
	}
	if err := journal.Pause(background, "db2 – Иван"); err != nil {
		t.Fatal(err)
	}
	_, err := journal.Pay(background, "order-3", request("79001234567"))
	wantError(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent)
	_, err = journal.News(background, 10)
	wantError(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent)
	stats, err := journal.Stats(background)
	if err != nil || stats.Standings["open"] != 2 || stats.Estimated || stats.Attention != 0 ||
		stats.Pause == nil || stats.Pause.Note != "db2 – Иван" || time.Since(stats.Pause.At) > time.Hour || stats.Server != "" || stats.ServerBefore != "" {
		t.Fatal(stats, err)
	}
	var lines []string
	if err := journal.Export(background, func(line string) error {
		lines = append(lines, line)
		return nil
	}); err != nil || len(lines) != 2 {
		t.Fatal(lines, err)
	}
	copied := openJournal(t, client)
	for _, wanted := range []bool{true, false} {
		if imported, err := copied.Import(background, lines[0]); err != nil || imported != wanted {
			t.Fatal(imported, err)
		}
	}
	if err := journal.Backup(background, filepath.Join(t.TempDir(), "copy.db")); err != nil {
		t.Fatal(err)
	}
	if err := journal.Resume(background, "moved"); err != nil {
		t.Fatal(err)
	}
	if stats, err := journal.Stats(background); err != nil || stats.Pause != nil {
		t.Fatal(stats, err)
	}
	if count, err := journal.Purge(background, farFuture); err != nil || count != 0 {
		t.Fatal(count, err)
	}
}

func TestAnErrorOfTheFunctionEndsAnExport(t *testing.T) {
	journal := openJournal(t, newClient(t))
	for _, reference := range []string{"order-1", "order-2"} {
		if _, err := journal.Pay(background, reference, request("79001234567")); err != nil {
			t.Fatal(err)
		}
	}
	full, calls := errors.New("the disk is full"), 0
	err := journal.Export(background, func(string) error {
		calls++
		// The journal can be used while lines are exported.
		if _, err := journal.Stats(background); err != nil {
			t.Error(err)
		}
		return full
	})
	if !errors.Is(err, full) || calls != 1 {
		t.Fatal(err, calls)
	}
}

func TestAnOperatorsWrongValueIsRefused(t *testing.T) {
	journal := openJournal(t, newClient(t))
	if _, err := journal.Pay(background, "order", request("79001234567")); err != nil {
		t.Fatal(err)
	}
	purge := func(before time.Time) error {
		_, err := journal.Purge(background, before)
		return err
	}
	forget := func(reference string) error {
		_, err := journal.Forget(background, reference)
		return err
	}
	imported := func(line string) error {
		_, err := journal.Import(background, line)
		return err
	}
	for name, err := range map[string]error{
		"no time":               purge(time.Time{}),
		"a time before 1970":    purge(time.Unix(-1, 0)),
		"no reference":          forget(""),
		"an unknown reference":  forget("nobody"),
		"one that is needed":    forget("order"),
		"a reference with NUL":  forget("a\x00"),
		"no line":               imported(""),
		"a line of another":     imported("{}"),
		"no note":               journal.Pause(background, ""),
		"a blank note":          journal.Resume(background, " "),
		"a relative path":       journal.Backup(background, "copy.db"),
		"a path that has a NUL": journal.Backup(background, "/tmp/a\x00"),
	} {
		t.Run(name, func(t *testing.T) { wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent) })
	}
	wantError(t, journal.Backup(background, filepath.Join(t.TempDir(), "no", "copy.db")), merchantpay.CodeStorage, merchantpay.OutcomeNotSent)
}

func TestAClosedJournalRefusesAnOperator(t *testing.T) {
	journal := openJournal(t, newClient(t))
	journal.Close()
	ended, cancel := context.WithCancel(background)
	cancel()
	for _, closed := range []*merchantpay.Journal{journal, nil} {
		_, stats := closed.Stats(background)
		_, purge := closed.Purge(background, farFuture)
		_, forget := closed.Forget(background, "order")
		_, imported := closed.Import(background, "{}")
		export := closed.Export(background, func(string) error { return errors.New("there are no lines") })
		for _, err := range []error{
			stats, purge, forget, imported, export,
			closed.Pause(background, "why"), closed.Resume(background, "why"), closed.Backup(background, "/tmp/copy.db"),
		} {
			wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
		}
	}
	if err := openJournal(t, newClient(t)).Pause(ended, "why"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
