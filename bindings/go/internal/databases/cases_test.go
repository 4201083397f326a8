package databases_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/merchantpay/merchantpay-go"
)

// step is one of tests/contract/journal/cases.json.
type step map[string]any

func (s step) text(name string) string { text, _ := s[name].(string); return text }

func (s step) number(name string, otherwise int) int {
	if number, ok := s[name].(float64); ok {
		return int(number)
	}
	return otherwise
}

func cases(t testing.TB) map[string][]step {
	t.Helper()
	text, err := os.ReadFile("../../../../tests/contract/journal/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Count int
		Cases []struct {
			Name  string
			Steps []step
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	all := map[string][]step{}
	for _, one := range file.Cases {
		all[one.Name] = one.Steps
	}
	if file.Count == 0 || len(all) != file.Count {
		t.Fatalf("%d cases in place of %d", len(all), file.Count)
	}
	return all
}

// runCases runs every case, each in an empty place; place puts where that is into the settings.
func runCases(t *testing.T, place func(t testing.TB) merchantpay.JournalConfig) {
	for name, steps := range cases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := place(t)
			config.CallbackURL, config.Timeout, config.CallsPerSecond = "http://127.0.0.1:9/callback", 15*time.Second, 1000
			run := &run{T: t, sandbox: newSandbox(t), config: config, entries: map[string]*merchantpay.Entry{},
				orders: map[string]string{}, webhooks: map[string]webhook{}}
			run.journal = run.open(config)
			for i, step := range steps {
				run.step(step)
				if t.Failed() {
					t.Fatalf("step %d: %v", i+1, step)
				}
			}
		})
	}
}

// run is a case under way.
type run struct {
	*testing.T
	sandbox  *sandbox
	config   merchantpay.JournalConfig
	journal  *merchantpay.Journal
	entries  map[string]*merchantpay.Entry
	orders   map[string]string // The order id of what has a name.
	webhooks map[string]webhook
}

func (r *run) open(config merchantpay.JournalConfig) *merchantpay.Journal {
	journal, err := merchantpay.OpenJournal(r.sandbox.client, config)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(journal.Close)
	return journal
}

// arguments are those that each step may have, beside as, expect and error.
var arguments = map[string]string{
	"pay": "reference sum account async replace", "confirm": "entry", "cancel": "entry", "resolve": "entry order_id no_payment seen note",
	"wait": "reference until", "settle": "reference until", "find": "reference", "list": "standing limit before",
	"news": "limit claim_ms", "acknowledge": "entry changed", "attention": "limit", "webhook": "merchant_id kind",
	"receive": "webhook http_status to path body signature", "client": "operation sum account merchant_id order",
	"fault": "kind operation", "operator": "merchant_id action", "requests": "", "open": "settings use", "pause": "ms",
}

func (r *run) step(step step) {
	known, ok := arguments[step.text("do")]
	if !ok {
		r.Fatal("unknown")
	}
	for name := range step {
		if !slices.Contains(strings.Fields(known+" do as expect error"), name) {
			r.Fatalf("unknown: %s", name)
		}
	}
	entry, entries, err := r.do(step)
	if wanted, ok := step["error"].(map[string]any); ok {
		var of *merchantpay.Error
		if !errors.As(err, &of) {
			r.Fatalf("no error, but %v", err)
		}
		if difference := differs(failure(of).(map[string]any), wanted, r.named); difference != "" {
			r.Fatalf("%v: %s", err, difference)
		}
		return
	}
	if err != nil {
		r.Fatal(err)
	}
	if list, ok := step["expect"].([]any); ok {
		if len(list) != len(entries) {
			r.Fatalf("%d entries: %v", len(entries), entries)
		}
		for i, wanted := range list {
			r.check(entries[i], wanted)
		}
	} else if wanted, ok := step["expect"]; ok && step.text("do") != "requests" {
		r.check(entry, wanted)
	}
	if name := step.text("as"); name != "" {
		if entry == nil && len(entries) > 0 {
			entry = entries[0]
		}
		if entry != nil {
			r.entries[name], r.orders[name] = entry, entry.OrderID
		}
	}
}

func (r *run) check(entry *merchantpay.Entry, wanted any) {
	if wanted == nil || entry == nil {
		if (wanted == nil) != (entry == nil) {
			r.Fatalf("%v in place of %v", entry, wanted)
		}
		return
	}
	if difference := differs(fields(entry), wanted.(map[string]any), r.named); difference != "" {
		r.Fatalf("%s: %s", difference, entry.JSON)
	}
	checkJSON(r, entry)
}

// named is the order id of what has the name, or the text itself.
func (r *run) named(text string) string {
	name, ok := strings.CutPrefix(text, "$")
	if !ok {
		return text
	}
	order := r.orders[name]
	if order == "" {
		r.Fatalf("nothing has the name %s", name)
	}
	return order
}

func (r *run) do(step step) (entry *merchantpay.Entry, entries []*merchantpay.Entry, err error) {
	journal, ctx := r.journal, background
	switch step.text("do") {
	case "pay":
		entry, err = r.pay(step)
	case "confirm":
		entry, err = journal.Confirm(ctx, r.entries[step.text("entry")])
	case "cancel":
		entry, err = journal.Cancel(ctx, r.entries[step.text("entry")])
	case "resolve":
		err = journal.Resolve(ctx, r.entries[step.text("entry")], r.resolution(step), step.text("note"))
	case "wait":
		until := map[string]merchantpay.Until{"credentials": merchantpay.UntilCredentials, "final": merchantpay.UntilFinal}
		entry, err = journal.Wait(ctx, step.text("reference"), patience, until[step.text("until")])
	case "settle":
		entry, err = r.settle(step)
	case "find":
		entry, err = journal.Find(ctx, step.text("reference"))
	case "list":
		entries, err = journal.List(ctx, standing(step.text("standing")), step.number("limit", 100), r.entries[step.text("before")])
	case "news":
		if claim := step.number("claim_ms", 0); claim > 0 {
			entries, err = journal.NewsFor(ctx, step.number("limit", 100), time.Duration(claim)*time.Millisecond)
		} else {
			entries, err = journal.News(ctx, step.number("limit", 100))
		}
	case "acknowledge":
		var changed bool
		if changed, err = journal.Acknowledge(ctx, r.entries[step.text("entry")]); changed != step["changed"] {
			r.Errorf("changed: %v", changed)
		}
	case "attention":
		entries, err = journal.Attention(ctx, step.number("limit", 100))
	case "webhook":
		came := r.sandbox.webhook(step.text("merchant_id"), step.text("kind"))
		r.webhooks[step.text("as")], r.orders[step.text("as")] = came, came.orderID
	case "receive":
		entry, err = r.receive(step)
	case "client":
		err = r.client(step)
	case "fault":
		r.sandbox.fault(step.text("kind"), step.text("operation"))
	case "operator":
		r.sandbox.operator(step.text("merchant_id"), step.text("action"))
	case "requests":
		counts := r.sandbox.requests()
		for operation, wanted := range step["expect"].(map[string]any) {
			if counts[operation] != wanted {
				r.Errorf("%v", counts)
			}
		}
	case "open":
		err = r.openAnother(step)
	case "pause":
		time.Sleep(time.Duration(step.number("ms", 0)) * time.Millisecond)
	}
	return entry, entries, err
}

func standing(name string) merchantpay.Standing {
	for standing := merchantpay.StandingSending; standing <= merchantpay.StandingSuperseded; standing++ {
		if standing.String() == name {
			return standing
		}
	}
	return 0
}

func (r *run) pay(step step) (*merchantpay.Entry, error) {
	account := step.text("account")
	if account == "" {
		account = "79001234567"
	}
	request, reference, replace := request(step.text("sum"), account), step.text("reference"), step.number("replace", 0)
	async, _ := step["async"].(bool)
	switch {
	case replace > 0 && async:
		return r.journal.ReplaceAsync(background, reference, replace, request)
	case replace > 0:
		return r.journal.Replace(background, reference, replace, request)
	case async:
		return r.journal.PayAsync(background, reference, request)
	default:
		return r.journal.Pay(background, reference, request)
	}
}

func (r *run) resolution(step step) merchantpay.Resolution {
	switch {
	case step["seen"] == true:
		return merchantpay.Seen
	case step["no_payment"] == true:
		return merchantpay.NoPayment
	default:
		return merchantpay.IsOrder(r.named(step.text("order_id")))
	}
}

func (r *run) settle(step step) (*merchantpay.Entry, error) {
	until := step["until"].(map[string]any)
	difference := "it was never settled"
	for end := time.Now().Add(patience); time.Now().Before(end); {
		settled, err := r.journal.Settle(background, 100)
		if err != nil {
			return nil, err
		}
		entry, err := r.journal.Find(background, step.text("reference"))
		if err != nil || entry == nil {
			return nil, fmt.Errorf("%v: %w", entry, err)
		}
		if difference = differs(fields(entry), until, r.named); difference == "" {
			return entry, nil
		}
		pause := 100 * time.Millisecond
		if settled.NextDue >= 0 {
			pause = min(pause, settled.NextDue)
		}
		time.Sleep(max(pause, time.Millisecond))
	}
	return nil, errors.New(difference)
}

func (r *run) receive(step step) (*merchantpay.Entry, error) {
	given := r.webhooks[step.text("webhook")]
	to := given.url
	if other, ok := step["to"].(string); ok {
		to = r.webhooks[other].url
	}
	for name, place := range map[string]*string{"path": &to, "body": &given.body, "signature": &given.signature} {
		if text, ok := step[name].(string); ok {
			*place = text
		}
	}
	given.url = to
	received := given.receive(r.journal)
	if received.HTTPStatus != step.number("http_status", 0) {
		r.Errorf("answered %d: %v", received.HTTPStatus, received.Err)
	}
	return received.Entry, received.Err
}

func (r *run) client(step step) error {
	account := step.text("account")
	if account == "" {
		account = "79001234567"
	}
	asked := merchantpay.PaymentRequest{
		PaymentMethod: merchantpay.PaymentMethodSBP, CustomerAccount: account, MerchantID: step.text("merchant_id"),
		StatusWebhookURL: "http://127.0.0.1:9/another",
	}
	var err error
	order := ""
	switch step.text("operation") {
	case "new_payment":
		asked.Sum = decimal.RequireFromString(step.text("sum"))
		var made *merchantpay.Payment
		if made, err = r.sandbox.client.NewPayment(background, asked); err == nil {
			order = made.OrderID
		}
	case "new_payment_async":
		asked.Sum, asked.CredentialsWebhookURL = decimal.RequireFromString(step.text("sum")), asked.StatusWebhookURL
		order, err = r.sandbox.client.NewPaymentAsync(background, asked)
	case "cancel":
		err = r.sandbox.client.Cancel(background, r.named(step.text("order")))
	default:
		r.Fatalf("unknown: %s", step.text("operation"))
	}
	if name := step.text("as"); name != "" {
		r.orders[name] = order
	}
	return err
}

// openAnother opens a journal at the same place, with other settings. What others write as an empty account or as 0 calls a second is
// unset in Go, so something as wrong stands for it.
func (r *run) openAnother(step step) error {
	config := r.config
	settings, _ := step["settings"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		text, _ := settings[name].(string)
		number, _ := settings[name].(float64)
		switch name {
		case "callback_url":
			config.CallbackURL = text
		case "account":
			if config.Account = text; text == "" && settings[name] != nil {
				config.Account = "\n"
			}
		case "timeout_ms":
			config.Timeout = time.Duration(number) * time.Millisecond
		case "calls_per_second":
			if config.CallsPerSecond = int(number); number == 0 {
				config.CallsPerSecond = -1
			}
		default:
			r.Fatalf("unknown: %s", name)
		}
	}
	journal, err := merchantpay.OpenJournal(r.sandbox.client, config)
	if err != nil {
		return err
	}
	if step["use"] == true {
		r.journal, r.config = journal, config
		r.Cleanup(journal.Close)
	} else {
		journal.Close()
	}
	return nil
}
