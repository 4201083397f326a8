// Takes a payment through arbitration: arbitrate FILE, where FILE is a receipt (PDF, JPEG or PNG).
package main

import (
	"context"
	"fmt"
	"os"
	"time"

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
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return err
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		return err
	}
	defer client.Close()

	payment, err := client.NewPayment(ctx, merchantpay.PaymentRequest{
		Sum:           decimal.RequireFromString("1500.55"),
		PaymentMethod: merchantpay.PaymentMethodCard,
		// This is a test account of the sandbox: its payments go to arbitration.
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

	disputed, err := waitForDispute(ctx, client, payment.OrderID)
	if err != nil || disputed.IsFinal() {
		return err
	}

	receipt := merchantpay.Receipt{OrderID: payment.OrderID, Files: []merchantpay.File{{Path: path}}}
	if err := client.AttachReceipt(ctx, receipt); err != nil {
		return err
	}
	fmt.Println("receipt attached")

	_, err = example.Wait(ctx, client, payment.OrderID)
	return err
}

// waitForDispute asks for the status until a receipt is required, or until the payment has ended without a receipt.
func waitForDispute(ctx context.Context, client *merchantpay.Client, orderID string) (*merchantpay.Payment, error) {
	for {
		payment, err := client.GetStatus(ctx, orderID)
		if err != nil {
			return nil, err
		}
		if payment.IsFinal() || payment.Status == merchantpay.StatusReceiptRequired {
			fmt.Println("status", payment.Status)
			return payment, nil
		}
		time.Sleep(200 * time.Millisecond)
	}
}
