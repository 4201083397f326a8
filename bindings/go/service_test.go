package merchantpay_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"sync/atomic"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// service is a service that sends only bytes which the test chooses.
type service struct {
	*httptest.Server
	key     ed25519.PrivateKey
	calls   atomic.Int64
	answer  func(s *service, operation string, body []byte, w http.ResponseWriter)
	arrived chan arrival
}

// arrival is a received request.
type arrival struct {
	operation, signature string
	body                 []byte
	hungUp               <-chan struct{} // Closed when the client has closed its connection.
}

// fields returns the fields of a request's JSON.
func (a arrival) fields(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(a.body, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

const serviceKeyID = "service-key"

// newService starts a service that answers each request by the function answer. With nil it answers with a
// signed success.
func newService(t testing.TB, answer func(s *service, operation string, body []byte, w http.ResponseWriter)) *service {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{key: key, answer: answer, arrived: make(chan arrival, 1)}
	if answer == nil {
		s.answer = func(s *service, _ string, body []byte, w http.ResponseWriter) { s.reply(w, 200, success(body)) }
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.calls.Add(1)
		select {
		case s.arrived <- arrival{path.Base(r.URL.Path), r.Header.Get("X-Signature"), body, r.Context().Done()}:
		default: // The test does not read the arrivals.
		}
		s.answer(s, path.Base(r.URL.Path), body, w)
	}))
	t.Cleanup(s.Server.Close)
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

func (s *service) publicKey() string {
	return base64.StdEncoding.EncodeToString(s.key.Public().(ed25519.PublicKey))
}

// reply writes a signed reply.
func (s *service) reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-KeyId", serviceKeyID)
	w.Header().Set("X-Signature", s.sign(body))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// config returns the settings for a merchant of this service.
func (s *service) config(t testing.TB) merchantpay.Config {
	t.Helper()
	pair, err := merchantpay.GenerateKeypair()
	if err != nil {
		t.Fatal(err)
	}
	return merchantpay.Config{
		BaseURL: s.URL, KeyID: "merchant-key", PrivateKey: pair.PrivateKey,
		ServerPublicKey: s.publicKey(), ServerKeyID: serviceKeyID,
	}
}

func (s *service) client(t testing.TB, change ...func(*merchantpay.Config)) *merchantpay.Client {
	t.Helper()
	config := s.config(t)
	for _, change := range change {
		change(&config)
	}
	client, err := merchantpay.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}
