// A shop over PostgreSQL, with a page for each order and a worker that ships paid orders: shop ADDRESS DATABASE. DATABASE is
// postgresql://…, and has the journal and the tables orders (id, sum, phone) and shipments (order_id). Kill the program at any
// point, or run it twice: each order is paid once and shipped once.
package main

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"log"
	"net/http"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // The driver pgx.
	"github.com/merchantpay/merchantpay-go"
	"rsc.io/qr"
)

//go:embed order.html
var orderPage string
var page = template.Must(template.New("order").Funcs(template.FuncMap{"qr": picture, "amount": merchantpay.AmountText}).Parse(orderPage))

func picture(text string) (template.URL, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", err
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(code.PNG())), nil
}

type shop struct {
	db      *sql.DB
	journal *merchantpay.Journal
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: shop ADDRESS DATABASE")
	}
	log.Fatal(serve(os.Args[1], os.Args[2]))
}

// [service]
func serve(address, database string) error {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return err
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		return err
	}
	db, err := sql.Open("pgx", database)
	if err != nil {
		return err
	}
	journal, err := merchantpay.OpenJournal(client, merchantpay.JournalConfig{
		Place: database, CallbackURL: "http://" + address + "/pay/callback",
	})
	if err != nil {
		return err
	}
	s := &shop{db, journal}
	go func() { log.Fatal(s.work(context.Background())) }()
	http.Handle("/pay/callback/", journal.Handler(nil))
	http.HandleFunc("GET /orders/{id}", s.answer(s.show))
	http.HandleFunc("POST /orders/{id}/pay", s.answer(s.pay))
	http.HandleFunc("POST /orders/{id}/paid", s.answer(s.paid))
	return http.ListenAndServe(address, nil)
}

// [/service]

// answer redirects to the order's page after a button (POST).
func (s *shop) answer(do func(ctx context.Context, w http.ResponseWriter, id string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// A customer who closes the page does not end the call.
		err := do(context.WithoutCancel(r.Context()), w, r.PathValue("id"))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			http.NotFound(w, r)
		case err != nil:
			log.Print(err)
			http.Error(w, "Please try again in a moment.", http.StatusServiceUnavailable)
		case r.Method == http.MethodPost:
			http.Redirect(w, r, "/orders/"+r.PathValue("id"), http.StatusSeeOther)
		}
	}
}

// pay handles the customer's button. Pressing it ten times makes one payment.
func (s *shop) pay(ctx context.Context, _ http.ResponseWriter, id string) error {
	request := merchantpay.PaymentRequest{PaymentMethod: merchantpay.PaymentMethodSBP}
	err := s.db.QueryRowContext(ctx, `SELECT sum, phone FROM orders WHERE id = $1`, id).Scan(&request.Sum, &request.CustomerAccount)
	if err == nil {
		_, err = s.journal.Pay(ctx, id, request)
	}
	return err
}

func (s *shop) paid(ctx context.Context, _ http.ResponseWriter, id string) error {
	entry, err := s.journal.Find(ctx, id)
	if err == nil && entry != nil {
		_, err = s.journal.Confirm(ctx, entry)
	}
	return err
}

func (s *shop) show(ctx context.Context, w http.ResponseWriter, id string) error {
	var sum string
	if err := s.db.QueryRowContext(ctx, `SELECT sum FROM orders WHERE id = $1`, id).Scan(&sum); err != nil {
		return err
	}
	entry, err := s.journal.Find(ctx, id)
	if err != nil {
		return err
	}
	return page.Execute(w, map[string]any{"ID": id, "Sum": sum, "Entry": entry})
}

// work asks the service about open attempts and acts on news as long as the program runs. Several programs can do this at the
// same time. It continues after a restart of the database, and ends with an error that needs a person.
func (s *shop) work(ctx context.Context) error {
	for ; ; time.Sleep(200 * time.Millisecond) {
		_, err := s.journal.Settle(ctx, 100)
		news, failure := s.journal.News(ctx, 100)
		for _, entry := range news {
			failure = errors.Join(failure, s.act(ctx, entry))
		}
		if err = errors.Join(err, failure); err == nil {
			continue
		}
		var ours *merchantpay.Error
		if errors.As(err, &ours) && !ours.IsTransient() {
			return err
		}
		log.Print(err)
	}
}

// act acknowledges and ships in one transaction, so each order is shipped exactly once. [act]
func (s *shop) act(ctx context.Context, entry *merchantpay.Entry) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	statement, parameters := entry.AcknowledgeSQL(merchantpay.StyleDollar)
	result, err := tx.ExecContext(ctx, statement, parameters...) // must be first: only one worker continues
	if err != nil {
		return err
	}
	if changed, err := result.RowsAffected(); err != nil || changed == 0 {
		return err // another worker was first, or News will return something newer
	}
	if entry.Succeeded {
		if _, err := tx.ExecContext(ctx, `INSERT INTO shipments (order_id) VALUES ($1)`, entry.Reference); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// [/act]
