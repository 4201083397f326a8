package merchantpay

import (
	"context"
	"runtime"
	"time"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// Client calls the service. It is shared by any number of goroutines; make one and keep it.
//
// A context's deadline becomes the call's, and its cancellation interrupts the call at once: nothing of it goes on, and the
// error's Outcome reports whether anything had been sent. With OutcomeUnknown the payment may exist, and its order id is lost; a call
// that has to go on when, for instance, a customer closes the page is made under context.WithoutCancel.
type Client struct {
	// c is closed when nobody uses the Client any more, so that every method keeps the Client alive to its own end.
	c       *capi.Client
	timeout time.Duration
	row     *row
}

// NewClient makes a client. Nothing is sent and no connection opened.
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

// Close lets no further call begin; those under way end as they would. It closes idle connections, waits for nothing, may be
// called more than once, and need not be called: the garbage collector does.
func (c *Client) Close() {
	defer runtime.KeepAlive(c)
	if c != nil && c.c != nil {
		c.c.Close()
	}
}

// GetAvailableAmounts is POST /available (contract, section 4.1). The library may repeat it.
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

// NewPayment is POST /new (contract, section 4.2): a payment with its credentials, after up to 10 s. It is sent once: with
// OutcomeUnknown the payment may exist.
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

// NewPaymentAsync is POST /new-async (contract, section 4.3) and returns the order id; the credentials come by webhook. It is
// sent once: with OutcomeUnknown the payment may exist.
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

// Confirm is POST /confirm (contract, section 4.4): the customer has paid. It is sent once: with OutcomeUnknown ask GetStatus.
func (c *Client) Confirm(ctx context.Context, orderID string) error {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, orderID)
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(call.Confirm(orderID))
}

// Cancel is POST /cancel (contract, section 4.5). It is sent once: with OutcomeUnknown ask GetStatus. A payment whose state
// does not allow it is CodeRejected with ReasonPaymentCouldNotBeCanceled.
func (c *Client) Cancel(ctx context.Context, orderID string) error {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, orderID)
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(call.Cancel(orderID))
}

// GetStatus is POST /status (contract, section 4.6). The library may repeat it.
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

// AttachReceipt is POST /receipt/attach (contract, section 4.7). Files are read before anything is sent. It is sent once: with
// OutcomeUnknown ask GetStatus.
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
	// Reading took its time, which the call does not have any more.
	call, err := c.begin(ctx, receipt.OrderID)
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(call.AttachReceipt(read))
}

// Connect opens a connection for the next call, before the customer is ready: that call then costs one round trip. The connection waits
// for its first request for Config.ConnectIdle. Each Connect opens one. An error is always OutcomeNotSent.
func (c *Client) Connect(ctx context.Context) error {
	defer runtime.KeepAlive(c)
	call, err := c.begin(ctx, "")
	if err != nil {
		return err
	}
	defer call.end()
	return call.failure(call.Connect())
}

// Wait asks GetStatus until the status is final, with pauses of 0.25 s growing to 5 s, and returns the payment. It asks at least once, and
// through every transient error, until the context's deadline, which is CodeTimeout with OutcomeUnknown; without one it asks for as
// long as it takes. An error that is not transient ends it at once.
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
