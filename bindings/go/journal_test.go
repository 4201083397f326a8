package merchantpay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

// patience limits how long a test waits for an event.
const patience = 30 * time.Second

func openJournal(t testing.TB, client *merchantpay.Client, change ...func(*merchantpay.JournalConfig)) *merchantpay.Journal {
	t.Helper()
	config := merchantpay.JournalConfig{Place: filepath.Join(t.TempDir(), "payments.db"), CallbackURL: "https://shop.example/pay/callback", Create: true}
	for _, change := range change {
		change(&config)
	}
	journal, err := merchantpay.OpenJournal(client, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(journal.Close)
	return journal
}

func TestEntryIsValue(t *testing.T) {
	journal := openJournal(t, newClient(t))
	before, err := journal.Pay(background, "order", request("79001234567"))
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Reference, Standing string
		Attempt             int
	}
	text, err := json.Marshal(before)
	if err != nil || json.Unmarshal(text, &written) != nil || written.Reference != "order" || written.Standing != "open" || written.Attempt != 1 {
		t.Fatalf("%s: %v", text, err)
	}
	if shown := fmt.Sprintf("%v %+v %#v", before, *before, before); shown != strings.Repeat("entry order attempt 1 open ", 2)+"entry order attempt 1 open" {
		t.Error(shown)
	}
}

func TestAcknowledgeSQLOfNothingIsEmpty(t *testing.T) {
	for entry, style := range map[*merchantpay.Entry]merchantpay.Style{{Reference: "order"}: 0, nil: merchantpay.StyleDollar} {
		if statement, parameters := entry.AcknowledgeSQL(style); statement != "" || parameters != nil {
			t.Error(statement, parameters)
		}
	}
}

func TestClientMayBeClosedBeforeItsJournal(t *testing.T) {
	var lines atomic.Int64
	client := newClient(t, func(config *merchantpay.Config) { config.Logger = slog.New(calling{func() { lines.Add(1) }}) })
	journal := openJournal(t, client)
	client.Close()
	if entry, err := journal.Pay(background, "order", request("79001234567")); err != nil || entry.Credentials == nil {
		t.Fatal(entry, err)
	}
	if lines.Load() == 0 {
		t.Error("the client's logger was not called")
	}
	_, err := merchantpay.OpenJournal(client, merchantpay.JournalConfig{Place: filepath.Join(t.TempDir(), "payments.db")})
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
}

func TestJournalRefusesWrongArguments(t *testing.T) {
	client := newClient(t)
	place := filepath.Join(t.TempDir(), "payments.db")
	for name, config := range map[string]merchantpay.JournalConfig{
		"a negative deadline": {Place: place, Timeout: -time.Second},
		"a negative pay wait": {Place: place, PayWait: -time.Second},
		"no connections":      {Place: place, Connections: -1},
		"an unknown name":     {Place: place, DurabilityVouched: "fuse,another"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := merchantpay.OpenJournal(client, config)
			wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
		})
	}
	_, err := merchantpay.OpenJournal(nil, merchantpay.JournalConfig{Place: place})
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)

	_, err = openJournal(t, client, func(config *merchantpay.JournalConfig) { config.CallbackURL = "" }).PayAsync(background, "order", request("1"))
	if failure := wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent); !strings.HasPrefix(failure.Message, "PayAsync needs ") {
		t.Error(failure)
	}

	journal, orphan := openJournal(t, client), &merchantpay.Entry{OrderID: "o-1", IsOrphan: true}
	closed := openJournal(t, client)
	closed.Close()
	resolve := func(entry *merchantpay.Entry, resolution merchantpay.Resolution, note string) error {
		return second(journal.Resolve(background, entry, resolution, note))
	}
	var none context.Context
	entry, err := journal.Pay(background, "order", request("79001234567"))
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a NUL":                second(journal.Pay(background, "or\x00der", request("79001234567"))),
		"an attempt":           second(journal.Replace(background, "order", -1, request("79001234567"))),
		"a limit":              second(journal.News(background, -1)),
		"a standing":           second(journal.List(background, 9, 1, nil)),
		"an empty page":        second(journal.List(background, 0, 1, &merchantpay.Entry{})),
		"an until":             second(journal.Wait(background, "order", 0, 9)),
		"no entry":             second(journal.Confirm(background, nil)),
		"a confirmed orphan":   second(journal.Confirm(background, orphan)),
		"no acknowledgement":   second(journal.Acknowledge(background, nil)),
		"no context":           second(journal.Find(none, "order")),
		"no journal":           second((*merchantpay.Journal)(nil).Find(background, "order")),
		"a closed journal":     second(closed.Stats(background)),
		"no entry to resolve":  resolve(nil, merchantpay.Seen, "a note"),
		"no resolution":        resolve(entry, merchantpay.Resolution{}, "a note"),
		"not unknown":          resolve(entry, merchantpay.NoPayment, "a note"),
		"no order":             resolve(entry, merchantpay.IsOrder(""), "a note"),
		"no sum":               resolve(entry, merchantpay.IsOrderWithSum("o-1", decimal.Decimal{}), "a note"),
		"an orphan without it": resolve(orphan, merchantpay.Seen, "a note"),
		"an orphan's order":    resolve(orphan, merchantpay.IsOrder("o-1"), "a note"),
	} {
		t.Run(name, func(t *testing.T) { wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent) })
	}
}

func TestPaymentNeedsFifteenSecondsOfItsContext(t *testing.T) {
	s := newService(t, nil)
	journal := openJournal(t, s.client(t))
	ctx, cancel := context.WithTimeout(background, 14*time.Second)
	defer cancel()
	_, err := journal.Pay(ctx, "order", request("79001234567"))
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
	if sent := s.calls.Load(); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
	if _, err := journal.PayAsync(ctx, "order", request("79001234567")); err != nil {
		t.Error(err)
	}
}

func TestEndedContextBeginsNothing(t *testing.T) {
	s := newService(t, nil)
	journal := openJournal(t, s.client(t))
	entry, err := journal.Pay(background, "order", request("79001234567"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	sent := s.calls.Load()
	for name, call := range map[string]func() error{
		"pay":         func() error { _, err := journal.Pay(ctx, "another", request("79001234567")); return err },
		"confirm":     func() error { _, err := journal.Confirm(ctx, entry); return err },
		"settle":      func() error { _, err := journal.Settle(ctx, 1); return err },
		"wait":        func() error { _, err := journal.Wait(ctx, "order", patience, merchantpay.UntilFinal); return err },
		"find":        func() error { _, err := journal.Find(ctx, "order"); return err },
		"news":        func() error { _, err := journal.News(ctx, 1); return err },
		"acknowledge": func() error { _, err := journal.Acknowledge(ctx, entry); return err },
		"resolve":     func() error { _, err := journal.Resolve(ctx, entry, merchantpay.Seen, "a note"); return err },
	} {
		failure := wantError(t, call(), merchantpay.CodeCancelled, merchantpay.OutcomeNotSent)
		if !errors.Is(failure, context.Canceled) {
			t.Errorf("%s: %v", name, failure)
		}
	}
	if received := journal.Receive(ctx, "/x", nil, "", ""); received.HTTPStatus != 503 || !errors.Is(received.Err, context.Canceled) {
		t.Error(received)
	}
	if now := s.calls.Load(); now != sent {
		t.Errorf("%d requests were sent", now-sent)
	}
}

func TestCancelledPayIsStoredAsUnknown(t *testing.T) {
	s := silent(t)
	journal := openJournal(t, s.client(t))
	ctx, cancel := context.WithCancel(background)
	go func() {
		<-s.arrived
		cancel()
	}()
	begun := time.Now()
	entry, err := journal.Pay(ctx, "order", request("79001234567"))
	if err != nil || entry.Standing != merchantpay.StandingUnknown || entry.Error.Code != merchantpay.CodeCancelled ||
		entry.Error.Outcome != merchantpay.OutcomeUnknown || !errors.Is(entry.Error, merchantpay.ErrCancelled) {
		t.Fatal(entry, err)
	}
	if took := time.Since(begun); took > patience/2 {
		t.Errorf("it took %s", took)
	}
	// Other callers can still use the journal.
	again, err := journal.Pay(background, "order", request("79001234567"))
	if err != nil || again.Standing != merchantpay.StandingUnknown || s.calls.Load() != 1 {
		t.Fatal(again, err)
	}
	resolved, err := journal.Resolve(background, again, merchantpay.NoPayment, "support says so")
	if err != nil || resolved.Standing != merchantpay.StandingRefused {
		t.Fatal(resolved, err)
	}
}

func TestContextInterruptsWait(t *testing.T) {
	s := newService(t, nil) // The service never reports a final status.
	journal := openJournal(t, s.client(t))
	if _, err := journal.Pay(background, "order", request("79001234567")); err != nil {
		t.Fatal(err)
	}
	for code, end := range map[merchantpay.Code]func() (context.Context, context.CancelFunc){
		merchantpay.CodeTimeout: func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(background, 300*time.Millisecond)
		},
		merchantpay.CodeCancelled: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(background)
			time.AfterFunc(300*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		ctx, cancel := end()
		_, err := journal.Wait(ctx, "order", patience, merchantpay.UntilFinal)
		var failure *merchantpay.Error
		if !errors.As(err, &failure) || failure.Code != code || !errors.Is(err, ctx.Err()) {
			t.Errorf("%v in place of %s", err, code)
		}
		cancel()
	}
	entry, err := journal.Wait(background, "order", 10*time.Millisecond, merchantpay.UntilFinal)
	if err != nil || entry.Standing != merchantpay.StandingOpen {
		t.Error(entry, err)
	}
}

func TestClosingLetsRunningCallsEnd(t *testing.T) {
	journal := openJournal(t, newClient(t))
	var calls sync.WaitGroup
	for i := range 8 {
		calls.Add(1)
		go func() {
			defer calls.Done()
			ctx, cancel := context.WithCancel(background)
			defer cancel()
			entry, err := journal.Pay(ctx, fmt.Sprintf("order-%d", i), request("79001234567"))
			if err == nil && entry.Standing != merchantpay.StandingOpen {
				t.Error(entry)
			}
			if err != nil && !errors.Is(err, merchantpay.ErrInvalidArgument) {
				t.Error(err)
			}
		}()
	}
	time.Sleep(20 * time.Millisecond)
	journal.Close()
	journal.Close()
	calls.Wait()
}

func TestHandlerAnswersWebhooks(t *testing.T) {
	paid, stray := `{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}`, `{"success":true,"orderId":"o-9","status":"doneSuccess"}`
	s := newService(t, func(s *service, operation string, _ []byte, w http.ResponseWriter) {
		if operation == "status" {
			s.reply(w, 200, paid)
		} else {
			s.reply(w, 200, `{"success":true,"orderId":"o-1","status":"pending","sum":1500.50,"payeeAccount":"2200"}`)
		}
	})
	var mutex sync.Mutex
	var seen []merchantpay.Received
	journal := openJournal(t, s.client(t))
	server := httptest.NewServer(http.StripPrefix("/pay/callback", journal.Handler(func(_ *http.Request, received merchantpay.Received) {
		mutex.Lock()
		defer mutex.Unlock()
		seen = append(seen, received)
	})))
	t.Cleanup(server.Close)
	if _, err := journal.Pay(background, "order", request("79001234567")); err != nil {
		t.Fatal(err)
	}
	arrived := <-s.arrived
	var url string
	if err := json.Unmarshal(arrived.fields(t)["statusWebhookUrl"], &url); err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(url, "https://shop.example")
	send := func(path, body string, signature ...string) int {
		request, err := http.NewRequest(http.MethodPost, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header["X-Signature"] = signature
		request.Header.Set("X-KeyId", serviceKeyID)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	looked, err := http.Get(server.URL + path)
	if err != nil || looked.StatusCode != http.StatusMethodNotAllowed || looked.Header.Get("Allow") != http.MethodPost {
		t.Fatal(looked, err)
	}
	_ = looked.Body.Close()
	for _, row := range []struct {
		name   string
		status int
		of     func() int
	}{
		{"a forged one", 400, func() int { return send(path, paid, "AAAA") }},
		{"one without a signature", 400, func() int { return send(path, paid) }},
		{"one with two", 400, func() int { return send(path, paid, s.sign(paid), s.sign(paid)) }},
		{"a large one", 413, func() int { return send(path, strings.Repeat(" ", 70_000), "AAAA") }},
		{"one to nobody", 404, func() int { return send("/pay/callback/0000", stray, s.sign(stray)) }},
		{"its own", 200, func() int { return send(path, paid, s.sign(paid)) }},
		{"its own again", 200, func() int { return send(path, paid, s.sign(paid)) }},
	} {
		if status := row.of(); status != row.status {
			t.Errorf("%s: %d in place of %d", row.name, status, row.status)
		}
	}
	mutex.Lock()
	defer mutex.Unlock()
	if len(seen) != 7 || seen[5].Entry == nil || !seen[5].Entry.Succeeded || seen[5].Err != nil || seen[4].Entry != nil ||
		!errors.Is(seen[0].Err, merchantpay.ErrUnverified) {
		t.Error(seen)
	}
	items, err := journal.Attention(background, 10)
	if err != nil || len(items) != 1 || !items[0].IsOrphan || items[0].OrderID != "o-9" || items[0].Status != merchantpay.StatusDoneSuccess ||
		items[0].Standing != 0 || items[0].CreatedAt.IsZero() || items[0].String() != "orphan of order o-9" {
		t.Fatal(items, err)
	}
	if resolved, err := journal.Resolve(background, items[0], merchantpay.Seen, "looked at"); err != nil || resolved != nil {
		t.Fatal(resolved, err)
	}
	if items, err := journal.Attention(background, 10); err != nil || len(items) != 0 {
		t.Fatal(items, err)
	}
}
