package merchantpay_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// statuses starts a service that answers with these statuses, one after another. It repeats the last status.
func statuses(t *testing.T, replies ...string) *service {
	return newService(t, func(s *service, _ string, _ []byte, w http.ResponseWriter) {
		reply := replies[min(int(s.calls.Load()), len(replies))-1]
		switch reply {
		case "503":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "refused":
			s.reply(w, 400, `{"success":false,"errorDescription":"order not found"}`)
		default:
			s.reply(w, 200, `{"success":true,"orderId":"o-1","sum":1500.50,"status":"`+reply+`"}`)
		}
	})
}

func TestWaitingAsksUntilTheStatusIsFinal(t *testing.T) {
	for _, replies := range [][]string{{"doneSuccess"}, {"free", "pending", "doneFail"}, {"pending", "503", "later", "doneSuccess"}} {
		s := statuses(t, replies...)
		client := s.client(t, func(c *merchantpay.Config) { c.MaxRetries = merchantpay.NoRetries })
		patient, cancel := context.WithTimeout(background, 20*time.Second)
		for _, ctx := range []context.Context{background, patient} {
			s.calls.Store(0)
			payment, err := client.Wait(ctx, "o-1")
			if err != nil || string(payment.Status) != replies[len(replies)-1] || merchantpay.AmountText(payment.Sum) != "1500.50" {
				t.Errorf("%v: %v %v", replies, payment, err)
			}
			if asked := int(s.calls.Load()); asked != len(replies) {
				t.Errorf("%v: asked %d times", replies, asked)
			}
		}
		cancel()
	}
}

func TestWaitingEndsAtOnceForARefusal(t *testing.T) {
	_, err := statuses(t, "pending", "refused").client(t).Wait(background, "o-1")
	if failure := wantError(t, err, merchantpay.CodeRejected, merchantpay.OutcomeRejected); failure.Reason != merchantpay.ReasonOrderNotFound {
		t.Error(failure.Reason)
	}
	wantError(t, second(newClient(t).Wait(background, "")), merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
}

func TestWaitingEndsWithItsContextAndTheOutcomeIsUnknown(t *testing.T) {
	s := statuses(t, "pending")
	client := s.client(t)
	ctx, cancel := context.WithTimeout(background, 300*time.Millisecond)
	defer cancel()
	failure := wantError(t, second(client.Wait(ctx, "o-1")), merchantpay.CodeTimeout, merchantpay.OutcomeUnknown)
	if !errors.Is(failure, context.DeadlineExceeded) || !errors.Is(failure, merchantpay.ErrTimeout) || !failure.IsTransient() || failure.OrderID != "o-1" {
		t.Errorf("%v of %q", failure, failure.OrderID)
	}

	ctx, cancel = context.WithCancel(background)
	defer cancel()
	ended := make(chan error)
	for len(s.arrived) > 0 {
		<-s.arrived
	}
	go func() { ended <- second(client.Wait(ctx, "o-1")) }()
	<-s.arrived
	cancel()
	failure = wantError(t, <-ended, merchantpay.CodeCancelled, merchantpay.OutcomeUnknown)
	if !errors.Is(failure, context.Canceled) || !errors.Is(failure, merchantpay.ErrCancelled) || failure.OrderID != "o-1" {
		t.Errorf("%v of %q", failure, failure.OrderID)
	}
	wantError(t, second(client.Wait(ctx, "o-1")), merchantpay.CodeCancelled, merchantpay.OutcomeNotSent)
	waitUntilNoCallRuns(t)
}
