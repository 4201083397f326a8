// The code of the package's README, which shows the lines between two marks. tests/docs runs it with a sandbox: guide RECEIPT
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

// [client]
func newClient() (*merchantpay.Client, error) {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return nil, err
	}
	return merchantpay.NewClient(config)
}

// [/client]

// [pay]
func pay(ctx context.Context, client *merchantpay.Client) (*merchantpay.Payment, error) {
	payment, err := client.NewPayment(ctx, merchantpay.PaymentRequest{
		Sum:             decimal.RequireFromString("1500.50"),
		PaymentMethod:   merchantpay.PaymentMethodSBP,
		CustomerAccount: "79001234567",
		MerchantID:      "order-1017",
	})
	switch {
	case err == nil:
		fmt.Println(payment.OrderID, "pay at", payment.Deeplink)
	case merchantpay.OutcomeOf(err) == merchantpay.OutcomeNotSent:
		fmt.Println("nothing was sent:", err)
	case errors.Is(err, merchantpay.ErrRejected):
		fmt.Println("refused:", err)
	default:
		fmt.Println("a payment may exist, do not send again:", err)
	}
	return payment, err
}

// [/pay]

// [confirm]
func confirm(ctx context.Context, client *merchantpay.Client, orderID string) (bool, error) {
	if err := client.Confirm(ctx, orderID); err != nil { // the customer says that the money was sent
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	payment, err := client.Wait(ctx, orderID) // calls getStatus until the status is final
	if err != nil {
		return false, err
	}
	exactly := payment.Paid(decimal.RequireFromString("1500.50")) == merchantpay.PaidExactly
	return payment.Status == merchantpay.StatusDoneSuccess && exactly, nil
}

// [/confirm]

// [cancel]
func cancelPayment(ctx context.Context, client *merchantpay.Client, orderID string) error {
	err := client.Cancel(ctx, orderID)
	if err == nil {
		fmt.Println(orderID, "cancelled")
		return nil
	}
	if !errors.Is(err, merchantpay.ErrRejected) {
		return err
	}
	payment, err := client.GetStatus(ctx, orderID) // too late to cancel: the status shows why
	if err == nil {
		fmt.Println(orderID, payment.Status)
	}
	return err
}

// [/cancel]

// [receipt]
func attach(ctx context.Context, client *merchantpay.Client, orderID, file string) error {
	// a PDF, JPEG or PNG by its content; or Name, ContentType and Data.
	return client.AttachReceipt(ctx, merchantpay.Receipt{OrderID: orderID, Files: []merchantpay.File{{Path: file}}})
}

// [/receipt]

// [money]
func money(payment *merchantpay.Payment) error {
	sum, rate := decimal.RequireFromString("1500.50"), decimal.RequireFromString("92.45")
	converted, err := merchantpay.ToBalance(sum, rate, merchantpay.BalanceUSDT, 6, merchantpay.RoundingHalfEven)
	if err != nil {
		return err
	}
	fmt.Println(merchantpay.AmountText(converted)) // 16.230395
	// The payment's DealCurrency names the merchant's balance:
	fmt.Println("paid", payment.Paid(sum), "balance", payment.DealCurrency)
	return nil
}

// [/money]

// [webhook]
func receive(verifier *merchantpay.WebhookVerifier) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		event, err := verifier.VerifyRequest(r) // reads the raw body, X-Signature and X-KeyId
		if err != nil {
			body, _ := io.ReadAll(io.LimitReader(r.Body, merchantpay.MaxWebhookBytes)) // the same bytes again
			if why, _ := verifier.Explain(body, r.Header.Get("X-Signature"), r.Header.Get("X-KeyId")); why != nil {
				log.Print("webhook refused: ", why.Hint) // for your log, not for the sender
			}
			http.Error(w, "refused", http.StatusBadRequest)
			return
		}
		switch payment := event.Payment; event.Kind {
		case merchantpay.EventCredentials:
			fmt.Println("show the customer", payment.Deeplink)
		case merchantpay.EventCredentialsFailed:
			fmt.Println(payment.OrderID, "has no payee")
		case merchantpay.EventStatus:
			fmt.Println(payment.OrderID, "is now", payment.Status)
		}
		w.WriteHeader(http.StatusOK) // only when the event is stored
	}
}

// [/webhook]

// [journal]
func openJournal(client *merchantpay.Client) (*merchantpay.Journal, error) {
	return merchantpay.OpenJournal(client, merchantpay.JournalConfig{
		Place: os.Getenv("MERCHANTPAY_JOURNAL"), CallbackURL: "https://shop.example/pay/callback",
	})
}

func sell(ctx context.Context, journal *merchantpay.Journal, request merchantpay.PaymentRequest) (*merchantpay.Payment, error) {
	entry, err := journal.Pay(ctx, "order-1017", request) // a repeated call returns the same payment
	if err != nil {
		return nil, err
	}
	return entry.Credentials, nil // nil unless the customer can pay now
}

func customerHasPaid(ctx context.Context, journal *merchantpay.Journal) error {
	entry, err := journal.Find(ctx, "order-1017")
	if err != nil {
		return err
	}
	_, err = journal.Confirm(ctx, entry)
	return err
}

func handleCallbacks(journal *merchantpay.Journal) {
	http.Handle("/pay/callback/", journal.Handler(nil))
}

func everyFewSeconds(ctx context.Context, journal *merchantpay.Journal, ship func(*merchantpay.Entry)) error {
	if _, err := journal.Settle(ctx, 100); err != nil { // asks the service about open attempts that are due
		return err
	}
	news, err := journal.News(ctx, 100) // unacknowledged changes, also from before a crash
	for _, entry := range news {
		if entry.Succeeded {
			ship(entry) // doneSuccess, and exactly the requested sum was paid
		}
		_, failure := journal.Acknowledge(ctx, entry)
		err = errors.Join(err, failure)
	}
	return err
}

// [/journal]

func main() {
	ctx, client := context.Background(), must(newClient())
	defer client.Close()
	check(client.Connect(ctx))
	payment := must(pay(ctx, client))
	check(money(payment))
	if !must(confirm(ctx, client, payment.OrderID)) {
		log.Fatal("it was not paid exactly")
	}
	check(cancelPayment(ctx, client, payment.OrderID))
	check(cancelPayment(ctx, client, must(pay(ctx, client)).OrderID))
	dispute(ctx, client, os.Args[1])
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

func dispute(ctx context.Context, client *merchantpay.Client, file string) {
	payment := must(client.NewPayment(ctx, merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString("1500.50"), PaymentMethod: merchantpay.PaymentMethodCard, CustomerAccount: "arbitration",
	}))
	check(client.Confirm(ctx, payment.OrderID))
	for payment.Status != merchantpay.StatusReceiptRequired {
		time.Sleep(50 * time.Millisecond)
		payment = must(client.GetStatus(ctx, payment.OrderID))
	}
	check(attach(ctx, client, payment.OrderID, file))
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
