// Stores a payment before it would be sent, and its reply, with pgx over the journal's table. The guarantees are those of
// bench/python/statements.py. No statement is prepared by name, as a pooler of connections needs it.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/merchantpay/merchantpay-go/bench/command"
)

const (
	look   = `SELECT details FROM merchantpay_attempts WHERE reference = $1 ORDER BY attempt DESC LIMIT 1`
	insert = `INSERT INTO merchantpay_attempts (reference, attempt, token, stamp, state, sum_asked, asked, call_until, created_at,
updated_at, news, acked, tries, intent_calls, attention, seen, refusals, replaced, restored, not_sent, asynchronous, receipt_given)
VALUES ($1, 1, $2, $3, 'sent', $4, $5, $6, $7, $7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`
	update = `UPDATE merchantpay_attempts SET stamp = $1, state = 'open', call_until = NULL, order_id = $2, sum_paid = $3, details = $4,
due_at = $5, asking_since = $6, news = $6, news_due = $6, updated_at = $6 WHERE reference = $7 AND attempt = 1 AND stamp = $8`
)

var request = map[string]string{
	"sum": "1500.50", "currency": "RUB", "paymentMethod": "sbp", "customerAccount": "79001234567",
}

func main() {
	ctx := context.Background()
	config, err := pgx.ParseConfig(os.Getenv("BENCH_JOURNAL"))
	if err != nil {
		log.Fatal(err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	database, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	reply := map[string]any{}
	if err := json.Unmarshal(command.Webhook(), &reply); err != nil {
		log.Fatal(err)
	}
	command.Serve(map[string]func() error{"pay": func() error { return pay(ctx, database, reply) }})
}

func pay(ctx context.Context, database *pgx.Conn, reply map[string]any) error {
	reference, now := "order-"+random(8), time.Now().UnixMilli()
	var stored *string
	if err := database.QueryRow(ctx, look, reference).Scan(&stored); !errors.Is(err, pgx.ErrNoRows) {
		return errors.Join(command.ErrOther, err)
	}
	token, stamp := random(16), random(16)
	fields, err := json.Marshal(request)
	if err != nil {
		return err
	}
	hash := hmac.New(sha256.New, []byte(token))
	hash.Write(fields)
	asked := hex.EncodeToString(hash.Sum(nil))
	if _, err := database.Exec(ctx, insert, reference, token, stamp, request["sum"], asked, now+40_000, now); err != nil {
		return err
	}
	// Here the request is sent.
	reply["orderId"], now = "sb-"+random(12), time.Now().UnixMilli()
	details, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	written, err := database.Exec(ctx, update, random(16), reply["orderId"], request["sum"], string(details), now+2_000, now, reference, stamp)
	if err == nil && written.RowsAffected() != 1 {
		err = errors.New("another process has it")
	}
	return err
}

func random(count int) string {
	bytes := make([]byte, count)
	_, _ = rand.Read(bytes) // It never fails.
	return hex.EncodeToString(bytes)
}
