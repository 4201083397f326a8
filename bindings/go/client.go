package merchantpay

import (
	"context"
	"runtime"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// Client calls the service. Any number of goroutines may share it; make one and keep it.
//
// A context's deadline becomes the call's deadline, and the cancellation of a context interrupts the call
// immediately. No part of the call continues, and the error's Outcome shows whether anything was sent. After an
// interrupted NewPayment with OutcomeUnknown the payment may exist, and its order id is lost. Use
// context.WithoutCancel for a call that must continue when, for example, a customer closes the page.
type Client struct {
	// The garbage collector closes the handle after the last use of the Client.
	handle  waist.Handle
	timeout time.Duration
	row     *row
}

// NewClient makes a client. It sends nothing and opens no connection.
func NewClient(config Config) (*Client, error) {
	handle, err := config.open(waist.KindClient)
	if err != nil {
		return nil, err
	}
	client := &Client{handle: handle, timeout: config.Timeout, row: &row{}}
	if client.timeout == 0 {
		client.timeout = DefaultTimeout
	}
	runtime.AddCleanup(client, waist.Handle.Close, handle)
	return client, nil
}

// Close prevents further calls; running calls end normally. It closes idle connections without waiting, and can
// be called more than once. Calling it is optional, because the garbage collector also closes the client.
func (c *Client) Close() {
	if c != nil {
		c.handle.Close()
	}
}

// AttachReceipt is POST /receipt/attach (contract, section 4.7). Files are read before anything is sent. The
// request is sent once. After OutcomeUnknown call GetStatus.
func (c *Client) AttachReceipt(ctx context.Context, receipt Receipt) error {
	if c == nil || c.handle == 0 {
		return invalid("the client is nil")
	}
	if _, err := timeLeft(ctx, c.timeout, receipt.OrderID); err != nil {
		return err
	}
	// Reading the files counts as part of the call's time.
	read, err := receipt.open()
	if err != nil {
		return err
	}
	defer read.Close()
	_, err = call(ctx, c, receipt.OrderID, waist.Handle.AttachReceipt, read)
	return err
}

// Connect opens a connection for the next call, before the customer is ready, so that the call needs only one
// round trip. Config.ConnectIdle limits how long the connection waits for its first request. Each call of
// Connect opens one connection. Every error has OutcomeNotSent.
func (c *Client) Connect(ctx context.Context) error {
	connect := func(handle waist.Handle, _ struct{}) (struct{}, *waist.Error) { return struct{}{}, handle.Connect() }
	_, err := call(ctx, c, "", connect, struct{}{})
	return err
}

// Wait calls GetStatus until the status is final, and returns the payment. The pauses between the calls grow
// from 0.25 s to 5 s. Wait queries at least once, and continues after transient errors until the context's
// deadline; then the error is CodeTimeout with OutcomeUnknown. Without a deadline it continues until the status
// is final. An error that is not transient ends the wait immediately.
func (c *Client) Wait(ctx context.Context, orderID string) (*Payment, error) {
	began := false
	payment, err := newPayment(call(ctx, c, orderID, func(handle waist.Handle, orderID string) (waist.Payment, *waist.Error) {
		began = true
		return handle.Wait(orderID, waitLeft(ctx))
	}, orderID))
	if failure, ok := err.(*Error); ok && began && failure.cause != nil {
		// The payment's result is not known, even if the last query was not sent.
		failure.Outcome, failure.Message = OutcomeUnknown, "the context ended before the status was final"
	}
	return payment, err
}
