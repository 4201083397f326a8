// Package example is what the examples have in common.
package example

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/merchantpay/merchantpay-go"
)

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

// Client is a client by the settings of the environment.
func Client() (*merchantpay.Client, error) {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return nil, err
	}
	return merchantpay.NewClient(config)
}

// Print prints a field that is there.
func Print(name, value string) {
	if value != "" {
		fmt.Println(name, value)
	}
}

// Wait waits for the final status and prints it. A shop would rather take webhooks.
func Wait(ctx context.Context, client *merchantpay.Client, orderID string) (*merchantpay.Payment, error) {
	payment, err := client.Wait(ctx, orderID)
	if err == nil {
		fmt.Println("status", payment.Status)
	}
	return payment, err
}
