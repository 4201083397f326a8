// The program of the conformance suite in Go: a command a line on stdin, its result as a line on stdout. See ../../README.md.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	merchantpay "github.com/merchantpay/merchantpay-go"
)

type command map[string][]string

func parse(line string) command {
	fields := command{}
	for _, word := range strings.Fields(line) {
		name, value, _ := strings.Cut(word, "=")
		decoded, err := url.PathUnescape(value)
		if err != nil {
			panic(err)
		}
		fields[name] = append(fields[name], decoded)
	}
	return fields
}

func (c command) text(name string) string {
	if len(c[name]) == 0 {
		return ""
	}
	return c[name][0]
}

func (c command) number(name string) int {
	number, _ := strconv.Atoi(c.text(name))
	return number
}

// amount is a decimal. What is not a number cannot be expressed in Go: no scenario does.
func (c command) amount(name string) decimal.Decimal {
	if len(c[name]) == 0 {
		return decimal.Decimal{}
	}
	return decimal.RequireFromString(c.text(name))
}

// milliseconds are a duration, of which 0 is not the absent one.
func (c command) milliseconds(name string) time.Duration {
	if c.text(name) == "0" {
		return merchantpay.Never
	}
	return time.Duration(c.number(name)) * time.Millisecond
}

// retries are a number, of which 0 is not the absent one.
func (c command) retries(name string) int {
	if c.text(name) == "0" {
		return merchantpay.NoRetries
	}
	return c.number(name)
}

// first and the others are how Go names the values of a setting that may be given again.
func first(values []string) (first string, others []string) {
	if len(values) == 0 {
		return "", nil
	}
	return values[0], values[1:]
}

type result []string

func (r *result) put(name, value string) {
	if value != "" {
		*r = append(*r, name+"="+url.PathEscape(value))
	}
}

func flag(value bool) string {
	if value {
		return "1"
	}
	return "0"
}

func (c command) receipt() merchantpay.Receipt {
	receipt := merchantpay.Receipt{OrderID: c.text("order_id")}
	for _, path := range c["file"] {
		receipt.Files = append(receipt.Files, merchantpay.File{Path: path})
	}
	if len(c["file_data"]) > 0 {
		file := merchantpay.File{Name: c.text("file_name"), ContentType: c.text("file_type"), Data: []byte(c.text("file_data"))}
		receipt.Files = append(receipt.Files, file)
	}
	return receipt
}

func (c command) call(ctx context.Context, client *merchantpay.Client) (result, error) {
	done := result{"ok=1"}
	switch c.text("do") {
	case "get_available_amounts":
		amounts, err := client.GetAvailableAmounts(ctx, c.amounts())
		if err != nil {
			return nil, err
		}
		texts := make([]string, len(amounts.AvailableAmounts))
		for i, amount := range amounts.AvailableAmounts {
			texts[i] = merchantpay.AmountText(amount)
		}
		return append(done, "amounts="+strings.Join(texts, ","), "other="+flag(amounts.OtherAmountsPossible)), nil
	case "new_payment_async":
		orderID, err := client.NewPaymentAsync(ctx, c.payment())
		done.put("order_id", orderID)
		return done, err
	case "new_payment":
		payment, err := client.NewPayment(ctx, c.payment())
		if err != nil {
			return nil, err
		}
		done.putPayment(payment)
		return done, nil
	case "get_status":
		payment, err := client.GetStatus(ctx, c.text("order_id"))
		if err != nil {
			return nil, err
		}
		done.putPayment(payment)
		return done, nil
	case "confirm":
		return done, client.Confirm(ctx, c.text("order_id"))
	case "cancel":
		return done, client.Cancel(ctx, c.text("order_id"))
	default:
		return done, client.AttachReceipt(ctx, c.receipt())
	}
}

func (c command) verify() (result, error) {
	verifier, err := merchantpay.NewWebhookVerifier(c.config())
	if err != nil {
		return nil, err
	}
	defer verifier.Close()
	event, err := verifier.Verify([]byte(c.text("body")), c.text("signature"), c.text("webhook_key_id"))
	if err != nil {
		return nil, err
	}
	done := result{"ok=1", "kind=" + event.Kind.String()}
	done.putPayment(event.Payment)
	return done, nil
}

func (c command) dispatch() (done result, err error) {
	if c.text("do") == "verify_webhook" {
		return c.verify()
	}
	client, err := merchantpay.NewClient(c.config())
	if err != nil {
		return nil, err
	}
	defer client.Close()
	for left := max(c.number("repeat"), 1); left > 0 && err == nil; left-- {
		done, err = c.call(context.Background(), client)
	}
	return done, err
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		done, err := parse(line).dispatch()
		var failure *merchantpay.Error
		if errors.As(err, &failure) {
			done = result{"ok=0"}
			done.put("code", string(failure.Code))
			done.put("outcome", string(failure.Outcome))
			done.put("description", failure.Description)
			done.put("reason", string(failure.Reason))
			done.put("order_id", failure.OrderID)
			if failure.HTTPStatus != 0 {
				done.put("http_status", strconv.Itoa(failure.HTTPStatus))
			}
		} else if err != nil {
			panic(err)
		}
		fmt.Println(strings.Join(done, " "))
	}
}
