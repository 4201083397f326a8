package merchantpay_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

func Example() {
	client, err := merchantpay.NewClient(sandbox.Config) // In production the config has the service's URL and key, and the merchant's key id and key.
	if err != nil {
		panic(err)
	}
	defer client.Close()

	payment, err := client.NewPayment(context.Background(), merchantpay.PaymentRequest{
		Sum:             decimal.RequireFromString("1500.50"),
		PaymentMethod:   merchantpay.PaymentMethodSBP,
		CustomerAccount: "79001234567",
	})
	var failure *merchantpay.Error
	switch {
	case err == nil:
		fmt.Println("pay", merchantpay.AmountText(payment.Sum), payment.Currency)
	case errors.As(err, &failure) && failure.Outcome == merchantpay.OutcomeNotSent:
		fmt.Println("not one byte left, try again:", err)
	case errors.As(err, &failure) && failure.Outcome == merchantpay.OutcomeRejected:
		fmt.Println("refused:", failure.Description)
	default:
		fmt.Println("it may exist, find out before you try again:", err)
	}
	// Output: pay 1500.50 RUB
}

func ExampleWebhookVerifier_VerifyRequest() {
	verifier, err := merchantpay.NewWebhookVerifier(merchantpay.Config{ServerPublicKey: sandbox.Config.ServerPublicKey})
	if err != nil {
		panic(err)
	}
	defer verifier.Close()
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event, err := verifier.VerifyRequest(r)
		if err != nil {
			http.Error(w, "refused", http.StatusBadRequest)
			return
		}
		fmt.Println(event.Kind, event.Payment.OrderID, event.Payment.Status)
	})

	// A webhook without a signature is refused.
	answer := httptest.NewRecorder()
	receiver.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/hook", strings.NewReader(`{"success":true,"orderId":"o-1"}`)))
	fmt.Println(answer.Code)
	// Output: 400
}

func ExampleToBalance() {
	paid, rate := decimal.RequireFromString("1500.50"), decimal.RequireFromString("92.45")
	balance, err := merchantpay.ToBalance(paid, rate, merchantpay.BalanceUSDT, 6, merchantpay.RoundingHalfEven)
	fmt.Println(balance, err)
	// Output: 16.230395 <nil>
}
