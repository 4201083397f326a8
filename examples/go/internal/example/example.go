// Package example has the code that all examples share.
package example

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/merchantpay/merchantpay-go"
)

// End prints the error, if there is one, and ends the program.
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

// Client makes a client with the settings of the environment.
func Client() (*merchantpay.Client, error) {
	config, err := merchantpay.ConfigFromEnv()
	if err != nil {
		return nil, err
	}
	return merchantpay.NewClient(config)
}

// Print prints a field, unless it is empty.
func Print(name, value string) {
	if value != "" {
		fmt.Println(name, value)
	}
}

// Wait waits for the final status and prints it. A shop uses webhooks instead.
func Wait(ctx context.Context, client *merchantpay.Client, orderID string) (*merchantpay.Payment, error) {
	payment, err := client.Wait(ctx, orderID)
	if err == nil {
		fmt.Println("status", payment.Status)
	}
	return payment, err
}
