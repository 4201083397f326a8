//go:build databases

package databases_test

import (
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

func TestAConnectionInATransactionSendsNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, of place) {
		s := newSandbox(t)
		good := s.open(of.config(of.open(t)))
		db := of.open(t)
		db.SetMaxOpenConns(1)
		journal := s.open(of.config(db))
		mustRun(t, db, "BEGIN")
		_, err := journal.Pay(background, "order", request("10", "79001234567"))
		if wantFailure(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent, "in a transaction").IsTransient() {
			t.Error("somebody has to change the connection")
		}
		s.wantRequests("newPayment", 0)
		mustRun(t, db, "ROLLBACK")
		if found, err := good.Find(background, "order"); err != nil || found != nil {
			t.Fatal(found, err)
		}
		if first, second := pay(t, journal, "order"), pay(t, good, "order"); first.Credentials == nil || first.OrderID != second.OrderID {
			t.Error(first, second)
		}
		s.wantRequests("newPayment", 1)
	})
}

func TestADatabaseThatCannotHoldAJournalIsRefused(t *testing.T) {
	s := newSandbox(t)
	maria := mariadb(t)
	pgx, pq := postgresql(t, "pgx"), postgresql(t, "postgres")
	for _, row := range []struct {
		of        place
		more, why string
	}{
		{pgx, " default_transaction_read_only=on", "only be read"},
		{pgx, " synchronous_commit=off", "synchronous_commit"},
		{pq, " default_transaction_read_only=on", "only be read"},
		{pq, " synchronous_commit=off", "synchronous_commit"},
		{maria, "&sql_mode=''", "would shorten long texts"},
		{maria, "&autocommit=0", "autocommit is off"},
	} {
		s.open(row.of.config(row.of.open(t))).Close()
		config := row.of.config(row.of.open(t, row.more))
		config.Create = false
		_, err := merchantpay.OpenJournal(s.client, config)
		if wantFailure(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent, row.why).IsTransient() {
			t.Error(err)
		}
	}
	missing := place{"pgx", pgx.server, "no_such_database", merchantpay.DialectPostgreSQL}
	_, err := merchantpay.OpenJournal(s.client, missing.config(missing.open(t)))
	wantFailure(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent, "no_such_database")
}

func TestAnAcknowledgementInAutocommitIsRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, of place) {
		s, db := newSandbox(t), of.open(t)
		journal := s.open(of.config(db))
		wantNoAutocommit(t, db, journal, s.succeeded(journal, "order"))
	})
}

func TestWithoutItsTablesAJournalIsRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, of place) {
		s := newSandbox(t)
		config := of.config(of.open(t))
		config.Create = false
		_, err := merchantpay.OpenJournal(s.client, config)
		if wantFailure(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent, "the journal's tables are missing").IsTransient() {
			t.Error("somebody has to create them")
		}
	})
}

func TestTwoConnectionsBehindPgbouncerAreEnoughForEight(t *testing.T) {
	for _, driver := range []string{"pgx", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			s, of := newSandbox(t), postgresql(t, driver).pgbouncer(t)
			journal := s.open(of.config(of.open(t)))
			var workers sync.WaitGroup
			for worker := range 8 {
				workers.Add(1)
				go func() {
					defer workers.Done()
					for number := range 3 {
						reference := string(rune('a' + (worker+number)%8))
						entry, err := journal.Pay(background, reference, good())
						if err != nil || (entry.Standing != merchantpay.StandingOpen && entry.Standing != merchantpay.StandingSending) {
							t.Error(entry, err)
						}
					}
				}()
			}
			workers.Wait()
			s.wantRequests("newPayment", 8)
			wantShippedOnce(t, of.open(t), journal, s.succeeded(journal, "order"))
		})
	}
}

func TestCountsOfFoundOrOfChangedRowsAreTheSame(t *testing.T) {
	for _, more := range []string{"", "&clientFoundRows=true", "&interpolateParams=false"} {
		s, of := newSandbox(t), mariadb(t)
		one, other := s.open(of.config(of.open(t, more))), s.open(of.config(of.open(t, more)))
		entry := s.succeeded(one, "order")
		news, err := one.News(background, 10)
		if err != nil || len(news) != 1 {
			t.Fatal(news, err)
		}
		if claimed, err := other.News(background, 10); err != nil || len(claimed) != 0 {
			t.Fatal(claimed, err)
		}
		for _, row := range []struct {
			by     *merchantpay.Journal
			wanted bool
		}{{one, true}, {other, false}, {one, false}} {
			if changed, err := row.by.Acknowledge(background, news[0]); err != nil || changed != row.wanted {
				t.Errorf("%s: %v %v", more, changed, err)
			}
		}
		if again := pay(t, other, "order"); again.OrderID != entry.OrderID {
			t.Error(again)
		}
	}
}

// kill ends the connections that wait for a lock in this database, and reports whether there were any such
// connections.
func (p place) kill(t testing.TB, db *sql.DB) bool {
	t.Helper()
	if p.dialect == merchantpay.DialectPostgreSQL {
		var killed int
		err := db.QueryRow(`SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND datname = current_database()`).Scan(&killed)
		if err != nil {
			t.Fatal(err)
		}
		return killed > 0
	}
	var id int64
	err := db.QueryRow(`SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'UPDATE merchantpay_journal%'`).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("KILL ?", id)
	return err == nil
}

func TestAConnectionThatIsKilledInTheMiddleIsDecided(t *testing.T) {
	everywhere(t, func(t *testing.T, of place) {
		s, db := newSandbox(t), of.open(t)
		journal := s.open(of.config(of.open(t)))
		entry := pay(t, journal, "order")
		lock, err := db.BeginTx(background, nil)
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, lock, "UPDATE merchantpay_journal SET purged = purged")
		if of.dialect == merchantpay.DialectMySQL {
			mustRun(t, lock, "SELECT attempt FROM merchantpay_journal FOR UPDATE")
		}
		confirmed := make(chan struct{})
		var after *merchantpay.Entry
		go func() {
			defer close(confirmed)
			var err error
			if after, err = journal.Confirm(background, entry); err != nil {
				t.Error(err)
			}
		}()
		killed := 0
		for end := time.Now().Add(patience); killed < 2; time.Sleep(10 * time.Millisecond) {
			if of.kill(t, db) {
				killed++
			}
			if time.Now().After(end) {
				t.Fatal("no connection waits for the lock")
			}
		}
		if err := lock.Rollback(); err != nil {
			t.Fatal(err)
		}
		<-confirmed
		if t.Failed() || after.Confirm != merchantpay.IntentAccepted {
			t.Fatal(after)
		}
		s.wantRequests("confirm", 1)
		if end, err := journal.Wait(background, "order", patience, merchantpay.UntilFinal); err != nil || !end.Succeeded {
			t.Fatal(end, err)
		}
	})
}

func TestConnectionsThatAreKilledWhileNobodyUsesThemAreReplaced(t *testing.T) {
	everywhere(t, func(t *testing.T, of place) {
		s, admin := newSandbox(t), of.open(t)
		db := of.open(t)
		journal := s.open(of.config(db))
		pay(t, journal, "order-1")
		if of.dialect == merchantpay.DialectPostgreSQL {
			mustRun(t, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		} else {
			rows, err := admin.Query("SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var ids []int64
			for rows.Next() {
				var id int64
				if err := rows.Scan(&id); err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			for _, id := range ids {
				if _, err := admin.Exec("KILL ?", id); err != nil {
					t.Fatal(err)
				}
			}
		}
		if found, err := journal.Find(background, "order-1"); err != nil || found == nil {
			t.Fatal(found, err)
		}
		pay(t, journal, "order-2")
		s.wantRequests("newPayment", 2)
	})
}

func TestTwoWorkersShipOnceAlsoWhereOneIsKilled(t *testing.T) {
	everywhere(t, func(t *testing.T, of place) {
		s, db := newSandbox(t), of.open(t)
		journal := s.open(of.config(db))
		wantShippedOnce(t, db, journal, s.succeeded(journal, "order"))

		mustRun(t, db, "DELETE FROM shipped")
		entry := s.succeeded(journal, "another")
		// A worker acknowledges and ships. Its connection is killed before it commits.
		tx, err := db.BeginTx(background, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := journal.AcknowledgeTx(background, tx, entry); err != nil {
			t.Fatal(err)
		}
		mustRun(t, tx, "INSERT INTO shipped (reference) VALUES ('another')")
		var id int64
		own, kill := "SELECT pg_backend_pid()", "SELECT pg_terminate_backend($1)"
		if of.dialect == merchantpay.DialectMySQL {
			own, kill = "SELECT CONNECTION_ID()", "KILL ?"
		}
		if err := tx.QueryRow(own).Scan(&id); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(kill, id); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err == nil {
			t.Fatal("it committed")
		}
		if shipped, err := ship(db, journal, entry); err != nil || !shipped {
			t.Fatal(shipped, err)
		}
		wantShipped(t, db, 1)
		if shipped, err := ship(db, journal, entry); err != nil || shipped {
			t.Fatal(shipped, err)
		}
	})
}

func TestKeysThatDifferInCaseOrInASpaceAreTwo(t *testing.T) {
	everywhere(t, func(t *testing.T, of place) {
		s := newSandbox(t)
		journal := s.open(of.config(of.open(t)))
		for _, reference := range []string{"order", "Order", "ордер", "order'); --", `order\`, "100%s $1 ?"} {
			if entry := pay(t, journal, reference); entry.Reference != reference || entry.Attempt != 1 {
				t.Errorf("%s", entry.JSON)
			}
		}
		s.wantRequests("newPayment", 6)
	})
}
