package main

import (
	"database/sql"
	"fmt"
	"time"

	_ "github.com/go-sql-driver/mysql" // Registers the driver mysql.
	_ "github.com/jackc/pgx/v5/stdlib" // Registers the driver pgx.
	_ "github.com/lib/pq"              // Registers the driver postgres.
	_ "modernc.org/sqlite"             // Registers the driver sqlite.

	merchantpay "github.com/merchantpay/merchantpay-go"
)

var dialects = map[string]merchantpay.Dialect{
	"sqlite": merchantpay.DialectSQLite, "pgx": merchantpay.DialectPostgreSQL, "postgres": merchantpay.DialectPostgreSQL,
	"mysql": merchantpay.DialectMySQL,
}

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
	place := command["place"].(object)
	config := merchantpay.JournalConfig{File: text(place["file"])}
	if driver := text(place["driver"]); driver != "" {
		if config.DB, err = sql.Open(driver, text(place["dsn"])); err != nil {
			return err
		}
		j.opened = append(j.opened, func() { _ = config.DB.Close() })
		config.Dialect = dialects[driver]
	}
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

func (j *journals) answer(command object) (object, error) {
	limit, entry, reference := number(command["limit"], 100), j.given(command["entry"]), text(command["reference"])
	switch command["do"] {
	case "journal_open":
		return object{}, j.open(command)
	case "journal_close":
		j.close()
		return object{}, nil
	case "pay", "pay_async":
		return j.one(with(command["request"].(object), func(request merchantpay.PaymentRequest) (*merchantpay.Entry, error) {
			return j.pay(command["do"] == "pay_async", reference, number(command["replace"], 0), request)
		}))
	case "confirm":
		return j.one(j.Confirm(background, entry))
	case "cancel":
		return j.one(j.Cancel(background, entry))
	case "resolve":
		resolution := merchantpay.IsOrder(text(command["order_id"]))
		if command["seen"] == true {
			resolution = merchantpay.Seen
		} else if command["no_payment"] == true {
			resolution = merchantpay.NoPayment
		}
		return object{}, j.Resolve(background, entry, resolution, text(command["note"]))
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
		if claim := number(command["claim_ms"], 0); claim > 0 {
			return j.many(j.NewsFor(background, limit, time.Duration(claim)*time.Millisecond))
		}
		return j.many(j.News(background, limit))
	case "acknowledge":
		changed, err := j.Acknowledge(background, entry)
		return object{"changed": changed}, err
	case "attention":
		return j.many(j.Attention(background, limit))
	case "stats":
		stats, err := j.Stats(background)
		if err != nil {
			return nil, err
		}
		return object{"stats": object{
			"standings": stats.Standings, "estimated": stats.Estimated, "attention": stats.Attention, "reasons": stats.Reasons,
			"due": stats.Due, "durabilityVouched": stats.DurabilityVouched,
		}}, nil
	case "purge":
		count, err := j.Purge(background, time.UnixMilli(int64(command["before_ms"].(float64))))
		return object{"count": count}, err
	case "forget":
		count, err := j.Forget(background, reference)
		return object{"count": count}, err
	case "export":
		lines := []string{}
		err := j.Export(background, func(line string) error {
			lines = append(lines, line)
			return nil
		})
		return object{"lines": lines}, err
	case "import":
		changed, err := j.Import(background, text(command["line"]))
		return object{"changed": changed}, err
	case "pause":
		return object{}, j.Pause(background, text(command["note"]))
	case "resume":
		return object{}, j.Resume(background, text(command["note"]))
	case "backup":
		return object{}, j.Backup(background, text(command["file"]))
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

func (j *journals) pay(async bool, reference string, replace int, request merchantpay.PaymentRequest) (*merchantpay.Entry, error) {
	switch {
	case replace > 0 && async:
		return j.ReplaceAsync(background, reference, replace, request)
	case replace > 0:
		return j.Replace(background, reference, replace, request)
	case async:
		return j.PayAsync(background, reference, request)
	default:
		return j.Pay(background, reference, request)
	}
}

func (j *journals) one(entry *merchantpay.Entry, err error) (object, error) {
	if entry == nil || err != nil {
		return object{"entry": nil}, err
	}
	return object{"entry": j.shown(entry)}, nil
}

func (j *journals) many(entries []*merchantpay.Entry, err error) (object, error) {
	return object{"entries": j.all(entries)}, err
}

func (j *journals) all(entries []*merchantpay.Entry) []object {
	shown := []object{}
	for _, entry := range entries {
		shown = append(shown, j.shown(entry))
	}
	return shown
}

func (j *journals) shown(entry *merchantpay.Entry) object {
	j.entries = append(j.entries, entry)
	number, of := len(j.entries)-1, fields(entry)
	delete(of, "is_orphan")
	delete(of, "earlier")
	return object{
		"entry": number, "fields": of, "is_orphan": entry.IsOrphan, "earlier": j.all(entry.Earlier), "json": string(entry.JSON),
	}
}
