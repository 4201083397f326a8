package merchantpay

import (
	"runtime"

	"github.com/merchantpay/merchantpay-go/internal/waist"
)

// The functions that open a reply verify its bytes, parse them, and check that the reply belongs to the
// request. The request was sent, so every error has OutcomeUnknown, except a proven refusal.

// open opens a reply.
func open[Result any](r *HTTPRequest, response HTTPResponse, operation string, read func(string) Result) (Result, error) {
	defer runtime.KeepAlive(r)
	var none Result
	if r == nil || r.prepared == nil {
		return none, &Error{
			Code: CodeInvalidArgument, Outcome: OutcomeUnknown, Message: "the request was not returned by a Prepare method",
		}
	}
	var headers []string
	for name, values := range response.Header {
		for _, value := range values {
			headers = append(headers, name, value)
		}
	}
	answer, failure := r.prepared.Open(int64(response.Status), headers, response.Body, operation)
	if failure != nil {
		return none, failed(failure)
	}
	return read(answer), nil
}

// OpenGetAvailableAmounts opens the reply to a request of PrepareGetAvailableAmounts.
func (r *HTTPRequest) OpenGetAvailableAmounts(response HTTPResponse) (*AvailableAmounts, error) {
	return newAmounts(open(r, response, "getAvailableAmounts", waist.ReadAmounts))
}

// OpenNewPayment opens the reply to a request of PrepareNewPayment.
func (r *HTTPRequest) OpenNewPayment(response HTTPResponse) (*Payment, error) {
	return newPayment(open(r, response, "newPayment", waist.ReadPayment))
}

// OpenNewPaymentAsync opens the reply to a request of PrepareNewPaymentAsync, and returns the order id.
func (r *HTTPRequest) OpenNewPaymentAsync(response HTTPResponse) (orderID string, err error) {
	payment, err := open(r, response, "newPaymentAsync", waist.ReadPayment)
	return payment.OrderID, err
}

// OpenConfirm opens the reply to a request of PrepareConfirm.
func (r *HTTPRequest) OpenConfirm(response HTTPResponse) error {
	_, err := open(r, response, "confirm", waist.ReadPayment)
	return err
}

// OpenCancel opens the reply to a request of PrepareCancel.
func (r *HTTPRequest) OpenCancel(response HTTPResponse) error {
	_, err := open(r, response, "cancel", waist.ReadPayment)
	return err
}

// OpenGetStatus opens the reply to a request of PrepareGetStatus.
func (r *HTTPRequest) OpenGetStatus(response HTTPResponse) (*Payment, error) {
	return newPayment(open(r, response, "getStatus", waist.ReadPayment))
}

// OpenAttachReceipt opens the reply to a request of PrepareAttachReceipt.
func (r *HTTPRequest) OpenAttachReceipt(response HTTPResponse) error {
	_, err := open(r, response, "attachReceipt", waist.ReadPayment)
	return err
}
