package merchantpay

import (
	"math"

	"github.com/merchantpay/merchantpay-go/internal/capi"
)

// The functions that open a reply verify its bytes, parse them, and check that the reply belongs to the
// request. The request was sent, so every error has OutcomeUnknown, except a proven refusal.

// OpenGetAvailableAmounts opens the reply to a request of PrepareGetAvailableAmounts.
func (r *HTTPRequest) OpenGetAvailableAmounts(response HTTPResponse) (*AvailableAmounts, error) {
	reply, err := r.reply(response)
	if err != nil {
		return nil, err
	}
	amounts, failure := r.c.OpenAmounts(reply)
	if failure != nil {
		return nil, fromC(failure)
	}
	return newAmounts(amounts)
}

// OpenNewPayment opens the reply to a request of PrepareNewPayment.
func (r *HTTPRequest) OpenNewPayment(response HTTPResponse) (*Payment, error) {
	reply, err := r.reply(response)
	if err != nil {
		return nil, err
	}
	payment, failure := r.c.OpenPayment(capi.OperationNewPayment, reply)
	if failure != nil {
		return nil, fromC(failure)
	}
	return newPayment(payment)
}

// OpenNewPaymentAsync opens the reply to a request of PrepareNewPaymentAsync, and returns the order id.
func (r *HTTPRequest) OpenNewPaymentAsync(response HTTPResponse) (orderID string, err error) {
	reply, err := r.reply(response)
	if err != nil {
		return "", err
	}
	payment, failure := r.c.OpenPayment(capi.OperationNewPaymentAsync, reply)
	if failure != nil {
		return "", fromC(failure)
	}
	return payment.OrderID(), nil
}

// OpenConfirm opens the reply to a request of PrepareConfirm.
func (r *HTTPRequest) OpenConfirm(response HTTPResponse) error {
	return r.openOrder(capi.OperationConfirm, response)
}

// OpenCancel opens the reply to a request of PrepareCancel.
func (r *HTTPRequest) OpenCancel(response HTTPResponse) error {
	return r.openOrder(capi.OperationCancel, response)
}

func (r *HTTPRequest) openOrder(operation int32, response HTTPResponse) error {
	reply, err := r.reply(response)
	if err != nil {
		return err
	}
	_, failure := r.c.OpenOrder(operation, reply)
	return fromC(failure)
}

// OpenGetStatus opens the reply to a request of PrepareGetStatus.
func (r *HTTPRequest) OpenGetStatus(response HTTPResponse) (*Payment, error) {
	reply, err := r.reply(response)
	if err != nil {
		return nil, err
	}
	payment, failure := r.c.OpenOrder(capi.OperationGetStatus, reply)
	if failure != nil {
		return nil, fromC(failure)
	}
	return newPayment(payment)
}

// OpenAttachReceipt opens the reply to a request of PrepareAttachReceipt.
func (r *HTTPRequest) OpenAttachReceipt(response HTTPResponse) error {
	reply, err := r.reply(response)
	if err != nil {
		return err
	}
	return fromC(r.c.OpenReceipt(reply))
}

func (r *HTTPRequest) reply(response HTTPResponse) (*capi.HTTPResponse, error) {
	if r == nil || r.c == nil {
		return nil, sentAlready("the request was not returned by a Prepare method")
	}
	if response.Status < 0 || response.Status > math.MaxInt32 {
		return nil, sentAlready("the status is not an HTTP status from 100 to 999")
	}
	reply := &capi.HTTPResponse{Status: int32(response.Status), Body: response.Body}
	for name, values := range response.Header {
		for _, value := range values {
			reply.Headers = append(reply.Headers, [2]string{name, value})
		}
	}
	return reply, nil
}

// sentAlready makes the error of a wrong argument for a request that was already sent, and so may have taken
// effect.
func sentAlready(message string) error {
	return &Error{Code: CodeInvalidArgument, Outcome: OutcomeUnknown, Message: message}
}
