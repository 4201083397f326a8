//go:build databases

package databases_test

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
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // Registers the driver mysql.
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // Registers the driver pgx.
	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/merchantpaytest"
)

var background = context.Background()

// patience is longer than the lease of news, which a killed shop leaves behind.
const patience = 90 * time.Second

// transaction is the shop's own, in the way of its driver.
type transaction struct {
	exec             func(statement string, parameters ...any) (changed int64, err error)
	commit, rollback func() error
}

// store is a database of the shop's own, which also has the journal.
type store struct {
	place   string
	style   merchantpay.Style
	begin   func() (transaction, error)
	shipped func() (count int, err error)
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
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func mustRun(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// postgresql makes a database, and returns its URL, which the library and pgx read alike.
func postgresql(t *testing.T) string {
	t.Helper()
	url := func(name string) string {
		return "postgresql:///" + name + "?user=shop&host=" + server(t, "MERCHANTPAY_POSTGRESQL")
	}
	name := "go_" + strings.ToLower(rand.Text())
	// The template is not the default one, which other tests copy at the same time.
	mustRun(t, openDB(t, "pgx", url("postgres")), "CREATE DATABASE "+name+" TEMPLATE template0")
	return url(name)
}

const shipments = "CREATE TABLE shipments (order_id VARCHAR(120) NOT NULL)"

func overSQL(t *testing.T, place string, style merchantpay.Style, db *sql.DB) store {
	t.Helper()
	mustRun(t, db, shipments)
	begin := func() (transaction, error) {
		tx, err := db.Begin()
		if err != nil {
			return transaction{}, err
		}
		exec := func(statement string, parameters ...any) (int64, error) {
			result, err := tx.Exec(statement, parameters...)
			if err != nil {
				return 0, err
			}
			return result.RowsAffected()
		}
		return transaction{exec, tx.Commit, tx.Rollback}, nil
	}
	shipped := func() (count int, err error) {
		return count, db.QueryRow("SELECT COUNT(*) FROM shipments").Scan(&count)
	}
	return store{place, style, begin, shipped}
}

func overPgx(t *testing.T, place string) store {
	t.Helper()
	pool, err := pgxpool.New(background, place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(background, shipments); err != nil {
		t.Fatal(err)
	}
	begin := func() (transaction, error) {
		tx, err := pool.Begin(background)
		if err != nil {
			return transaction{}, err
		}
		exec := func(statement string, parameters ...any) (int64, error) {
			tag, err := tx.Exec(background, statement, parameters...)
			return tag.RowsAffected(), err
		}
		return transaction{exec, func() error { return tx.Commit(background) }, func() error { return tx.Rollback(background) }}, nil
	}
	shipped := func() (count int, err error) {
		return count, pool.QueryRow(background, "SELECT COUNT(*) FROM shipments").Scan(&count)
	}
	return store{place, merchantpay.StyleDollar, begin, shipped}
}

func mariadb(t *testing.T) store {
	t.Helper()
	name, socket := "go_"+strings.ToLower(rand.Text()), server(t, "MERCHANTPAY_MARIADB")
	source := "root@unix(" + socket + ")/"
	mustRun(t, openDB(t, "mysql", source+"mysql"), "CREATE DATABASE "+name+" CHARACTER SET utf8mb4")
	return overSQL(t, "mysql:///"+name+"?user=root&socket="+socket, merchantpay.StyleQuestion, openDB(t, "mysql", source+name))
}

// ship acknowledges and ships an entry in one transaction. It returns false if the acknowledgement changed nothing.
func (s *store) ship(entry *merchantpay.Entry, end func(transaction) error) (bool, error) {
	tx, err := s.begin()
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.rollback() }()
	statement, parameters := entry.AcknowledgeSQL(s.style)
	if changed, err := tx.exec(statement, parameters...); err != nil || changed == 0 {
		return false, err
	}
	if _, err := tx.exec("INSERT INTO shipments (order_id) VALUES ('" + entry.Reference + "')"); err != nil {
		return false, err
	}
	return true, end(tx)
}

func TestShopShipsOnceInItsOwnTransaction(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) store{
		"pgx": func(t *testing.T) store { return overPgx(t, postgresql(t)) },
		"pgx by database/sql": func(t *testing.T) store {
			place := postgresql(t)
			return overSQL(t, place, merchantpay.StyleDollar, openDB(t, "pgx", place))
		},
		"MariaDB by database/sql": mariadb,
	} {
		t.Run(name, func(t *testing.T) {
			shop := open(t)
			journal := openJournal(t, merchantpaytest.Start(t), shop.place)
			entry := sold(t, journal)
			if ok, err := shop.ship(entry, func(tx transaction) error { return tx.rollback() }); err != nil || !ok {
				t.Fatal(ok, err)
			}
			var workers sync.WaitGroup
			var first atomic.Int32
			for range 4 {
				workers.Add(1)
				go func() {
					defer workers.Done()
					ok, err := shop.ship(entry, func(tx transaction) error { return tx.commit() })
					if err != nil {
						t.Error(err)
					} else if ok {
						first.Add(1)
					}
				}()
			}
			workers.Wait()
			if count, err := shop.shipped(); err != nil || count != 1 || first.Load() != 1 {
				t.Error(count, first.Load(), err)
			}
			if found, err := journal.Find(background, entry.Reference); err != nil || !found.Acknowledged {
				t.Error(found, err)
			}
			if changed, err := journal.Acknowledge(background, entry); err != nil || changed {
				t.Error(changed, err)
			}
		})
	}
}

func openJournal(t *testing.T, sandbox *merchantpaytest.Sandbox, place string) *merchantpay.Journal {
	t.Helper()
	journal, err := merchantpay.OpenJournal(sandbox.Client(t), merchantpay.JournalConfig{Place: place, Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(journal.Close)
	return journal
}

// sold makes a payment that succeeds, and returns its news.
func sold(t *testing.T, journal *merchantpay.Journal) *merchantpay.Entry {
	t.Helper()
	entry, err := journal.Pay(background, "order-1", merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Confirm(background, entry); err != nil {
		t.Fatal(err)
	}
	if entry, err = journal.Wait(background, "order-1", patience, merchantpay.UntilFinal); err != nil || !entry.Succeeded {
		t.Fatal(entry, err)
	}
	news, err := journal.News(background, 10)
	if err != nil || len(news) != 1 || news[0].News != entry.News {
		t.Fatal(news, err)
	}
	return news[0]
}

// example is the example program shop over a database of its own.
type example struct {
	t              *testing.T
	db             *sql.DB
	program, place string
}

func newExample(t *testing.T) (*example, *merchantpaytest.Sandbox) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "shop")
	build := exec.Command("go", "build", "-o", program, "./shop")
	build.Dir = "../../../../examples/go"
	if printed, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	place := postgresql(t)
	db := openDB(t, "pgx", place)
	mustRun(t, db, "CREATE TABLE orders (id TEXT PRIMARY KEY, sum TEXT NOT NULL, phone TEXT NOT NULL)", shipments)
	sandbox := merchantpaytest.Start(t)
	sandbox.Setenv(t) // The shop reads its settings from the environment.
	openJournal(t, sandbox, place).Close()
	return &example{t, db, program, place}, sandbox
}

// start runs the shop on the given address, or on a free one, and waits until the shop answers.
func (e *example) start(address string) (kill func(), at string) {
	e.t.Helper()
	if address == "" {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			e.t.Fatal(err)
		}
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
		if _, err := page(address, "none", ""); err == nil {
			return kill, address
		}
		if time.Now().After(end) {
			kill()
			e.t.Fatalf("the shop does not answer: %s", &printed)
		}
	}
}

// page returns the page that a customer sees. If a button is given, the customer presses the button first.
func page(address, id, button string) (string, error) {
	url := "http://" + address + "/orders/" + id
	var answer *http.Response
	var err error
	if button == "" {
		answer, err = http.Get(url)
	} else {
		answer, err = http.Post(url+"/"+button, "application/x-www-form-urlencoded", nil)
	}
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

func (e *example) page(address, id, button, wanted string) {
	e.t.Helper()
	text, err := page(address, id, button)
	for end := time.Now().Add(patience); button == "" && !strings.Contains(text, wanted) && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
		text, err = page(address, id, button)
	}
	if err != nil || !strings.Contains(text, wanted) {
		e.t.Fatalf("no %q: %v\n%s", wanted, err, text)
	}
}

func (e *example) wantShipments(wanted string) {
	e.t.Helper()
	found := ""
	for end := time.Now().Add(patience); found != wanted && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err := e.db.QueryRow("SELECT coalesce(string_agg(order_id, ' ' ORDER BY order_id), '') FROM shipments").Scan(&found); err != nil {
			e.t.Fatal(err)
		}
	}
	if found != wanted {
		e.t.Errorf("%q were shipped in place of %q", found, wanted)
	}
}

func TestTwoShopsOfWhichOneIsKilledSellOnce(t *testing.T) {
	e, sandbox := newExample(t)
	_, steady := e.start("")
	kill, other := e.start("")
	var orders []string
	for i := range 8 {
		orders = append(orders, fmt.Sprintf("order-%d", i))
		mustRun(t, e.db, "INSERT INTO orders (id, sum, phone) VALUES ('"+orders[i]+"', '1500.50', '79001234567')")
		e.page(steady, orders[i], "pay", "I have paid")
		e.page(other, orders[i], "pay", "I have paid") // The customer presses the button again.
	}
	if count, err := sandbox.Requests("newPayment"); err != nil || count != len(orders) {
		t.Fatal(count, err)
	}
	for i, id := range orders {
		e.page([]string{steady, other}[i%2], id, "paid", "Thank you")
		if i%3 == 1 {
			kill()
			kill, _ = e.start(other)
		}
	}
	for _, id := range orders {
		e.page(steady, id, "", "your payment has arrived")
	}
	e.wantShipments(strings.Join(orders, " "))
}

func TestLostReplyMakesNoSecondPayment(t *testing.T) {
	e, sandbox := newExample(t)
	mustRun(t, e.db, "INSERT INTO orders (id, sum, phone) VALUES ('order-1', '1500.50', '79001234567')")
	kill, address := e.start("")
	if err := sandbox.Fail(merchantpaytest.Fault{Kind: "dropAfterCommit", Operation: "newPayment"}); err != nil {
		t.Fatal(err)
	}
	e.page(address, "order-1", "pay", "Please do not pay again")
	kill()
	_, address = e.start(address)
	e.page(address, "order-1", "pay", "Please do not pay again")
	if count, err := sandbox.Requests("newPayment"); err != nil || count != 1 {
		t.Error(count, err)
	}
}
