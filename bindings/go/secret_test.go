package merchantpay_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/merchantpay/merchantpay-go"
)

// everyText prints each value in all ways that a program may use.
func everyText(values ...any) []string {
	var texts []string
	for _, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			texts = append(texts, fmt.Sprintf(verb, value), fmt.Sprintf(verb, []any{value}), fmt.Sprintf(verb, struct{ Field any }{value}))
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("text", "value", value)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("json", "value", value)
		texts = append(texts, log.String())
	}
	return texts
}

// everyJSON converts each value to JSON, alone and inside other values.
func everyJSON(t *testing.T, values ...any) []string {
	t.Helper()
	var texts []string
	for _, value := range values {
		for _, nested := range []any{value, []any{value}, map[string]any{"key": value}, struct{ Field any }{value}, &struct{ Field any }{value}} {
			text, err := json.Marshal(nested)
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
				slog.New(handler).Info("nested", "value", nested, slog.Group("group", "value", nested))
			}
			texts = append(texts, string(text), log.String())
		}
	}
	return texts
}

func TestNoTextShowsASecret(t *testing.T) {
	pair := must(merchantpay.GenerateKeypair())
	config := sandbox.Config
	config.PrivateKey = pair.PrivateKey
	config.Proxy, config.AllowHTTP = "http://user:PASSWORD@127.0.0.1:1", true
	client, protocol, verifier := newClient(t, config), must(merchantpay.NewProtocol(config)), newVerifier(t, config)
	prepared := must(protocol.PrepareNewPayment(request("ACCOUNT-7900")))
	payment := merchantpay.Payment{
		OrderID: "o-1", Sum: amount("1.50"), PayeeAccount: "ACCOUNT-7900", PayeeName: "NAME-IVAN", Deeplink: "LINK",
		JSON: []byte(`{"payeeName":"NAME-IVAN"}`),
	}
	refused := &merchantpay.Error{
		Code: merchantpay.CodeRejected, Outcome: merchantpay.OutcomeRejected, Message: "the service refused",
		Description: "NAME-IVAN", Excerpt: "NAME-IVAN", Body: []byte("NAME-IVAN"),
	}
	place := merchantpay.JournalConfig{Place: "postgresql://shop:PASSWORD@db/shop"}
	_, wrong := merchantpay.NewClient(merchantpay.Config{BaseURL: config.BaseURL, KeyID: "k", PrivateKey: pair.PrivateKey[1:]})
	secrets := []string{
		pair.PrivateKey, fmt.Sprintf("%x", pair.PrivateKey), pair.PrivateKey[1:30], "PASSWORD", prepared.Header.Get("X-Signature"),
		"ACCOUNT-7900", "NAME-IVAN", "LINK", fmt.Sprintf("%x", "NAME-IVAN"),
	}
	values := []any{
		config, &config, pair, *pair, client, *client, verifier, *verifier, protocol, prepared, *prepared, payment, &payment,
		place, &place, merchantpay.Received{HTTPStatus: 200, Entry: &merchantpay.Entry{Credentials: &payment}, Err: wrong},
		request("ACCOUNT-7900"), merchantpay.AmountsRequest{CustomerAccount: "ACCOUNT-7900"}, &merchantpay.Event{Payment: &payment}, wrong,
		refused, *refused, fmt.Errorf("wrapped: %w", refused),
	}
	file := merchantpay.File{Name: "NAME-IVAN", ContentType: "image/png", Data: []byte("ACCOUNT-7900")}
	receipt := merchantpay.Receipt{OrderID: "o-1", Files: []merchantpay.File{file, {Path: "/tmp/NAME-IVAN.png"}}}
	response := merchantpay.HTTPResponse{
		Status: 200, Header: http.Header{"X-Signature": {prepared.Header.Get("X-Signature")}}, Body: []byte("NAME-IVAN"),
	}
	redacted := []any{
		config, &config, place, &place, *pair, pair, *prepared, prepared, response, &response, receipt, &receipt, file, &file, client, protocol, verifier,
		struct {
			Config  merchantpay.Config
			Keypair *merchantpay.Keypair
			Files   []merchantpay.File
		}{config, pair, receipt.Files},
	}
	secrets = append(secrets, base64.StdEncoding.EncodeToString(file.Data), base64.StdEncoding.EncodeToString(prepared.Body)[:20])
	for _, text := range append(everyText(append(values, redacted...)...), everyJSON(t, redacted...)...) {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in %s", secret, text)
			}
		}
		if strings.Contains(text, "PANIC") {
			t.Error(text)
		}
	}
	if text := payment.String() + ", " + refused.Error(); text != "payment o-1 sum 1.50, rejected rejected: the service refused" {
		t.Error(text)
	}
}
