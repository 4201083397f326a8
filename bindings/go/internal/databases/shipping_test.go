package databases_test

import (
	"database/sql"
	"errors"
	"sync"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

func TestWhatIsDoneWithAcknowledgeTxIsDoneOnce(t *testing.T) {
	s := newSandbox(t)
	db := sqlite(t)
	journal := s.open(merchantpay.JournalConfig{DB: db, Dialect: merchantpay.DialectSQLite, Create: true})
	wantShippedOnce(t, db, journal, s.succeeded(journal, "order"))
}

func TestWhatIsDoneWithAcknowledgeByTxIsDoneOnce(t *testing.T) {
	s := newSandbox(t)
	db := sqlite(t)
	journal := s.open(merchantpay.JournalConfig{DB: db, Dialect: merchantpay.DialectSQLite, Create: true})
	entry := s.succeeded(journal, "order")
	acknowledge := func(level merchantpay.Level, end func(*sql.Tx) error) error {
		t.Helper()
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = end(tx) }()
		return journal.AcknowledgeByTx(background, tx, entry.Reference, entry.Attempt, level)
	}
	err := journal.AcknowledgeByTx(background, db, entry.Reference, entry.Attempt, entry.Reported)
	wantFailure(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent, "in autocommit: begin a transaction first")
	for _, level := range []merchantpay.Level{merchantpay.LevelNone, entry.Reported + 1} {
		if err := acknowledge(level, (*sql.Tx).Rollback); !errors.Is(err, merchantpay.ErrInvalidArgument) {
			t.Errorf("level %d: %v", level, err)
		}
	}
	for _, end := range []func(*sql.Tx) error{(*sql.Tx).Rollback, (*sql.Tx).Commit} {
		if err := acknowledge(entry.Reported, end); err != nil {
			t.Fatal(err)
		}
	}
	if err := acknowledge(entry.Reported, (*sql.Tx).Rollback); !errors.Is(err, merchantpay.ErrConflict) {
		t.Error(err)
	}
}

// pool embeds *sql.DB, like types of other packages do.
type pool struct{ *sql.DB }

func TestAnAcknowledgementOutsideATransactionIsRefused(t *testing.T) {
	s := newSandbox(t)
	db := sqlite(t)
	journal := s.open(merchantpay.JournalConfig{DB: db, Dialect: merchantpay.DialectSQLite, Create: true})
	wantNoAutocommit(t, db, journal, s.succeeded(journal, "order"))
}

// wantNoAutocommit checks that acknowledging fails on connections without a transaction.
func wantNoAutocommit(t *testing.T, db *sql.DB, journal *merchantpay.Journal, entry *merchantpay.Entry) {
	t.Helper()
	connection, err := db.Conn(background)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	for _, on := range []merchantpay.Transaction{db, pool{db}, connection} {
		err := journal.AcknowledgeTx(background, on, entry)
		wantFailure(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent, "in autocommit: begin a transaction first")
	}
	if found, err := journal.Find(background, entry.Reference); err != nil || found.Acknowledged != entry.Acknowledged {
		t.Error(found, err)
	}
	if _, err := connection.ExecContext(background, "BEGIN"); err != nil {
		t.Fatal(err)
	}
	if err := journal.AcknowledgeTx(background, connection, entry); err != nil {
		t.Error(err)
	}
	if _, err := connection.ExecContext(background, "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}

// wantShippedOnce checks that two workers ship the same entry only once. Each worker acknowledges the entry first
// in its own transaction.
func wantShippedOnce(t *testing.T, db *sql.DB, journal *merchantpay.Journal, entry *merchantpay.Entry) {
	t.Helper()
	if _, err := db.Exec("CREATE TABLE shipped (reference VARCHAR(120))"); err != nil {
		t.Fatal(err)
	}
	var workers sync.WaitGroup
	var mutex sync.Mutex
	count := 0
	for range 2 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			if shipped, err := ship(db, journal, entry); err != nil {
				t.Error(err)
			} else if shipped {
				mutex.Lock()
				count++
				mutex.Unlock()
			}
		}()
	}
	workers.Wait()
	wantShipped(t, db, 1)
	if count != 1 {
		t.Errorf("%d workers shipped", count)
	}
	if found, err := journal.Find(background, entry.Reference); err != nil || found.Acknowledged != entry.Reported {
		t.Error(found, err)
	}
}

func wantShipped(t testing.TB, db *sql.DB, wanted int) {
	t.Helper()
	var rows int
	if err := db.QueryRow("SELECT COUNT(*) FROM shipped").Scan(&rows); err != nil || rows != wanted {
		t.Errorf("%d were shipped in place of %d: %v", rows, wanted, err)
	}
}

// ship acknowledges and ships an entry in one transaction. It returns false if another worker has acknowledged
// the entry.
func ship(db *sql.DB, journal *merchantpay.Journal, entry *merchantpay.Entry) (bool, error) {
	tx, err := db.BeginTx(background, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }()
	if err := journal.AcknowledgeTx(background, tx, entry); err != nil {
		if errors.Is(err, merchantpay.ErrConflict) {
			return false, nil
		}
		return false, err
	}
	if _, err := tx.Exec("INSERT INTO shipped (reference) VALUES ('order')"); err != nil {
		return false, err
	}
	return true, tx.Commit()
}
