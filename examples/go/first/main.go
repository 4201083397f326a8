package main

import (
	"context"
	"fmt"
	"log"

	"github.com/merchantpay/merchantpay-go"
	"github.com/shopspring/decimal"
)

func main() {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		log.Fatal(err)
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		log.Fatal(err)
	}
	sum := decimal.RequireFromString("1500.50")
	request := merchantpay.PaymentRequest{Sum: sum, PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: "79001234567"}
	payment, err := client.NewPayment(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: pay %s RUB at %s\n", payment.OrderID, merchantpay.AmountText(sum), payment.Deeplink)
}
