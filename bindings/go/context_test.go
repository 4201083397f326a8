package merchantpay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// calls are the seven operations with valid arguments.
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
			code  merchantpay.Code
			cause error
		}{
			{cancelled, merchantpay.CodeCancelled, context.Canceled},
			{past, merchantpay.CodeTimeout, context.DeadlineExceeded},
			{near, merchantpay.CodeTimeout, context.DeadlineExceeded},
		} {
			failure := wantError(t, call(row.ctx), row.code, merchantpay.OutcomeNotSent)
			if !errors.Is(failure, row.cause) || !failure.IsTransient() {
				t.Errorf("%s: %v is no %v, transient %v", name, failure, row.cause, failure.IsTransient())
			}
		}
		wantError(t, call(nil), merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
	}
	if sent := s.calls.Load(); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

// endingSoon is a context that ends after it was used once.
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
	for code, end := range map[merchantpay.Code]error{
		merchantpay.CodeCancelled: context.Canceled, merchantpay.CodeTimeout: context.DeadlineExceeded,
	} {
		err := calls(s.client(t))["attach"](&endingSoon{Context: background, end: end})
		if failure := wantError(t, err, code, merchantpay.OutcomeNotSent); !errors.Is(failure, end) || failure.OrderID != "o-1" {
			t.Errorf("%v is no %v", failure, end)
		}
	}
	if sent := s.calls.Load(); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

// silent returns a service that never answers while the test runs.
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

// foreign is a context of a type from outside the package context.
type foreign struct{ context.Context }

func (foreign) Value(any) any { return nil }

func TestCancellingEndsEveryCallAndNothingOfItGoesOn(t *testing.T) {
	s := silent(t)
	client := s.client(t)
	for name, call := range calls(client) {
		for _, kind := range []func(context.Context) context.Context{
			func(ctx context.Context) context.Context { return ctx },
			func(ctx context.Context) context.Context { return foreign{ctx} },
		} {
			ctx, cancel := context.WithCancel(background)
			ended := make(chan error)
			go func() { ended <- call(kind(ctx)) }()
			arrived := <-s.arrived
			cancel()
			failure := wantError(t, <-ended, merchantpay.CodeCancelled, merchantpay.OutcomeUnknown)
			if !errors.Is(failure, context.Canceled) || errors.Is(failure, context.DeadlineExceeded) || failure.Timeout() {
				t.Errorf("%s: %v is no context.Canceled", name, failure)
			}
			<-arrived.hungUp
			waitUntilNoCallRuns(t)
		}
	}
	if sent := s.calls.Load(); sent != 14 {
		t.Errorf("14 calls sent %d requests", sent)
	}
	ctx, cancel := context.WithTimeout(background, 300*time.Millisecond)
	defer cancel()
	wantError(t, client.Confirm(ctx, "o-1"), merchantpay.CodeTimeout, merchantpay.OutcomeUnknown) // The client itself can still be used.
}

// waitUntilNoCallRuns waits until no goroutine is in this package.
func waitUntilNoCallRuns(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(20 * time.Second); ; runtime.Gosched() {
		running := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(running, "merchantpay-go.(") && !strings.Contains(running, "merchantpay-go/internal/") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("a call goes on:\n%s", running)
		}
	}
}

func TestACancelledCallReportsItsOutcomeAtAnyPoint(t *testing.T) {
	var arrived sync.Map
	s := newService(t, func(s *service, _ string, body []byte, w http.ResponseWriter) {
		var asked struct{ CustomerAccount string }
		_ = json.Unmarshal(body, &asked) // A cancelled call may have sent half a body, so the error is ignored.
		arrived.Store(asked.CustomerAccount, true)
		s.reply(w, 200, `{"success":true,"orderId":"o-1","payeeAccount":"2200"}`)
	})
	client := s.client(t)
	const points = 120
	outcomes := map[string]merchantpay.Outcome{}
	for point := range points {
		account := fmt.Sprintf("7900%07d", point)
		ctx, cancel := context.WithCancel(background)
		timer := time.AfterFunc(time.Duration(point)*10*time.Microsecond, cancel)
		_, err := client.NewPayment(ctx, request(account))
		timer.Stop()
		cancel()
		if err != nil {
			outcomes[account] = failed(t, err).Outcome
			wantError(t, err, merchantpay.CodeCancelled, outcomes[account])
		} else {
			outcomes[account] = ""
		}
	}
	s.Close() // Closing waits until every request has arrived.
	for account, outcome := range outcomes {
		_, known := arrived.Load(account)
		if outcome == merchantpay.OutcomeNotSent && known || outcome == "" && !known {
			t.Errorf("outcome %q, and the request arrived: %v", outcome, known)
		}
	}
}

func TestClosingWaitsForACallThatIsCancelled(t *testing.T) {
	s := silent(t)
	client := s.client(t)
	ctx, cancel := context.WithCancel(background)
	ended := make(chan error)
	go func() { ended <- client.Confirm(ctx, "o-1") }()
	<-s.arrived
	client.Close()
	cancel()
	wantError(t, <-ended, merchantpay.CodeCancelled, merchantpay.OutcomeUnknown)
	wantError(t, client.Confirm(background, "o-1"), merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
}
