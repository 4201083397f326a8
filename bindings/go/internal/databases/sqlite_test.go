package databases_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // Registers the driver sqlite.

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

// The documented settings of the drivers, without the part that differs between servers. With these settings a
// driver uses no named prepared statements, and needs one round trip per statement.
const (
	sqliteLine = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	pgxLine    = " default_query_exec_mode=simple_protocol"
	pqLine     = " binary_parameters=yes"
	mysqlLine  = "?interpolateParams=true"
)

// sqlite makes the shop's own file, which contains both the journal and the orders.
func sqlite(t testing.TB) *sql.DB {
	return openDB(t, "sqlite", "file:"+filepath.Join(t.TempDir(), "shop.db")+sqliteLine)
}

func TestASettingThatCanLoseAPaymentIsRefusedUnlessItIsVouchedFor(t *testing.T) {
	for _, row := range []struct{ pragma, setting, refusal string }{
		{"synchronous(NORMAL)", "synchronous", "synchronous is NORMAL (1) and must be FULL (2): "},
		{"journal_mode(MEMORY)", "journal_mode", "journal_mode is memory and must be wal: "},
	} {
		s, file := newSandbox(t), "file:"+filepath.Join(t.TempDir(), "shop.db")
		durable := openDB(t, "sqlite", file)
		s.open(merchantpay.JournalConfig{DB: durable, Dialect: merchantpay.DialectSQLite, Create: true}).Close()
		_ = durable.Close() // Closed, so that the next connection can leave WAL mode.
		config := merchantpay.JournalConfig{DB: openDB(t, "sqlite", file+"?_pragma="+row.pragma), Dialect: merchantpay.DialectSQLite}
		_, err := merchantpay.OpenJournal(s.client, config)
		failure := wantFailure(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent, row.refusal)
		if failure.IsTransient() || !strings.Contains(failure.Message, "durability_vouched="+row.setting+" accepts this risk") {
			t.Error(failure)
		}
		config.DurabilityVouched = row.setting + "s"
		_, err = merchantpay.OpenJournal(s.client, config)
		wantFailure(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent, config.DurabilityVouched)
		config.DurabilityVouched = row.setting
		if pay(t, s.open(config), "order").Credentials == nil {
			t.Error(row.setting)
		}
	}
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
