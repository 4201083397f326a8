//go:build databases

package databases_test

import (
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql" // Registers the driver mysql.
	_ "github.com/jackc/pgx/v5/stdlib" // Registers the driver pgx.
	_ "github.com/lib/pq"              // Registers the driver postgres.

	"github.com/merchantpay/merchantpay-go"
)

// place is a separate database on one of the servers that with-databases started. One driver uses it.
type place struct {
	driver, server, name string
	dialect              merchantpay.Dialect
}

func variable(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatal(name + " is not set: run this by with-databases")
	}
	return value
}

func random(t testing.TB) string {
	t.Helper()
	bytes := make([]byte, 8)
	if _, err := rand.Read(bytes); err != nil {
		t.Fatal(err)
	}
	return "go_" + hex.EncodeToString(bytes)
}

// postgresql makes a new database for a driver.
func postgresql(t testing.TB, driver string) place {
	t.Helper()
	name, server := random(t), variable(t, "MERCHANTPAY_POSTGRESQL")
	first := place{driver, server, "postgres", merchantpay.DialectPostgreSQL}.open(t)
	// The lock lets only one of eight concurrent tests copy the template at a time.
	if _, err := first.Exec(`SELECT pg_advisory_lock(1)`); err != nil {
		t.Fatal(err)
	}
	mustRun(t, first, `CREATE DATABASE `+name)
	_ = first.Close()
	return place{driver, server, name, merchantpay.DialectPostgreSQL}
}

// pgbouncer returns a place with the database of p, but reached through the program pgbouncer.
func (p place) pgbouncer(t testing.TB) place {
	p.server = variable(t, "MERCHANTPAY_PGBOUNCER")
	return p
}

func mariadb(t testing.TB) place {
	t.Helper()
	name, server := random(t), variable(t, "MERCHANTPAY_MARIADB")
	first := place{"mysql", server, "mysql", merchantpay.DialectMySQL}.open(t)
	mustRun(t, first, `CREATE DATABASE `+name)
	return place{"mysql", server, name, merchantpay.DialectMySQL}
}

// open opens a pool of connections. The argument more is appended to the data source's name.
func (p place) open(t testing.TB, more ...string) *sql.DB {
	t.Helper()
	of := map[string]string{
		"pgx":      "host=%s user=shop dbname=%s" + pgxLine,
		"postgres": "host=%s user=shop dbname=%s sslmode=disable" + pqLine,
		"mysql":    "root@unix(%s)/%s" + mysqlLine,
	}[p.driver]
	return openDB(t, p.driver, fmt.Sprintf(of, p.server, p.name)+strings.Join(more, ""))
}

func (p place) config(db *sql.DB) merchantpay.JournalConfig {
	return merchantpay.JournalConfig{DB: db, Dialect: p.dialect, Create: true}
}

// everywhere runs a test on each server with each driver.
func everywhere(t *testing.T, test func(t *testing.T, of place)) {
	for _, driver := range []string{"pgx", "postgres"} {
		t.Run("postgresql by "+driver, func(t *testing.T) { test(t, postgresql(t, driver)) })
	}
	t.Run("mariadb", func(t *testing.T) { test(t, mariadb(t)) })
}

func mustRun(t testing.TB, on interface {
	Exec(string, ...any) (sql.Result, error)
}, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := on.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
