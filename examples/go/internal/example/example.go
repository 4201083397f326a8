// Package example is what the examples have in common.
package example

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// Config is the settings from the environment. What is wrong with them is told by whatever uses them.
func Config() merchantpay.Config {
	return merchantpay.Config{
		BaseURL:         os.Getenv("MERCHANTPAY_BASE_URL"),
		KeyID:           os.Getenv("MERCHANTPAY_KEY_ID"),
		PrivateKey:      os.Getenv("MERCHANTPAY_PRIVATE_KEY"),
		ServerPublicKey: os.Getenv("MERCHANTPAY_SERVER_PUBLIC_KEY"),
		ServerKeyID:     os.Getenv("MERCHANTPAY_SERVER_KEY_ID"),
	}
}

// End prints an error, if there is one, and ends the program with it.
func End(err error) {
	if err == nil {
		return
	}
	var failure *merchantpay.Error
	if errors.As(err, &failure) {
		fmt.Fprintf(os.Stderr, "error %s %s: %s\n", failure.Code, failure.Outcome, failure.Message)
		if failure.Description != "" {
			fmt.Fprintln(os.Stderr, "the service says:", failure.Description)
		}
	} else {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	os.Exit(1)
}

// Print prints a field that is there.
func Print(name, value string) {
	if value != "" {
		fmt.Println(name, value)
	}
}

// Wait asks for the status until it is final or the one that is wanted ("" for none), and prints it. A shop would rather take
// webhooks, and ask every few seconds where it has none.
func Wait(ctx context.Context, client *merchantpay.Client, orderID string, wanted merchantpay.Status) (*merchantpay.Payment, error) {
	for {
		payment, err := client.GetStatus(ctx, orderID)
		if err != nil {
			return nil, err
		}
		if payment.IsFinal() || (wanted != "" && payment.Status == wanted) {
			fmt.Println("status", payment.Status)
			return payment, nil
		}
		time.Sleep(200 * time.Millisecond)
	}
}
