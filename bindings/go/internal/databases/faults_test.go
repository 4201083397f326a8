package databases_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// faulty is a SQLite database with a driver that fails on the test's command.
type faulty struct {
	driver.Connector
	// before and after are called with each statement; their error becomes the statement's error.
	before, after func(statement string) error
}

func (f *faulty) Connect(ctx context.Context) (driver.Conn, error) {
	connection, err := f.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyConnection{connection, f}, nil
}

type faultyConnection struct {
	driver.Conn
	of *faulty
}

func (c *faultyConnection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.of.before(query); err != nil {
		return nil, err
	}
	result, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	if err == nil {
		err = c.of.after(query)
	}
	return result, err
}

func (c *faultyConnection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.of.before(query); err != nil {
		return nil, err
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

// connector is a driver.Connector for a driver that does not have its own.
type connector struct {
	driver driver.Driver
	source string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.source) }

func (c connector) Driver() driver.Driver { return c.driver }

// newFaulty makes an empty SQLite database with a driver that can fail.
func newFaulty(t testing.TB) (*faulty, *sql.DB) {
	t.Helper()
	plain := sqlite(t)
	if err := plain.Ping(); err != nil {
		t.Fatal(err)
	}
	var file string
	if err := plain.QueryRow("SELECT file FROM pragma_database_list").Scan(&file); err != nil {
		t.Fatal(err)
	}
	fine := func(string) error { return nil }
	source := "file:" + file + "?_pragma=busy_timeout(10000)"
	f := &faulty{Connector: connector{plain.Driver(), source}, before: fine, after: fine}
	db := sql.OpenDB(f)
	t.Cleanup(func() { _ = db.Close() })
	return f, db
}

// once returns a function that calls the function do for the first statement of a kind, such as SELECT.
func once(kind string, do func() error) func(string) error {
	var done atomic.Bool
	return func(statement string) error {
		if strings.HasPrefix(statement, kind) && !done.Swap(true) {
			return do()
		}
		return nil
	}
}

var errLost = errors.New("write: broken pipe")

func TestADriverThatFailsInTheMiddlePaysOnce(t *testing.T) {
	lost := func() error { return errLost }
	panics := func() error { panic("a bug of the driver") }
	ends := func() error { runtime.Goexit(); return nil }
	stale := func() error { return driver.ErrBadConn }
	for _, kind := range []string{"INSERT", "UPDATE", "SELECT"} {
		for name, do := range map[string]func() error{"lost": lost, "panics": panics, "ends": ends, "stale": stale} {
			for _, side := range []string{"before", "after"} {
				if kind == "SELECT" && side == "after" {
					continue
				}
				t.Run(kind+" "+side+" "+name, func(t *testing.T) {
					t.Parallel()
					s := newSandbox(t)
					f, db := newFaulty(t)
					journal := s.open(merchantpay.JournalConfig{DB: db, Dialect: merchantpay.DialectSQLite, Create: true})
					fault := once(kind, do)
					if side == "before" {
						f.before = fault
					} else {
						f.after = fault
					}
					entry := pay(t, journal, "order")
					if entry.Credentials == nil || entry.Attempt != 1 {
						t.Fatalf("%s", entry.JSON)
					}
					if again := pay(t, journal, "order"); again.OrderID != entry.OrderID {
						t.Error(again)
					}
					s.wantRequests("newPayment", 1)
				})
			}
		}
	}
}

func TestADatabaseThatAlwaysFailsSendsNothingAndItsTextHasNoPassword(t *testing.T) {
	s := newSandbox(t)
	f, db := newFaulty(t)
	journal := s.open(merchantpay.JournalConfig{DB: db, Dialect: merchantpay.DialectSQLite, Create: true})
	for text, shown := range map[string]string{
		"cannot parse postgres://shop:s3cret@db/shop": "postgres://shop:…db/shop",
		"cannot parse host=db password='s3 cret' x":   "password=… x",
		"cannot parse password=s3cret":                "password=…",
		"invalid DSN shop:s3cret@tcp(db:3306)/shop":   "shop:…",
		strings.Repeat("é", 400):                      strings.Repeat("é", 150),
	} {
		failure := errors.New(text)
		f.before = func(string) error { return failure }
		_, err := journal.Find(background, "order")
		of := wantFailure(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent, shown)
		if strings.Contains(of.Error(), "cret") || len(of.Message) > 400 {
			t.Error(of)
		}
		if !errors.Is(err, failure) {
			t.Errorf("the driver's error is not the cause of %v", err)
		}
	}
	password := "S3cr@et w0rd"
	_, unparsed := url.Parse("postgres://shop:" + password + "@db/shop")
	f.before = func(string) error { return unparsed }
	_, err := journal.Find(background, "order")
	of := wantFailure(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent, "the data source is not a valid URL")
	if strings.Contains(of.Error(), "w0rd") {
		t.Error(of)
	}
	f.before = func(statement string) error { panic("a bug of the driver at " + statement[:6]) }
	_, err = journal.Find(background, "order")
	wantFailure(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent, "the database driver panicked: a bug of the driver at SELECT")
	_ = db.Close()
	_, err = journal.Pay(background, "order", good())
	wantFailure(t, err, merchantpay.CodeStorage, merchantpay.OutcomeNotSent, "closed")
	s.wantRequests("newPayment", 0)
}

func TestAContextEndsWhatReadsAndNotWhatStores(t *testing.T) {
	s := newSandbox(t)
	f, db := newFaulty(t)
	journal := s.open(merchantpay.JournalConfig{DB: db, Dialect: merchantpay.DialectSQLite, Create: true})

	// If no connection becomes free in time, nothing is started.
	db.SetMaxOpenConns(1)
	taken, err := db.Conn(background)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
	defer cancel()
	_, err = journal.PayAsync(ctx, "order", good())
	failure := wantFailure(t, err, merchantpay.CodeTimeout, merchantpay.OutcomeNotSent, "")
	if !errors.Is(failure, context.DeadlineExceeded) {
		t.Error(failure)
	}
	_ = taken.Close()
	if found, err := journal.Find(background, "order"); err != nil || found != nil {
		t.Fatal(found, err)
	}

	// The end of the context ends a reading statement immediately.
	ctx, cancel = context.WithCancel(background)
	f.before = once("SELECT", func() error { cancel(); return context.Canceled })
	begun := time.Now()
	_, err = journal.Pay(ctx, "order", good())
	wantFailure(t, err, merchantpay.CodeCancelled, merchantpay.OutcomeNotSent, "")
	if took := time.Since(begun); took > patience/3 {
		t.Errorf("it took %s", took)
	}
	f.before = func(string) error { return nil }

	// After the context has ended, a started call is still stored: first by the INSERT, and later its unknown
	// result.
	stored := make(chan struct{})
	f.after = once("INSERT", func() error { close(stored); return nil })
	s.fault("stallAfterCommit", "newPayment")
	entry, err := journal.Pay(cancelled(stored), "order", good())
	if err != nil || (entry.Standing != merchantpay.StandingUnknown && entry.Standing != merchantpay.StandingRefused) ||
		entry.Error == nil || entry.Error.Code != merchantpay.CodeCancelled {
		t.Fatal(entry, err)
	}
	found, err := journal.Find(background, "order")
	if err != nil || found.Standing != entry.Standing {
		t.Fatal(found, err)
	}
}

func TestTheHandlerAppliesAWebhookWhoseSenderHangsUp(t *testing.T) {
	s := newSandbox(t)
	journal := s.open(merchantpay.JournalConfig{DB: sqlite(t), Dialect: merchantpay.DialectSQLite, Create: true})
	entry, err := journal.Confirm(background, pay(t, journal, "order"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	webhook := s.Webhook(t, entry.OrderID)
	request := webhook.Request(t, webhook.Path).WithContext(ctx)
	if received := journal.ReceiveRequest(request); received.HTTPStatus != 200 || !received.Entry.Succeeded {
		t.Error(received)
	}
}
