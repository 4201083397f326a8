package merchantpay_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"sync/atomic"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

const serviceKeyID = "service-key"

// service is a service that sends only bytes which the test chooses.
type service struct {
	*httptest.Server
	config      merchantpay.Config // The settings of a merchant of this service.
	key         ed25519.PrivateKey
	calls       atomic.Int64
	connections atomic.Int64
	arrived     chan arrival
}

type arrival struct {
	operation string
	body      []byte
	hungUp    <-chan struct{} // Closed when the client has closed its connection.
}

type answering func(s *service, request arrival, w http.ResponseWriter)

// newService starts a service. Without an answer it answers with a signed success.
func newService(t testing.TB, answer ...answering) *service {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	answer = append(answer, func(s *service, request arrival, w http.ResponseWriter) { s.reply(w, 200, success(request.body)) })
	s := &service{key: key, arrived: make(chan arrival, 1)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request := arrival{path.Base(r.URL.Path), body, r.Context().Done()}
		s.calls.Add(1)
		select {
		case s.arrived <- request:
		default: // The test does not read the arrivals.
		}
		answer[0](s, request, w)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	s.config = merchantpay.Config{
		BaseURL: s.URL, KeyID: "merchant-key", PrivateKey: must(merchantpay.GenerateKeypair()).PrivateKey,
		ServerPublicKey: base64.StdEncoding.EncodeToString(public), ServerKeyID: serviceKeyID,
	}
	return s
}

// success returns a body with the request's order id; with the order id o-1 if the request has none.
func success(body []byte) string {
	var asked struct{ OrderID string }
	_ = json.Unmarshal(body, &asked)
	if asked.OrderID == "" {
		asked.OrderID = "o-1"
	}
	return `{"success":true,"orderId":"` + asked.OrderID + `","status":"pending","payeeAccount":"2200"}`
}

func (s *service) sign(body string) string {
	return base64.StdEncoding.EncodeToString(ed25519.Sign(s.key, []byte(body)))
}

func (s *service) reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-KeyId", serviceKeyID)
	w.Header().Set("X-Signature", s.sign(body))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (s *service) client(t testing.TB, change ...func(*merchantpay.Config)) *merchantpay.Client {
	t.Helper()
	return newClient(t, s.config, change...)
}

// wantCalls expects this number of requests until now.
func (s *service) wantCalls(t testing.TB, wanted int64) {
	t.Helper()
	if sent := s.calls.Load(); sent != wanted {
		t.Errorf("%d requests were sent in place of %d", sent, wanted)
	}
}

// silent returns a service that never answers while the test runs.
func silent(t *testing.T) *service {
	over := make(chan struct{})
	s := newService(t, func(*service, arrival, http.ResponseWriter) { <-over })
	t.Cleanup(func() { close(over) })
	return s
}
