package merchantpay_test

import (
	"context"
	"net"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/merchantpay/merchantpay-go"
)

// counting is a listener that counts its connections.
type counting struct {
	net.Listener
	connections atomic.Int64
}

func (c *counting) Accept() (net.Conn, error) {
	connection, err := c.Listener.Accept()
	if err == nil {
		c.connections.Add(1)
	}
	return connection, err
}

// counted starts a service, and counts its connections.
func counted(t *testing.T) (*service, *counting) {
	t.Helper()
	s := newService(t, nil)
	server := httptest.NewUnstartedServer(s.Config.Handler)
	listener := &counting{Listener: server.Listener}
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	s.Server = server
	return s, listener
}

func TestAConnectionIsOpenedAheadAndUsedAgainAsTheSettingsSay(t *testing.T) {
	for _, row := range []struct {
		name                   string
		connectIdle, reuseIdle time.Duration
		connections            int64
	}{
		{"one for all", time.Minute, time.Minute, 1},
		{"each a new one", time.Minute, merchantpay.Never, 2},
		{"the one that was opened ahead is not used", merchantpay.Never, time.Minute, 2},
		{"none is used", merchantpay.Never, merchantpay.Never, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, listener := counted(t)
			client := s.client(t, func(c *merchantpay.Config) { c.ConnectIdle, c.ReuseIdle = row.connectIdle, row.reuseIdle })
			if err := client.Connect(background); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := client.Confirm(background, "o-1"); err != nil {
					t.Fatal(err)
				}
			}
			if got := listener.connections.Load(); got != row.connections {
				t.Errorf("%d connections", got)
			}
		})
	}
}

func TestConnectingSendsNothingAndEndsWithItsContext(t *testing.T) {
	s, _ := counted(t)
	client := s.client(t)
	cancelled, cancel := context.WithCancel(background)
	cancel()
	wantError(t, client.Connect(cancelled), merchantpay.CodeCancelled, merchantpay.OutcomeNotSent)
	var none context.Context
	wantError(t, client.Connect(none), merchantpay.CodeInvalidArgument, merchantpay.OutcomeNotSent)
	if sent := s.calls.Load(); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
	s.Close()
	failure := wantError(t, client.Connect(background), merchantpay.CodeTransport, merchantpay.OutcomeNotSent)
	if !failure.IsTransient() {
		t.Error("nobody will ever listen")
	}
}
