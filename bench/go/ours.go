package main

import (
	"context"
	"os"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

func ours() {
	config := merchantpay.Config{
		BaseURL:         setting("URL"),
		KeyID:           keyID,
		PrivateKey:      setting("PRIVATE_KEY"),
		ServerPublicKey: setting("SERVER_PUBLIC_KEY"),
		CAFile:          os.Getenv("BENCH_CA"),
	}
	verifier, err := merchantpay.NewWebhookVerifier(merchantpay.Config{ServerPublicKey: config.ServerPublicKey})
	exitOn(err)
	client, err := merchantpay.NewClient(config)
	exitOn(err)
	orderID, body, signature := setting("ORDER_ID"), []byte(setting("WEBHOOK")), setting("SIGNATURE")
	ctx := context.Background()

	check := func(payment *merchantpay.Payment, err error) error {
		if err == nil && (payment.OrderID != orderID || !payment.IsFinal() || !payment.Sum.IsPositive()) {
			err = errOther
		}
		return err
	}
	serve(map[string]func() error{
		"webhook": func() error {
			event, err := verifier.Verify(body, signature, "service-1")
			if err != nil {
				return err
			}
			return check(event.Payment, nil)
		},
		"status": func() error { return check(client.GetStatus(ctx, orderID)) },
		"new": func() error {
			return check(client.NewPayment(ctx, merchantpay.PaymentRequest{
				Sum:             decimal.RequireFromString("1500.50"),
				PaymentMethod:   merchantpay.PaymentMethodSBP,
				CustomerAccount: "79001234567",
			}))
		},
	})
}
