package merchantpay_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// calls are the seven operations with valid arguments.
func calls(client *merchantpay.Client) map[string]func(ctx context.Context) error {
	async := request("79001234567")
	async.CredentialsWebhookURL = "https://shop.example/hook"
	files := []merchantpay.File{{Name: "r.png", ContentType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}}
	return map[string]func(ctx context.Context) error{
		"available": func(ctx context.Context) error {
			return errorOf(client.GetAvailableAmounts(ctx, merchantpay.AmountsRequest{Sum: amount("1"), PaymentMethod: "card"}))
		},
		"new":       func(ctx context.Context) error { return errorOf(client.NewPayment(ctx, request("79001234567"))) },
		"new-async": func(ctx context.Context) error { return errorOf(client.NewPaymentAsync(ctx, async)) },
		"confirm":   func(ctx context.Context) error { return client.Confirm(ctx, "o-1") },
		"cancel":    func(ctx context.Context) error { return client.Cancel(ctx, "o-1") },
		"status":    func(ctx context.Context) error { return errorOf(client.GetStatus(ctx, "o-1")) },
		"attach": func(ctx context.Context) error {
			return client.AttachReceipt(ctx, merchantpay.Receipt{OrderID: "o-1", Files: files})
		},
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

func TestDoneContextSendsNothing(t *testing.T) {
	s := newService(t)
	cancelled, cancel := context.WithCancel(background)
	cancel()
	past, cancelPast := context.WithTimeout(background, 0)
	defer cancelPast()
	near, cancelNear := context.WithTimeout(background, 500*time.Microsecond)
	defer cancelNear()
	client := s.client(t)
	of := calls(client)
	of["connect"] = client.Connect
	for _, row := range []struct {
		ctx   context.Context
		code  merchantpay.Code
		cause error
	}{
		{cancelled, merchantpay.CodeCancelled, context.Canceled},
		{past, merchantpay.CodeTimeout, context.DeadlineExceeded},
		{near, merchantpay.CodeTimeout, context.DeadlineExceeded},
	} {
		for name, call := range of {
			failure := wantError(t, call(row.ctx), row.code, merchantpay.OutcomeNotSent)
			if !errors.Is(failure, row.cause) || !failure.IsTransient() {
				t.Errorf("%s: %v is no %v, transient %v", name, failure, row.cause, failure.IsTransient())
			}
		}
		// The context ends while the files of a receipt are read.
		failure := wantError(t, of["attach"](&endingSoon{Context: background, end: row.cause}), row.code, merchantpay.OutcomeNotSent)
		if !errors.Is(failure, row.cause) || failure.OrderID != "o-1" {
			t.Errorf("%v is no %v", failure, row.cause)
		}
	}
	for _, call := range of {
		wantInvalid(t, call(nil))
	}
	s.wantCalls(t, 0)
}

func TestEarlierDeadlineEndsACall(t *testing.T) {
	s := silent(t)
	for name, row := range map[string]struct{ client, context time.Duration }{
		"the client's":                       {150 * time.Millisecond, 0},
		"the client's, before the context's": {150 * time.Millisecond, time.Minute},
		"the context's":                      {0, 150 * time.Millisecond},
		"the context's, before the client's": {time.Minute, 150 * time.Millisecond},
	} {
		ctx, cancel := background, func() {}
		if row.context > 0 {
			ctx, cancel = context.WithTimeout(background, row.context)
		}
		started := time.Now()
		err := s.client(t, func(c *merchantpay.Config) { c.Timeout = row.client }).Confirm(ctx, "o-1")
		cancel()
		if took := time.Since(started); took < 100*time.Millisecond || took > 20*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
		failure := wantError(t, err, merchantpay.CodeTimeout, merchantpay.OutcomeUnknown)
		if !errors.Is(failure, context.DeadlineExceeded) || !failure.Timeout() {
			t.Errorf("%s: %v is no context.DeadlineExceeded", name, failure)
		}
	}
}

// foreign is a context of a type from outside the package context.
type foreign struct{ context.Context }

func (foreign) Value(any) any { return nil }

func TestCancellingEndsTheWholeCall(t *testing.T) {
	s := silent(t)
	client := s.client(t)
	for _, kind := range []func(context.Context) context.Context{
		func(ctx context.Context) context.Context { return ctx },
		func(ctx context.Context) context.Context { return foreign{ctx} },
	} {
		for name, call := range calls(client) {
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
	s.wantCalls(t, 14)
	// Closing the client waits for a call, which its context can still end.
	ctx, cancel := context.WithCancel(background)
	ended := make(chan error)
	go func() { ended <- client.Confirm(ctx, "o-1") }()
	<-s.arrived
	client.Close()
	cancel()
	wantError(t, <-ended, merchantpay.CodeCancelled, merchantpay.OutcomeUnknown)
}

func waitUntilNoCallRuns(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(patience); ; runtime.Gosched() {
		running := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(running, "merchantpay-go.(") && !strings.Contains(running, "merchantpay-go/internal/") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("a call goes on:\n%s", running)
		}
	}
}

func TestWaitAsksUntilTheStatusIsFinal(t *testing.T) {
	replies := []string{"free", "pending", "503", "later", "doneSuccess"}
	s := newService(t, func(s *service, _ arrival, w http.ResponseWriter) {
		if reply := replies[(s.calls.Load()-1)%5]; reply == "503" {
			w.WriteHeader(http.StatusServiceUnavailable)
		} else {
			s.reply(w, 200, `{"success":true,"orderId":"o-1","status":"`+reply+`"}`)
		}
	})
	client := s.client(t, func(c *merchantpay.Config) { c.MaxRetries = merchantpay.NoRetries })
	patient, cancel := context.WithTimeout(background, patience)
	defer cancel()
	for rounds, ctx := range []context.Context{background, patient} {
		payment, err := client.Wait(ctx, "o-1")
		if err != nil || payment.Status != merchantpay.StatusDoneSuccess {
			t.Fatal(payment, err)
		}
		s.wantCalls(t, int64(rounds+1)*5)
	}
	wantInvalid(t, errorOf(client.Wait(background, "")))
}

func TestWaitEndsWithItsContext(t *testing.T) {
	s := newService(t)
	client := s.client(t)
	causes := map[merchantpay.Code]error{
		merchantpay.CodeTimeout:   context.DeadlineExceeded,
		merchantpay.CodeCancelled: context.Canceled,
	}
	for code, cause := range causes {
		ctx, cancel := context.WithTimeout(background, 300*time.Millisecond)
		if code == merchantpay.CodeCancelled {
			ctx, cancel = context.WithCancel(background)
			time.AfterFunc(300*time.Millisecond, cancel)
		}
		failure := wantError(t, errorOf(client.Wait(ctx, "o-1")), code, merchantpay.OutcomeUnknown)
		// The call can end a moment before its context does, so the context cannot say yet why it ended.
		if !errors.Is(failure, cause) || !failure.IsTransient() || failure.OrderID != "o-1" {
			t.Errorf("%v of %q", failure, failure.OrderID)
		}
		<-ctx.Done()
		wantError(t, errorOf(client.Wait(ctx, "o-1")), code, merchantpay.OutcomeNotSent)
		cancel()
	}
	waitUntilNoCallRuns(t)
}

func TestConnectOpensTheConnectionOfTheNextCall(t *testing.T) {
	s := newService(t)
	for idle, connections := range map[time.Duration]int64{time.Minute: 1, merchantpay.Never: 2} {
		s.connections.Store(0)
		client := s.client(t, func(c *merchantpay.Config) { c.ConnectIdle = idle })
		if err := errors.Join(client.Connect(background), client.Confirm(background, "o-1")); err != nil {
			t.Fatal(err)
		}
		if got := s.connections.Load(); got != connections {
			t.Errorf("%d connections in place of %d", got, connections)
		}
	}
	s.wantCalls(t, 2)
	s.Close()
	wantError(t, s.client(t).Connect(background), merchantpay.CodeTransport, merchantpay.OutcomeNotSent)
}
