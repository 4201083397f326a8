package merchantpay_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// certificate returns a new certificate for this machine, a PEM file of the certificate, and a PEM file of its
// key.
func certificate(t *testing.T) (pair tls.Certificate, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = pemFile(t, "cert.pem", "CERTIFICATE", cert), pemFile(t, "key.pem", "PRIVATE KEY", private)
	if pair, err = tls.LoadX509KeyPair(certFile, keyFile); err != nil {
		t.Fatal(err)
	}
	return pair, certFile, keyFile
}

func pemFile(t *testing.T, name, kind string, bytes []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheSettingsOfTLSAreUsed(t *testing.T) {
	s := newService(t, nil)
	server := httptest.NewUnstartedServer(s.Config.Handler)
	own, ownFile, _ := certificate(t)
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, Certificates: []tls.Certificate{own}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // Half of the clients fail on purpose, so errors are not logged.
	server.StartTLS()
	t.Cleanup(server.Close)
	sum := sha256.Sum256(own.Leaf.RawSubjectPublicKeyInfo)
	pin := "sha256/" + base64.StdEncoding.EncodeToString(sum[:])
	other := "sha256/" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	_, certFile, keyFile := certificate(t)
	for name, row := range map[string]struct {
		change func(*merchantpay.Config)
		works  bool
	}{
		"all that is needed":           {func(*merchantpay.Config) {}, true},
		"that authority alone":         {func(c *merchantpay.Config) { c.ExclusiveCA = true }, true},
		"the authority as a file":      {func(c *merchantpay.Config) { c.CAPEM, c.CAFile = "", ownFile }, true},
		"its key's pin":                {func(c *merchantpay.Config) { c.PinSPKI = []string{other, pin} }, true},
		"another key's pin":            {func(c *merchantpay.Config) { c.PinSPKI = []string{other} }, false},
		"no authority":                 {func(c *merchantpay.Config) { c.CAPEM = "" }, false},
		"no certificate of the client": {func(c *merchantpay.Config) { c.ClientCertFile, c.ClientKeyFile = "", "" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			client := s.client(t, func(c *merchantpay.Config) {
				c.BaseURL, c.CAPEM, c.ClientCertFile, c.ClientKeyFile = server.URL, read(t, ownFile), certFile, keyFile
				row.change(c)
			})
			if err := client.Confirm(background, "o-1"); (err == nil) != row.works {
				t.Error(err)
			}
		})
	}
}

func TestPlainHTTPToAnotherMachineIsAllowedOnlyByItsSetting(t *testing.T) {
	config := sandbox.config
	config.BaseURL, config.AllowHTTP = "http://pay.example", true
	client, err := merchantpay.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	client.Close()
}
