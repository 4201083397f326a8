package databases_test

import (
	"database/sql"
	"path/filepath"
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

// sqlite is the documented line: the file is the shop's own, and the journal is in it beside the orders.
func sqlite(t testing.TB) *sql.DB {
	return openDB(t, "sqlite", "file:"+filepath.Join(t.TempDir(), "shop.db")+
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
}

func TestTheCasesOverAFile(t *testing.T) {
	runCases(t, func(t testing.TB) merchantpay.JournalConfig {
		return merchantpay.JournalConfig{File: filepath.Join(t.TempDir(), "payments.db")}
	})
}

func TestTheCasesOverSQLite(t *testing.T) {
	runCases(t, func(t testing.TB) merchantpay.JournalConfig {
		return merchantpay.JournalConfig{DB: sqlite(t), Dialect: merchantpay.DialectSQLite, CreateTables: true}
	})
}
