package merchantpay_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// calls are the seven operations with right arguments.
func calls(client *merchantpay.Client) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"available": func(ctx context.Context) error {
			_, err := client.GetAvailableAmounts(ctx, merchantpay.AmountsRequest{Sum: amount("1"), PaymentMethod: "card"})
			return err
		},
		"new": func(ctx context.Context) error {
			_, err := client.NewPayment(ctx, request("79001234567"))
			return err
		},
		"new-async": func(ctx context.Context) error {
			request := request("79001234567")
			request.CredentialsWebhookURL = "https://shop.example/hook"
			_, err := client.NewPaymentAsync(ctx, request)
			return err
		},
		"confirm": func(ctx context.Context) error { return client.Confirm(ctx, "o-1") },
		"cancel":  func(ctx context.Context) error { return client.Cancel(ctx, "o-1") },
		"status": func(ctx context.Context) error {
			_, err := client.GetStatus(ctx, "o-1")
			return err
		},
		"attach": func(ctx context.Context) error {
			file := merchantpay.File{Name: "r.png", ContentType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
			return client.AttachReceipt(ctx, merchantpay.Receipt{OrderID: "o-1", Files: []merchantpay.File{file}})
		},
	}
}

func TestNothingIsSentUnderAContextThatIsDone(t *testing.T) {
	s := newService(t, nil)
	cancelled, cancel := context.WithCancel(background)
	cancel()
	past, cancelPast := context.WithTimeout(background, 0)
	defer cancelPast()
	near, cancelNear := context.WithTimeout(background, 500*time.Microsecond)
	defer cancelNear()
	for name, call := range calls(s.client(t)) {
		for _, row := range []struct {
			ctx   context.Context
			cause error
		}{{cancelled, context.Canceled}, {past, context.DeadlineExceeded}, {near, context.DeadlineExceeded}} {
			failure := wantError(t, call(row.ctx), merchantpay.CodeTimeout, merchantpay.OutcomeNotSent)
			if !errors.Is(failure, row.cause) {
				t.Errorf("%s: %v is no %v", name, failure, row.cause)
			}
		}
		wantError(t, call(nil), merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
	}
	if sent := s.calls.Load(); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

// endingSoon is a context that ends after it was first asked.
type endingSoon struct {
	context.Context
	asked bool
	end   error
}

func (e *endingSoon) Err() error {
	if e.asked {
		return e.end
	}
	e.asked = true
	return nil
}

func TestNothingIsSentUnderAContextThatEndsWhileFilesAreRead(t *testing.T) {
	s := newService(t, nil)
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		err := calls(s.client(t))["attach"](&endingSoon{Context: background, end: end})
		if failure := wantError(t, err, merchantpay.CodeTimeout, merchantpay.OutcomeNotSent); !errors.Is(failure, end) || failure.OrderID != "o-1" {
			t.Errorf("%v is no %v", failure, end)
		}
	}
	if sent := s.calls.Load(); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

// silent never answers while the test runs.
func silent(t *testing.T) *service {
	over := make(chan struct{})
	s := newService(t, func(*service, string, []byte, http.ResponseWriter) { <-over })
	t.Cleanup(func() { close(over) })
	return s
}

func TestTheDeadlineThatComesFirstEndsACall(t *testing.T) {
	s := silent(t)
	for _, row := range []struct {
		name            string
		client, context time.Duration
	}{
		{"the client's", 150 * time.Millisecond, 0},
		{"the client's, before the context's", 150 * time.Millisecond, time.Minute},
		{"the context's", 0, 150 * time.Millisecond},
		{"the context's, before the client's", time.Minute, 150 * time.Millisecond},
	} {
		t.Run(row.name, func(t *testing.T) {
			client := s.client(t, func(c *merchantpay.Config) { c.Timeout = row.client })
			for name, call := range calls(client) {
				ctx, cancel := background, func() {}
				if row.context > 0 {
					ctx, cancel = context.WithTimeout(background, row.context)
				}
				started := time.Now()
				err := call(ctx)
				cancel()
				if took := time.Since(started); took < 100*time.Millisecond || took > 20*time.Second {
					t.Errorf("%s took %v", name, took)
				}
				failure := wantError(t, err, merchantpay.CodeTimeout, merchantpay.OutcomeUnknown)
				if !errors.Is(failure, context.DeadlineExceeded) || !failure.Timeout() {
					t.Errorf("%s: %v is no context.DeadlineExceeded", name, failure)
				}
			}
		})
	}
}

func TestCancellingEndsTheWaitOfWhatCanTakeNoEffect(t *testing.T) {
	s := silent(t)
	client := s.client(t)
	for _, name := range []string{"status", "available"} {
		ctx, cancel := context.WithCancel(background)
		ended := make(chan error)
		go func() { ended <- calls(client)[name](ctx) }()
		<-s.arrived
		cancel()
		if failure := wantError(t, <-ended, merchantpay.CodeTimeout, merchantpay.OutcomeUnknown); !errors.Is(failure, context.Canceled) || failure.Timeout() {
			t.Errorf("%s: %v is no context.Canceled", name, failure)
		}
	}
}

func TestCancellingLosesNoPayment(t *testing.T) {
	for _, name := range []string{"new", "new-async", "confirm", "cancel", "attach"} {
		ctx, cancel := context.WithCancel(background)
		s := newService(t, func(s *service, _ string, body []byte, w http.ResponseWriter) {
			cancel()
			s.reply(w, 200, success(nil))
		})
		if err := calls(s.client(t))[name](ctx); err != nil && failed(t, err).Code == merchantpay.CodeTimeout {
			t.Errorf("%s: the reply came, and was thrown away: %v", name, err)
		}
		if ctx.Err() == nil {
			t.Errorf("%s was not sent", name)
		}
	}
}

func TestCancelledCallsDoNotPileUp(t *testing.T) {
	s := silent(t)
	client := s.client(t, func(c *merchantpay.Config) { c.Timeout = time.Second })
	started := time.Now()
	for range 40 {
		ctx, cancel := context.WithCancel(background)
		time.AfterFunc(2*time.Millisecond, cancel)
		_, _ = client.GetStatus(ctx, "o-1")
		cancel()
	}
	if took := time.Since(started); took < 900*time.Millisecond || took > 10*time.Second {
		t.Errorf("40 cancelled calls took %v: more than 32 went on", took)
	}
}
