package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/merchantpay/merchantpay-go"
	"github.com/shopspring/decimal"
)

func main() {
	if err := sell(); err != nil {
		log.Fatal(err)
	}
}

func sell() error {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return err
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	payment, err := client.NewPayment(ctx, merchantpay.PaymentRequest{
		Sum: decimal.RequireFromString("1500.50"), PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567",
	})
	if err != nil {
		return err
	}
	fmt.Println("pay", merchantpay.AmountText(payment.Sum), "to", payment.PayeeAccount)
	if err := client.Confirm(ctx, payment.OrderID); err != nil { // the customer says that the money was sent
		return err
	}
	payment, err = client.Wait(ctx, payment.OrderID) // asks for the status until it is final
	if err != nil {
		return err
	}
	fmt.Println(payment.Status, merchantpay.AmountText(payment.Sum))
	return nil
}
