// Runs the code of a page, which guides.py puts in. examples.py sets the environment.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

// bindings/go/README.md

func main() {
	ctx, client := context.Background(), must(merchantpay.NewClient(must(merchantpay.ConfigFromEnv())))
	defer client.Close()
	check(client.Connect(ctx))
	payment := must(pay(ctx, client))
	check(money(payment))
	if !must(confirm(ctx, client, payment.OrderID)) {
		log.Fatal("it was not paid exactly")
	}
	check(cancelPayment(ctx, client, payment.OrderID))
	check(cancelPayment(ctx, client, must(pay(ctx, client)).OrderID))
	check(attach(ctx, client, os.Getenv("DISPUTED"), os.Getenv("RECEIPT")))
	sellByJournal(ctx, client)

	verifier := must(merchantpay.NewWebhookVerifier(merchantpay.Config{ServerPublicKey: os.Getenv("MERCHANTPAY_SERVER_PUBLIC_KEY")}))
	for body, status := range map[string]int{os.Getenv("WEBHOOK_BODY"): http.StatusOK, "{}": http.StatusBadRequest} {
		request := httptest.NewRequest(http.MethodPost, "/hook", strings.NewReader(body))
		request.Header.Set(merchantpay.SignatureHeader, os.Getenv("WEBHOOK_SIGNATURE"))
		answer := httptest.NewRecorder()
		receive(verifier)(answer, request)
		if answer.Code != status {
			log.Fatalf("answered %d in place of %d", answer.Code, status)
		}
	}
	fmt.Println("the end")
}

func sellByJournal(ctx context.Context, client *merchantpay.Client) {
	journal := must(openJournal(client))
	defer journal.Close()
	handleCallbacks(journal)
	request := merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
	}
	if must(sell(ctx, journal, request)) == nil {
		log.Fatal("there are no credentials")
	}
	check(customerHasPaid(ctx, journal))
	for shipped := false; !shipped; time.Sleep(50 * time.Millisecond) {
		check(everyFewSeconds(ctx, journal, func(*merchantpay.Entry) { shipped = true }))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}
