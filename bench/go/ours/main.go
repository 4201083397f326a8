// The Go package.
package main

import (
	"context"
	"log"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/bench/command"
)

func main() {
	config := merchantpay.Config{
		BaseURL:         command.Setting("URL"),
		KeyID:           command.KeyID,
		PrivateKey:      command.Setting("PRIVATE_KEY"),
		ServerPublicKey: command.Setting("SERVER_PUBLIC_KEY"),
	}
	verifier, err := merchantpay.NewWebhookVerifier(merchantpay.Config{ServerPublicKey: config.ServerPublicKey})
	end(err)
	protocol, err := merchantpay.NewProtocol(config)
	end(err)
	client, err := merchantpay.NewClient(config)
	end(err)
	orderID, webhook, signature := command.Setting("ORDER_ID"), command.Webhook(), command.Setting("SIGNATURE")
	ctx := context.Background()

	read := func(payment *merchantpay.Payment) error {
		if payment.OrderID != orderID || !payment.IsFinal() || !payment.Sum.IsPositive() {
			return command.ErrOther
		}
		return nil
	}
	command.Serve(map[string]func() error{
		"webhook": func() error {
			event, err := verifier.Verify(webhook, signature, command.ServerKeyID)
			if err != nil {
				return err
			}
			return read(event.Payment)
		},
		"status": func() error {
			payment, err := client.GetStatus(ctx, orderID)
			if err != nil {
				return err
			}
			return read(payment)
		},
		"prepare": func() error {
			_, err := protocol.PrepareNewPayment(merchantpay.PaymentRequest{
				Sum:             decimal.RequireFromString("1500.50"),
				PaymentMethod:   merchantpay.PaymentMethodSBP,
				CustomerAccount: "79001234567",
			})
			return err
		},
	})
}

func end(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
