//go:build databases

package databases_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

// BenchmarkPay compares Journal.Pay with hand-written code that gives the same guarantees, over the same driver
// and client. In both, the row is durable before the call. The row has a token for its webhook, a hash of the
// request, and the time after which its standing is unknown. If the database's answer to a write is lost, the
// writer and the version in the row show whether the write happened. The row is read again together with
// earlier attempts, and the reply is stored before it is shown. Each statement has a deadline. The table has
// indexes for due attempts, for news and for attention.
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
		hand := newByHand(s.client, db, of.dialect)
		mustRun(b, db, hand.tables...)
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
				if err := hand.pay(next()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type byHand struct {
	client                       *merchantpay.Client
	db                           *sql.DB
	tables                       []string
	look, insert, stored, update string
}

func newByHand(client *merchantpay.Client, db *sql.DB, dialect merchantpay.Dialect) *byHand {
	key, text, now, inTransaction := "VARBINARY(480)", "LONGTEXT CHARACTER SET utf8mb4", "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)", "@@in_transaction"
	// MariaDB has no partial indexes, so its indexes contain every row.
	indexes := []string{"due_at", "acknowledged, reported", "attention"}
	if dialect == merchantpay.DialectPostgreSQL {
		key, text, now = "TEXT", "TEXT", "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
		inTransaction = "CASE WHEN txid_current_if_assigned() IS NULL THEN 0 ELSE 1 END"
		indexes = []string{"due_at) WHERE (due_at IS NOT NULL", "updated_at) WHERE (reported > acknowledged", "created_at) WHERE (attention IS NOT NULL"}
	}
	written := strings.NewReplacer("{key}", key, "{text}", text, "{now}", now, "{in transaction}", inTransaction)
	statement := func(sql string) string {
		sql = written.Replace(sql)
		for number := 1; dialect == merchantpay.DialectPostgreSQL && strings.Contains(sql, "?"); number++ {
			sql = strings.Replace(sql, "?", "$"+strconv.Itoa(number), 1)
		}
		return sql
	}
	tables := []string{
		statement(`CREATE TABLE payments (reference {key} NOT NULL, attempt BIGINT NOT NULL, account {key} NOT NULL, standing {key} NOT NULL,
			order_id {key} UNIQUE, status {key}, sum_asked {key} NOT NULL, sum_paid {key}, reported BIGINT NOT NULL, acknowledged BIGINT NOT NULL,
			attention {key}, due_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, version BIGINT NOT NULL, writer {key} NOT NULL,
			token {key} NOT NULL UNIQUE, record {text} NOT NULL, PRIMARY KEY (reference, attempt))`),
	}
	for number, columns := range indexes {
		tables = append(tables, fmt.Sprintf("CREATE INDEX payments_%d ON payments (%s)", number, columns))
	}
	return &byHand{
		client: client,
		db:     db,
		tables: tables,
		look: statement(`SELECT {now}, p.account FROM (SELECT 1 AS one) AS o LEFT JOIN
			(SELECT account FROM payments WHERE reference = ? ORDER BY attempt DESC LIMIT 1) AS p ON 1 = 1`),
		insert: statement(`INSERT INTO payments (reference, attempt, account, standing, sum_asked, reported, acknowledged, due_at, created_at,
			updated_at, version, writer, token, record) VALUES (?, 1, 'shop', 'sending', '10', 0, 0, ?, ?, ?, 1, ?, ?, ?)`),
		stored: statement(`SELECT (SELECT writer FROM payments WHERE reference = ? AND attempt = 1), (SELECT COUNT(*) FROM payments
			WHERE reference = ? AND attempt < 1 AND standing NOT IN ('superseded', 'final')), {in transaction}`),
		update: statement(`UPDATE payments SET standing = 'open', order_id = ?, status = ?, sum_paid = ?, reported = 1, due_at = ?, updated_at = ?,
			version = 2, writer = ?, record = ? WHERE reference = ? AND attempt = 1 AND version = 1`),
	}
}

func (h *byHand) pay(reference string) error {
	ctx, cancel := context.WithTimeout(background, 30*time.Second)
	defer cancel()
	var now int64
	var account sql.NullString
	if err := h.db.QueryRowContext(ctx, h.look, reference).Scan(&now, &account); err != nil {
		return err
	}
	if account.Valid {
		return fmt.Errorf("%s is there", reference)
	}
	token, writer := randomText(), randomText()
	request := merchantpay.PaymentRequest{
		Sum: decimal.NewFromInt(10), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567", MerchantID: reference,
		StatusWebhookURL: "https://shop.example/pay/callback/" + token,
	}
	hash := hmac.New(sha256.New, []byte(token))
	hash.Write([]byte(`{"sum":10,"currency":"RUB","paymentMethod":"sbp","customerAccount":"79001234567"}`))
	record := map[string]any{"requestHash": hex.EncodeToString(hash.Sum(nil)), "paymentMethod": "sbp"}
	if _, err := h.db.ExecContext(ctx, h.insert, reference, now+40_000, now, now, writer, token, mustJSON(record)); err != nil {
		return err
	}
	var seen string
	var unsealed, inTransaction int
	if err := h.db.QueryRowContext(ctx, h.stored, reference, reference).Scan(&seen, &unsealed, &inTransaction); err != nil {
		return err
	}
	if seen != writer || unsealed != 0 || inTransaction != 0 {
		return errors.New("it is not stored for good")
	}
	payment, err := h.client.NewPayment(background, request)
	if err != nil {
		return err
	}
	record["payment"] = payment.JSON
	result, err := h.db.ExecContext(ctx, h.update, payment.OrderID, string(payment.Status), payment.Sum.String(), now+2_000, now, randomText(), mustJSON(record), reference)
	if err != nil {
		return err
	}
	if affected, err := result.RowsAffected(); err != nil || affected != 1 {
		return fmt.Errorf("another process has it: %w", err)
	}
	return nil
}

func randomText() string {
	var random [16]byte
	_, _ = rand.Read(random[:])
	return hex.EncodeToString(random[:])
}

func mustJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
