//go:build databases

package databases_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

// BenchmarkPay is Journal.Pay beside a merchant's own code of the same statements over the same driver: it looks for the order, stores
// what it is about to do, looks whether that is stored as others see it, pays, and stores the result of it.
func BenchmarkPay(b *testing.B) {
	for _, driver := range []string{"pgx", "postgres", "mysql"} {
		var of place
		if driver == "mysql" {
			of = mariadb(b)
		} else {
			of = postgresql(b, driver)
		}
		s := newSandbox(b)
		db := of.open(b)
		journal := s.open(of.config(db))
		text := "TEXT"
		if driver == "mysql" {
			text = "TEXT CHARACTER SET utf8mb4"
		}
		mustRun(b, db, "CREATE TABLE payments (reference VARCHAR(120) PRIMARY KEY, state VARCHAR(20), order_id VARCHAR(200), reply "+text+")")
		number := 0
		next := func() string {
			number++
			return fmt.Sprintf("order-%d", number)
		}
		b.Run(driver+"/journal", func(b *testing.B) {
			for range b.N {
				pay(b, journal, next())
			}
		})
		b.Run(driver+"/by hand", func(b *testing.B) {
			for range b.N {
				if err := payByHand(db, s.client, next(), of.dialect); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func payByHand(db *sql.DB, client *merchantpay.Client, reference string, dialect merchantpay.Dialect) error {
	find, insert := "SELECT state FROM payments WHERE reference = ?", "INSERT INTO payments (reference, state) VALUES (?, 'sending')"
	update := "UPDATE payments SET state = 'open', order_id = ?, reply = ? WHERE reference = ? AND state = 'sending'"
	if dialect == merchantpay.DialectPostgreSQL {
		find, insert = "SELECT state FROM payments WHERE reference = $1", "INSERT INTO payments (reference, state) VALUES ($1, 'sending')"
		update = "UPDATE payments SET state = 'open', order_id = $1, reply = $2 WHERE reference = $3 AND state = 'sending'"
	}
	var state string
	if err := db.QueryRow(find, reference).Scan(&state); !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s is there: %w", reference, err)
	}
	if _, err := db.Exec(insert, reference); err != nil {
		return err
	}
	if err := db.QueryRow(find, reference).Scan(&state); err != nil {
		return err
	}
	payment, err := client.NewPayment(background, merchantpay.PaymentRequest{
		Sum: decimal.NewFromInt(10), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567", MerchantID: reference,
	})
	if err != nil {
		return err
	}
	_, err = db.Exec(update, payment.OrderID, string(payment.JSON), reference)
	return err
}
