package merchantpay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

func openJournal(t testing.TB, client *merchantpay.Client) *merchantpay.Journal {
	t.Helper()
	place := filepath.Join(t.TempDir(), "payments.db")
	journal := must(merchantpay.OpenJournal(client, merchantpay.JournalConfig{Place: place, CallbackURL: "https://shop.example/pay/callback", Create: true}))
	t.Cleanup(journal.Close)
	return journal
}

func TestEntryIsValue(t *testing.T) {
	entry := must(openJournal(t, newClient(t, sandbox.Config)).Pay(background, "order", request("79001234567")))
	var written struct {
		Reference, Standing string
		Attempt             int
	}
	text, err := json.Marshal(entry)
	if err != nil || json.Unmarshal(text, &written) != nil || written.Reference != "order" || written.Standing != "open" || written.Attempt != 1 {
		t.Fatalf("%s: %v", text, err)
	}
	if shown := fmt.Sprintf("%v %+v %#v", entry, *entry, entry); shown != strings.Repeat("entry order attempt 1 open ", 2)+"entry order attempt 1 open" {
		t.Error(shown)
	}
	for entry, style := range map[*merchantpay.Entry]merchantpay.Style{{Reference: "order"}: 0, nil: merchantpay.StyleDollar} {
		if statement, parameters := entry.AcknowledgeSQL(style); statement != "" || parameters != nil {
			t.Error(statement, parameters)
		}
	}
}

func TestJournalRefusesWrongArguments(t *testing.T) {
	client := newClient(t, sandbox.Config)
	place := filepath.Join(t.TempDir(), "payments.db")
	journal, orphan := openJournal(t, client), &merchantpay.Entry{OrderID: "o-1", IsOrphan: true}
	entry := must(journal.Pay(background, "order", request("79001234567")))
	opened := func(config merchantpay.JournalConfig) error { return errorOf(merchantpay.OpenJournal(client, config)) }
	resolve := func(entry *merchantpay.Entry, resolution merchantpay.Resolution) error {
		return errorOf(journal.Resolve(background, entry, resolution, "a note"))
	}
	var none context.Context
	for name, err := range map[string]error{
		"a negative deadline":  opened(merchantpay.JournalConfig{Place: place, Timeout: -time.Second}),
		"a negative pay wait":  opened(merchantpay.JournalConfig{Place: place, PayWait: -time.Second}),
		"no connections":       opened(merchantpay.JournalConfig{Place: place, Connections: -1}),
		"an unknown name":      opened(merchantpay.JournalConfig{Place: place, DurabilityVouched: "fuse,another"}),
		"an attempt":           errorOf(journal.Replace(background, "order", -1, request("79001234567"))),
		"a limit":              errorOf(journal.News(background, -1)),
		"a standing":           errorOf(journal.List(background, 9, 1, nil)),
		"an empty page":        errorOf(journal.List(background, 0, 1, &merchantpay.Entry{})),
		"an until":             errorOf(journal.Wait(background, "order", 0, 9)),
		"no entry":             errorOf(journal.Confirm(background, nil)),
		"a confirmed orphan":   errorOf(journal.Confirm(background, orphan)),
		"no acknowledgement":   errorOf(journal.Acknowledge(background, nil)),
		"no context":           errorOf(journal.Find(none, "order")),
		"no entry to resolve":  resolve(nil, merchantpay.Seen),
		"no resolution":        resolve(entry, merchantpay.Resolution{}),
		"no order":             resolve(entry, merchantpay.IsOrder("")),
		"no sum":               resolve(entry, merchantpay.IsOrderWithSum("o-1", decimal.Decimal{})),
		"an orphan without it": resolve(orphan, merchantpay.NoPayment),
	} {
		t.Run(name, func(t *testing.T) { wantInvalid(t, err) })
	}
}

func TestJournalObeysTheContext(t *testing.T) {
	s := newService(t)
	journal := openJournal(t, s.client(t))
	short, cancelShort := context.WithTimeout(background, 14*time.Second)
	defer cancelShort()
	wantInvalid(t, errorOf(journal.Pay(short, "order", request("79001234567"))))
	s.wantCalls(t, 0)
	must(openJournal(t, s.client(t)).PayAsync(short, "order", request("79001234567")))
	entry := must(journal.Pay(background, "order", request("79001234567")))
	ctx, cancel := context.WithCancel(background)
	cancel()
	for name, err := range map[string]error{
		"pay":         errorOf(journal.Pay(ctx, "another", request("79001234567"))),
		"confirm":     errorOf(journal.Confirm(ctx, entry)),
		"settle":      errorOf(journal.Settle(ctx, 1)),
		"wait":        errorOf(journal.Wait(ctx, "order", patience, merchantpay.UntilFinal)),
		"find":        errorOf(journal.Find(ctx, "order")),
		"news":        errorOf(journal.News(ctx, 1)),
		"acknowledge": errorOf(journal.Acknowledge(ctx, entry)),
		"resolve":     errorOf(journal.Resolve(ctx, entry, merchantpay.Seen, "a note")),
		"receive":     journal.Receive(ctx, "/x", nil, "", "").Err,
	} {
		if failure := wantError(t, err, merchantpay.CodeCancelled, merchantpay.OutcomeNotSent); !errors.Is(failure, context.Canceled) {
			t.Errorf("%s: %v", name, failure)
		}
	}
	s.wantCalls(t, 2)
	// The service never reports a final status.
	ctx, cancel = context.WithTimeout(background, 300*time.Millisecond)
	defer cancel()
	err := errorOf(journal.Wait(ctx, "order", patience, merchantpay.UntilFinal))
	if failure := failed(t, err); failure.Code != merchantpay.CodeTimeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if entry, err := journal.Wait(background, "order", 10*time.Millisecond, merchantpay.UntilFinal); err != nil || entry.Standing != merchantpay.StandingOpen {
		t.Error(entry, err)
	}
}

func TestCancelledPayIsStoredAsUnknown(t *testing.T) {
	s := silent(t)
	client := s.client(t)
	journal := openJournal(t, client)
	client.Close() // The journal goes on without it.
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
	must(journal.Pay(background, "order", request("79001234567"))) // Other callers can still use the journal.
	s.wantCalls(t, 1)
}

func TestHandlerAnswersWebhooks(t *testing.T) {
	paid, stray := `{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}`, `{"success":true,"orderId":"o-9","status":"doneSuccess"}`
	s := newService(t, func(s *service, request arrival, w http.ResponseWriter) {
		if request.operation == "status" {
			s.reply(w, 200, paid)
		} else {
			s.reply(w, 200, `{"success":true,"orderId":"o-1","status":"pending","sum":1500.50,"payeeAccount":"2200"}`)
		}
	})
	var seen []merchantpay.Received
	journal := openJournal(t, s.client(t))
	handler := http.StripPrefix("/pay/callback", journal.Handler(func(_ *http.Request, received merchantpay.Received) { seen = append(seen, received) }))
	must(journal.Pay(background, "order", request("79001234567")))
	var sent struct{ StatusWebhookURL string }
	if err := json.Unmarshal((<-s.arrived).body, &sent); err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(sent.StatusWebhookURL, "https://shop.example")
	answer := func(method, path, body string, signatures ...string) *httptest.ResponseRecorder {
		answer, request := httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(body))
		request.Header["X-Signature"] = signatures
		request.Header.Set("X-KeyId", serviceKeyID)
		handler.ServeHTTP(answer, request)
		return answer
	}
	if looked := answer("GET", path, ""); looked.Code != http.StatusMethodNotAllowed || looked.Header().Get("Allow") != http.MethodPost {
		t.Fatal(looked)
	}
	for _, row := range []struct {
		name       string
		status     int
		path, body string
		signatures []string
	}{
		{"a forged one", 400, path, paid, []string{"AAAA"}},
		{"one without a signature", 400, path, paid, nil},
		{"one with two", 400, path, paid, []string{s.sign(paid), s.sign(paid)}},
		{"a large one", 413, path, strings.Repeat(" ", 70_000), []string{"AAAA"}},
		{"one to nobody", 404, "/pay/callback/0000", stray, []string{s.sign(stray)}},
		{"its own", 200, path, paid, []string{s.sign(paid)}},
		{"its own again", 200, path, paid, []string{s.sign(paid)}},
	} {
		if status := answer("POST", row.path, row.body, row.signatures...).Code; status != row.status {
			t.Errorf("%s: %d in place of %d", row.name, status, row.status)
		}
	}
	if len(seen) != 7 || seen[5].Entry == nil || !seen[5].Entry.Succeeded || seen[5].Err != nil || seen[4].Entry != nil || !errors.Is(seen[0].Err, merchantpay.ErrUnverified) {
		t.Error(seen)
	}
	items := must(journal.Attention(background, 10))
	if len(items) != 1 || items[0].CreatedAt.IsZero() || items[0].String() != "orphan of order o-9" {
		t.Error(items)
	}
}
