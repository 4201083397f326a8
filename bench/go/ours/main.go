// Makes the measured calls with the Go package.
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
		CAFile:          command.CAFile(),
		Proxy:           command.Proxy(),
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
	renewClient := func() (err error) {
		client.Close()
		client, err = merchantpay.NewClient(config)
		return err
	}
	newPayment := func() error {
		payment, err := client.NewPayment(ctx, paymentRequest())
		if err != nil {
			return err
		}
		return read(payment)
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
			_, err := protocol.PrepareNewPayment(paymentRequest())
			return err
		},
		"new": newPayment,
		// Makes the three calls of a payment one after another.
		"sale": func() error {
			amounts, err := client.GetAvailableAmounts(ctx, merchantpay.AmountsRequest{
				Sum:           decimal.RequireFromString("1500.50"),
				PaymentMethod: merchantpay.PaymentMethodSBP,
			})
			if err != nil {
				return err
			}
			if len(amounts.AvailableAmounts) == 0 {
				return command.ErrOther
			}
			if err := newPayment(); err != nil {
				return err
			}
			return client.Confirm(ctx, orderID)
		},
		"cold": func() error {
			if err := renewClient(); err != nil {
				return err
			}
			return newPayment()
		},
		"connect": func() error {
			if err := renewClient(); err != nil {
				return err
			}
			return client.Connect(ctx)
		},
	})
}

func paymentRequest() merchantpay.PaymentRequest {
	return merchantpay.PaymentRequest{
		Sum:             decimal.RequireFromString("1500.50"),
		PaymentMethod:   merchantpay.PaymentMethodSBP,
		CustomerAccount: "79001234567",
	}
}

func end(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
