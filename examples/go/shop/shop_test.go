//go:build databases

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // Registers the driver mysql.
	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/merchantpaytest"
)

var background = context.Background()

// patience is longer than the lease of news, which a killed shop leaves behind.
const patience = 90 * time.Second

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func server(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatal(name + " is not set: run this by with-databases")
	}
	return value
}

func openDB(t *testing.T, driver, source string) *sql.DB {
	t.Helper()
	db := must(sql.Open(driver, source))
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// postgresql makes a database, and returns its URL, which the library and pgx read alike.
func postgresql(t *testing.T) string {
	t.Helper()
	url := func(name string) string {
		return "postgresql:///" + name + "?user=shop&host=" + server(t, "MERCHANTPAY_POSTGRESQL")
	}
	name := "go_" + strings.ToLower(rand.Text())
	// The template is not the default one, which other tests copy at the same time.
	must(openDB(t, "pgx", url("postgres")).Exec("CREATE DATABASE " + name + " TEMPLATE template0"))
	return url(name)
}

func mariadb(t *testing.T) (place string, db *sql.DB) {
	t.Helper()
	name, socket := "go_"+strings.ToLower(rand.Text()), server(t, "MERCHANTPAY_MARIADB")
	source := "root@unix(" + socket + ")/"
	must(openDB(t, "mysql", source+"mysql").Exec("CREATE DATABASE " + name + " CHARACTER SET utf8mb4"))
	return "mysql:///" + name + "?user=root&socket=" + socket, openDB(t, "mysql", source+name)
}

func actOnMySQL(db *sql.DB, entry *merchantpay.Entry) error {
	tx := must(db.Begin())
	defer func() { _ = tx.Rollback() }()
	statement, parameters := entry.AcknowledgeSQL(merchantpay.StyleQuestion)
	if changed := must(must(tx.Exec(statement, parameters...)).RowsAffected()); changed == 0 {
		return nil
	}
	if _, err := tx.Exec("INSERT INTO shipments (order_id) VALUES (?)", entry.Reference); err != nil {
		return err
	}
	return tx.Commit()
}

const shipments = "CREATE TABLE shipments (order_id VARCHAR(120) PRIMARY KEY)"

func TestShopShipsOnceInItsOwnTransaction(t *testing.T) {
	type act = func(entry *merchantpay.Entry) error
	for name, open := range map[string]func(t *testing.T) (string, *sql.DB, act){
		"pgx by database/sql": func(t *testing.T) (string, *sql.DB, act) {
			place := postgresql(t)
			own := &shop{db: openDB(t, "pgx", place)}
			return place, own.db, func(entry *merchantpay.Entry) error { return own.act(background, entry) }
		},
		"MariaDB by database/sql": func(t *testing.T) (string, *sql.DB, act) {
			place, db := mariadb(t)
			return place, db, func(entry *merchantpay.Entry) error { return actOnMySQL(db, entry) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			place, db, act := open(t)
			must(db.Exec(shipments))
			journal := openJournal(t, merchantpaytest.Start(t), place)
			entry := must(journal.Pay(background, "order-1", merchantpay.PaymentRequest{
				Sum: decimal.RequireFromString("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
			}))
			must(journal.Confirm(background, entry))
			must(journal.Wait(background, "order-1", patience, merchantpay.UntilFinal))
			entry = must(journal.News(background, 10))[0]
			must(db.Exec("INSERT INTO shipments (order_id) VALUES ('order-1')"))
			if err := act(entry); err == nil || must(journal.Find(background, "order-1")).Acknowledged {
				t.Fatal("it was acknowledged and not shipped", err)
			}
			must(db.Exec("DELETE FROM shipments"))
			var workers sync.WaitGroup
			for range 4 {
				workers.Add(1)
				go func() {
					defer workers.Done()
					if err := act(entry); err != nil {
						t.Error(err)
					}
				}()
			}
			workers.Wait()
			var count int
			if err := db.QueryRow("SELECT COUNT(*) FROM shipments").Scan(&count); err != nil || count != 1 {
				t.Error(count, err)
			}
			if found, err := journal.Find(background, "order-1"); err != nil || !found.Acknowledged {
				t.Error(found, err)
			}
		})
	}
}

func openJournal(t *testing.T, sandbox *merchantpaytest.Sandbox, place string) *merchantpay.Journal {
	t.Helper()
	journal := must(merchantpay.OpenJournal(sandbox.Client(t), merchantpay.JournalConfig{Place: place, Create: true}))
	t.Cleanup(journal.Close)
	return journal
}

// example is the example program shop over a database of its own.
type example struct {
	t              *testing.T
	db             *sql.DB
	program, place string
}

// start runs the shop on the given address, or on a free one, and waits until the shop answers.
func (e *example) start(address string) (kill func(), at string) {
	e.t.Helper()
	if address == "" {
		listener := must(net.Listen("tcp", "127.0.0.1:0"))
		address = listener.Addr().String()
		_ = listener.Close()
	}
	command := exec.Command(e.program, address, e.place)
	var printed bytes.Buffer
	command.Stdout, command.Stderr = &printed, &printed
	if err := command.Start(); err != nil {
		e.t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	e.t.Cleanup(kill)
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if answer, err := http.Get("http://" + address + "/orders/none"); err == nil {
			_ = answer.Body.Close()
			return kill, address
		}
		if time.Now().After(end) {
			kill()
			e.t.Fatalf("the shop does not answer: %s", &printed)
		}
	}
}

// press presses a button of an order's page, or looks at the page until it has the wanted text.
func (e *example) press(address, id, button, wanted string) {
	e.t.Helper()
	text := ""
	for end := time.Now().Add(patience); !strings.Contains(text, wanted); time.Sleep(50 * time.Millisecond) {
		url := "http://" + address + "/orders/" + id
		ask := http.Get
		if button != "" {
			ask = func(url string) (*http.Response, error) {
				return http.Post(url+"/"+button, "application/x-www-form-urlencoded", nil)
			}
		}
		answer := must(ask(url))
		text = string(must(io.ReadAll(answer.Body)))
		_ = answer.Body.Close()
		if button != "" && !strings.Contains(text, wanted) || time.Now().After(end) {
			e.t.Fatalf("no %q:\n%s", wanted, text)
		}
	}
}

func TestExampleSellsOnceDespiteKillsAndLosses(t *testing.T) {
	e := &example{t: t, program: filepath.Join(t.TempDir(), "shop"), place: postgresql(t)}
	if printed, err := exec.Command("go", "build", "-o", e.program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	e.db = openDB(t, "pgx", e.place)
	must(e.db.Exec("CREATE TABLE orders (id TEXT PRIMARY KEY, sum TEXT NOT NULL, phone TEXT NOT NULL);" + shipments))
	sandbox := merchantpaytest.Start(t)
	sandbox.Setenv(t) // The shop reads its settings from the environment.
	openJournal(t, sandbox, e.place).Close()
	_, steady := e.start("")
	kill, other := e.start("")
	order := func(id string) string {
		must(e.db.Exec("INSERT INTO orders (id, sum, phone) VALUES ('" + id + "', '1500.50', '79001234567')"))
		return id
	}
	var orders []string
	for i := range 8 {
		orders = append(orders, order(fmt.Sprintf("order-%d", i)))
		e.press(steady, orders[i], "pay", "I have paid")
		e.press(other, orders[i], "pay", "I have paid") // The customer presses the button again.
	}
	if err := sandbox.Fail(merchantpaytest.Fault{Kind: "dropAfterCommit", Operation: "newPayment"}); err != nil {
		t.Fatal(err)
	}
	e.press(other, order("lost"), "pay", "Please do not pay again")
	for i, id := range orders {
		e.press([]string{steady, other}[i%2], id, "paid", "Thank you")
		if i%3 == 1 {
			kill()
			kill, _ = e.start(other)
		}
	}
	e.press(other, "lost", "pay", "Please do not pay again")
	if count := must(sandbox.Requests("newPayment")); count != len(orders)+1 {
		t.Error(count)
	}
	for _, id := range orders {
		e.press(steady, id, "", "your payment has arrived")
	}
	found, wanted := "", strings.Join(orders, " ")
	for end := time.Now().Add(patience); found != wanted && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		row := e.db.QueryRow("SELECT coalesce(string_agg(order_id, ' ' ORDER BY order_id), '') FROM shipments")
		if err := row.Scan(&found); err != nil {
			t.Fatal(err)
		}
	}
	if found != wanted {
		t.Errorf("%q were shipped in place of %q", found, wanted)
	}
}
