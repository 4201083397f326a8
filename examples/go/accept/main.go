// Accepts a payment: accept [CUSTOMER_ACCOUNT].
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/examples/internal/example"
)

func main() {
	account := "79001234567"
	if len(os.Args) > 1 {
		account = os.Args[1]
	}
	example.End(accept(context.Background(), account))
}

func accept(ctx context.Context, account string) error {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return err
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		return err
	}
	defer client.Close()

	// Money is a decimal, never a float.
	sum := decimal.RequireFromString("1500.55")

	amounts, err := client.GetAvailableAmounts(ctx, merchantpay.AmountsRequest{Sum: sum, PaymentMethod: merchantpay.PaymentMethodSBP})
	if err != nil {
		return err
	}
	for _, amount := range amounts.AvailableAmounts {
		fmt.Println("available", merchantpay.AmountText(amount), "RUB")
	}
	others := "no"
	if amounts.OtherAmountsPossible {
		others = "yes"
	}
	fmt.Println("others possible", others)

	payment, err := client.NewPayment(ctx, merchantpay.PaymentRequest{
		Sum:             sum,
		PaymentMethod:   merchantpay.PaymentMethodSBP,
		CustomerAccount: account,
	})
	if err != nil {
		return err
	}
	// A shop stores the order id before it does anything else.
	fmt.Println("order", payment.OrderID)
	fmt.Println("pay", merchantpay.AmountText(payment.Sum), payment.Currency, "to", payment.PayeeAccount)
	example.Print("bank", payment.PayeeAccountBank)
	example.Print("holder", payment.PayeeName)
	example.Print("link", payment.Deeplink)

	// The customer has reported the transfer.
	if err := client.Confirm(ctx, payment.OrderID); err != nil {
		return err
	}
	fmt.Println("confirmed")

	paid, err := example.Wait(ctx, client, payment.OrderID)
	if err != nil {
		return err
	}
	// A failed payment also has a sum. The paid sum can differ from the requested sum.
	if paid.Status == merchantpay.StatusDoneSuccess {
		example.Print("paid", merchantpay.AmountText(paid.Sum))
	}
	return nil
}
