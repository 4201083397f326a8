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
	"net/http"
	"os"
	"time"
)

type orderRequest struct {
	OrderID string `json:"orderId"`
}

type paymentRequest struct {
	Sum             json.Number `json:"sum"`
	Currency        string      `json:"currency"`
	PaymentMethod   string      `json:"paymentMethod"`
	CustomerAccount string      `json:"customerAccount"`
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
	orderID         string
	privateKey      ed25519.PrivateKey
	serverPublicKey ed25519.PublicKey
	client          http.Client
}

func (m *merchant) read(body []byte, signature string) error {
	if !ed25519.Verify(m.serverPublicKey, body, decode(signature)) {
		return errors.New("the reply is not signed by the service")
	}
	var p payment
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	if !p.Success {
		return errors.New(p.ErrorDescription)
	}
	if p.OrderID != m.orderID {
		return errors.New("the reply is about another order")
	}
	if p.Status != "doneSuccess" || p.Sum == "" {
		return errOther
	}
	return nil
}

func (m *merchant) call(path string, content any) error {
	body, err := json.Marshal(content)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, setting("URL")+"/api/v1/merchant/pay/"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-KeyId", keyID)
	request.Header.Set("X-Signature", base64.StdEncoding.EncodeToString(ed25519.Sign(m.privateKey, body)))
	reply, err := m.client.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	received, err := io.ReadAll(io.LimitReader(reply.Body, 1<<20))
	if err != nil {
		return err
	}
	return m.read(received, reply.Header.Get("X-Signature"))
}

// peer makes the measured calls by hand, with net/http and crypto/ed25519. Money stays a text (json.Number).
//
// The package does more than this code: a decimal type for money, the strict check of a signature, checks of key ids and of
// duplicate names in JSON, retries, and outcomes.
func peer() {
	m := merchant{
		orderID:         setting("ORDER_ID"),
		privateKey:      decode(setting("PRIVATE_KEY")),
		serverPublicKey: decode(setting("SERVER_PUBLIC_KEY")),
	}
	m.client.Timeout = 30 * time.Second
	if file := os.Getenv("BENCH_CA"); file != "" {
		content, err := os.ReadFile(file)
		exitOn(err)
		authorities := x509.NewCertPool()
		authorities.AppendCertsFromPEM(content)
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = &tls.Config{RootCAs: authorities}
		m.client.Transport = transport
	}
	body, signature := []byte(setting("WEBHOOK")), setting("SIGNATURE")
	serve(map[string]func() error{
		"webhook": func() error { return m.read(body, signature) },
		"status":  func() error { return m.call("status", orderRequest{m.orderID}) },
		"new": func() error {
			return m.call("new", paymentRequest{"1500.50", "RUB", "sbp", "79001234567"})
		},
	})
}

func decode(text string) []byte {
	raw, err := base64.StdEncoding.DecodeString(text)
	exitOn(err)
	return raw
}
