// A shop with net/http and database/sql: nethttp ADDRESS FILE. FILE is the absolute path of the shop's SQLite database. The
// journal is the file payments.db beside it, which only the library opens. `nethttp - FILE` creates both. The client reads its
// settings from MERCHANTPAY_BASE_URL and so on.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/merchantpay/merchantpay-go"
	"github.com/shopspring/decimal"
	_ "modernc.org/sqlite" // The driver sqlite.
)

const (
	tables  = `CREATE TABLE orders (id TEXT PRIMARY KEY, sum TEXT NOT NULL, shipped INTEGER NOT NULL DEFAULT 0)`
	durable = "?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
)

// [service]
type shop struct {
	db      *sql.DB
	journal *merchantpay.Journal
}

// open makes the shop's database and journal once for the process: all goroutines share them.
func open(file, callbackURL string, create bool) (*shop, error) {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return nil, err
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+file+durable)
	if err != nil {
		return nil, err
	}
	journal, err := merchantpay.OpenJournal(client, merchantpay.JournalConfig{
		Place: filepath.Join(filepath.Dir(file), "payments.db"), CallbackURL: callbackURL, Create: create,
	})
	return &shop{db, journal}, err
}

// [/service]

// [webhook]
// routes contains the journal's own handler, which reads the raw body. report receives each webhook's result; it can be nil.
func (s *shop) routes(report func(*http.Request, merchantpay.Received)) http.Handler {
	routes := http.NewServeMux()
	routes.Handle("/callback/", s.journal.Handler(report))
	routes.HandleFunc("POST /orders/{id}/pay", s.pay)
	routes.HandleFunc("POST /orders/{id}/paid", s.paid)
	return routes
}

// [/webhook]

// pay handles the customer's button. The same order number returns the same payment.
func (s *shop) pay(w http.ResponseWriter, r *http.Request) {
	var sum decimal.Decimal
	err := s.db.QueryRowContext(r.Context(), `SELECT sum FROM orders WHERE id = ?`, r.PathValue("id")).Scan(&sum)
	if errors.Is(err, sql.ErrNoRows) {
		http.NotFound(w, r)
		return
	}
	request := merchantpay.PaymentRequest{Sum: sum, PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: r.FormValue("phone")}
	// The call continues even if the customer closes the page.
	entry, err := s.journal.Pay(context.WithoutCancel(r.Context()), r.PathValue("id"), request)
	switch {
	case errors.Is(err, merchantpay.ErrInvalidArgument):
		http.Error(w, err.Error(), http.StatusBadRequest)
	case err != nil:
		http.Error(w, "try again in a moment", http.StatusServiceUnavailable)
	default:
		shown := map[string]string{"standing": entry.Standing.String(), "sum": merchantpay.AmountText(sum)}
		if entry.Credentials != nil { // only if the customer can pay now
			shown["deeplink"] = entry.Credentials.Deeplink
		}
		_ = json.NewEncoder(w).Encode(shown)
	}
}

func (s *shop) paid(w http.ResponseWriter, r *http.Request) {
	entry, err := s.journal.Find(r.Context(), r.PathValue("id"))
	if err == nil && (entry == nil || entry.Credentials == nil) {
		http.Error(w, "nothing is to be paid", http.StatusConflict)
		return
	}
	if err == nil {
		_, err = s.journal.Confirm(context.WithoutCancel(r.Context()), entry)
	}
	if err != nil {
		http.Error(w, "try again in a moment", http.StatusServiceUnavailable)
	}
}

// [ship]
// shipPaid ships paid orders. An order is shipped before it is acknowledged: after a crash between the two its news come again,
// and the order is then already marked as shipped.
func (s *shop) shipPaid(ctx context.Context) error {
	_, err := s.journal.Settle(ctx, 100)
	news, failure := s.journal.News(ctx, 100)
	for _, entry := range news {
		failure = errors.Join(failure, s.ship(ctx, entry))
	}
	return errors.Join(err, failure)
}

func (s *shop) ship(ctx context.Context, entry *merchantpay.Entry) error {
	if entry.Succeeded { // exactly the requested sum was paid
		if _, err := s.db.ExecContext(ctx, `UPDATE orders SET shipped = 1 WHERE id = ?`, entry.Reference); err != nil {
			return err
		}
	}
	_, err := s.journal.Acknowledge(ctx, entry)
	return err
}

// [/ship]

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: nethttp ADDRESS FILE")
	}
	if err := listen(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func listen(address, file string) error {
	s, err := open(file, "http://"+address+"/callback", address == "-")
	if err != nil {
		return err
	}
	if address == "-" {
		_, err = s.db.Exec(tables)
		return err
	}
	go func() {
		for ; ; time.Sleep(time.Second) {
			if err := s.shipPaid(context.Background()); err != nil {
				log.Print(err)
			}
		}
	}()
	return http.ListenAndServe(address, s.routes(nil))
}
