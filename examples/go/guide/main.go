// The code of the guides in docs/, which a test runs with a sandbox: guide RECEIPT. A page shows the lines between two
// marks.
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
	"github.com/merchantpay/merchantpay-go/examples/internal/example"
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

// [available]
func available(ctx context.Context, client *merchantpay.Client) error {
	request := merchantpay.AmountsRequest{Sum: decimal.NewFromInt(1500), PaymentMethod: merchantpay.PaymentMethodSBP}
	amounts, err := client.GetAvailableAmounts(ctx, request)
	if err != nil {
		return err
	}
	for _, amount := range amounts.AvailableAmounts {
		fmt.Println("available:", merchantpay.AmountText(amount), "RUB")
	}
	fmt.Println("other amounts may succeed too:", amounts.OtherAmountsPossible)
	return nil
}

// [/available]

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

// [keys]
func keys() (string, error) {
	pair, err := merchantpay.GenerateKeypair()
	if err != nil {
		return "", err
	}
	fmt.Println("for the service:", pair.PublicKey)
	return pair.PrivateKey, nil // keep it only in a secret store
}

// [/keys]

// [rotation]
func rotated(privateKey, oldKey, newKey string) (*merchantpay.Client, error) {
	return merchantpay.NewClient(merchantpay.Config{
		BaseURL:               "https://pay.example",
		KeyID:                 "merchant-1",
		PrivateKey:            privateKey,
		ServerPublicKey:       oldKey,
		OtherServerPublicKeys: []string{newKey}, // responses and webhooks verify with either key
	})
}

// [/rotation]

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
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: guide RECEIPT")
		os.Exit(2)
	}
	example.End(run(context.Background(), os.Args[1]))
}

func run(ctx context.Context, file string) error {
	client, err := newClient()
	if err != nil {
		return err
	}
	defer client.Close()
	if err := errors.Join(client.Connect(ctx), available(ctx, client)); err != nil {
		return err
	}
	payment, err := pay(ctx, client)
	if err != nil {
		return err
	}
	if err := money(payment); err != nil {
		return err
	}
	if exactly, err := confirm(ctx, client, payment.OrderID); err != nil || !exactly {
		return errors.Join(err, errors.New("it was not paid exactly"))
	}
	other, err := pay(ctx, client)
	if err != nil {
		return err
	}
	if err := errors.Join(cancelPayment(ctx, client, payment.OrderID), cancelPayment(ctx, client, other.OrderID)); err != nil {
		return err
	}
	if err := arbitrate(ctx, client, file); err != nil {
		return err
	}

	if err := sellByJournal(ctx, client); err != nil {
		return err
	}

	privateKey, err := keys()
	if err != nil {
		return err
	}
	serverKey := os.Getenv("MERCHANTPAY_SERVER_PUBLIC_KEY")
	changed, err := rotated(privateKey, serverKey, serverKey)
	if err != nil {
		return err
	}
	defer changed.Close()
	verifier, err := merchantpay.NewWebhookVerifier(merchantpay.Config{ServerPublicKey: serverKey})
	if err != nil {
		return err
	}
	for body, status := range map[string]int{os.Getenv("WEBHOOK_BODY"): http.StatusOK, "{}": http.StatusBadRequest} {
		request := httptest.NewRequest(http.MethodPost, "/hook", strings.NewReader(body))
		request.Header.Set(merchantpay.SignatureHeader, os.Getenv("WEBHOOK_SIGNATURE"))
		answer := httptest.NewRecorder()
		receive(verifier)(answer, request)
		if answer.Code != status {
			return fmt.Errorf("answered %d in place of %d", answer.Code, status)
		}
	}
	fmt.Println("the end")
	return nil
}

func arbitrate(ctx context.Context, client *merchantpay.Client, file string) error {
	payment, err := client.NewPayment(ctx, merchantpay.PaymentRequest{
		Sum:             decimal.RequireFromString("1500.50"),
		PaymentMethod:   merchantpay.PaymentMethodCard,
		CustomerAccount: "arbitration",
	})
	if err != nil {
		return err
	}
	if err := client.Confirm(ctx, payment.OrderID); err != nil {
		return err
	}
	for payment.Status != merchantpay.StatusReceiptRequired {
		time.Sleep(50 * time.Millisecond)
		if payment, err = client.GetStatus(ctx, payment.OrderID); err != nil {
			return err
		}
	}
	return attach(ctx, client, payment.OrderID, file)
}

// sellByJournal sells one order.
func sellByJournal(ctx context.Context, client *merchantpay.Client) error {
	journal, err := openJournal(client)
	if err != nil {
		return err
	}
	defer journal.Close()
	handleCallbacks(journal)
	credentials, err := sell(ctx, journal, merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
	})
	if err != nil || credentials == nil {
		return errors.Join(err, errors.New("there are no credentials"))
	}
	if err := customerHasPaid(ctx, journal); err != nil {
		return err
	}
	for end, shipped := time.Now().Add(time.Minute), false; !shipped; time.Sleep(50 * time.Millisecond) {
		if err := everyFewSeconds(ctx, journal, func(*merchantpay.Entry) { shipped = true }); err != nil {
			return err
		}
		if time.Now().After(end) {
			return errors.New("it was not shipped")
		}
	}
	return nil
}
