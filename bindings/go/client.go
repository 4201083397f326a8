package merchantpay

import (
	"context"
	"runtime"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Client calls the service. Any number of goroutines may share it; make one and keep it.
//
// A context's deadline becomes the call's deadline, and the cancellation of a context interrupts the call
// immediately. No part of the call continues, and the error's Outcome shows whether anything was sent. After an
// interrupted NewPayment with OutcomeUnknown the payment may exist, and its order id is lost. Use
// context.WithoutCancel for a call that must continue when, for example, a customer closes the page.
type Client struct {
	// The garbage collector closes c after the last use of the Client. So every method keeps the Client alive
	// until the method ends.
	c       *capi.Client
	timeout time.Duration
	row     *row
}

// NewClient makes a client. It sends nothing and opens no connection.
func NewClient(config Config) (*Client, error) {
	settings, err := config.toC()
	if err != nil {
		return nil, err
	}
	handle, failure := capi.NewClient(settings)
	if failure != nil {
		return nil, fromC(failure)
	}
	client := &Client{c: handle, timeout: config.timeout(), row: &row{}}
	runtime.AddCleanup(client, (*capi.Client).Close, handle)
	return client, nil
}

// Close prevents further calls; running calls end normally. It closes idle connections without waiting, and can
// be called more than once. Calling it is optional, because the garbage collector also closes the client.
func (c *Client) Close() {
	defer runtime.KeepAlive(c)
	if c != nil && c.c != nil {
		c.c.Close()
	}
}

// GetAvailableAmounts is POST /available (contract, section 4.1). The library can retry this request.
func (c *Client) GetAvailableAmounts(ctx context.Context, request AmountsRequest) (*AvailableAmounts, error) {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, "")
	if err != nil {
		return nil, err
	}
	defer call.end()
	fields, err := request.toC()
	if err != nil {
		return nil, err
	}
	amounts, failure := call.GetAvailableAmounts(&fields)
	if failure != nil {
		return nil, call.failure(failure)
	}
	return newAmounts(amounts)
}

// NewPayment is POST /new (contract, section 4.2). It returns a payment with the payment details that the
// customer needs (credentials), after up to 10 s. The request is sent once. After OutcomeUnknown the payment
// may exist: do not create it again before you know whether it exists.
func (c *Client) NewPayment(ctx context.Context, request PaymentRequest) (*Payment, error) {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, "")
	if err != nil {
		return nil, err
	}
	defer call.end()
	fields, err := request.toC()
	if err != nil {
		return nil, err
	}
	payment, failure := call.NewPayment(&fields)
	if failure != nil {
		return nil, call.failure(failure)
	}
	return newPayment(payment)
}

// NewPaymentAsync is POST /new-async (contract, section 4.3). It returns the order id; the credentials arrive
// by webhook. The request is sent once. After OutcomeUnknown the payment may exist: do not create it again
// before you know whether it exists.
func (c *Client) NewPaymentAsync(ctx context.Context, request PaymentRequest) (orderID string, err error) {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, "")
	if err != nil {
		return "", err
	}
	defer call.end()
	fields, err := request.toC()
	if err != nil {
		return "", err
	}
	payment, failure := call.NewPaymentAsync(&fields)
	if failure != nil {
		return "", call.failure(failure)
	}
	return payment.OrderID(), nil
}

// Confirm is POST /confirm (contract, section 4.4). It reports that the customer has paid. The request is sent
// once. After OutcomeUnknown call GetStatus until the status changes: an unchanged status does not show whether
// the confirm arrived.
func (c *Client) Confirm(ctx context.Context, orderID string) error {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, orderID)
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(call.Confirm(orderID))
}

// Cancel is POST /cancel (contract, section 4.5). The request is sent once. After OutcomeUnknown call
// GetStatus. If the payment's state does not allow a cancel, the error is CodeRejected with
// ReasonPaymentCouldNotBeCanceled.
func (c *Client) Cancel(ctx context.Context, orderID string) error {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, orderID)
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(call.Cancel(orderID))
}

// GetStatus is POST /status (contract, section 4.6). The library can retry this request.
func (c *Client) GetStatus(ctx context.Context, orderID string) (*Payment, error) {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, orderID)
	if err != nil {
		return nil, err
	}
	defer call.end()
	payment, failure := call.GetStatus(orderID)
	if failure != nil {
		return nil, call.failure(failure)
	}
	return newPayment(payment)
}

// AttachReceipt is POST /receipt/attach (contract, section 4.7). Files are read before anything is sent. The
// request is sent once. After OutcomeUnknown call GetStatus.
func (c *Client) AttachReceipt(ctx context.Context, receipt Receipt) error {
	defer runtime.KeepAlive(c)
	if _, err := c.deadline(ctx, receipt.OrderID); err != nil {
		return err
	}
	read, failure := receipt.toC().Open()
	if failure != nil {
		return fromC(failure)
	}
	defer read.Free()
	// Reading the files counts as part of the call's time.
	call, err := c.begin(ctx, receipt.OrderID)
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(call.AttachReceipt(read))
}

// Connect opens a connection for the next call, before the customer is ready, so that the call needs only one
// round trip. Config.ConnectIdle limits how long the connection waits for its first request. Each call of
// Connect opens one connection. Every error has OutcomeNotSent.
func (c *Client) Connect(ctx context.Context) error {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, "")
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(call.Connect())
}

// Wait calls GetStatus until the status is final, and returns the payment. The pauses between the calls grow
// from 0.25 s to 5 s. Wait queries at least once, and continues after transient errors until the context's
// deadline; then the error is CodeTimeout with OutcomeUnknown. Without a deadline it continues until the status
// is final. An error that is not transient ends the wait immediately.
func (c *Client) Wait(ctx context.Context, orderID string) (*Payment, error) {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, orderID)
	if err != nil {
		return nil, err
	}
	defer call.end()
	payment, failure := call.Wait(orderID, call.timeLeft())
	if failure != nil {
		return nil, call.waitFailure(failure)
	}
	return newPayment(payment)
}
