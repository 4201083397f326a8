// One of the paying processes, in Go: it works like src/journal/worker.rs and shop.rs, with PostgreSQL
// through pgx. Separate goroutines serve the callbacks.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // Registers the driver pgx.
	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

const (
	workers  = 8
	patience = time.Minute
)

var background = context.Background()

type worker struct {
	journal *merchantpay.Journal
	log     *os.File
}

func must(err error) {
	if err != nil {
		log.Fatal("worker in Go: ", err)
	}
}

func number(text string) int {
	number, err := strconv.Atoi(text)
	must(err)
	return number
}

// note writes a line with one write, so that a kill leaves no half line.
func (w *worker) note(format string, values ...any) {
	_, err := fmt.Fprintf(w.log, format+"\n", values...)
	must(err)
}

// reached returns the number of the payment that this process had reached before it was killed.
func reached(path string) int {
	file, err := os.Open(path)
	must(err)
	defer func() { _ = file.Close() }()
	next := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if done, ok := strings.CutPrefix(lines.Text(), "done "); ok {
			next = number(done) + 1
		}
	}
	return next
}

// steadily repeats a call while the journal or its database is busy.
func steadily[T any](call func() (T, error)) T {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		result, err := call()
		if failure := (*merchantpay.Error)(nil); errors.As(err, &failure) && failure.IsTransient() && time.Now().Before(end) {
			continue
		}
		must(err)
		return result
	}
}

func numberOf(entry *merchantpay.Entry) int {
	return number(strings.TrimPrefix(entry.Reference, "order-"))
}

// pay creates a payment. The argument replace is the number of the attempt to replace, or 0. Each payment has a
// different sum.
func (w *worker) pay(number, replace int) *merchantpay.Entry {
	account, isOther := map[int]string{3: "no-credentials", 5: "pays-less", 9: "payment-fails"}[number%40]
	if !isOther {
		account = "79001234567"
	}
	request := merchantpay.PaymentRequest{
		Sum: decimal.New(int64(10010+10*number), -2), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: account,
	}
	pay, replaceBy := w.journal.Pay, w.journal.Replace
	if number%2 == 1 {
		pay, replaceBy = w.journal.PayAsync, w.journal.ReplaceAsync
	}
	reference := "order-" + strconv.Itoa(number)
	return steadily(func() (*merchantpay.Entry, error) {
		if replace != 0 {
			return replaceBy(background, reference, replace, request)
		}
		return pay(background, reference, request)
	})
}

// serve gives the credentials, if any, to a customer who pays immediately. For one customer in fifty the shop cancels the payment and makes
// another payment.
func (w *worker) serve(entry *merchantpay.Entry) {
	if entry.OrderID == "" || entry.Credentials == nil {
		return
	}
	w.note("handed %s %d %s", entry.Reference, entry.Attempt, entry.OrderID)
	if numberOf(entry)%50 == 7 && entry.Attempt == 1 {
		cancelled := steadily(func() (*merchantpay.Entry, error) { return w.journal.Cancel(background, entry) })
		if cancelled.Cancel == merchantpay.IntentAccepted {
			w.note("cancelled %s %d", entry.Reference, entry.Attempt)
			w.serve(w.pay(numberOf(entry), entry.Attempt))
		}
	} else if entry.Confirm == 0 {
		steadily(func() (*merchantpay.Entry, error) { return w.journal.Confirm(background, entry) })
	}
}

// take creates a payment. A cashier replaces one third of the payments whose reply is lost.
func (w *worker) take(number int) {
	entry := w.pay(number, 0)
	w.serve(entry)
	if entry.Standing == merchantpay.StandingUnknown && number%3 == 0 {
		w.serve(w.pay(number, entry.Attempt))
	}
}

// turn handles some reported changes (news), and settles some due attempts. It returns whether there was anything to do.
func (w *worker) turn(limit int) bool {
	news := steadily(func() ([]*merchantpay.Entry, error) { return w.journal.News(background, limit) })
	for _, entry := range news {
		w.serve(entry)
		if steadily(func() (bool, error) { return w.journal.Acknowledge(background, entry) }) && entry.Succeeded {
			w.note("shipped %s", entry.Reference)
		}
	}
	settled := steadily(func() (merchantpay.Settled, error) { return w.journal.Settle(background, limit) })
	return len(news) > 0 || settled.Done > 0
}

func openJournal() *merchantpay.Journal {
	config, err := merchantpay.ConfigFromEnv()
	must(err)
	client, err := merchantpay.NewClient(config)
	must(err)
	database := fmt.Sprintf("host=%s user=shop dbname=%s", os.Getenv("SOCKET"), os.Getenv("DATABASE"))
	// In the mode simple_protocol the driver uses no named statements, so that pgbouncer works too.
	db, err := sql.Open("pgx", database+" default_query_exec_mode=simple_protocol")
	must(err)
	journal, err := merchantpay.OpenJournal(client, merchantpay.JournalConfig{
		DB: db, Dialect: merchantpay.DialectPostgreSQL, CallbackURL: os.Getenv("HOOKS"), Timeout: 15 * time.Second, CallsPerSecond: 1000,
	})
	must(err)
	return journal
}

func main() {
	own, payments := number(os.Getenv("WORKER")), number(os.Getenv("PAYMENTS"))
	file, err := os.OpenFile(os.Getenv("LOG"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	must(err)
	// At the end of the run the parent closes this process's input.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	w := &worker{openJournal(), file}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	go func() { must(http.Serve(listener, w.journal.Handler(nil))) }()
	fmt.Println("listening", listener.Addr().(*net.TCPAddr).Port)
	for number := reached(file.Name()); number < payments; number++ {
		if number%workers == own || number%workers == (own+1)%workers {
			w.take(number)
			w.turn(4)
			w.note("done %d", number)
		}
	}
	fmt.Println("finished")
	for {
		if !w.turn(20) {
			time.Sleep(50 * time.Millisecond)
		}
	}
}
