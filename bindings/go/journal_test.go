package merchantpay_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// patience limits how long a test waits for an event.
const patience = 30 * time.Second

func openJournal(t testing.TB, client *merchantpay.Client, change ...func(*merchantpay.JournalConfig)) *merchantpay.Journal {
	t.Helper()
	config := merchantpay.JournalConfig{File: filepath.Join(t.TempDir(), "payments.db"), CallbackURL: "https://shop.example/pay/callback", Create: true}
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

func TestAPaymentIsTakenOnceAndReportedUntilItIsAcknowledged(t *testing.T) {
	journal := openJournal(t, newClient(t))
	entry, err := journal.Pay(background, "order-1017", request("79001234567"))
	if err != nil {
		t.Fatal(err)
	}
	if entry.Credentials == nil || entry.Credentials.PayeeAccount == "" || entry.Standing != merchantpay.StandingOpen || entry.Attempt != 1 ||
		merchantpay.AmountText(entry.SumAsked) != "1500.50" || entry.Succeeded || entry.Error != nil || entry.DueAt.IsZero() ||
		time.Since(entry.CreatedAt) > time.Minute || entry.Confirm != 0 || entry.Paid != 0 || len(entry.Earlier) != 0 {
		t.Fatalf("%s", entry.JSON)
	}
	again, err := journal.Pay(background, "order-1017", request("79001234567"))
	if err != nil || again.OrderID != entry.OrderID {
		t.Fatal(again, err)
	}
	other := request("79001234567")
	other.Sum = amount("1500.51")
	_, err = journal.Pay(background, "order-1017", other)
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)

	if entry, err = journal.Confirm(background, entry); err != nil || entry.Confirm != merchantpay.IntentAccepted {
		t.Fatal(entry, err)
	}
	if entry, err = journal.Wait(background, "order-1017", patience, merchantpay.UntilFinal); err != nil || !entry.Succeeded ||
		entry.Paid != merchantpay.PaidExactly || entry.Credentials != nil || entry.Payment.Status != merchantpay.StatusDoneSuccess {
		t.Fatal(entry, err)
	}
	news, err := journal.News(background, 10)
	if err != nil || len(news) != 1 || news[0].Reported != merchantpay.LevelFinal || news[0].Acknowledged != merchantpay.LevelNone {
		t.Fatal(news, err)
	}
	if claimed, err := journal.News(background, 10); err != nil || len(claimed) != 0 {
		t.Fatal(claimed, err)
	}
	for _, wanted := range []bool{true, false} {
		if changed, err := journal.Acknowledge(background, news[0]); err != nil || changed != wanted {
			t.Fatal(changed, err)
		}
	}
	listed, err := journal.List(background, merchantpay.StandingFinal, 10, nil)
	if err != nil || len(listed) != 1 || listed[0].Acknowledged != merchantpay.LevelFinal {
		t.Fatal(listed, err)
	}
	if behind, err := journal.List(background, 0, 10, listed[0]); err != nil || len(behind) != 0 {
		t.Fatal(behind, err)
	}
	if none, err := journal.Find(background, "another"); err != nil || none != nil {
		t.Fatal(none, err)
	}
	if items, err := journal.Attention(background, 10); err != nil || len(items) != 0 {
		t.Fatal(items, err)
	}
	if settled, err := journal.Settle(background, 10); err != nil || settled.Done != 0 || settled.NextDue != merchantpay.Never {
		t.Fatal(settled, err)
	}
}

func TestAnEntryOutlivesItsJournalAndIsReadWhole(t *testing.T) {
	client := newClient(t)
	journal := openJournal(t, client)
	first, err := journal.Pay(background, "order", request("79001234567"))
	if err != nil {
		t.Fatal(err)
	}
	if first, err = journal.Cancel(background, first); err != nil || first.Cancel != merchantpay.IntentAccepted || first.Credentials != nil {
		t.Fatal(first, err)
	}
	if _, err := journal.Replace(background, "order", 1, request("79001234567")); err != nil {
		t.Fatal(err)
	}
	found, err := journal.Find(background, "order")
	if err != nil || found.Attempt != 2 || len(found.Earlier) != 1 || found.Earlier[0].OrderID != first.OrderID ||
		found.Earlier[0].Standing != merchantpay.StandingSuperseded {
		t.Fatal(found, err)
	}
	before := found.Earlier[0]
	found = nil
	client.Close()
	journal.Close()
	for range 3 {
		runtime.GC()
	}
	var written struct {
		Reference, Standing string
		Attempt             int
	}
	text, err := json.Marshal(before)
	if err != nil || json.Unmarshal(text, &written) != nil || written.Reference != "order" || written.Standing != "superseded" || written.Attempt != 1 {
		t.Fatalf("%s: %v", text, err)
	}
	_, err = journal.Confirm(background, before)
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v", before, *before, before)} {
		if shown != strings.Repeat("entry order attempt 1 superseded ", 2)+"entry order attempt 1 superseded" {
			t.Error(shown)
		}
	}
}

func TestTheClientMayBeClosedBeforeTheJournal(t *testing.T) {
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
	_, err := merchantpay.OpenJournal(client, merchantpay.JournalConfig{File: filepath.Join(t.TempDir(), "payments.db")})
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
}

func TestAFileThatIsNotAJournalIsRefused(t *testing.T) {
	client, folder := newClient(t), t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(file("other.txt"), []byte("a file of another program, which has no tables"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file("nowhere/payments.db"), file("dangling.db")); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		file   string
		create bool
		why    string
	}{
		{file("missing.db"), false, "`merchantpay journal init --journal "},
		{file("no/folder.db"), true, "folder.db"},
		{folder, true, "not a regular file"},
		{file("other.txt"), true, "not a database"},
		{file("dangling.db"), true, "a link to"},
	} {
		_, err := merchantpay.OpenJournal(client, merchantpay.JournalConfig{File: row.file, Create: row.create})
		failure := wantError(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent)
		if failure.IsTransient() || !strings.Contains(failure.Message, row.file) || !strings.Contains(failure.Message, row.why) {
			t.Error(failure)
		}
	}
}

func TestWhatAJournalCannotTakeIsRefused(t *testing.T) {
	client := newClient(t)
	file := filepath.Join(t.TempDir(), "payments.db")
	db := sql.OpenDB(nil)
	for name, config := range map[string]merchantpay.JournalConfig{
		"no place":            {},
		"both places":         {File: file, DB: db, Dialect: merchantpay.DialectPostgreSQL},
		"no dialect":          {DB: db},
		"an unknown dialect":  {DB: db, Dialect: 9},
		"a dialect and no DB": {File: file, Dialect: merchantpay.DialectSQLite},
		"a short deadline":    {File: file, Timeout: 14 * time.Second},
		"a negative deadline": {File: file, Timeout: -time.Second},
		"calls":               {File: file, CallsPerSecond: -1},
		"no URL":              {File: file, CallbackURL: "shop.example"},
		"an account":          {File: file, Account: "a\nb"},
		"a NUL in the file":   {File: "a\x00b"},
		"a relative path":     {File: "payments.db", Create: true},
	} {
		_, err := merchantpay.OpenJournal(client, config)
		if failure := wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent); failure == nil {
			t.Error(name)
		}
	}
	_, err := merchantpay.OpenJournal(nil, merchantpay.JournalConfig{File: file})
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)

	_, err = openJournal(t, client, func(config *merchantpay.JournalConfig) { config.CallbackURL = "" }).PayAsync(background, "order", request("1"))
	if failure := wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent); !strings.HasPrefix(failure.Message, "PayAsync needs ") {
		t.Error(failure)
	}

	journal := openJournal(t, client)
	for name, call := range map[string]func() error{
		"a reference": func() error { _, err := journal.Pay(background, " order", request("79001234567")); return err },
		"a NUL":       func() error { _, err := journal.Pay(background, "or\x00der", request("79001234567")); return err },
		"no attempt":  func() error { _, err := journal.Replace(background, "order", 0, request("79001234567")); return err },
		"an attempt":  func() error { _, err := journal.Replace(background, "order", -1, request("79001234567")); return err },
		"a limit":     func() error { _, err := journal.News(background, -1); return err },
		"a claim":     func() error { _, err := journal.NewsFor(background, 1, 0); return err },
		"a standing":  func() error { _, err := journal.List(background, 9, 1, nil); return err },
		"an until":    func() error { _, err := journal.Wait(background, "order", 0, 9); return err },
		"no entry":    func() error { _, err := journal.Confirm(background, nil); return err },
		"an entry":    func() error { _, err := journal.Cancel(background, &merchantpay.Entry{Reference: "order"}); return err },
		"no tx":       func() error { return journal.AcknowledgeTx(background, nil, &merchantpay.Entry{}) },
		"no context":  func() error { var none context.Context; _, err := journal.Find(none, "order"); return err },
		"no journal":  func() error { _, err := (*merchantpay.Journal)(nil).Find(background, "order"); return err },
		"no entry to resolve": func() error {
			return journal.Resolve(background, nil, merchantpay.Seen, "a note")
		},
	} {
		if failure := wantError(t, call(), merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent); failure == nil {
			t.Error(name)
		}
	}
}

func TestAnAttemptIsConfirmedCancelledAndAcknowledgedByValue(t *testing.T) {
	journal := openJournal(t, newClient(t))
	for _, reference := range []string{"order-1017", "order-1018"} {
		if _, err := journal.Pay(background, reference, request("79001234567")); err != nil {
			t.Fatal(err)
		}
	}
	acknowledge := func(reference string, attempt int, level merchantpay.Level) error {
		_, err := journal.AcknowledgeBy(background, reference, attempt, level)
		return err
	}
	wantRefused := func(errs map[string]error) {
		t.Helper()
		for name, err := range errs {
			if failure := failed(t, err); failure.Code != merchantpay.CodeInvalidArgument || failure.Outcome != merchantpay.OutcomeNotSent {
				t.Errorf("%s: %v", name, failure)
			}
		}
	}
	wantRefused(map[string]error{
		"a level above the entry's own":   acknowledge("order-1017", 1, merchantpay.LevelFinal),
		"an attempt that is not there":    acknowledge("order-1017", 2, merchantpay.LevelFinal),
		"a reference that is not there":   acknowledge("order-1019", 1, merchantpay.LevelFinal),
		"a reference with a NUL":          acknowledge("order\x00", 1, merchantpay.LevelFinal),
		"a negative attempt":              acknowledge("order-1017", -1, merchantpay.LevelFinal),
		"no transaction":                  journal.AcknowledgeByTx(background, nil, "order-1017", 1, merchantpay.LevelFinal),
		"to confirm another attempt":      second(journal.ConfirmBy(background, "order-1017", 2)),
		"to confirm attempt 0":            second(journal.ConfirmBy(background, "order-1017", 0)),
		"to cancel an unknown reference":  second(journal.CancelBy(background, "order-1019", 1)),
		"to cancel a reference with NULs": second(journal.CancelBy(background, "\x00\x00", 1)),
	})
	if entry, err := journal.CancelBy(background, "order-1018", 1); err != nil || entry.Reference != "order-1018" || entry.Cancel != merchantpay.IntentAccepted {
		t.Fatal(entry, err)
	}
	if entry, err := journal.ConfirmBy(background, "order-1017", 1); err != nil || entry.Confirm != merchantpay.IntentAccepted {
		t.Fatal(entry, err)
	}
	entry, err := journal.Wait(background, "order-1017", patience, merchantpay.UntilFinal)
	if err != nil || entry.Reported != merchantpay.LevelFinal {
		t.Fatal(entry, err)
	}
	wantRefused(map[string]error{
		"no level":      acknowledge("order-1017", 1, merchantpay.LevelNone),
		"another level": acknowledge("order-1017", 1, merchantpay.LevelFinal+1),
	})
	for _, wanted := range []bool{true, false} {
		if changed, err := journal.AcknowledgeBy(background, "order-1017", 1, entry.Reported); err != nil || changed != wanted {
			t.Fatal(changed, err)
		}
	}
	if found, err := journal.Find(background, "order-1017"); err != nil || found.Acknowledged != merchantpay.LevelFinal {
		t.Fatal(found, err)
	}
}

func TestAnErrorAboutASettingOfTheJournalHasTheNameOfGo(t *testing.T) {
	client := newClient(t)
	for wanted, change := range map[string]func(*merchantpay.JournalConfig){
		"File has a NUL byte":        func(c *merchantpay.JournalConfig) { c.File = "/a\x00" },
		"CallbackURL has a NUL byte": func(c *merchantpay.JournalConfig) { c.CallbackURL = "https://shop.example/\x00" },
		"Timeout must be a whole":    func(c *merchantpay.JournalConfig) { c.Timeout = -2 },
		"PayWait must be a whole":    func(c *merchantpay.JournalConfig) { c.PayWait = -time.Second },
		"CallsPerSecond must be a":   func(c *merchantpay.JournalConfig) { c.CallsPerSecond = -1 },
		"DurabilityVouched":          func(c *merchantpay.JournalConfig) { c.DurabilityVouched = "\xff" },
	} {
		config := merchantpay.JournalConfig{File: filepath.Join(t.TempDir(), "payments.db"), Create: true}
		change(&config)
		_, err := merchantpay.OpenJournal(client, config)
		failure := wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
		if !strings.HasPrefix(failure.Message, wanted) || namesOfC.MatchString(failure.Message) {
			t.Errorf("%q in place of %q", failure.Message, wanted)
		}
	}
}

func TestAPaymentNeedsFifteenSecondsOfItsContext(t *testing.T) {
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

func TestAContextThatIsDoneBeginsNothing(t *testing.T) {
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
		"resolve":     func() error { return journal.Resolve(ctx, entry, merchantpay.Seen, "a note") },
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

func TestAContextThatEndsInterruptsPayAndWhatIsKnownIsStored(t *testing.T) {
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
	items, err := journal.Attention(background, 10)
	if err != nil || len(items) != 1 || len(items[0].Attention) != 1 || items[0].Attention[0] != merchantpay.AttentionUnknown {
		t.Fatal(items, err)
	}
	if err := journal.Resolve(background, items[0], merchantpay.NoPayment, "support says so"); err != nil {
		t.Fatal(err)
	}
	if found, err := journal.Find(background, "order"); err != nil || found.Standing != merchantpay.StandingRefused {
		t.Fatal(found, err)
	}
}

func TestAContextThatEndsInterruptsAWait(t *testing.T) {
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

func TestCallsUnderWayEndBeforeAClosedJournalIsFreed(t *testing.T) {
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

func TestTheHandlerAnswersWebhooks(t *testing.T) {
	s := newService(t, nil)
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
	body := `{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}`
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
		{"a forged one", 400, func() int { return send(path, body, "AAAA") }},
		{"one without a signature", 400, func() int { return send(path, body) }},
		{"one with two", 400, func() int { return send(path, body, s.sign(body), s.sign(body)) }},
		{"a large one", 413, func() int { return send(path, strings.Repeat(" ", 70_000), "AAAA") }},
		{"one to nobody", 404, func() int { return send("/pay/callback/0000", body, s.sign(body)) }},
		{"its own", 200, func() int { return send(path, body, s.sign(body)) }},
		{"its own again", 200, func() int { return send(path, body, s.sign(body)) }},
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
	if err != nil || len(items) != 1 || !items[0].IsOrphan || items[0].OrderID != "o-1" || items[0].Standing != 0 ||
		items[0].String() != "orphan of order o-1" {
		t.Fatal(items, err)
	}
	_, err = journal.Confirm(background, items[0])
	wantError(t, err, merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
	if err := journal.Resolve(background, items[0], merchantpay.Seen, "looked at"); err != nil {
		t.Fatal(err)
	}
	if items, err := journal.Attention(background, 10); err != nil || len(items) != 0 {
		t.Fatal(items, err)
	}
}
