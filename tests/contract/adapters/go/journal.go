package main

import (
	"database/sql"
	"fmt"
	"time"

	merchantpay "github.com/merchantpay/merchantpay-go"
)

// journals are the open journal, the returned entries by number, and the objects that are closed at the end
// of a case.
type journals struct {
	*merchantpay.Journal
	entries []*merchantpay.Entry
	opened  []func()
}

var journal journals

func (j *journals) open(command object) error {
	settings, err := config(command["client"])
	if err != nil {
		return err
	}
	client, err := merchantpay.NewClient(settings)
	if err != nil {
		return err
	}
	j.opened = append(j.opened, client.Close)
	config := merchantpay.JournalConfig{Place: text(command["place"])}
	if err := fill(&config, command["settings"].(object)); err != nil {
		return err
	}
	opened, err := merchantpay.OpenJournal(client, config)
	if err != nil {
		return err
	}
	j.Journal = opened
	j.opened = append(j.opened, opened.Close)
	return nil
}

func (j *journals) close() {
	for i := range j.opened {
		j.opened[len(j.opened)-1-i]()
	}
	*j = journals{}
}

func (j *journals) given(number any) *merchantpay.Entry {
	if number, ok := number.(float64); ok {
		return j.entries[int(number)]
	}
	return nil
}

// key returns the entry of a command, by its number or made of its values.
func (j *journals) key(command object) *merchantpay.Entry {
	if entry := j.given(command["entry"]); entry != nil {
		return entry
	}
	news, _ := command["news"].(float64)
	return &merchantpay.Entry{Reference: text(command["reference"]), Attempt: number(command["attempt"], 0), News: int64(news)}
}

func (j *journals) answer(command object) (object, error) {
	limit, reference := number(command["limit"], 100), text(command["reference"])
	pay := func(pay func(merchantpay.PaymentRequest) (*merchantpay.Entry, error)) (object, error) {
		return j.one(with(command["request"].(object), pay))
	}
	switch command["do"] {
	case "journal_open":
		return object{}, j.open(command)
	case "journal_close":
		j.close()
		return object{}, nil
	case "pay":
		return pay(func(request merchantpay.PaymentRequest) (*merchantpay.Entry, error) {
			return j.Pay(background, reference, request)
		})
	case "pay_async":
		return pay(func(request merchantpay.PaymentRequest) (*merchantpay.Entry, error) {
			return j.PayAsync(background, reference, request)
		})
	case "replace":
		return pay(func(request merchantpay.PaymentRequest) (*merchantpay.Entry, error) {
			return j.Replace(background, reference, number(command["attempt"], 0), request)
		})
	case "confirm":
		return j.one(j.Confirm(background, j.key(command)))
	case "cancel":
		return j.one(j.Cancel(background, j.key(command)))
	case "resolve":
		resolution, err := resolution(command)
		if err != nil {
			return nil, err
		}
		return j.one(j.Resolve(background, j.given(command["entry"]), resolution, text(command["note"])))
	case "wait":
		until := map[string]merchantpay.Until{"credentials": merchantpay.UntilCredentials, "final": merchantpay.UntilFinal}
		timeout := time.Duration(number(command["timeout_ms"], 0)) * time.Millisecond
		return j.one(j.Wait(background, reference, timeout, until[text(command["until"])]))
	case "settle":
		settled, err := j.Settle(background, limit)
		shown := object{"done": settled.Done}
		if settled.NextDue != merchantpay.Never {
			shown["next_due_ms"] = settled.NextDue.Milliseconds()
		}
		return shown, err
	case "find":
		return j.one(j.Find(background, reference))
	case "list":
		return j.many(j.List(background, standing(text(command["standing"])), limit, j.given(command["before"])))
	case "news":
		return j.many(j.News(background, limit))
	case "acknowledge":
		changed, err := j.Acknowledge(background, j.key(command))
		return object{"changed": changed}, err
	case "acknowledge_sql":
		return acknowledgement(j.given(command["entry"]), text(command["style"])), nil
	case "attention":
		return j.many(j.Attention(background, limit))
	case "stats":
		stats, err := j.Stats(background)
		if err != nil {
			return nil, err
		}
		var overdue, pause any
		if stats.Overdue > 0 {
			overdue = stats.Overdue.Milliseconds()
		}
		if stats.Pause != "" {
			pause = stats.Pause
		}
		return object{"stats": object{
			"standings": stats.Standings, "attention": stats.Attention, "orphans": stats.Orphans, "due": stats.Due,
			"overdueMs": overdue, "news": stats.News, "pause": pause, "durabilityVouched": stats.DurabilityVouched,
		}}, nil
	case "receive":
		received := j.Receive(
			background, text(command["path"]), unhex(command["body"]), text(command["signature"]), text(command["key_id"]),
		)
		shown, err := j.one(received.Entry, nil)
		shown["http_status"] = received.HTTPStatus
		if received.Err != nil {
			shown["error"] = field(received.Err)
		}
		return shown, err
	default:
		return nil, fmt.Errorf("an unknown command: %v", command["do"])
	}
}

func standing(name string) merchantpay.Standing {
	for standing := merchantpay.StandingSending; standing <= merchantpay.StandingSuperseded; standing++ {
		if standing.String() == name {
			return standing
		}
	}
	return 0
}

func resolution(command object) (merchantpay.Resolution, error) {
	switch order := text(command["order_id"]); {
	case command["seen"] == true:
		return merchantpay.Seen, nil
	case command["no_payment"] == true:
		return merchantpay.NoPayment, nil
	case command["trusted"] == true:
		return merchantpay.Trusted, nil
	case command["sum"] != nil:
		sum, err := amount(text(command["sum"]))
		return merchantpay.IsOrderWithSum(order, sum), err
	default:
		return merchantpay.IsOrder(order), nil
	}
}

func acknowledgement(entry *merchantpay.Entry, name string) object {
	for style := merchantpay.StyleQuestion; style <= merchantpay.StyleAt; style++ {
		if style.String() != name {
			continue
		}
		statement, parameters := entry.AcknowledgeSQL(style)
		named := object{}
		for _, parameter := range parameters {
			if parameter, ok := parameter.(sql.NamedArg); ok {
				named[parameter.Name] = parameter.Value
			}
		}
		if len(named) > 0 {
			return object{"text": statement, "parameters": named}
		}
		return object{"text": statement, "parameters": parameters}
	}
	return object{}
}

func (j *journals) one(entry *merchantpay.Entry, err error) (object, error) {
	if entry == nil || err != nil {
		return object{"entry": nil}, err
	}
	return object{"entry": j.shown(entry)}, nil
}

func (j *journals) many(entries []*merchantpay.Entry, err error) (object, error) {
	shown := []object{}
	for _, entry := range entries {
		shown = append(shown, j.shown(entry))
	}
	return object{"entries": shown}, err
}

func (j *journals) shown(entry *merchantpay.Entry) object {
	j.entries = append(j.entries, entry)
	of := fields(entry)
	for _, name := range []string{"is_orphan", "unreadable", "details"} {
		delete(of, name)
	}
	return object{
		"entry": len(j.entries) - 1, "fields": of, "is_orphan": entry.IsOrphan, "unreadable": field(entry.Unreadable), "details": entry.Details,
		"json": string(entry.JSON),
	}
}
