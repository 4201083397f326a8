package databases_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // The driver sqlite.

	"github.com/merchantpay/merchantpay-go"
)

// openDB opens a database by its driver.
func openDB(t testing.TB, driver, source string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// The documented lines, behind what differs from place to place: nothing is prepared under a name, and each statement takes one round
// trip.
const (
	sqliteLine = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	pgxLine    = " default_query_exec_mode=simple_protocol"
	pqLine     = " binary_parameters=yes"
	mysqlLine  = "?interpolateParams=true"
)

// sqlite is a file of the shop's own, in which the journal is beside the orders.
func sqlite(t testing.TB) *sql.DB {
	return openDB(t, "sqlite", "file:"+filepath.Join(t.TempDir(), "shop.db")+sqliteLine)
}

func TestTheREADMEHasTheLinesThatAreTested(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{sqliteLine, pgxLine, pqLine, mysqlLine} {
		if !strings.Contains(string(page), line+"`") {
			t.Errorf("no %s", line)
		}
	}
}

func TestTheCasesOverAFile(t *testing.T) {
	runCases(t, func(t testing.TB) merchantpay.JournalConfig {
		return merchantpay.JournalConfig{File: filepath.Join(t.TempDir(), "payments.db"), Create: true}
	})
}

func TestTheCasesOverSQLite(t *testing.T) {
	runCases(t, func(t testing.TB) merchantpay.JournalConfig {
		return merchantpay.JournalConfig{DB: sqlite(t), Dialect: merchantpay.DialectSQLite, Create: true}
	})
}
