// Takes a payment through arbitration: arbitrate FILE, where FILE is a receipt (PDF, JPEG or PNG).
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
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: arbitrate FILE")
		os.Exit(2)
	}
	example.End(arbitrate(context.Background(), os.Args[1]))
}

func arbitrate(ctx context.Context, path string) error {
	client, err := merchantpay.NewClient(example.Config())
	if err != nil {
		return err
	}
	defer client.Close()

	payment, err := client.NewPayment(ctx, merchantpay.PaymentRequest{
		Sum:           decimal.RequireFromString("1500.55"),
		PaymentMethod: merchantpay.PaymentMethodCard,
		// The sandbox takes this as a wish.
		CustomerAccount: "arbitration",
	})
	if err != nil {
		return err
	}
	fmt.Println("order", payment.OrderID)

	if err := client.Confirm(ctx, payment.OrderID); err != nil {
		return err
	}
	fmt.Println("confirmed")

	disputed, err := example.Wait(ctx, client, payment.OrderID, merchantpay.StatusReceiptRequired)
	if err != nil || disputed.IsFinal() {
		return err
	}

	receipt := merchantpay.Receipt{OrderID: payment.OrderID, Files: []merchantpay.File{{Path: path}}}
	if err := client.AttachReceipt(ctx, receipt); err != nil {
		return err
	}
	fmt.Println("receipt attached")

	_, err = example.Wait(ctx, client, payment.OrderID, "")
	return err
}
