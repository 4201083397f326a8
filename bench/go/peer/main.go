// Makes the measured calls without the package, with net/http and crypto/ed25519. The client keeps its connection open. The
// program signs exactly the body that it sends, and verifies a reply before it parses the reply. The reply must be about the
// order of the request. Money stays a text (json.Number).
//
// The package does more than this program: a decimal type for money, the strict check of a signature, checks of key ids and
// of duplicate names in JSON, retries, and outcomes.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/merchantpay/merchantpay-go/bench/command"
)

type orderRequest struct {
	OrderID string `json:"orderId"`
}

type paymentRequest struct {
	Sum             json.Number `json:"sum"`
	Currency        string      `json:"currency"`
	PaymentMethod   string      `json:"paymentMethod"`
	CustomerAccount string      `json:"customerAccount,omitempty"`
}

type payment struct {
	Success          bool        `json:"success"`
	ErrorDescription string      `json:"errorDescription"`
	OrderID          string      `json:"orderId"`
	Sum              json.Number `json:"sum"`
	PayeeAccount     string      `json:"payeeAccount"`
	PayeeAccountBank string      `json:"payeeAccountBank"`
	PayeeName        string      `json:"payeeName"`
	DealSum          json.Number `json:"dealSum"`
	DealCurrency     string      `json:"dealCurrency"`
	DealRate         json.Number `json:"dealRate"`
	Deeplink         string      `json:"deeplink"`
	Status           string      `json:"status"`
}

type merchant struct {
	privateKey      ed25519.PrivateKey
	serverPublicKey ed25519.PublicKey
	authorities     *x509.CertPool
	client          http.Client
	url             string
}

func (m *merchant) newClient() {
	m.client.CloseIdleConnections()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: m.authorities}
	m.client = http.Client{Transport: transport, Timeout: 30 * time.Second}
}

func (m *merchant) open(body []byte, signature, orderID string) (*payment, error) {
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return nil, err
	}
	if !ed25519.Verify(m.serverPublicKey, body, raw) {
		return nil, errors.New("the reply is not signed by the service")
	}
	var p payment
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, err
	}
	if !p.Success {
		return nil, errors.New(p.ErrorDescription)
	}
	if p.OrderID != orderID {
		return nil, errors.New("the reply is about another order")
	}
	return &p, nil
}

// call signs and sends the request. It verifies and parses the reply, and compares the reply's order with orderID.
func (m *merchant) call(path string, content any, orderID string) (*payment, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, m.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-KeyId", command.KeyID)
	request.Header.Set("X-Signature", base64.StdEncoding.EncodeToString(ed25519.Sign(m.privateKey, body)))
	reply, err := m.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	received, err := io.ReadAll(io.LimitReader(reply.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	return m.open(received, reply.Header.Get("X-Signature"), orderID)
}

func main() {
	m := merchant{
		privateKey:      decode(command.Setting("PRIVATE_KEY")),
		serverPublicKey: decode(command.Setting("SERVER_PUBLIC_KEY")),
		url:             command.Setting("URL") + "/api/v1/merchant/pay/",
	}
	if file := command.CAFile(); file != "" {
		m.authorities = authorities(file)
	}
	m.newClient()
	orderID, webhook, signature := command.Setting("ORDER_ID"), command.Webhook(), command.Setting("SIGNATURE")
	read := func(p *payment, err error) error {
		if err == nil && (p.Status != "doneSuccess" || p.Sum == "") {
			err = command.ErrOther
		}
		return err
	}
	newPayment := func() error {
		return read(m.call("new", paymentRequest{"1500.50", "RUB", "sbp", "79001234567"}, orderID))
	}
	command.Serve(map[string]func() error{
		"webhook": func() error { return read(m.open(webhook, signature, orderID)) },
		"status":  func() error { return read(m.call("status", orderRequest{orderID}, orderID)) },
		"new":     newPayment,
		// Makes the three calls of a payment one after another.
		"sale": func() error {
			if err := read(m.call("available", paymentRequest{"1500.50", "RUB", "sbp", ""}, orderID)); err != nil {
				return err
			}
			if err := newPayment(); err != nil {
				return err
			}
			return read(m.call("confirm", orderRequest{orderID}, orderID))
		},
		"cold": func() error {
			m.newClient()
			return newPayment()
		},
	})
}

func authorities(file string) *x509.CertPool {
	content, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		log.Fatal("no certificate")
	}
	return pool
}

func decode(text string) []byte {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		log.Fatal(err)
	}
	return raw
}
