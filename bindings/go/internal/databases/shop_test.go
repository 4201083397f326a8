//go:build databases

package databases_test

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"fmt"
	"image/png"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// shop is the example program with its own database.
type shop struct {
	t                 *testing.T
	sandbox           *sandbox
	db                *sql.DB
	program, database string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	program := filepath.Join(t.TempDir(), "shop")
	build := exec.Command("go", "build", "-o", program, "./shop")
	build.Dir = "../../../../examples/go"
	if printed, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	of := postgresql(t, "pgx")
	db := of.open(t)
	mustRun(t, db, "CREATE TABLE orders (id TEXT PRIMARY KEY, sum TEXT NOT NULL, phone TEXT NOT NULL)", "CREATE TABLE shipments (order_id TEXT)")
	sandbox := newSandbox(t)
	sandbox.Setenv(t) // The shop reads its settings from the environment.
	sandbox.open(of.config(db)).Close()
	return &shop{t, sandbox, db, program, fmt.Sprintf("host=%s port=5432 user=shop dbname=%s", of.server, of.name)}
}

// start runs the shop on the given address, and waits until the shop answers. If the address is empty, start
// chooses a free one.
func (s *shop) start(address string) (kill func(), at string) {
	s.t.Helper()
	if address == "" {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.t.Fatal(err)
		}
		address = listener.Addr().String()
		_ = listener.Close()
	}
	command := exec.Command(s.program, address, s.database)
	var printed bytes.Buffer
	command.Stdout, command.Stderr = &printed, &printed
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	s.t.Cleanup(kill)
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if answer, err := http.Get("http://" + address + "/orders/none"); err == nil {
			_ = answer.Body.Close()
			return kill, address
		}
		if time.Now().After(end) {
			kill()
			s.t.Fatalf("the shop does not answer: %s", &printed)
		}
	}
}

func (s *shop) order(id, phone string) {
	s.t.Helper()
	if _, err := s.db.Exec("INSERT INTO orders (id, sum, phone) VALUES ($1, '1500.50', $2)", id, phone); err != nil {
		s.t.Fatal(err)
	}
}

// page returns the page that a customer sees. If a button is given, the customer presses the button first.
func page(address, id, button string) (string, error) {
	url := "http://" + address + "/orders/" + id
	var answer *http.Response
	var err error
	if button == "" {
		answer, err = http.Get(url)
	} else {
		answer, err = http.Post(url+"/"+button, "application/x-www-form-urlencoded", nil)
	}
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

func (s *shop) page(address, id, button, wanted string) string {
	s.t.Helper()
	text, err := page(address, id, button)
	for end := time.Now().Add(patience); button == "" && !strings.Contains(text, wanted) && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
		text, err = page(address, id, button)
	}
	if err != nil || !strings.Contains(text, wanted) {
		s.t.Fatalf("no %q: %v\n%s", wanted, err, text)
	}
	return text
}

func (s *shop) wantShipments(wanted string) {
	s.t.Helper()
	found := ""
	for end := time.Now().Add(patience); found != wanted && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err := s.db.QueryRow("SELECT coalesce(string_agg(order_id, ' ' ORDER BY order_id), '') FROM shipments").Scan(&found); err != nil {
			s.t.Fatal(err)
		}
	}
	if found != wanted {
		s.t.Errorf("%q were shipped in place of %q", found, wanted)
	}
}

func TestTheShopSellsOnceWhereverItIsKilled(t *testing.T) {
	s := newShop(t)
	s.order("order-1", "79001234567")
	s.order("order-2", "79001234567")
	kill, address := s.start("")

	s.page(address, "order-1", "", "Pay 1500.50 ₽")
	shown := s.page(address, "order-1", "pay", "I have paid")
	picture := regexp.MustCompile(`src="data:image/png;base64,([^"]+)"`).FindStringSubmatch(shown)
	if picture == nil {
		t.Fatal(shown)
	}
	bytesOf, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(picture[1], "&#43;", "+"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(bytesOf)); err != nil {
		t.Error(err)
	}
	s.page(address, "order-1", "pay", "I have paid") // The customer presses the button a second time.
	s.sandbox.wantRequests("newPayment", 1)

	// The customer presses the button, and the shop is killed.
	s.page(address, "order-1", "paid", "Thank you")
	kill()
	kill, _ = s.start(address)
	s.page(address, "order-1", "", "your payment has arrived")
	s.wantShipments("order-1")

	// The reply is lost, and then the shop is killed.
	s.sandbox.fault("dropAfterCommit", "newPayment")
	s.page(address, "order-2", "pay", "Please do not pay again")
	kill()
	s.sandbox.approve(s.sandbox.orderID("order-2"))
	kill, _ = s.start(address)
	s.page(address, "order-2", "pay", "order-2")
	s.page(address, "order-2", "", "your payment has arrived")
	s.wantShipments("order-1 order-2")
	s.sandbox.wantRequests("newPayment", 2)
	kill()
}

func TestAWorkerGoesOnWhenItsConnectionsAreEnded(t *testing.T) {
	s := newShop(t)
	s.order("order-1", "79001234567")
	_, address := s.start("")
	s.page(address, "order-1", "pay", "I have paid")
	mustRun(t, s.db, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if text, err := page(address, "order-1", "paid"); err == nil && !strings.Contains(text, "try again") {
			break
		}
	}
	s.page(address, "order-1", "", "your payment has arrived")
	s.wantShipments("order-1")
}

func TestTwoShopsOfWhichOneIsKilledAgainAndAgainSellOnce(t *testing.T) {
	s := newShop(t)
	_, steady := s.start("")
	kill, other := s.start("")
	var wanted []string
	for i := range 8 {
		wanted = append(wanted, fmt.Sprintf("order-%d", i))
		s.order(wanted[i], "79001234567")
		// The shop is killed only after this call. If it were killed during the call, the shop would not know the
		// payment's order id.
		s.page(steady, wanted[i], "pay", "I have paid")
	}
	var customers sync.WaitGroup
	for i, id := range wanted {
		customers.Add(1)
		go func() {
			defer customers.Done()
			for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				address := []string{steady, other}[i%2]
				text, _ := page(address, id, "")
				switch {
				case strings.Contains(text, "your payment has arrived"):
					return
				case strings.Contains(text, "I have paid"):
					_, _ = page(address, id, "paid")
				}
			}
			t.Errorf("%s was not sold", id)
		}()
	}
	for range 3 {
		time.Sleep(150 * time.Millisecond)
		kill()
		kill, _ = s.start(other)
	}
	customers.Wait()
	s.wantShipments(strings.Join(wanted, " "))
}
