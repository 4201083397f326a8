// Shows what to do about each of the three outcomes of a call that failed.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
	"github.com/merchantpay/merchantpay-go/examples/internal/example"
)

func main() { example.End(outcomes(context.Background())) }

// printOutcome prints what to do about an error.
func printOutcome(err error) error {
	var failure *merchantpay.Error
	if !errors.As(err, &failure) {
		// If a call succeeds although it should fail, the program fails.
		return errors.New("the call did not fail as it should")
	}
	text := string(failure.Outcome) + " " + string(failure.Code)
	if failure.Reason != "" {
		text += " " + string(failure.Reason)
	}
	switch failure.Outcome {
	case merchantpay.OutcomeNotSent:
		fmt.Println(text + ": safe to send again")
	case merchantpay.OutcomeRejected:
		fmt.Println(text + ": nothing took effect")
	default: // OutcomeUnknown, and any outcome that a later version adds.
		fmt.Println(text + ": ask for the status")
	}
	return nil
}

func outcomes(ctx context.Context) error {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return err
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		return err
	}
	defer client.Close()
	request := merchantpay.PaymentRequest{
		Sum:             decimal.RequireFromString("1500.55"),
		PaymentMethod:   merchantpay.PaymentMethodSBP,
		CustomerAccount: "79001234567",
	}

	// No server listens at this URL, so no byte was sent.
	unreachable := config
	unreachable.BaseURL = "http://127.0.0.1:1"
	unreachable.MaxRetries = merchantpay.NoRetries
	unreachableClient, err := merchantpay.NewClient(unreachable)
	if err != nil {
		return err
	}
	defer unreachableClient.Close()
	_, err = unreachableClient.NewPayment(ctx, request)
	if err := printOutcome(err); err != nil {
		return err
	}

	// The service refuses the request, and signs its refusal.
	if err := printOutcome(client.Cancel(ctx, "no-such-order")); err != nil {
		return err
	}

	payment, err := client.NewPayment(ctx, request)
	if err != nil {
		return err
	}
	fmt.Println("order", payment.OrderID)

	// A client with a wrong service key cannot verify a reply. The service still executes the client's requests.
	pair, err := merchantpay.GenerateKeypair()
	if err != nil {
		return err
	}
	other := config
	other.ServerPublicKey = pair.PublicKey
	other.ServerKeyID = ""
	otherClient, err := merchantpay.NewClient(other)
	if err != nil {
		return err
	}
	defer otherClient.Close()
	if err := printOutcome(otherClient.Confirm(ctx, payment.OrderID)); err != nil {
		return err
	}

	// Do not guess and confirm again: the status shows whether the first confirm took effect.
	_, err = example.Wait(ctx, client, payment.OrderID)
	return err
}
